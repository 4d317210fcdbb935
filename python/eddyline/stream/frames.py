"""Frames: pictures as numbers. A movie is coloured when its one scale is known, at the end of the run.

    pictures/frames/000000.npy, ...    one complete file a frame

Each is one record in NumPy's own format, which costs a quarter of an HDF5 file: `time` [s], `step`,
`lower` and `upper` [m], and for each quantity a raster: value = offset + scale * code, in `units`; codes
have 16 bits, 65535 where there is no fluid, 65534 on a solid. Row 0 is at the bottom.

    frame = numpy.load("000000.npy")[()]
    speed = frame["speed"]["offset"] + frame["speed"]["scale"] * frame["speed"]["code"]

Frames of three-dimensional runs are views: `shade` holds the light on each pixel, 160 for 1.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from eddyline.stream import atomic

Raster = NDArray[np.float32]
EMPTY = 65535
SOLID = 65534
TOP = 65533
SHADE_ONE = 160  # code of light 1.0
_MOMENT = [("time", "f8"), ("step", "i8"), ("lower", "f8", 2), ("upper", "f8", 2)]
_SCALE = [("scale", "f8"), ("offset", "f8"), ("units", "U16")]  # of a raster, before its codes


@dataclass(frozen=True)
class Frame:
    """A picture as numbers, row 0 at the bottom."""

    time: float  # s
    step: int
    quantity: str
    values: Raster  # (rows, columns), NaN where there is no fluid
    lower: tuple[float, float]  # corners of the raster [m]
    upper: tuple[float, float]
    solid: NDArray[np.bool_] | None = None  # (rows, columns), three dimensions only
    shade: Raster | None = None  # (rows, columns), light, about 1, three dimensions only


@dataclass(frozen=True)
class Picture:
    """What is kept of one moment: rasters by quantity, each as in Frame."""

    time: float
    step: int
    lower: tuple[float, float]
    upper: tuple[float, float]
    rasters: Mapping[str, Raster]
    units: Mapping[str, str]
    solid: NDArray[np.bool_] | None = None
    shade: Raster | None = None


def quantise(
    values: Raster, solid: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.uint16], float, float]:
    """(codes, scale, offset) with value = offset + scale * code; the error is below half a step of
    `scale`."""
    flat = values.ravel()
    known = np.flatnonzero(np.isfinite(flat))
    found = flat[known].astype(np.float64)
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 0.0)
    scale = (high - low) / TOP or 1.0
    codes = np.full(values.shape, EMPTY, dtype=np.uint16)
    codes.reshape(-1)[known] = np.rint((found - low) / scale).astype(np.uint16)
    if solid is not None:
        codes[solid] = SOLID
    return codes, scale, low


def restore(codes: NDArray[np.uint16], scale: float, offset: float) -> Raster:
    values = (offset + scale * codes.astype(np.float64)).astype(np.float32)
    values[codes > TOP] = np.nan
    return values


def frame_files(folder: Path) -> list[Path]:
    """Those of a folder of frames, in order."""
    return sorted(folder.glob("[0-9]*.npy"))


def cut_frames(folder: Path, count: int) -> None:
    """Deletes all but the first `count` frames."""
    for path in frame_files(folder):
        if int(path.stem) >= count:
            path.unlink()


def write_frame(folder: Path, number: int, picture: Picture) -> None:
    rasters = {name: quantise(values, picture.solid) for name, values in picture.rasters.items()}
    shade = (
        None
        if picture.shade is None
        else np.ascontiguousarray(np.clip(picture.shade * SHADE_ONE, 0, 255), dtype=np.uint8)
    )
    shapes = tuple((name, codes.shape) for name, (codes, _, _) in rasters.items())
    folder.mkdir(parents=True, exist_ok=True)
    # The record piece by piece, as numpy.save would write it after copying it twice.
    with atomic.replacing(folder / f"{number:06d}.npy") as part, part.open("wb") as file:
        file.write(_head(shapes, None if shade is None else shade.shape))
        moment = (picture.time, picture.step, picture.lower, picture.upper)
        file.write(np.array(moment, dtype=_MOMENT).tobytes())
        for name, (codes, scale, offset) in rasters.items():
            file.write(np.array((scale, offset, picture.units.get(name, "")), dtype=_SCALE).tobytes())
            file.write(codes.data)
        if shade is not None:
            file.write(shade.data)


@lru_cache(16)
def _head(rasters: tuple[tuple[str, tuple[int, ...]], ...], shade: tuple[int, ...] | None) -> bytes:
    """What a file begins with that holds these rasters."""
    kinds: list[tuple[Any, ...]] = list(_MOMENT)
    for name, shape in rasters:
        kinds.append((name, [*_SCALE, ("code", "u2", shape)]))
    if shade is not None:
        kinds.append(("shade", "u1", shade))
    out = io.BytesIO()
    kind = npy.dtype_to_descr(np.dtype(kinds))
    npy.write_array_header_1_0(out, {"descr": kind, "fortran_order": False, "shape": ()})
    return out.getvalue()


def read_moment(file: Path) -> tuple[int, float]:
    """Step and time [s] of a frame, without its rasters."""
    record = np.load(file, mmap_mode="r", allow_pickle=False)
    return int(record["step"]), float(record["time"])


class FrameStore:
    """The frames of a run, read back one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = frame_files(folder)

    def __len__(self) -> int:
        return len(self._files)

    @cached_property
    def quantities(self) -> list[str]:
        """Names of the rasters that every frame holds."""
        if not self._files:
            return []
        kinds = np.load(self._files[0], mmap_mode="r", allow_pickle=False).dtype
        return [name for name in kinds.names or () if kinds[name].names]

    def read(self, k: int, quantity: str) -> Frame:
        """Frame `k` (negative: from the end); KeyError if it does not hold `quantity`."""
        record = np.load(self._files[k], allow_pickle=False)[()]
        if quantity not in record.dtype.names:
            raise KeyError(quantity)
        raster = record[quantity]
        codes = raster["code"]
        shade = record["shade"].astype(np.float32) / SHADE_ONE if "shade" in record.dtype.names else None
        return Frame(
            time=float(record["time"]),
            step=int(record["step"]),
            quantity=quantity,
            values=restore(codes, float(raster["scale"]), float(raster["offset"])),
            lower=_pair(record["lower"]),
            upper=_pair(record["upper"]),
            solid=codes == SOLID if shade is not None else None,
            shade=shade,
        )


def _pair(values: Any) -> tuple[float, float]:
    return float(values[0]), float(values[1])
