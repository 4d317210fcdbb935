"""Isosurfaces: computed by a simulation, packed into few bytes, and kept in one file for each observer.

    surfaces/NAME.surfaces    one record after the other: RECORD, then the bytes of a surface

A surface is a header of 128 bytes and a zlib stream; docs/surfaces.md describes it. A record counts as there
when it is complete. Checksums are verified when it is read.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any, overload

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError, reading
from eddyline.stream.formats import check_format

SUFFIX = ".surfaces"
FORMAT = 1
RECORD = struct.Struct("<4sIqddQQQ")
"""Before each surface: MAGIC, FORMAT, step, time [s], level, number of bytes that follow, their checksum, and
that of these fields."""
MAGIC = b"EREC"
_LEVEL = 6  # of zlib: 1 takes half the time and makes up to 12 % more bytes
_INFLATION = 1100  # deflate reaches 1032


@dataclass(frozen=True)
class Isosurface:
    """A surface as bytes, and, if it was requested, how often each value occurs on its lattice: (lowest,
    highest, (bins,) counts)."""

    data: bytes
    histogram: tuple[float, float, NDArray[np.int64]] | None = None


def quantities(simulation: _core.Simulation) -> dict[str, str]:
    """Units of the quantities that surfaces can be made of and coloured by; none in 2D."""
    return dict(_core.surface_quantities(simulation))


def isosurface(
    simulation: _core.Simulation,
    quantity: str,
    level: float,
    *,
    color: str = "",
    resolution: float = 1.0,
    stride: int = 1,
    bins: int = 0,
) -> Isosurface:
    """The surface where a quantity has the value `level`, now. Closed: it ends at the domain and where there
    is no fluid. resolution: distance of lattice points in spacings. stride: 1, 2 or 4, every how many of them
    are used. The same bytes for any threads, boxes and ranks. Raises _core.UserError."""
    raw, low, high, counts = _core.isosurface(
        simulation, quantity, level, color=color, resolution=resolution, stride=stride, bins=bins
    )
    return Isosurface(packed(raw), (low, high, counts) if bins > 0 else None)


def packed(raw: bytes) -> bytes:
    """Deflates all but the header."""
    return raw[: _core.SURFACE_HEADER] + zlib.compress(raw[_core.SURFACE_HEADER :], _LEVEL)


def unpacked(data: bytes) -> bytes:
    """The opposite of packed(). Raises ValueError if `data` is no surface, before much memory is used."""
    head = data[: _core.SURFACE_HEADER]
    size = _core.surface_body_size(head)
    if size > _INFLATION * len(data):
        raise ValueError(f"its header claims {size:,} bytes, more than {len(data):,} can hold")
    inflater = zlib.decompressobj()
    try:
        body = inflater.decompress(data[_core.SURFACE_HEADER :], size + 1)
    except zlib.error as error:
        raise ValueError(f"its bytes cannot be inflated: {error}") from None
    if len(body) != size or not inflater.eof or inflater.unused_data:
        raise ValueError(f"it does not hold the {size:,} bytes that its header names")
    return head + body


@dataclass(frozen=True)
class Surface:
    """Triangles of a closed surface. Seen from outside (lower values), their corners are
    counter-clockwise."""

    time: float  # s
    level: float
    vertices: NDArray[np.float64]  # (n, 3), m
    triangles: NDArray[np.uint32]  # (m, 3), numbers of vertices
    colors: NDArray[np.float64] | None  # (n,), values of a second quantity, SI unit
    data: bytes = field(repr=False, default=b"")
    """the surface as bytes"""

    @classmethod
    def of(cls, data: bytes) -> Surface:
        """Decodes a surface. Raises ValueError."""
        try:
            found = _core.decode_surface(unpacked(data))
        except _core.UserError as error:
            raise ValueError(str(error)) from None
        low, high = found["color_range"]
        codes = found["colors"]
        has_colors = len(codes) > 0
        return cls(
            time=found["time"],
            level=found["level"],
            vertices=found["vertices"],
            triangles=found["triangles"],
            colors=low + codes * ((high - low) / 255) if has_colors else None,
            data=data,
        )

    @property
    def volume(self) -> float:
        """Volume inside the surface [m^3]."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    @property
    def area(self) -> float:
        """Area of the surface [m^2]."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    def normals(self) -> NDArray[np.float64]:
        """(n, 3) unit normals at vertices, outwards: means over the triangles at a vertex by area."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        across = np.cross(b - a, c - a)
        sums = np.zeros_like(self.vertices)
        for k in range(3):
            np.add.at(sums, self.triangles[:, k], across)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        normals: NDArray[np.float64] = sums / np.where(lengths > 0, lengths, 1)
        return normals


