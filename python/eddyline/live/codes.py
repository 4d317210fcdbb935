"""Numbers quantised to codes of one or two bytes, for messages."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eddyline.live import stream_pb2 as pb

MOST = {1: 255, 2: 65535}
"""The highest code of a width."""
_TYPES: dict[int, Any] = {1: np.dtype("u1"), 2: np.dtype("<u2")}
_RESERVED = 2  # of rasters: no fluid, solid


def given(codes: NDArray[np.uint16], low: float, high: float) -> pb.Codes:
    """Existing codes: 0 is `low`, 65535 is `high`."""
    scale = (high - low) / MOST[2]
    data = np.ascontiguousarray(codes, dtype="<u2").tobytes()
    return pb.Codes(data=data, width=2, offset=low, scale=scale, error=0.5 * scale)


def coded(values: NDArray[np.float32], width: int = 2) -> pb.Codes:
    """Codes of one or two bytes from the lowest to the highest of (n,) values."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    scale = (high - low) / MOST[width] or 1.0
    codes = np.rint((values.astype(np.float64) - low) / scale).astype(_TYPES[width])
    return pb.Codes(data=codes.tobytes(), width=width, offset=low, scale=scale, error=0.5 * scale)


def values_of(codes: pb.Codes) -> NDArray[np.float32]:
    """(n,) float32."""
    raw = np.frombuffer(codes.data, dtype=_TYPES[codes.width])
    return raw.astype(np.float32) * np.float32(codes.scale) + np.float32(codes.offset)


def raster(
    quantity: str,
    unit: str,
    values: NDArray[np.float32],
    corners: tuple[tuple[float, ...], tuple[float, ...]],
    width: int = 2,
    solid: NDArray[np.bool_] | None = None,
    shade: NDArray[np.float32] | None = None,
    cover: NDArray[np.float32] | None = None,
) -> pb.Raster:
    """A quantity on equal cells between two corners [m]. values: (rows, columns), NaN where there is no
    fluid; solid: where there is a body; shade: light, about 1; cover: fluid share of the neighbourhood, 0 to
    1."""
    known = np.isfinite(values)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 0.0)
    steps = MOST[width] - _RESERVED
    scale = (high - low) / steps or 1.0
    codes = np.full(values.shape, MOST[width], dtype=_TYPES[width])
    codes[known] = np.rint((values[known].astype(np.float64) - low) / scale)
    if solid is not None:
        codes[solid] = MOST[width] - 1
    made = pb.Raster(
        quantity=quantity,
        unit=unit,
        rows=values.shape[0],
        columns=values.shape[1],
        lower=corners[0],
        upper=corners[1],
        low=low,
        high=high,
        values=pb.Codes(data=codes.tobytes(), width=width, offset=low, scale=scale, error=0.5 * scale),
    )
    if shade is not None:
        made.shade.CopyFrom(_up_to(2, shade))
    if cover is not None:
        made.cover.CopyFrom(_up_to(1, cover))
    return made


def _up_to(most: float, values: NDArray[np.float32]) -> pb.Codes:
    """Codes of a byte from 0 to `most`."""
    scale = most / MOST[1]
    data = np.rint(np.clip(values, 0, most) / np.float32(scale)).astype(_TYPES[1]).tobytes()
    return pb.Codes(data=data, width=1, offset=0.0, scale=scale, error=0.5 * scale)
