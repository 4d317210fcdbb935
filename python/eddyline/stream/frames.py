"""Frames: pictures as numbers. A movie is coloured when its one scale is known, at the end of the run.

    pictures/frames.npy    all frames, one after the other: making a file for each would take long
    pictures/frames.index  HEADER, then for each its time, its step, where it ends and checksums, (n,) of
                           INDEX

A frame counts as there when it is in the index. Its checksum is verified when it is read. Each is one
record in NumPy's own format: `time` [s], `step`, `lower` and `upper` [m], and for each quantity a raster of
`shape` (rows, columns), in `units`. Where there is fluid is told by a bit a pixel, `known`, and only those
pixels have a code of 16 bits: value = offset + scale * code, and 65535 on a solid. Row 0 is at the bottom.

    with open("frames.npy", "rb") as file:
        speed = numpy.load(file)[()]["speed"]  # of the first; numpy.load again for the next
    values = numpy.full(speed["shape"], numpy.nan)
    known = numpy.unpackbits(speed["known"], count=values.size).astype(bool)
    values.flat[known] = speed["offset"] + speed["scale"] * speed["code"]

Frames with a free surface hold its `cover` as well: how much of each pixel's neighbourhood is fluid, in
codes of 8 bits, 255 for 1; there is none where `known` has no bit. Frames of three-dimensional runs are
views: `shade` holds the light on each pixel, 160 for 1.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from eddyline import _core
from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError, reading
from eddyline.stream.formats import check_format

Raster = NDArray[np.float32]
SOLID = 65535
TOP = 65534
SHADE_ONE = 160  # code of light 1.0
COVER_ONE = 255  # code of cover 1.0
_MOMENT = np.dtype([("time", "f8"), ("step", "i8"), ("lower", "f8", 2), ("upper", "f8", 2)])
_SCALE = np.dtype([("scale", "f8"), ("offset", "f8"), ("units", "U16"), ("shape", "i4", 2)])
_BITS, _CODE = np.dtype("u1").str, np.dtype("u2").str
_SHAPE = np.dtype("i4")
_LOADING = threading.Lock()  # headers are parsed by `ast`, which breaks in two threads at once (CPython 3.11)
HEADER = np.dtype([("magic", "S8"), ("format", "<u4"), ("spare", "V28")])
"""Magic number at the start of an index."""
INDEX = np.dtype([("time", "<f8"), ("step", "<i8"), ("end", "<i8"), ("digest", "<u8"), ("own", "<u8")])
"""One frame: time [s], step, size of `frames.npy` including it, checksum of its bytes, and checksum of the
preceding fields and its number."""
_INDEX_1 = np.dtype([("time", "<f8"), ("step", "<i8"), ("end", "<i8")])
"""Record of the index of version 0.1, without a header."""
_MAGIC = b"eddyidx\n"
_MOMENT_FIELDS: list[tuple[Any, ...]] = _MOMENT.descr
_SCALE_FIELDS: list[tuple[Any, ...]] = _SCALE.descr


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
    cover: Raster | None = None  # (rows, columns), 0 to 1, two dimensions with a free surface only
    level: Raster | None = None  # (rows, columns), of the finest cells, where there are several levels


@dataclass(frozen=True)
class Known:
    """A raster that stores only pixels with a value."""

    shape: tuple[int, int]  # rows, columns
    known: NDArray[np.uint8]  # a bit for each pixel, row by row: whether it has a value
    values: NDArray[np.float32]  # (n,) of those, NaN on solids

    @classmethod
    def of(cls, values: Raster, solid: NDArray[np.bool_] | None = None) -> Known:
        """values: as in Frame."""
        rows, columns = values.shape
        return cls((rows, columns), *_core.known_pixels(values, solid))


@dataclass(frozen=True)
class Picture:
    """Rasters at one time, each as in Frame."""

    time: float
    step: int
    lower: tuple[float, float]
    upper: tuple[float, float]
    rasters: Mapping[str, Known]  # by quantity
    units: Mapping[str, str]
    shade: Raster | None = None
    cover: Known | None = None


@dataclass(frozen=True)
class Codes:
    """A raster as stored; the error is below half a step of `scale`."""

    shape: tuple[int, ...]  # rows, columns
    known: NDArray[np.uint8]  # a bit for each pixel, row by row: whether it has a code
    codes: NDArray[np.uint16]  # (n,) of those
    scale: float
    offset: float

    @classmethod
    def of(cls, raster: Known) -> Codes:
        return cls(raster.shape, raster.known, *_core.value_codes(raster.values, TOP, SOLID))

    def raster(self) -> Raster:
        """The values; NaN where there is no fluid."""
        values = self.offset + self.scale * self.codes.astype(np.float64)
        values[self.codes == SOLID] = np.nan
        return self._spread(np.full(self.shape, np.nan, dtype=np.float32), values)

    def solid(self) -> NDArray[np.bool_]:
        return self._spread(np.zeros(self.shape, dtype=np.bool_), self.codes == SOLID)

    def _spread(self, pixels: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
        pixels.reshape(-1)[_is_known(self.known, pixels.size)] = known
        return pixels


LEVEL = "level"
"""Quantity of frames whose steps are outlines of levels."""


class FrameFiles:
    """Appends frames to a folder. Concurrent readers find only complete frames."""

    def __init__(self, folder: Path) -> None:
        self._store = FrameStore(folder)
        self._count = len(self._store)
        self._end = int(self._store.index["end"][-1]) if self._count else 0
        self._open = contextlib.ExitStack()

    def check(self, count: int) -> None:
        """Raises CorruptFileError if there are not as many frames."""
        index, path = self._store.index, self._store.path
        there = len(index)
        size = path.stat().st_size if path.is_file() else 0
        if there >= count and (count == 0 or int(index["end"][count - 1]) <= size):
            return
        raise CorruptFileError(path, f"{count} frames should be there, and {there} are")

    def cut(self, count: int) -> int:
        """Continues after the first `count` frames. Returns the step of the last of them, -1 without any."""
        kept = self._store.checked(count)
        self._count, self._end = len(kept), int(kept["end"][-1]) if count else 0
        if self._store.index_path.exists():
            atomic.write_bytes(self._store.index_path, _header(), kept.tobytes())
        if self._store.path.exists():
            os.truncate(self._store.path, self._end)
        return int(kept["step"][-1]) if count else -1

    def sync(self) -> None:
        """Returns when all frames are on the disk."""
        for path in (self._store.path, self._store.index_path):
            if path.exists():
                atomic.sync(path)
        atomic.sync_folder(self._store.path.parent)

    def append(self, picture: Picture) -> None:
        """Appends a frame. After an OSError the earlier frames are intact, but no more may be appended."""
        data = _record(picture)
        frames, index = self._files
        row = _row(self._count, picture.time, picture.step, self._end + len(data), integrity.checksum(data))
        atomic.append(frames, data)
        atomic.append(index, row)
        self._count, self._end = self._count + 1, self._end + len(data)

    def __enter__(self) -> FrameFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    @cached_property
    def _files(self) -> tuple[io.FileIO, io.FileIO]:
        """Frames and index, open from the first frame on."""
        if self._count and not self._store.has_checksums:
            self.cut(self._count)
        first, second = (
            self._open.enter_context(path.open("ab", buffering=0))
            for path in (self._store.path, self._store.index_path)
        )
        if not second.seek(0, os.SEEK_END):
            atomic.append(second, _header())
        return first, second


def stored_count(size: int) -> int:
    """Number of frames in an index of this size [bytes]."""
    return max(0, size - HEADER.itemsize) // INDEX.itemsize


def _header() -> bytes:
    return np.array((_MAGIC, integrity.FORMAT, b""), dtype=HEADER).tobytes()


def _row(number: int, time: float, step: int, end: int, digest: int) -> bytes:
    """A row of the index."""
    fields = np.array((time, step, end, digest, 0), dtype=INDEX).tobytes()[:-8]
    return fields + _own(number, fields).to_bytes(8, "little")


def _own(number: int, fields: bytes) -> int:
    return integrity.checksum(fields + number.to_bytes(8, "little"))


def _read_index(path: Path, content: bytes) -> tuple[NDArray[Any], bool]:
    """The rows (n,) of INDEX, and whether they have checksums; half a row at the end does not count. Raises
    CorruptFileError."""
    if content.startswith(_MAGIC):
        head = content[: HEADER.itemsize]
        if len(head) < HEADER.itemsize:
            return np.zeros(0, dtype=INDEX), True
        form = int(np.frombuffer(head, dtype=HEADER)[0]["format"])
        check_format(path, form, integrity.FORMAT, oldest=integrity.OLDEST_FORMAT)
        if head != _header():
            raise CorruptFileError(path, "its header was changed")
        content, dtype = content[HEADER.itemsize :], INDEX
    else:
        dtype = _INDEX_1
    rows = np.frombuffer(content, dtype=dtype, count=len(content) // dtype.itemsize)
    ends, steps, times = rows["end"], rows["step"], rows["time"]
    if len(rows) and not (ends[0] > 0 and np.all(ends[1:] > ends[:-1])):
        raise CorruptFileError(path, "its frames are not consecutive")
    if not (np.all(np.isfinite(times)) and np.all(steps >= 0)):
        raise CorruptFileError(path, "its times or steps are invalid")
    if dtype is INDEX:
        for k in range(len(rows)):
            if _own(k, content[k * dtype.itemsize : (k + 1) * dtype.itemsize - 8]) != rows["own"][k]:
                raise CorruptFileError(path, f"the row of frame {k} was changed")
        return rows, True
    made = np.zeros(len(rows), dtype=INDEX)
    for name in _INDEX_1.names or ():
        made[name] = rows[name]
    return made, False


@dataclass(frozen=True)
class CoverCodes:
    """A cover as stored."""

    shape: tuple[int, ...]  # rows, columns
    known: NDArray[np.uint8]  # a bit for each pixel: whether it has a code
    codes: NDArray[np.uint8]  # (n,) of those

    @classmethod
    def of(cls, cover: Known) -> CoverCodes:
        return cls(cover.shape, cover.known, _core.cover_codes(cover.values, COVER_ONE))

    @classmethod
    def kept_in(cls, record: Any) -> CoverCodes:
        return cls(tuple(record["shape"]), record["known"], record["code"])

    def raster(self) -> Raster:
        _check(self.shape, self.known)
        cover = np.zeros(self.shape, dtype=np.float32)
        cover.reshape(-1)[_is_known(self.known, cover.size)] = self.codes / np.float32(COVER_ONE)
        return cover


def _check(shape: tuple[int, ...], known: NDArray[np.uint8]) -> None:
    """Raises ValueError if a shape does not fit the number of bits."""
    rows, columns = map(int, shape)
    if min(rows, columns) < 0 or len(known) != (rows * columns + 7) // 8:
        raise ValueError("a raster has another shape than its pixels")


def _is_known(known: NDArray[np.uint8], pixels: int) -> NDArray[np.bool_]:
    return np.unpackbits(known, count=pixels).view(np.bool_)


def _record(picture: Picture) -> bytes:
    """A frame as numpy.save would write it, put together from its pieces."""
    rasters = {name: Codes.of(raster) for name, raster in picture.rasters.items()}
    shade = (
        None
        if picture.shade is None
        else np.ascontiguousarray(np.clip(picture.shade * SHADE_ONE, 0, 255), dtype=np.uint8)
    )
    cover = None if picture.cover is None else CoverCodes.of(picture.cover)
    moment = (picture.time, picture.step, picture.lower, picture.upper)
    pieces: list[bytes | memoryview] = [_head(rasters, shade, cover), np.array(moment, dtype=_MOMENT).data]
    for name, kept in rasters.items():
        scale = (kept.scale, kept.offset, picture.units.get(name, ""), kept.shape)
        pieces += [np.array(scale, dtype=_SCALE).data, kept.known.data, kept.codes.data]
    if shade is not None:
        pieces.append(shade.data)
    if cover is not None:
        pieces += [np.array(cover.shape, dtype=_SHAPE).data, cover.known.data, cover.codes.data]
    return b"".join(pieces)


def _head(rasters: Mapping[str, Codes], shade: NDArray[np.uint8] | None, cover: CoverCodes | None) -> bytes:
    """Header of a file that holds these rasters."""
    fields = [*_MOMENT_FIELDS]
    for name, kept in rasters.items():
        pixels = [("known", _BITS, kept.known.shape), ("code", _CODE, kept.codes.shape)]
        fields.append((name, [*_SCALE_FIELDS, *pixels]))
    if shade is not None:
        fields.append(("shade", _BITS, shade.shape))
    if cover is not None:
        pixels = [("known", _BITS, cover.known.shape), ("code", _BITS, cover.codes.shape)]
        fields.append(("cover", [("shape", _SHAPE.str, 2), *pixels]))
    out = io.BytesIO()
    npy.write_array_header_1_0(out, {"descr": fields, "fortran_order": False, "shape": ()})
    return out.getvalue()


class FrameStore:
    """The frames in a folder at the time of construction, read one by one."""

    def __init__(self, folder: Path, read: integrity.ReadFile = integrity.read_file) -> None:
        """Raises CorruptFileError. read: reads the index."""
        self.path = folder / "frames.npy"
        self.index_path = folder / "frames.index"
        self.index, self.has_checksums = _read_index(self.index_path, read(self.index_path) or b"")
        """(n,) their moments"""

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def quantities(self) -> list[str]:
        """Names of the rasters that every frame holds. Raises CorruptFileError."""
        if not len(self):
            return []
        return _rasters_of(self._load(0).dtype)

    def read(self, k: int, quantity: str) -> Frame:
        """Frame `k` (negative: from the end); KeyError if it does not hold `quantity`, CorruptFileError if it
        cannot be read."""
        record = self._load(k)
        names = record.dtype.names
        if quantity not in _rasters_of(record.dtype):
            raise KeyError(quantity)
        with reading(self.path):
            kept = _codes_of(record[quantity])
            _check(kept.shape, kept.known)
            shade = record["shade"].astype(np.float32) / SHADE_ONE if "shade" in names else None
            cover = CoverCodes.kept_in(record["cover"]).raster() if "cover" in names else None
            if cover is not None and cover.shape != kept.shape:
                raise ValueError("a cover has another shape than its raster")
            level = _codes_of(record[LEVEL]).raster() if LEVEL in _rasters_of(record.dtype) else None
            return Frame(
                time=float(record["time"]),
                step=int(record["step"]),
                quantity=quantity,
                values=kept.raster(),
                lower=_pair(record["lower"]),
                upper=_pair(record["upper"]),
                solid=kept.solid() if shade is not None else None,
                shade=shade,
                cover=cover,
                level=level,
            )

    def _load(self, k: int) -> Any:
        """The record of frame `k`. Raises CorruptFileError."""
        k = range(len(self))[k]
        with reading(self.path):
            record = _parse(self._content(k))
            row = self.index[k]
            if (record["time"], record["step"]) != (row["time"], row["step"]):
                raise ValueError(f"frame {k} has another time than its index entry")
            return record

    def _content(self, k: int) -> bytes:
        """The bytes of frame `k`, verified if there are checksums."""
        row = self.index[k]
        start, end = int(self.index["end"][k - 1]) if k else 0, int(row["end"])
        with integrity.opened(self.path) as file:
            if end > os.fstat(file.fileno()).st_size:
                raise ValueError(f"frame {k} is cut off")
            file.seek(start)
            content = file.read(end - start)
        if self.has_checksums and integrity.checksum(content) != row["digest"]:
            raise ValueError(f"frame {k} was changed after it was written: its checksum differs")
        return content

    def checked(self, count: int) -> NDArray[Any]:
        """The index of the first `count` frames with checksums; those of version 0.1 are made from what the
        frames hold now."""
        if self.has_checksums:
            return self.index[:count]
        rows = (
            _row(
                k, float(row["time"]), int(row["step"]), int(row["end"]), integrity.checksum(self._content(k))
            )
            for k, row in enumerate(self.index[:count])
        )
        return np.frombuffer(b"".join(rows), dtype=INDEX)


def _parse(content: bytes) -> Any:
    """Parses a record in NumPy's format without allocating more memory than its bytes."""
    file = io.BytesIO(content)
    if npy.read_magic(file) != (1, 0):
        raise ValueError("it is of another version of NumPy's format")
    with _LOADING:
        shape, _, dtype = npy.read_array_header_1_0(file)
    if shape != () or dtype.hasobject or dtype.itemsize != len(content) - file.tell():
        raise ValueError("its header gives another length than the frame has")
    return np.frombuffer(content, dtype=dtype, offset=file.tell())[0]


def _rasters_of(record: np.dtype[Any]) -> list[str]:
    return [name for name in record.names or () if "scale" in (record[name].names or ())]


def _pair(values: Any) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _codes_of(raster: Any) -> Codes:
    """A raster of a record."""
    return Codes(
        shape=tuple(raster["shape"]),
        known=raster["known"],
        codes=raster["code"],
        scale=float(raster["scale"]),
        offset=float(raster["offset"]),
    )
