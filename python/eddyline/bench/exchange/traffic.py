"""Recorded traffic: the messages of each exchange of a run, with sender, receiver and size. One file,
`*.npz`."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eddyline.option_names import command
from eddyline.run.errors import RequestError
from eddyline.stream import atomic

FORMAT = 2
COUNT_BYTES = 4  # of a number that says how much will come
MIGRANTS = "migrants"
"""Particles that change ranks: no halo, as they know no neighbours."""

Table = NDArray[np.int64]


@dataclass(frozen=True)
class Traffic:
    """Messages in bytes; those of one group serve all exchanges of a halo with the same fields until its next
    rebuild.

    about: format, world, ranks, steps, dimensions, counts of the solver's members, decomposition, boxes,
    checksum of the last state, commit.
    halos: names, as the solver gives them, and MIGRANTS.
    exchanges: (n, 4) int64, in order: step, halo, rebuild, group. Exchanges of one rebuild have the same
    neighbours.
    messages: (m, 4) int64, by group: group, from rank, to rank, bytes; none of no bytes.
    """

    about: dict[str, Any]
    halos: tuple[str, ...]
    exchanges: Table
    messages: Table

    @classmethod
    def of(cls, about: dict[str, Any], halos: Sequence[str], exchanges: Table, messages: Table) -> Traffic:
        """The traffic as `_core.Simulation.traffic` returns it."""
        order = np.lexsort((messages[:, 2], messages[:, 1], messages[:, 0]))
        return cls({"format": FORMAT, **about}, tuple(halos), exchanges, messages[order])

    def write(self, path: Path) -> None:
        with atomic.replacing(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                about=np.array(json.dumps(self.about)),
                halos=np.array(self.halos),
                exchanges=self.exchanges,
                messages=self.messages,
            )

    @classmethod
    def read(cls, path: Path) -> Traffic:
        """Raises FileNotFoundError, or RequestError for a file that is something else."""
        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                halos = tuple(str(name) for name in file["halos"])
                found = cls(about, halos, file["exchanges"], file["messages"])
        except (KeyError, ValueError, EOFError, zipfile.BadZipFile):
            raise RequestError(
                f"{path}: contains no recorded traffic; `{command('bench', 'exchange', '--record', path)} "
                "WORLD` records it"
            ) from None
        if about["format"] != FORMAT:
            raise RequestError(
                f"{path}: format {about['format']}; this version reads {FORMAT}. Record it again."
            )
        return found

    @property
    def ranks(self) -> int:
        return int(self.about["ranks"])

    @cached_property
    def starts(self) -> Table:
        """Index of the first message of each group, (groups + 1,)."""
        groups = int(self.exchanges[:, 3].max(initial=-1)) + 1
        return np.searchsorted(self.messages[:, 0], np.arange(groups + 1))

    def of_halo(self, *names: str) -> NDArray[np.bool_]:
        """Mask of the exchanges of these halos, (n,)."""
        numbers = [k for k, name in enumerate(self.halos) if name in names]
        return np.isin(self.exchanges[:, 1], numbers)

    def counts(self) -> tuple[Table, Table]:
        """Messages, and bytes, of each exchange, of all ranks together, (n,) each."""
        groups = self.exchanges[:, 3]
        total = np.concatenate([[0], np.cumsum(self.messages[:, 3])])
        return np.diff(self.starts)[groups], np.diff(total[self.starts])[groups]

    @cached_property
    def busiest(self) -> str:
        """The halo that sent most bytes."""
        _, size = self.counts()
        sums = {name: int(size[self.of_halo(name)].sum()) for name in self.halos if name != MIGRANTS}
        return max(sums, key=lambda name: sums[name], default=MIGRANTS)

    def neighbors(self, halo: str = "") -> Table:
        """Number of neighbours of each rank after each rebuild of a halo, by default the busiest,
        (rebuilds, ranks)."""
        groups = self.first_groups(halo or self.busiest)
        found = np.zeros((len(groups), self.ranks), dtype=np.int64)
        for row, group in enumerate(groups):
            _, sender, receiver, _ = self._of_group(group).T
            pairs = np.unique(
                np.concatenate([sender * self.ranks + receiver, receiver * self.ranks + sender])
            )
            found[row] = np.bincount(pairs // self.ranks, minlength=self.ranks)
        return found

    def first_groups(self, halo: str) -> Table:
        """A group of each rebuild of a halo; all groups of a rebuild have the same neighbours."""
        of_halo = self.exchanges[self.of_halo(halo)]
        _, first = np.unique(of_halo[:, 2], return_index=True)
        groups: Table = of_halo[first, 3]
        return groups

    def script(self, rank: int, chosen: Table, *, as_counts: bool) -> tuple[Table, list[Table]]:
        """The part of `rank` in the `chosen` exchanges, as `_core.replay` takes it: (n, 3) halo, rebuild and
        group, counted anew; and for each group (k, 3): neighbour, bytes to it, bytes from it.

        as_counts: each message is one number, to and from each neighbour."""
        exchanges = self.exchanges[chosen][:, [1, 2, 3]]
        for column in (0, 1):
            _, exchanges[:, column] = np.unique(exchanges[:, column], return_inverse=True)
        used, exchanges[:, 2] = np.unique(exchanges[:, 2], return_inverse=True)
        return np.ascontiguousarray(exchanges), [self._of_rank(rank, group, as_counts) for group in used]

    def _of_group(self, group: int) -> Table:
        return self.messages[self.starts[group] : self.starts[group + 1]]

    def _of_rank(self, rank: int, group: int, as_counts: bool) -> Table:
        table = np.zeros((self.ranks, 3), dtype=np.int64)
        table[:, 0] = np.arange(self.ranks)
        _, sender, receiver, size = self._of_group(group).T
        table[receiver[sender == rank], 1] = size[sender == rank]
        table[sender[receiver == rank], 2] = size[receiver == rank]
        table = table[(table[:, 1:] > 0).any(axis=1)]
        if as_counts:
            table[:, 1:] = COUNT_BYTES
        return np.ascontiguousarray(table)


def five_numbers(values: NDArray[Any]) -> dict[str, float]:
    """Least, quartiles and greatest."""
    marks = np.percentile(values, [0, 25, 50, 75, 100])
    return dict(zip(("min", "q1", "median", "q3", "max"), map(float, marks), strict=True))
