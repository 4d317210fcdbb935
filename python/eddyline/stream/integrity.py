"""Checksums of files: any change after writing is detected on reading.

Checksums are XXH3 (64 bits). They protect against damage, not against forgery.

    JSON files      key "digest", of everything else in the file
    HDF5 files      a trailer after the end of what HDF5 reads, which ignores it
    other files     listed with their checksums in the run's run.json once the run has ended

Files of version 0.1 have no checksums; they are read as they are.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import xxhash

from eddyline.stream.corrupt import CorruptFileError, reading
from eddyline.stream.formats import check_format

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

ReadFile = Callable[[Path], "bytes | None"]
"""Function that returns the content of a file; None if there is none. Raises CorruptFileError."""

MAGIC = b"eddysum\n"
NOTE_BYTES = 32
_TRAILER = struct.Struct(f"<{NOTE_BYTES}sQQ")
"""Fields at the end of an HDF5 file, before their checksum and MAGIC: note of the writer, number of preceding
bytes, and their checksum."""
TRAILER_BYTES = _TRAILER.size + 8 + len(MAGIC)
FORMAT, OLDEST_FORMAT = 2, 1
"""Format of JSON and HDF5 files with checksums, and the oldest that is read; those of version 0.1 (1 or none)
have no checksums."""
_DIGEST = "digest"
_INFLATION = 1100
"""Largest ratio of a compressed data set to its file: deflate reaches 1032."""
_BLOCK = 1 << 18  # bytes read and summed at a time, so that they stay in the cache


def checksum(data: bytes | memoryview) -> int:
    return xxhash.xxh3_64_intdigest(data)


def hex_digest(data: bytes | memoryview) -> str:
    return f"{checksum(data):016x}"


# --- any file -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file for reading. Raises CorruptFileError if it is none, or cannot be read; never waits for a
    pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise CorruptFileError(path, "it is missing") from None
    except OSError as error:
        raise CorruptFileError(path, error) from None
    with os.fdopen(handle, "rb") if _is_file(handle) else _closing(path, handle) as file:
        yield file


def _is_file(handle: int) -> bool:
    return stat.S_ISREG(os.fstat(handle).st_mode)


def _closing(path: Path, handle: int) -> IO[bytes]:
    is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
    os.close(handle)
    raise CorruptFileError(path, "it is a folder" if is_folder else "it is not a regular file")


def read_file(path: Path) -> bytes | None:
    """See ReadFile."""
    if not os.path.lexists(path):
        return None
    with reading(path), opened(path) as file:
        return file.read()


def read_text(path: Path, read: ReadFile = read_file) -> str:
    """UTF-8. Raises CorruptFileError, also without such a file."""
    content = read(path)
    if content is None:
        raise CorruptFileError(path, "it is missing")
    with reading(path):
        return content.decode("utf-8")


# --- JSON ---------------------------------------------------------------------------------------------------


def with_digest(value: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object with its checksum."""
    from eddyline.stream import atomic

    kept = {key: item for key, item in atomic.plain(value).items() if key != _DIGEST}
    return {**kept, _DIGEST: _json_digest(kept)}


def read_json(path: Path) -> dict[str, Any] | None:
    """The JSON object that a file holds, without its checksum; None without a file. Raises
    CorruptFileError."""
    content = read_file(path)
    if content is None:
        return None
    with reading(path):
        value = json.loads(content.decode("utf-8"))
    if not isinstance(value, dict):
        raise CorruptFileError(path, "it contains no JSON object")
    digest, form = value.pop(_DIGEST, None), value.get("format", 1)
    check_format(path, form, FORMAT, oldest=OLDEST_FORMAT, writer=_writer_of(value))
    if digest is None and form == 1:
        return value
    with reading(path):
        if digest != _json_digest(value):
            raise CorruptFileError(path, "it was changed after it was written: its checksum differs")
    return value


