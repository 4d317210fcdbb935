"""The last steps of a particle that went bad and of its neighbours, in failure.csv: a run that fails is
repeated from its last checkpoint or its start, which by the law gives the same bits."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.live.steering import CONTROL, Steering
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import BREAKS
from eddyline.stream import atomic
from eddyline.stream.checkpoints import Checkpoint, CheckpointError, find_checkpoint

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.run.stopping import StopRequests
    from eddyline.world import World

LAST = 50
"""Steps before the failed one that are kept."""
NEIGHBORS = 8
PATIENCE = 20.0
"""Wall time that repeating may take by the time of a step so far [s]; it is given up after twice this."""
AXES = "xyz"

Floats = NDArray[np.float64]
Row = tuple[int, float, int, Sequence[float], Sequence[float], float, float]


class _NoHistoryError(Exception):
    """The steps before the failed one are not known; the message says why."""


@dataclass(frozen=True)
class Failed:
    """A failed run. details: of its StepError. record: run.json so far. seconds: wall time of a step."""

    world: World
    folder: RunFolder
    details: Mapping[str, Any]
    record: Mapping[str, Any]
    seconds: float

    @property
    def names_a_particle(self) -> bool:
        return bool(self.world.solver.members == "particles" and self.details.get("reason"))


def keep_history(failed: Failed, stop: StopRequests) -> str:
    """Writes failure.csv and returns a sentence about it; empty if no particle is named."""
    if not failed.names_a_particle:
        return ""
    name, step = failed.folder.failure.name, failed.details["step"]
    try:
        rows = _repeat(failed, stop)
    except _NoHistoryError as reason:
        _write(failed, _rows_of_diagnosis(failed))
        return f"{name}: particle {failed.details['id']} and its neighbours at step {step:,} only: {reason}"
    _write(failed, rows)
    count = len({row[2] for row in rows}) - 1
    return (
        f"{name}: particle {failed.details['id']} and its {count} nearest neighbours in steps "
        f"{rows[0][0]:,} to {rows[-1][0]:,}"
    )


def _repeat(failed: Failed, stop: StopRequests) -> list[Row]:
    """Repeats the run up to the failed step; the rows of its last steps. Raises _NoHistoryError."""
    from eddyline import _core

    step = int(failed.details["step"])
    checkpoint = _beginning(failed)
    try:
        again = _Again(failed, checkpoint)
    except (MemoryError, _core.UserError) as error:
        raise _NoHistoryError(f"the run could not be repeated ({error})") from None
    deadline = clock.perf_counter() + 2 * PATIENCE
    rows: list[Row] = []
    ids: list[int] = []
    for target in (*range(max(again.step, step - LAST), step), step):
        try:
            while again.step < target:
                if stop.asked:
                    raise _NoHistoryError("repeating the run was interrupted")
                if clock.perf_counter() > deadline:
                    raise _NoHistoryError(f"repeating the run took more than {2 * PATIENCE:.0f} s")
                again.advance(target)
        except _core.StepError:
            if again.step != step:
                raise _NoHistoryError(f"the repeated run failed at step {again.step:,}") from None
        ids = ids or [failed.details["id"], *again.neighbors(failed.details)]
        rows += again.rows(ids)
    if not rows or rows[0][0] >= step:
        raise _NoHistoryError("there is no earlier step")
    _check_same(failed, rows)
    return rows


def _check_same(failed: Failed, rows: Sequence[Row]) -> None:
    """Raises _NoHistoryError if the repeated run did not end as the failed one."""
    details, dimensions = failed.details, failed.world.core.dimensions
    was = [*details["position"][:dimensions], *details["velocity"][:dimensions]]
    now = [value for row in rows if row[0] == details["step"] for value in (*row[3], *row[4])]
    if not np.array_equal(was, now[: len(was)], equal_nan=True):
        raise _NoHistoryError("the repeated run came to another state there, which should not be possible")


def _beginning(failed: Failed) -> Checkpoint | None:
    """The beginning of the repeated run: the latest checkpoint at least LAST steps before the failed one, or
    the start (None), or a later checkpoint, whichever is first near enough."""
    step = int(failed.details["step"])
    if step < 1:
        raise _NoHistoryError("the start itself is bad")
    if failed.record.get("ranks", 1) > 1:
        raise _NoHistoryError("runs on ranks are not repeated; the same run on one rank gives its last steps")
    if BREAKS in failed.record:
        raise _NoHistoryError("inexact lazy steps cannot be repeated exactly")
    found: list[Checkpoint | None] = []
    for before in (step - LAST + 1, step):
        try:
            found.append(find_checkpoint(failed.folder.checkpoints, lambda text: None, before))
        except CheckpointError:
            found.append(None)
    for each in (found[0], None, found[1]):
        if (step - (each.step if each else 0)) * failed.seconds <= PATIENCE:
            return each
    raise _NoHistoryError(
        f"the last checkpoint or start is more than {PATIENCE:.0f} s of computing before it; a shorter "
        "interval of checkpoints (--checkpoint-every 10) keeps one nearer"
    )


class _Again:
    """The failed run, computed again from a checkpoint or the start with its live commands."""

    def __init__(self, failed: Failed, checkpoint: Checkpoint | None) -> None:
        from eddyline import _core

        world = failed.world
        self._core: _core.Simulation = _core.Simulation(
            world.core, threads=failed.record["threads"], series_interval=world.output.series_interval
        )
        self._steering = Steering(world)
        self._commands = [entry for entry in failed.folder.read_journal() if entry.name not in CONTROL]
        self._periods = periods(world)
        if checkpoint is not None:
            self._obey(checkpoint.step)
            self._core.restore(checkpoint.parts())

    @property
    def step(self) -> int:
        return self._core.step_count

    def advance(self, target: int) -> None:
        self._obey(self.step)
        if self._commands:
            target = min(target, self._commands[0].step)
        self._core.advance(math.inf, target, 0.2)
        self._core.take_series()

    def _obey(self, step: int) -> None:
        """Applies the commands up to a step."""
        while self._commands and self._commands[0].step <= step:
            entry = self._commands.pop(0)
            planned = self._steering.plan(entry.command, entry.time, repeats=True)
            self._steering.apply(planned, self._core)

    def neighbors(self, details: Mapping[str, Any]) -> list[int]:
        """Ids of the neighbours at the failure, or without these of the nearest particles now."""
        known = [int(each["id"]) for each in details["neighbors"]]
        at = np.flatnonzero(self._core.id == details["id"])
        if known or len(at) == 0:
            return known
        position = self._core.position
        distance = distances(position, position[at[0]], self._periods)
        order = np.argsort(distance, kind="stable")
        return [int(self._core.id[k]) for k in order if k != at[0]][:NEIGHBORS]

    def rows(self, ids: Sequence[int]) -> list[Row]:
        """A row for each of these particles that is in the flow now."""
        core = self._core
        every, density, pressure = core.id, core.density, core.pressure()
        found: list[Row] = []
        for id in ids:
            for k in np.flatnonzero(every == id):
                position, velocity = core.position[k].tolist(), core.velocity[k].tolist()
                state = float(density[k]), float(pressure[k])
                found.append((self.step, core.time, id, position, velocity, *state))
        return found


def periods(world: World) -> Floats:
    """(D,) lengths of the domain along axes that are periodic, else infinite [m]."""
    core = world.core
    return np.array(
        [core.size[d] if core.sides[2 * d].kind == "periodic" else np.inf for d in range(core.dimensions)]
    )


def distances(positions: Floats, place: Floats, lengths: Floats) -> Floats:
    """(n,) distances to a place, by the shortest path across periodic sides. lengths: see `periods`."""
    apart = positions - place
    wraps = np.isfinite(lengths)
    apart[:, wraps] -= lengths[wraps] * np.round(apart[:, wraps] / lengths[wraps])
    found: Floats = np.linalg.norm(apart, axis=1)
    return found


def _rows_of_diagnosis(failed: Failed) -> list[Row]:
    """The failed step, as far as its diagnosis knows it: without pressures."""
    details, dimensions = failed.details, failed.world.core.dimensions

    def row(each: Mapping[str, Any]) -> Row:
        position, velocity = each["position"][:dimensions], each["velocity"][:dimensions]
        return (
            details["step"], details["time"], each["id"], position, velocity, each["density"], math.nan
        )  # fmt: skip

    return [row(details), *map(row, details["neighbors"])]


def _write(failed: Failed, rows: Sequence[Row]) -> None:
    axes = AXES[: failed.world.core.dimensions]
    names = ["step", "time [s]", "id", *(f"position_{axis} [m]" for axis in axes)]
    names += [*(f"velocity_{axis} [m/s]" for axis in axes), "density [kg/m^3]", "pressure [Pa]"]
    lines = [",".join(names), *(",".join(_words(row)) for row in rows)]
    atomic.write_text(failed.folder.failure, "\n".join(lines) + "\n", durable=True)


def _words(row: Row) -> Iterator[str]:
    step, time, id, position, velocity, density, pressure = row
    yield from (str(step), repr(time), str(id))
    yield from (repr(value) for value in (*position, *velocity, density))
    yield "" if math.isnan(pressure) else repr(pressure)
