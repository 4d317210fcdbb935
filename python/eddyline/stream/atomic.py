"""Atomic writes of JSON and HDF5 files, see also eddyline.files."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.files import (
    append,
    create_text,
    remove_folder,
    remove_leftovers,
    replacing,
    replacing_folder,
    sync,
    sync_file,
    sync_folder,
    write_all,
    write_bytes,
    write_text,
)
from eddyline.stream import integrity

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

__all__ = [
    "append",
    "create_text",
    "hdf5_file",
    "hdf5_in_memory",
    "long_hdf5_file",
    "plain",
    "remove_folder",
    "remove_leftovers",
    "replacing",
    "replacing_folder",
    "sync",
    "sync_file",
    "sync_folder",
    "write_all",
    "write_bytes",
    "write_hdf5",
    "write_json",
    "write_text",
]

HDF5_OVERHEAD = 60_000  # reserved bytes of a file besides its data: many times the size of its index
_NUMBERS = itertools.count()  # HDF5 requires a unique name for each open file


def write_json(path: Path, value: Mapping[str, Any], *, durable: bool = False) -> None:
    """Indented JSON; NumPy scalars become numbers, values that are not finite become null. See
    integrity.with_digest for JSON that is to be verified when it is read."""
    text = json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_text(path, text, durable=durable)


def plain(value: Any) -> Any:
    """`value` converted to types of JSON."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    return str(value)


@contextlib.contextmanager
def long_hdf5_file(path: Path, size: int, note: bytes = b"") -> Iterator[h5py.File]:
    """Like `hdf5_file`, but written to the disk as it grows: for files that memory may not hold.

    size: of its data [bytes], about. The space is reserved first, so that a full disk is detected before HDF5
    writes. note: see integrity.trailer."""
    import h5py

    with replacing(path) as temporary:
        with temporary.open("wb") as raw:
            os.posix_fallocate(raw.fileno(), 0, size + HDF5_OVERHEAD)
        with h5py.File(temporary, "w") as file:
            with temporary.open("r+b") as raw:
                os.posix_fallocate(raw.fileno(), 0, size + HDF5_OVERHEAD)
            file.attrs["format"] = integrity.FORMAT
            yield file
            file.flush()
            used = file.id.get_filesize()
        os.truncate(temporary, used)
        integrity.append_trailer(temporary, note)


@contextlib.contextmanager
def hdf5_file(path: Path, note: bytes = b"") -> Iterator[h5py.File]:
    """An HDF5 file that appears at `path` when the block ends. note: see integrity.trailer.

    It is built in memory and written in one piece: neither a kill nor a full disk leaves half a file, and a
    full disk is an ordinary OSError here instead of a broken file handle inside the HDF5 library.
    """
    with hdf5_in_memory() as file:
        yield file
        write_hdf5(path, file, note)


def hdf5_in_memory() -> h5py.File:
    """An HDF5 file without anything but its format in it, for `write_hdf5`."""
    import h5py

    file = h5py.File(f"in memory {next(_NUMBERS)}", "w", driver="core", backing_store=False)
    file.attrs["format"] = integrity.FORMAT
    return file


def write_hdf5(path: Path, file: h5py.File, note: bytes = b"") -> None:
    """A copy at `path` of what a file in memory holds now, with its checksum. note: see integrity.trailer."""
    file.flush()
    image = file.id.get_file_image()
    write_bytes(path, image, integrity.trailer(image, note))
