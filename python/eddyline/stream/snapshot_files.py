"""Writes snapshots while a run goes on, and index files that join them. See `eddyline.stream.snapshots`."""

from __future__ import annotations

import functools
import math
import time as clock
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.stream import atomic
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.particle_files import ParticlePart, StandingFiles, describe_particle_index
from eddyline.stream.particles import BATCH, Kind, batches, count
from eddyline.stream.snapshot_folder import (
    KINDS,
    Moment,
    Note,
    kinds_in,
    part_name,
    read_note,
    snapshot_count,
    snapshot_moment,
)

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

    from eddyline import _core

Job = Callable[[], None]
INDEX_EVERY = 1000  # smallest interval between writes of the index files, in multiples of their duration
INDEX_FIRST = 10.0  # s until their first write: short runs write them only at the end


@dataclass
class SnapshotFiles:
    """Writes snapshots into a folder, one by one."""

    folder: Path
    batch: int = BATCH  # particles in memory at a time
    _number: int = 0  # of the next
    _synced: int = 0  # number of snapshots that are synced to the disk
    _times: list[float] = field(default_factory=list)
    kinds: tuple[Kind, ...] = KINDS
    _counts: dict[Kind, list[int]] = field(default_factory=lambda: defaultdict(list))
    _standing: StandingFiles = field(default_factory=dict)  # for the next small ones
    _indexed: int = 0  # number of snapshots in the index files
    _index_due: float = field(default_factory=lambda: clock.perf_counter() + INDEX_FIRST)
    """Clock time at which writing is retried [s]."""

    def check(self, count: int) -> None:
        """Raises CorruptFileError if there are not as many snapshots."""
        there = snapshot_count(self.folder)
        if there < count:
            raise CorruptFileError(self.folder, f"{count} snapshots should be there, and {there} are")

    def cut(self, kept: int) -> int:
        """Continues after the first `kept` snapshots of a folder; later ones are deleted. Returns the step of
        the last of them, -1 without any."""
        self._number = kept
        self._synced = kept
        for kind in reversed(self.kinds):  # a snapshot exists when the file of its last kind exists
            for path in sorted((self.folder / kind).glob("[0-9]*.vtkhdf"), reverse=True):
                if int(path.stem) >= kept:
                    path.unlink()
            if kept == 0:
                (self.folder / f"{kind}.vtkhdf").unlink(missing_ok=True)
        self._times, self._counts = _find(self.folder)
        self._write_index()
        return snapshot_moment(self.folder.parent, kept - 1)[0] if kept else -1

    def sync(self) -> None:
        """Returns when all snapshots so far are on the disk: those since the last call are written there."""
        for kind in self.kinds:
            for number in range(self._synced, self._number):
                atomic.sync(self.folder / kind / part_name(number))
            if self._synced < self._number:
                atomic.sync_folder(self.folder / kind)
        self._synced = self._number

    def take(self, simulation: _core.Simulation, put: Callable[[Job], None]) -> None:
        """Copies the particles as they are now, in order of their ids, and puts what writes them, batch after
        batch: jobs that are to be done in order. Walls first: a snapshot exists when its fluid file exists.
        """
        counts = {kind: count(simulation, kind) for kind in self.kinds}
        is_small = max(counts.values()) <= self.batch
        jobs: list[Job] = []
        self._lay_out(simulation, counts, jobs.append if is_small else put)
        if is_small:  # to wake the writer costs as much as some of them
            put(functools.partial(_do_all, jobs))

    def _lay_out(
        self, simulation: _core.Simulation, counts: dict[Kind, int], put: Callable[[Job], None]
    ) -> None:
        moment = Moment.of(simulation)
        number, self._number = self._number, self._number + 1
        for kind, total in counts.items():
            part = ParticlePart(self.folder / kind / part_name(number), kind, total, moment, self._standing)
            try:
                put(part.open)
                for batch in batches(simulation, kind, self.batch):
                    put(functools.partial(part.append, batch))
            except BaseException:
                put(part.abandon)
                raise
            put(part.close)
        put(functools.partial(self._note, moment.time, counts))

    def renew_index_if_due(self, put: Callable[[Job], None]) -> None:
        """Queues an update of the index files, unless they were updated recently."""
        if self._indexed < len(self._times) and clock.perf_counter() >= self._index_due:
            self._index_due = math.inf  # until they are written
            put(self._write_index)

    def finish(self, put: Callable[[Job], None]) -> None:
        """Queues an update of the index files with all snapshots."""
        put(self._write_index)
        put(self._standing.clear)

    def _note(self, time: float, counts: dict[Kind, int]) -> None:
        self._times.append(time)
        for kind in self.kinds:
            self._counts[kind].append(counts[kind])

    def _write_index(self) -> None:
        if self._indexed == len(self._times):
            return
        start = clock.perf_counter()
        for kind in self.kinds:
            note = Note(0.0, 0, len(self._times), 0, kind).bytes()
            with atomic.hdf5_file(self.folder / f"{kind}.vtkhdf", note) as file:
                self._describe_index(file, kind)
        self._indexed = len(self._times)
        end = clock.perf_counter()
        self._index_due = end + INDEX_EVERY * (end - start)

    def _describe_index(self, file: h5py.File, kind: Kind) -> None:
        describe_particle_index(file, kind, self._times, self._counts[kind])


def _do_all(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job()


def _find(folder: Path) -> tuple[list[float], dict[Kind, list[int]]]:
    """Times [s] of the snapshots in a folder, and how many particles they have."""
    times: list[float] = []
    kinds = kinds_in(folder)
    counts: dict[Kind, list[int]] = defaultdict(list)
    for number in range(snapshot_count(folder)):
        for kind in kinds:
            found = read_note(folder / kind / part_name(number))
            counts[kind].append(found.count)
        times.append(found.time)
    return times, counts
