"""Golden values: what this version computes for WORLDS, to the bit, and what differs from what is stored.

tests/golden/values.json holds an entry for each world. Only `make golden` changes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from golden_worlds import WORLDS, GoldenWorld
from numpy.typing import NDArray

from eddyline import _core
from eddyline.live.steering import RefusedError, Steering
from eddyline.stream.frames import Codes, CoverCodes, Known
from eddyline.world import World, WorldError

FOLDER = Path(__file__).resolve().parent.parent / "golden"
VALUES = FOLDER / "values.json"
CHANGES = FOLDER / "CHANGES.md"
COMMAND = 'make golden REASON="why they change"'
DIGITS = 32  # hexadecimal, of a digest
PIXELS = (24, 36)  # rows, columns
ROWS = 25  # of a series, about
QUANTITIES = {
    2: ("speed", "velocity_x", "velocity_y", "pressure", "density", "vorticity", "cover"),
    3: ("speed", "velocity_x", "velocity_y", "velocity_z", "pressure", "density", "cover"),
}

Entry = dict[str, Any]
"""The golden values of a world: `steps`, `time` (hexadecimal), numbers of members by their set, `state`
(the checksum), and digests by name: `fields`, `series`, `rasters` and `frames`."""
Series = Mapping[str, tuple[list[str], list[str], NDArray[np.float64]]]
"""As `_core.Simulation.take_series` gives them."""


@dataclass(frozen=True)
class Way:
    """One way to compute a world; no way may change a bit of the result."""

    instructions: str = "auto"
    boxes: int = 1
    threads: int = 1
    shuffle: int = 0
    device: str = "cpu"

    def __str__(self) -> str:
        on = "" if self.device == "cpu" else f", {self.device}"
        return f"{self.instructions}, {self.boxes} boxes, {self.threads} threads{on}"


def ways() -> list[Way]:
    """Some that differ in everything, each instruction set of this machine among them."""
    return [Way(name, 1 + 2 * k, 1 + k % 2, 7 * k) for k, name in enumerate(_core.instruction_sets())]


def way_of(name: str) -> Way:
    """The worlds take turns, so that every way has its share of them."""
    return ways()[list(WORLDS).index(name) % len(ways())]


def computed(golden: GoldenWorld, way: Way | None = None) -> Entry:
    """The entry of a world as it is computed now."""
    way = way or Way()
    world = World.from_text(golden.text, overrides=dict(golden.overrides))
    simulation = _core.Simulation(
        world.core, boxes=way.boxes, threads=way.threads, shuffle=way.shuffle,
        instructions=way.instructions,  # type: ignore[arg-type]
        device=way.device,
        series_interval=golden.steps * world.solver.estimate(world).time_step / ROWS,
    )  # fmt: skip
    parts = [_advanced(simulation, golden.commands[0][0] if golden.commands else golden.steps)]
    steering = Steering(world)
    for k, (_, command) in enumerate(golden.commands):
        steering.apply(steering.plan(command, simulation.time), simulation)
        following = golden.commands[k + 1][0] if k + 1 < len(golden.commands) else golden.steps
        parts.append(_advanced(simulation, following))
    return entry_of(world, simulation, parts)


def entry_of(world: World, simulation: _core.Simulation, parts: list[Series]) -> Entry:
    """The entry of a simulation as it is now. parts: all series so far, as they were taken."""
    return {
        "steps": simulation.step_count,
        "time": simulation.time.hex(),
        **{name: simulation.count(name) for name, _ in simulation.sets},
        "state": f"{simulation.checksum():032x}",
        "fields": _fields(simulation, world.file.method.name == "sph"),
        "series": series_digests(parts, list(world.observers)),
        **_pictures(world, simulation),
    }


def _advanced(simulation: _core.Simulation, steps: int) -> Series:
    simulation.advance(math.inf, steps, math.inf)
    return simulation.take_series()


def digest(*arrays: NDArray[Any]) -> str:
    """Digest of the bits of numbers; all NaNs count as equal because their sign depends on the processor."""
    made = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        values = values.astype(values.dtype.newbyteorder("<"), copy=True)
        if values.dtype.kind == "f":
            values[np.isnan(values)] = np.nan
        made.update(f"{values.dtype.str}{values.shape}".encode())
        made.update(values.tobytes())
    return made.hexdigest()[:DIGITS]


def series_digests(parts: list[Series], observers: list[str]) -> dict[str, str]:
    """The number of rows of each series, and their digest with names and units of the columns. Observers of
    several places are compared by the core's samples, not by values derived from them: libraries do not sum
    a few numbers in the same order everywhere."""
    kept: dict[str, list[Any]] = {}
    for part in parts:
        for name, (columns, units, rows) in part.items():
            observer = name.rpartition(".")[0]
            key = observer if observer in observers and name not in observers else name
            kept.setdefault(key, []).append((name, columns, units, rows))
    found = {}
    for name, pieces in sorted(kept.items()):
        heads = json.dumps([piece[:3] for piece in pieces]).encode()
        rows = sum(len(piece[3]) for piece in pieces)
        whole = digest(np.frombuffer(heads, dtype=np.uint8), *(piece[3] for piece in pieces))
        found[name] = f"{rows} rows {whole}"
    return found


def _fields(simulation: _core.Simulation, is_sph: bool) -> dict[str, str]:
    """Digests of fields: fluid and cells sorted by id, walls by their values."""
    if not simulation.has_points:
        return {members: digest(*_of_cells(simulation, members)) for members, _ in simulation.sets}
    order = np.argsort(simulation.id, kind="stable")
    walls = np.column_stack([simulation.wall_position(), simulation.wall_body(), simulation.wall_pressure()])
    buffer = [simulation.buffer] if is_sph else []
    values = (simulation.id, *buffer, simulation.mass, simulation.pressure(), simulation.surface())
    return {
        "fluid": digest(*(np.asarray(each)[order] for each in values)),
        "walls": digest(walls[np.lexsort(walls.T)]),
    }


def _of_cells(simulation: _core.Simulation, members: str) -> Iterator[NDArray[Any]]:
    """The quantities of pictures that cells store."""
    order = np.argsort(np.asarray(simulation.field(members, "id")), kind="stable")
    for name, _ in simulation.quantities:
        with contextlib.suppress(_core.UserError):  # computed for pictures only
            yield np.asarray(simulation.field(members, name))[order]


def _pictures(world: World, simulation: _core.Simulation) -> dict[str, dict[str, str]]:
    """The whole domain on pixels, in 3D the plane in its middle: values, and the numbers kept of them."""
    low, size = world.core.origin, world.core.size
    high = (low[0] + size[0], low[1] + size[1], 0.0)
    if world.dimensions == 3:
        low = (low[0], low[1], low[2] + 0.5 * size[2])
    is_sph = world.file.method.name == "sph"
    names = QUANTITIES[world.dimensions] if is_sph else tuple(name for name, _ in simulation.quantities)
    rasters = simulation.rasters(names, PIXELS, low, high)
    known = simulation.known_rasters(names, PIXELS, low, high)
    frames = {}
    for name, (bits, values) in zip(names, known, strict=True):
        if name == "cover":
            cover = CoverCodes.of(Known(PIXELS, bits, values))
            frames[name] = digest(cover.known, cover.codes)
        else:
            codes = Codes.of(Known(PIXELS, bits, values))
            frames[name] = digest(codes.known, codes.codes, np.array([codes.scale, codes.offset]))
    return {
        "rasters": {name: digest(raster) for name, raster in zip(names, rasters, strict=True)},
        "frames": frames,
    }


# --- what differs -------------------------------------------------------------------------------------------


def differences(expected: Entry | None, found: Entry | None) -> list[str]:
    """The differences of two entries, a line each, e.g. "series front"; empty if they are equal."""
    if expected is None or found is None:
        return ["new: it has no golden values yet" if expected is None else "removed: there is no such world"]
    return list(_differences(expected, found))


def _differences(expected: Entry, found: Entry) -> Iterator[str]:
    for key in sorted({*expected, *found}, key=lambda key: list(found).index(key) if key in found else 99):
        old, new = expected.get(key), found.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            for name in sorted({*old, *new}):
                if old.get(name) != new.get(name):
                    yield f"{key} {name}: {_change(old.get(name), new.get(name))}"
        else:
            yield f"{key}: {_change(old, new)}"


def _change(old: object, new: object) -> str:
    if old is None or new is None:
        return "is new" if old is None else "is gone"
    return f"{new}, golden is {old}"


def failure(name: str, lines: list[str], way: Way) -> str:
    """The message of a test that fails."""
    listed = "\n".join(f"  {line}" for line in lines)
    return (
        f"{name}: the bits are not the golden ones ({way}):\n{listed}\n"
        f"If results are meant to change: {COMMAND}. Otherwise the last change of the code broke them."
    )


def stored(path: Path = VALUES) -> dict[str, Entry]:
    """The golden values by world; none without a file."""
    if not path.is_file():
        return {}
    found: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"))["worlds"]
    return found


# --- new golden values --------------------------------------------------------------------------------------


class LawBrokenError(Exception):
    """Two ways to compute a world give different bits: there is no value that could be golden."""


class NotComputedError(Exception):
    """A world is refused, or a step of it fails."""


def computed_in_two_ways(name: str) -> Entry:
    """The entry of a world. Raises LawBrokenError and NotComputedError."""
    one, other = Way(), way_of(name)
    try:
        first, second = computed(WORLDS[name], one), computed(WORLDS[name], other)
    except (WorldError, RefusedError, _core.StepError, _core.UserError) as error:
        raise NotComputedError(f"{name}: {error}") from error
    if lines := differences(first, second):
        raise LawBrokenError(f"{name}: {other} and {one} differ: {'; '.join(lines)}")
    return first


def changes(old: Mapping[str, Entry], new: Mapping[str, Entry]) -> dict[str, list[str]]:
    """The differences of two sets of values by world, without worlds that are equal."""
    found = {name: differences(old.get(name), new.get(name)) for name in sorted({*old, *new})}
    return {name: lines for name, lines in found.items() if lines}


def write(new: Mapping[str, Entry], reason: str, folder: Path = FOLDER, today: str = "") -> None:
    """Stores values, and appends to CHANGES.md why and which of them are others than before.

    today: the date that is noted. Raises ValueError without a reason of one line.
    """
    from eddyline.stream import atomic

    if not reason.strip() or len(reason.splitlines()) > 1:
        raise ValueError(f"reason = {reason!r}: must be one line that says why the values change")
    values, log = folder / VALUES.name, folder / CHANGES.name
    changed = changes(stored(values), new)
    names = {name: ", ".join(line.partition(":")[0] for line in lines) for name, lines in changed.items()}
    noted = [f"- {name}: {what}" for name, what in names.items()]
    before = log.read_text(encoding="utf-8") if log.is_file() else _HEAD
    atomic.write_json(values, {"format": 1, "worlds": dict(sorted(new.items()))})
    atomic.write_text(log, before + "\n".join(["", f"## {today}: {reason.strip()}", "", *noted, ""]))


_HEAD = """# Changes of the golden values

What `make golden` has written, oldest first: when and why, and of each world which values are others than
before.
"""
