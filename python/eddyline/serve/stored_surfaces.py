"""Isosurfaces that a run has stored, as frames of the stream: one for each step at which there are any."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.run.folder import RunFolder
from eddyline.stream.surfaces import SUFFIX, Surfaces
from eddyline.world.isosurfaces import isosurfaces_of, units_of

Moment = tuple[int, float]
"""Step and time [s]."""


def moments(folder: Path) -> list[Moment]:
    """Steps and times at which surfaces are stored. Raises CorruptFileError."""
    found = {
        (int(step), float(time))
        for surfaces in _stored(folder).values()
        for step, time in zip(surfaces.steps, surfaces.times, strict=True)
    }
    return sorted(found)


def frame(folder: Path, index: int) -> pb.Message:
    """All surfaces at one of these steps. Raises IndexError and CorruptFileError."""
    all_moments = moments(folder)
    if not 0 <= index < len(all_moments):
        raise IndexError(f"the run has surfaces at {len(all_moments)} steps so far")
    step, time = all_moments[index]
    asked = isosurfaces_of(RunFolder(folder).read_world().file)
    made = pb.Frame(index=index, step=step, time=time, stored=True)
    for name, surfaces in _stored(folder).items():
        if name not in asked:
            continue
        for k in (surfaces.steps == step).nonzero()[0]:
            request = pb.SurfaceRequest(
                quantity=asked[name].quantity,
                level=float(surfaces.levels[k]),
                color=asked[name].color or "",
                stride=1,
            )
            made.surfaces.add(request=request, data=surfaces.data(int(k)))
    return packed(frame=made)


def offer(hello: pb.Hello, folder: Path) -> None:
    """Adds the quantities of stored surfaces to the first message of a finished run."""
    file = RunFolder(folder).read_world().file
    asked, units = isosurfaces_of(file), units_of(file)
    colors: dict[str, None] = {}
    for name, surfaces in _stored(folder).items():
        if name not in asked or not len(surfaces):
            continue
        quantity, color = asked[name].quantity, asked[name].color
        if quantity not in [each.name for each in hello.surfaces]:
            unit = units.get(quantity, "")
            hello.surfaces.add(name=quantity, unit=unit, level=float(surfaces.levels[0]))
        if color:
            colors[color] = None
    hello.surface_colors.extend(colors)


def _stored(folder: Path) -> dict[str, Surfaces]:
    """The surfaces of each observer, in the order of their names."""
    return {path.stem: surfaces for path, surfaces in _files(RunFolder(folder).surfaces)}


def _files(folder: Path) -> Iterator[tuple[Path, Surfaces]]:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        state = path.stat()
        yield path, _opened(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _opened(path: Path, size: int, changed: int) -> Surfaces:
    """size, changed: of the file [bytes, ns], which may grow while the run computes."""
    return Surfaces(path, path.stem)