def _writer_of(value: Mapping[str, Any]) -> str:
    """The version that wrote a JSON object, if recorded."""
    versions = value.get("versions")
    return str(versions.get("eddyline", "")) if isinstance(versions, dict) else ""


def _json_digest(value: Mapping[str, Any]) -> str:
    return hex_digest(json.dumps(value, sort_keys=True).encode())


# --- HDF5 ---------------------------------------------------------------------------------------------------


def trailer(content: bytes | memoryview, note: bytes = b"") -> bytes:
    """Trailer that is appended to `content`, a complete HDF5 file."""
    return _trailer(checksum(content), len(content), note)


def _trailer(digest: int, size: int, note: bytes) -> bytes:
    fields = _TRAILER.pack(note, size, digest)
    return fields + checksum(fields).to_bytes(8, "little") + MAGIC


def append_trailer(path: Path, note: bytes = b"") -> None:
    """Completes an HDF5 file on the disk."""
    with path.open("r+b") as file:
        digest = _digest_of(file, size := os.fstat(file.fileno()).st_size)
        file.write(_trailer(digest, size, note))


def _digest_of(file: IO[bytes], size: int) -> int:
    """The checksum of the first `size` bytes; goes to their end."""
    sum_, room = xxhash.xxh3_64(), memoryview(bytearray(_BLOCK))
    file.seek(0)
    while size > 0 and (count := file.readinto(room[: min(_BLOCK, size)])):  # type: ignore[attr-defined]
        sum_.update(room[:count])
        size -= count
    return sum_.intdigest()


def read_note(path: Path) -> bytes | None:
    """Note that the writer put into the trailer, without reading the rest; None without a trailer. Raises
    CorruptFileError."""
    with reading(path), opened(path) as file:
        found = _read_trailer(path, file)
    return None if found is None else found[0]


def _read_trailer(path: Path, file: IO[bytes]) -> tuple[bytes, int, int] | None:
    """Note, size and checksum; None without a trailer. Raises CorruptFileError if it was changed."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - TRAILER_BYTES))
    end = file.read(TRAILER_BYTES)
    if len(end) < TRAILER_BYTES or not end.endswith(MAGIC):
        return None
    fields, own = end[: _TRAILER.size], end[_TRAILER.size : -len(MAGIC)]
    note, before, digest = _TRAILER.unpack(fields)
    if checksum(fields).to_bytes(8, "little") != own or before != size - TRAILER_BYTES:
        raise CorruptFileError(path, "its end was changed after it was written")
    return note, before, digest


@contextlib.contextmanager
def hdf5_file(path: Path) -> Iterator[h5py.File]:
    """Opens an HDF5 file for reading after verification of its checksum. Raises CorruptFileError, also for
    whatever the block raises."""
    import h5py

    with reading(path):
        has_checksum = _verify(path)
        with h5py.File(path, "r") as file:
            form = int(file.attrs.get("format", 1))
            check_format(path, form, FORMAT, oldest=OLDEST_FORMAT)
            if form > 1 and not has_checksum:
                raise CorruptFileError(
                    path, "its checksum is missing: the end of the file is cut off or changed"
                )
            yield file


def _verify(path: Path) -> bool:
    """True if a file has a trailer; its checksum is verified then."""
    with opened(path) as file:
        found = _read_trailer(path, file)
        if found is not None and _digest_of(file, found[1]) != found[2]:
            raise CorruptFileError(path, "it was changed after it was written: its checksum differs")
    return found is not None


def values_of(file: h5py.File, data: h5py.Dataset, columns: int | None = None) -> Any:
    """The numbers of a data set, or the first `columns` of a table. Raises ValueError if it claims more
    numbers than its file can hold."""
    limit = file.id.get_filesize() * (_INFLATION if data.compression else 1)
    if data.size * data.dtype.itemsize > limit:
        raise ValueError(f"{data.name} claims {data.shape} numbers, more than the file holds")
    return data[:, :columns] if columns is not None and data.ndim == 2 else data[()]