@dataclass(frozen=True)
class Record:
    """A surface in a file."""

    step: int
    time: float  # s
    level: float
    start: int  # of its bytes in the file
    size: int
    digest: int

    @property
    def end(self) -> int:
        return self.start + self.size


class SurfaceFile:
    """Appends the surfaces of one observer to a file. Concurrent readers find only complete surfaces."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, step: int, raw: bytes) -> None:
        """raw: as the core makes it. After an OSError the earlier surfaces are intact."""
        data = packed(raw)
        level, time = (struct.unpack_from("<d", data, at)[0] for at in (88, 112))
        fields = RECORD.pack(MAGIC, FORMAT, step, time, level, len(data), integrity.checksum(data), 0)[:-8]
        own = integrity.checksum(fields).to_bytes(8, "little")
        self._path.parent.mkdir(exist_ok=True)
        with self._path.open("ab", buffering=0) as file:
            atomic.append(file, fields + own + data)

    def cut(self, step: int) -> None:
        """Drops what was written after `step`."""
        if not self._path.exists():
            return
        kept = [record for record in read_index(self._path) if record.step <= step]
        os.truncate(self._path, kept[-1].end if kept else 0)

    def sync(self) -> None:
        """Returns when all surfaces are on the disk."""
        if self._path.exists():
            atomic.sync(self._path)
            atomic.sync_folder(self._path.parent)


def read_index(path: Path) -> list[Record]:
    """The surfaces that a file holds; an unfinished one at its end is left out. Raises CorruptFileError."""
    with reading(path), integrity.opened(path) as file:
        return list(_records(path, file))


def _records(path: Path, file: IO[bytes]) -> Iterator[Record]:
    size, at = os.fstat(file.fileno()).st_size, 0
    while at + RECORD.size <= size:
        file.seek(at)
        head = file.read(RECORD.size)
        magic, form, step, time, level, length, digest, own = RECORD.unpack(head)
        if magic != MAGIC:
            raise CorruptFileError(path, f"there is no surface at byte {at:,}")
        check_format(path, form, FORMAT)
        if own != integrity.checksum(head[:-8]):
            raise CorruptFileError(path, f"the record at byte {at:,} was changed")
        start = at + RECORD.size
        if start + length > size:
            return
        yield Record(step, time, level, start, length, digest)
        at = start + length


class Surfaces(Sequence[Surface]):
    """The surfaces of one observer of a run, decoded one by one. Those of one time follow each other in the
    order of `values` in the world."""

    def __init__(self, path: Path, name: str) -> None:
        """Raises CorruptFileError."""
        self.path, self.name = path, name
        self._records = read_index(path)

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, k: int) -> Surface: ...
    @overload
    def __getitem__(self, k: slice) -> list[Surface]: ...
    def __getitem__(self, k: Any) -> Any:
        """Raises CorruptFileError."""
        if isinstance(k, slice):
            return [self[n] for n in range(len(self))[k]]
        data = self.data(k)
        with reading(self.path):
            return Surface.of(data)

    def data(self, k: int) -> bytes:
        """The bytes of a surface, verified. Raises CorruptFileError."""
        record = self._records[k]
        with reading(self.path), integrity.opened(self.path) as file:
            file.seek(record.start)
            content = file.read(record.size)
            if integrity.checksum(content) != record.digest:
                raise ValueError(f"surface {k} was changed after it was written: its checksum differs")
            return content

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """(n,), s."""
        return np.array([record.time for record in self._records])

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """(n,)"""
        return np.array([record.step for record in self._records], dtype=np.int64)

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """(n,) values of the quantity."""
        return np.array([record.level for record in self._records])

    def at_time(self, time: float) -> Surface:
        """The surface nearest to `time` [s], the first of `values` if there are several. Raises IndexError
        without any."""
        if not len(self):
            raise IndexError(f"{self.path}: has no surfaces")
        return self[int(np.abs(self.times - time).argmin())]

    def __repr__(self) -> str:
        until = f", t = {self.times[0]:.4g} to {self.times[-1]:.4g} s" if len(self) else ""
        return f"<Surfaces {self.name}: {len(self)}{until}>"
