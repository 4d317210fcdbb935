"""Runs that have been: their frames, series and words from their folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import h5py  # type: ignore[import-untyped]
import numpy as np

from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.codes import raster
from eddyline.live.hello import body, hello
from eddyline.live.publisher import packed
from eddyline.live.steering import FLOW
from eddyline.plot.colors import quantity_of
from eddyline.run import Run
from eddyline.run.folder import RunFolder
from eddyline.run.pictures import RunPictures
from eddyline.run.results import evaluate
from eddyline.serve.channel import Channel, SeriesStore
from eddyline.stream.series import read_series
from eddyline.world import World

_NOT_NOW = "the run has ended; run it again."
_COMMANDS = (
    "pause", "resume", "step", "stop", "inflow", "viscosity", "gravity", "move_body", "add_body",
    "remove_body", "add_probe", "remove_probe",
)  # fmt: skip


@lru_cache(maxsize=8)
def _pictures(folder: Path, quantity: str, frames: int) -> RunPictures:
    """frames: how many there are: more may come while a run goes on."""
    return RunPictures(Run.open(folder), quantity)


def quantities(folder: Path) -> list[str]:
    """What stored frames can show."""
    count = len(frame_files(folder))
    if not count:
        return []
    record = RunFolder(folder).read_record()
    return _pictures(folder, str(record["quantity"]), count).quantities()


def frame_files(folder: Path) -> list[Path]:
    return sorted(RunFolder(folder).frames.glob("[0-9]*.h5"))


@lru_cache(maxsize=4096)
def moment_of(frame: Path) -> tuple[int, float]:
    """Step and time [s] of a stored frame; a frame never changes."""
    with h5py.File(frame) as file:
        return int(file.attrs["step"]), float(file.attrs["time"])


def frame(folder: Path, index: int, quantity: str, width: int, code_width: int = 2) -> pb.Message:
    """A stored frame, thinned to at most `width` columns (0: all). Raises IndexError and ValueError."""
    files = frame_files(folder)
    if not 0 <= index < len(files):
        raise IndexError(f"there are {len(files)} frames, counted from 0")
    pictures = _pictures(folder, quantity, len(files))
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
    )
    message = pb.Frame(index=index, step=found.step, time=found.time, rasters=[made], stored=True)
    return packed(frame=message)


def series(folder: Path) -> Iterator[tuple[str, SeriesStore]]:
    """All series as a channel keeps them."""
    for path in sorted(RunFolder(folder).series.glob("*.csv")):
        table = read_series(path)
        units = table.attrs["units"]
        store = SeriesStore([(str(name), units[name]) for name in table.columns])
        store.add(0, table.to_numpy(dtype=np.float64))
        yield path.stem, store


def fill(channel: Channel, folder: Path) -> None:
    """Makes a channel say what the folder of a run says that is not connected."""
    kept = RunFolder(folder)
    record = kept.read_record()
    world = World.load(kept.world)
    refusals = dict.fromkeys(_COMMANDS, _NOT_NOW)
    said = hello(world, channel.run, str(folder), str(record["quantity"]), int(record["ranks"]), refusals)
    channel.hello = said
    channel.series = dict(series(folder))
    entries = journal.read(folder / journal.NAME)
    if entries:
        marks = [
            pb.Mark(
                step=entry.step,
                time=entry.time,
                command=entry.name,
                text=entry.text,
                changes_flow=entry.name in FLOW,
            )
            for entry in entries
        ]
        channel.take(packed(marks=pb.Marks(marks=marks)))
    moving = [name for name, table in world.file.bodies.items() if table.motion is not None]
    if moving and "time" in record:
        bodies = [body(name, world.file.bodies[name], world.file, record["time"]) for name in moving]
        channel.take(packed(bodies=pb.Bodies(step=record["steps"], time=record["time"], bodies=bodies)))
    results = kept.results.read_text() if kept.results.is_file() else "{}"
    ended = pb.Ended(
        outcome="lost" if record["outcome"] == "running" else record["outcome"],
        message=record["message"],
        fingerprint=record["fingerprint"],
        results=results,
        step=record.get("steps", 0),
        time=record.get("time", 0.0),
    )
    channel.take(packed(ended=ended))


def results(folder: Path) -> dict[str, object]:
    """results.json; of a run that goes on, the same from its series so far."""
    kept = RunFolder(folder)
    if kept.results.is_file():
        return dict(json.loads(kept.results.read_text()))
    paths = [path for path in kept.series.glob("*.csv") if _has_rows(path)]
    series = {path.stem: read_series(path) for path in paths}
    if not series:
        return {}
    reached = min(float(table["time"].iloc[-1]) for table in series.values())
    return evaluate(World.load(kept.world), series, reached=reached).to_json()


def _has_rows(path: Path) -> bool:
    """Whether the header and a row are written: a run may be writing more now."""
    with path.open(encoding="utf-8") as file:
        return file.readline().endswith("\n") and file.readline().endswith("\n")
