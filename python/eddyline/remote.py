"""Files and folders at URLs, through fsspec: `s3://bucket/tank.toml`, `https://...`, `ftp://...`, `sftp://...`,
`file://...`, `memory://...`.

What is read is first copied into a temporary folder, which is removed when this process ends. Each file is
fetched once per process, so that a run sees one version of it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_PASSWORD = re.compile(r"(://[^/@:]*):[^/@]*@")
_UNKNOWN_HOST = re.compile(
    r"name or service not known|nodename nor servname|name resolution|getaddrinfo failed|"
    r"no address associated|could not resolve|name not known",
    re.IGNORECASE,
)
"""Words of libraries for a host without an address."""
CONNECT, SILENCE = 10.0, 60.0
"""Seconds until a connection must stand, and without any data after that."""
_WEB = ("http", "https")
_AT_ONCE = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oci", "memory")
"""Stores in which an object appears when it is complete; others need a temporary name and a rename."""
_INSTALL = 'pip install "eddyline[remote]"'
NOT_NEEDED = ("checkpoints", "export")
"""Folders of a run that no reader of a finished run needs."""


class RemoteError(ValueError):
    """A place that cannot be read or written; one line that names it and the remedy."""

    def __init__(self, url: str, words: str, *, writing: bool = False) -> None:
        super().__init__(f"{shown(url)}: {words}")
        self.writing = writing


def is_url(place: object) -> bool:
    return isinstance(place, str) and _URL.match(place) is not None


def shown(url: str) -> str:
    """A URL for messages and records, without its password."""
    return _PASSWORD.sub(r"\1@", url)


def name_in(url: str) -> str:
    """The name of the file that a URL ends with; empty if there is none."""
    return url.partition("?")[0].partition("#")[0].rpartition("/")[2]


def join(url: str, *parts: str) -> str:
    return "/".join([url.rstrip("/"), *parts])


# --- reading ----------------------------------------------------------------------------------------


_origins: dict[Path, str] = {}
"""Temporary folders, and the URLs whose contents they hold."""


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="eddyline-remote-", ignore_cleanup_errors=True)


def _new_folder(origin: str) -> Path:
    folder = Path(_scratch().name, f"{len(_origins):04d}").resolve()
    folder.mkdir()
    _origins[folder] = origin
    return folder


def as_given(text: str) -> str:
    """A text in which paths of temporary folders are replaced by the URLs that they hold."""
    for folder, url in _origins.items():
        text = text.replace(str(folder), shown(url).rstrip("/"))
    return text


def origin(path: Path) -> str:
    """The URL of a path in a temporary folder, without its password; empty for other paths."""
    for folder, url in _origins.items():
        if path == folder or folder in path.parents:
            return join(shown(url), *path.relative_to(folder).parts)
    return ""


@functools.cache
def file(url: str) -> Path:
    """A local copy of a file. Raises RemoteError."""
    name = name_in(url)
    if not name:
        raise RemoteError(url, "names no file; write a URL that ends with the name of a file")
    path = _new_folder(url.partition("?")[0].rpartition("/")[0]) / name
    _fetch(url, path)
    return path


def beside(folder: Path, name: str) -> None:
    """Fetches a file that stands beside a fetched one, unless it is there. Does nothing for other folders,
    and if there is no such file. Raises RemoteError if it cannot be read."""
    base = _origins.get(folder)
    if base is None or (folder / name).exists():
        return
    with contextlib.suppress(_MissingError):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        _fetch(join(base, name), folder / name)


class _MissingError(RemoteError):
    """There is nothing at a URL."""


def _fetch(url: str, path: Path) -> None:
    from eddyline.files import replacing

    with _reached(url) as (system, place), replacing(path) as temporary:
        system.get_file(place, str(temporary))


def folder_of_run(url: str) -> Path:
    """A local copy of a finished run, without its checkpoints. `url` may be that of its folder, or of the
    folder of all runs of a world (then of the latest one). Raises RemoteError."""
    with _reached(url) as (system, place):
        root = _run_at(system, place.rstrip("/"))
        if root is None:
            raise RemoteError(url, "is not the folder of a run (it has no run.json)")
        names = [_below(root, found) for found in system.find(root)]
        found_at = join(url, *PurePosixPath(root).relative_to(place.rstrip("/")).parts)
        folder = _new_folder(found_at)
        for name in names:
            if name is None or name.parts[0] in NOT_NEEDED or name.name.startswith("."):
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(f"{root}/{name}", str(target))
    return folder


def _run_at(system: Any, place: str) -> str | None:
    """The folder with run.json: this one, its `latest`, or the one with the highest number."""
    for candidate in (place, f"{place}/latest"):
        if system.exists(f"{candidate}/run.json"):
            return candidate
    names = [PurePosixPath(found.rstrip("/")).name for found in system.ls(place, detail=False)]
    numbered = sorted((name for name in names if re.fullmatch(r"\d{4,}", name)), key=int)
    last = [f"{place}/{name}" for name in numbered if system.exists(f"{place}/{name}/run.json")]
    return last[-1] if last else None


def _below(root: str, found: str) -> PurePosixPath | None:
    """The path of a found file in the folder `root`; None for one outside it."""
    if not found.startswith(f"{root}/"):
        return None
    path = PurePosixPath(found[len(root) + 1 :])
    return None if path.is_absolute() or ".." in path.parts or not path.parts else path


# --- writing ----------------------------------------------------------------------------------------


def check_writable(url: str) -> None:
    """Raises RemoteError if files cannot be written below a URL; creates the folder where folders exist."""
    if _is_web(url):
        raise RemoteError(
            url, "web servers take no files; give a folder, or a URL such as s3://", writing=True
        )
    with _reached(url, writing=True) as (system, place):
        if _scheme(url) not in _AT_ONCE:
            system.makedirs(place, exist_ok=True)


def upload(path: Path, url: str) -> None:
    """Copies a local file to a URL, which then has all of it or what was there before. Raises RemoteError."""
    with _reached(url, writing=True) as (system, place):
        if _scheme(url) in _AT_ONCE:
            system.put_file(str(path), place)
            return
        folder, _, name = place.rpartition("/")
        temporary = f"{folder}/.{name}.{os.getpid()}.part"
        system.makedirs(folder, exist_ok=True)
        try:
            system.put_file(str(path), temporary)
            system.mv(temporary, place)
        except BaseException:
            with contextlib.suppress(Exception):
                system.rm_file(temporary)
            raise


# --- systems ----------------------------------------------------------------------------------------


def _scheme(url: str) -> str:
    return url.partition("://")[0].lower()


def _is_web(url: str) -> bool:
    return _scheme(url) in _WEB


@contextlib.contextmanager
def _reached(url: str, *, writing: bool = False) -> Iterator[tuple[Any, str]]:
    """The file system of a URL, and the path in it. What goes wrong becomes a RemoteError."""
    try:
        import fsspec
        from fsspec.implementations.local import LocalFileSystem
    except ImportError:
        words = "URLs require the package fsspec, which is not installed; pip install fsspec"
        raise RemoteError(url, words, writing=writing) from None
    try:
        system, place = fsspec.core.url_to_fs(url, **_options(_scheme(url)))
    except ImportError as error:
        raise RemoteError(url, f"{str(error).rstrip('.')}: {_INSTALL}", writing=writing) from None
    except ValueError as error:
        known = "file://, ftp://, http://, https://, s3://, sftp:// and others of fsspec"
        words = f"the protocol is unknown; must be one of {known}" if "Protocol" in str(error) else str(error)
        raise RemoteError(url, words, writing=writing) from None
    except Exception as error:  # a server that is not there, or refuses the user
        raise _explained(url, error, writing) from None
    try:
        yield system, place
    except RemoteError:
        raise
    except OSError as error:
        if isinstance(system, LocalFileSystem) and writing:
            raise RemoteError(url, error.strerror or str(error), writing=True) from None
        raise _explained(url, error, writing) from None
    except Exception as error:  # each library has errors of its own
        raise _explained(url, error, writing) from None


def _options(scheme: str) -> dict[str, Any]:
    """Time limits, which by default are minutes."""
    if scheme in _WEB:
        try:
            import aiohttp
        except ImportError:
            return {}
        limits = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT, sock_read=SILENCE)
        return {"client_kwargs": {"timeout": limits}}
    if scheme in ("s3", "s3a"):
        config = {"connect_timeout": CONNECT, "read_timeout": SILENCE, "retries": {"max_attempts": 2}}
        return {"config_kwargs": config, "use_listings_cache": False}
    if scheme == "ftp":
        return {"timeout": CONNECT}
    return {}


def _explained(url: str, error: Exception, writing: bool) -> RemoteError:
    while isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # a server that does not answer becomes a missing file in fsspec
    status = getattr(error, "status", None)
    words = " ".join(str(error).split()) or type(error).__name__
    if (response := getattr(error, "response", None)) and isinstance(response, dict):  # of botocore
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", status)
    denied = isinstance(error, PermissionError) or status in (401, 403) or words.startswith(("530", "532"))
    if denied or re.search(r"^55.*(permission|privilege|denied)", words, re.IGNORECASE):
        return RemoteError(url, "access denied; check your credentials and rights", writing=writing)
    missing = (FileNotFoundError, StopIteration)  # ftp raises the latter for a folder that does not exist
    if isinstance(error, missing) or status == 404 or words.startswith("550"):
        return _MissingError(url, "no such file or folder", writing=writing)
    if isinstance(error, TimeoutError):
        return RemoteError(
            url, "the server does not answer; check its name and your network", writing=writing
        )
    if isinstance(error, socket.gaierror) or _UNKNOWN_HOST.search(words):
        return RemoteError(url, "the host is unknown; check its name and your network", writing=writing)
    if isinstance(error, ConnectionError) or "connect" in words.lower() or "resolution" in words.lower():
        return RemoteError(url, f"cannot be reached: {shown(words)}", writing=writing)
    what = "cannot be written" if writing else "cannot be read"
    return RemoteError(url, f"{what}: {shown(words)}", writing=writing)
