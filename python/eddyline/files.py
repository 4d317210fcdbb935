"""Atomic writes: files and folders are written under a temporary name, then renamed, so that each is complete
or absent. An append is complete or has no effect."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_SUFFIX = ".part"
_NODE = hashlib.sha256(os.uname().nodename.encode()).hexdigest()[:6]
"""Identifies this machine in the names of temporary files."""


@contextlib.contextmanager
def replacing(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Gives a temporary path beside `path`; renames it to `path` if the block succeeds, removes it
    otherwise. An OSError about the temporary file names `path`.

    durable: the file is on the disk, under its name, before this returns: it survives a power cut.
    """
    temporary = _beside(path)
    try:
        yield temporary
        if durable:
            sync(temporary)
        temporary.replace(path)
        if durable:
            sync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            _name(error, path, temporary)
        raise


def _beside(path: Path) -> Path:
    """The temporary name of a file or folder, which no other process or thread uses."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}-{_NODE}{_SUFFIX}")


def _name(error: OSError, path: Path, temporary: Path) -> None:
    """Makes an error that names a temporary file, or no file, name `path`."""
    if error.errno is not None and error.filename in (None, temporary, str(temporary)):
        error.filename, error.filename2 = str(path), None
        error.strerror = os.strerror(error.errno)  # libraries put paragraphs there


def remove_leftovers(folder: Path) -> None:
    """Deletes temporary files and folders in `folder` that a killed process left behind."""
    with contextlib.suppress(OSError):
        for path in sorted(folder.glob(f".*{_SUFFIX}")):
            if not _is_in_use(path.name):
                _remove(path)


def _is_in_use(name: str) -> bool:
    """True if the process that made a temporary file may still be writing it, as processes of other machines
    may."""
    found = re.search(rf"\.(\d+)-\d+(?:-(\w+))?{re.escape(_SUFFIX)}$", name)
    if found is None or (found[2] is not None and found[2] != _NODE):
        return True
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """As `replacing`, for a folder, which must not be there yet; durable."""
    temporary = _beside(path)
    try:
        temporary.mkdir()
        yield temporary
        sync_folder(temporary)
        temporary.rename(path)
        sync_folder(path.parent)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def remove_folder(path: Path) -> None:
    """Deletes a folder: a kill leaves all of it, or a leftover that has another name."""
    temporary = _beside(path)
    path.rename(temporary)
    shutil.rmtree(temporary, ignore_errors=True)


def sync(path: Path) -> None:
    """Returns when the content of the file is on the disk."""
    with path.open("rb") as file:
        sync_file(file)


def sync_file(file: IO[bytes]) -> None:
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Returns when the entries of a folder are on the disk. Does nothing on file systems that do not support
    this."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)


def write_bytes(path: Path, *pieces: bytes | memoryview, durable: bool = False) -> None:
    with replacing(path, durable=durable) as temporary, temporary.open("wb", buffering=0) as file:
        for piece in pieces:
            write_all(file, piece)


def create_text(path: Path, text: str) -> None:
    """Writes a new file. Raises FileExistsError if it exists, even if another process creates it at the same
    moment."""
    temporary = _beside(path)
    try:
        with temporary.open("wb", buffering=0) as file:
            write_all(file, text.encode())
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if path.exists() or path.is_symlink():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            temporary.replace(path)
    except OSError as error:
        _name(error, path, temporary)
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_all(file: io.FileIO, data: bytes | memoryview) -> None:
    """Writes all bytes; the system may split the write into several pieces."""
    left = memoryview(data).cast("B")
    while left:
        left = left[file.write(left) :]


def append(file: io.FileIO, data: bytes | memoryview) -> None:
    """Appends to a file that is open for appending; if that fails (disk full), truncates it to its former
    size."""
    size = file.seek(0, os.SEEK_END)
    try:
        write_all(file, data)
    except OSError:
        file.truncate(size)
        raise


def write_text(path: Path, text: str, *, durable: bool = False) -> None:
    write_bytes(path, text.encode(), durable=durable)
