"""Stored runs: frames, series and messages from their folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.codes import MOST, coded, given, raster
from eddyline.live.hello import hello
from eddyline.live.publisher import packed
from eddyline.live.rows import Rows
from eddyline.live.steering import Present, Steering, mark, replayed
from eddyline.option_names import NOT_CLOSED
from eddyline.plot import references
from eddyline.plot.colors import quantity_of
from eddyline.run import Run, closing
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import BREAKS
from eddyline.run.pictures import RunPictures
from eddyline.run.results import evaluate
from eddyline.serve import stored_surfaces
from eddyline.serve.rasters import always_the_same, particles_for
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.frames import stored_count
from eddyline.stream.snapshots import kinds_in, part_name, read_snapshot, snapshot_count, snapshot_moment

if TYPE_CHECKING:
    from eddyline.world import World

_NOT_NOW = "the run has ended; start it again to steer it."
_OF_PARTICLES = ("speed", "pressure", "density")
_COMMANDS = (
    "pause", "resume", "step", "stop", "inflow", "viscosity", "gravity", "parameter", "move_body",
    "add_body", "remove_body", "add_probe", "remove_probe",
)  # fmt: skip


class UnknownQuantityError(ValueError):
    """A quantity that particles do not have; the message names those that they have."""


@lru_cache(maxsize=8)
def _pictures(folder: Path, quantity: str, frames: int) -> RunPictures:
    """frames: their number, which may grow while a run computes."""
    return RunPictures(Run.open(folder), quantity)


def quantities(folder: Path) -> list[str]:
    """Quantities that stored frames can show."""
    count = len(moments(folder))
    if not count:
        return []
    record = RunFolder(folder).read_record()
    return _pictures(folder, str(record["quantity"]), count).quantities()


def frame_count(folder: Path) -> int:
    """Number of stored frames so far; 0 if unknown."""
    try:
        return stored_count((RunFolder(folder).pictures / "frames.index").lstat().st_size)
    except OSError:
        return 0


def moments(folder: Path) -> list[tuple[int, float]]:
    """Step and time [s] of the frames stored so far."""
    index = RunFolder(folder).read_frames().index
    return list(zip(index["step"].tolist(), index["time"].tolist(), strict=True))


def frame(folder: Path, index: int, quantity: str, width: int, code_width: int = 2) -> pb.Message:
    """A stored frame, thinned to at most `width` columns (0: all). Raises IndexError and ValueError."""
    count = len(moments(folder))
    if not 0 <= index < count:
        raise IndexError(f"the run has {count} frames, counted from 0")
    pictures = _pictures(folder, quantity, count)
    found = pictures.frame(index)
    step = max(1, -(-found.values.shape[1] // width)) if width else 1
    half = step // 2
    thin = (slice(half, None, step), slice(half, None, step))
    made = raster(
        quantity,
        quantity_of(quantity, pictures.scene.density).unit,
        np.ascontiguousarray(found.values[thin]),
        (found.lower, found.upper),
        code_width,
        None if found.solid is None else found.solid[thin],
        None if found.shade is None else found.shade[thin],
        None if found.cover is None else found.cover[thin],
    )
    bodies = _bodies(folder, found.step, found.time)
    message = pb.Frame(
        index=index, step=found.step, time=found.time, rasters=[made], stored=True, bodies=bodies
    )
    return packed(frame=message)


def _bodies(folder: Path, step: int, time: float) -> pb.Bodies | None:
    """Bodies at a stored step, before the commands at that step."""
    return _steering_of(folder).bodies(step, time, obeyed=False)


def _steering_of(folder: Path) -> Steering:
    """The current world of a run after its journal so far."""
    written = folder / journal.NAME
    return _replayed(folder, written.stat().st_size if written.is_file() else 0)


@lru_cache(maxsize=8)
def _replayed(folder: Path, size: int) -> Steering:
    """size: of the journal [bytes], which may grow while the run computes."""
    kept = RunFolder(folder)
    world = kept.read_world()
    return kept.steered(world) or replayed(world, [])


@lru_cache(maxsize=4096)
def moment_of_particles(folder: Path, index: int) -> tuple[int, float]:
    """Step and time [s] of a snapshot; it never changes."""
    return snapshot_moment(folder, index)


def particle_moments(folder: Path) -> list[tuple[int, float]]:
    """Steps and times [s] at which all particles are stored."""
    snapshots = RunFolder(folder).snapshots
    if kinds_in(snapshots) == ("cells",):
        return []
    return [moment_of_particles(folder, k) for k in range(snapshot_count(snapshots))]


def particles(folder: Path, index: int, quantity: str, most: int) -> pb.Message:
    """The fluid of a snapshot within the domain, at most so many particles (0: all), as in a live frame.
    Raises IndexError and ValueError."""
    if quantity not in _OF_PARTICLES:
        raise UnknownQuantityError(f"particles have no {quantity}; must be speed, pressure or density")
    if kinds_in(RunFolder(folder).snapshots) == ("cells",):
        raise IndexError("the snapshots of this run hold cells, not particles")
    _check_snapshot(folder, index)
    found = read_snapshot(folder, index)
    world = RunFolder(folder).read_world()
    low = np.array(world.file.domain.origin or (0.0,) * world.dimensions)
    size = np.array(world.file.domain.size)
    shares = (found["position"] - low) / size
    inside = np.flatnonzero(((shares >= 0) & (shares <= 1)).all(axis=1))
    taken = inside[always_the_same(found["id"][inside], most)]
    whole = pb.Particles(count=len(taken), total=len(inside), ids=found["id"][taken].astype("<i8").tobytes())
    for axis in range(world.dimensions):
        codes = np.rint(shares[taken, axis] * MOST[2]).astype(np.uint16)
        whole.position.append(given(codes, float(low[axis]), float(low[axis] + size[axis])))
    velocities = found["velocity"][taken].T[: world.dimensions]
    carried = {f"velocity_{name}": each for name, each in zip("xyz", velocities, strict=False)}
    is_speed = quantity == "speed"
    carried[quantity] = np.linalg.norm(velocities, axis=0) if is_speed else found[quantity][taken]
    for name, values in carried.items():
        whole.carried.add(quantity=name, values=coded(values.astype(np.float32)))
    said = pb.Hello()
    density = None if world.file.is_gas else world.file.fluid.density
    said.quantities.add(name=quantity, unit=quantity_of(quantity, density).unit)
    view = pb.View(particle_quantity=quantity, velocities=True)
    made = particles_for(pb.Frame(particles=whole), view, said)
    bodies = _bodies(folder, found["step"], found["time"])
    frame = pb.Frame(index=index, step=found["step"], time=found["time"], particles=made, bodies=bodies)
    return packed(frame=frame)


def surfaces(folder: Path, index: int) -> pb.Message:
    """All surfaces at a step at which any are stored, see stored_surfaces.moments. Raises IndexError."""
    made = stored_surfaces.frame(folder, index)
    bodies = _bodies(folder, made.frame.step, made.frame.time)
    if bodies is not None:
        made.frame.bodies.CopyFrom(bodies)
    return made


def _check_snapshot(folder: Path, index: int) -> None:
    """Raises CorruptFileError if a snapshot refers to other files for its data, as HDF5 allows."""
    import h5py  # type: ignore[import-untyped]

    for kind in kinds_in(RunFolder(folder).snapshots):
        path = RunFolder(folder).snapshots / kind / part_name(index)
        if not path.is_file():
            continue
        try:
            with h5py.File(path) as file:
                _check_group(file["VTKHDF"], path)
        except (OSError, KeyError) as error:
            raise CorruptFileError(path, error) from None


def _check_group(group: Any, path: Path) -> None:
    import h5py

    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise CorruptFileError(path, f"{name} is a link")
        found = group[name]
        if isinstance(found, h5py.Dataset) and (found.external or found.is_virtual):
            raise CorruptFileError(path, f"{name} is stored in another file")
        if isinstance(found, h5py.Group) and name == "PointData":
            _check_group(found, path)


def series(folder: Path) -> Iterator[tuple[str, Rows]]:
    """All series in the form that a channel stores."""
    kept = RunFolder(folder)
    for path in sorted(kept.series.glob("*.csv")):
        table = kept.read_series(path.stem)
        units = table.attrs["units"]
        store = Rows([(str(name), units[name]) for name in table.columns])
        store.add(0, table.values)
        yield path.stem, store


def messages(folder: Path, run: str) -> Iterator[pb.Message]:
    """Messages of a finished run to viewers, from its folder, as its simulation would send them: hello,
    series, marks, bodies, the end. run: its id."""
    kept = RunFolder(folder)
    record = kept.read_record()
    world = kept.read_world()
    refusals = dict.fromkeys(_COMMANDS, _NOT_NOW)
    said = hello(world, run, str(folder), str(record["quantity"]), int(record.get("ranks", 1)), refusals)
    stored_surfaces.offer(said, folder)
    yield packed(hello=said)
    for name, kept_rows in series(folder):
        if kept_rows.count:
            yield packed(series=kept_rows.block(name, 0, kept_rows.count).message())
    entries = kept.read_journal()
    if entries:
        yield packed(marks=pb.Marks(marks=map(mark, entries)))
    bodies = _steering_of(folder).bodies(record["steps"], record["time"]) if "time" in record else None
    if bodies is not None:
        yield packed(bodies=bodies)
    results = json.dumps(kept.read_results(), ensure_ascii=False)
    whole = Run(kept)
    ended = pb.Ended(
        outcome=whole.outcome,
        message=whole.message if whole.outcome == NOT_CLOSED else record["message"],
        fingerprint=record["fingerprint"],
        results=results,
        step=record.get("steps", 0),
        time=record.get("time", 0.0),
    )
    yield packed(ended=ended)


def present(folder: Path) -> Present:
    """Values that can be steered, now or at the end."""
    return _steering_of(folder).present()


def results(folder: Path) -> dict[str, Any]:
    """results.json, or preliminary results from the series of a running run; with the texts of the command
    line: `warnings`, and of each expectation `measured_text`, `expected_text` and `paper`."""
    kept = RunFolder(folder)
    world = kept.read_world()
    found = kept.read_results() or _results_so_far(folder, world)
    if not found:
        return {}
    said = [
        {
            **item,
            "measured_text": closing.measured_text(item),
            "expected_text": closing.expected_text(item) + closing.foreseen_text(item),
            "paper": references.short(item["source"]),
        }
        for item in found["expectations"]
    ]
    broken = kept.read_record().get(BREAKS)
    warnings = [*closing.warnings(world, found), *([f"Breaks the law: {broken}"] if broken else [])]
    return {**found, "expectations": said, "warnings": warnings}


def _results_so_far(folder: Path, world: World) -> dict[str, Any]:
    kept = RunFolder(folder)
    paths = [path for path in kept.series.glob("*.csv") if _has_rows(path)]
    series = {path.stem: kept.read_series(path.stem) for path in paths}
    if not series:
        return {}
    reached = min(float(table["time"][-1]) for table in series.values())
    removed = _steering_of(folder).removed
    return evaluate(world, series, reached=reached, removed=removed).to_json()


def _has_rows(path: Path) -> bool:
    """True if the header and a row are written: a run may be writing more now."""
    with path.open(encoding="utf-8") as file:
        return file.readline().endswith("\n") and file.readline().endswith("\n")
