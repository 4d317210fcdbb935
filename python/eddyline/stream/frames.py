"""Frames: pictures as numbers. A movie is coloured when its one scale is known, at the end of the run.

    pictures/frames/000000.h5, ...    one complete file a frame

Each holds rasters of 16-bit codes: value = offset + scale * code; 65535 where there is no fluid, 65534 on a
solid.
Frames of three-dimensional runs are views: the raster `shade` (0..255) holds the light on each pixel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eddyline.stream import atomic
from eddyline.stream.hdf5 import describe, write_dataset

Raster = NDArray[np.float32]
EMPTY = 65535
SOLID = 65534
TOP = 65533
SHADE_ONE = 160  # code of light 1.0


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
    known = np.isfinite(values)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 0.0)
    scale = (high - low) / TOP or 1.0
    codes = np.full(values.shape, EMPTY, dtype=np.uint16)
    codes[known] = np.rint((values[known].astype(np.float64) - low) / scale).astype(np.uint16)
    if solid is not None:
        codes[solid] = SOLID
    return codes, scale, low


def restore(codes: NDArray[np.uint16], scale: float, offset: float) -> Raster:
    values = (offset + scale * codes.astype(np.float64)).astype(np.float32)
    values[codes > TOP] = np.nan
    return values


def cut_frames(folder: Path, count: int) -> None:
    """Deletes all but the first `count` frames."""
    for path in folder.glob("[0-9]*.h5"):
        if int(path.stem) >= count:
            path.unlink()


def write_frame(folder: Path, number: int, picture: Picture) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with atomic.hdf5_file(folder / f"{number:06d}.h5") as file:
        describe(file, time=picture.time, step=picture.step, lower=picture.lower, upper=picture.upper)
        for name, values in picture.rasters.items():
            codes, scale, offset = quantise(values, picture.solid)
            describe(
                write_dataset(file, name, codes, codes.shape),
                scale=scale,
                offset=offset,
                units=picture.units.get(name, ""),
                description=f"value = offset + scale * code; {EMPTY}: no fluid, {SOLID}: solid",
            )
        if picture.shade is not None:
            light = np.clip(picture.shade * SHADE_ONE, 0, 255).astype(np.uint8)
            describe(
                write_dataset(file, "shade", light, light.shape),
                description=f"light on each pixel; {SHADE_ONE}: 1",
            )


class FrameStore:
    """The frames of a run, read back one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = sorted(folder.glob("[0-9]*.h5"))

    def __len__(self) -> int:
        return len(self._files)

    def quantities(self) -> list[str]:
        """Names of the rasters that every frame holds."""
        import h5py  # type: ignore[import-untyped]

        if not self._files:
            return []
        with h5py.File(self._files[0]) as file:
            return [name for name in file if name != "shade"]

    def read(self, k: int, quantity: str) -> Frame:
        """Frame `k` (negative: from the end); KeyError if it does not hold `quantity`."""
        import h5py

        with h5py.File(self._files[k]) as file:
            if quantity not in file:
                raise KeyError(quantity)
            data = file[quantity]
            codes = data[:]
            shade = file["shade"][:].astype(np.float32) / SHADE_ONE if "shade" in file else None
            return Frame(
                time=float(file.attrs["time"]),
                step=int(file.attrs["step"]),
                quantity=quantity,
                values=restore(codes, float(data.attrs["scale"]), float(data.attrs["offset"])),
                lower=_pair(file.attrs["lower"]),
                upper=_pair(file.attrs["upper"]),
                solid=codes == SOLID if shade is not None else None,
                shade=shade,
            )


def _pair(values: Any) -> tuple[float, float]:
    return float(values[0]), float(values[1])
