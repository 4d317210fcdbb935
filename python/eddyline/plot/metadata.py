"""Metadata of every picture and film: the world, the version and the fingerprint, enough to repeat the
run."""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError, reading

if TYPE_CHECKING:
    from PIL.PngImagePlugin import PngInfo

PREFIX = "eddyline_"
_PNG = b"\x89PNG\r\n\x1a\n"
_LONGEST = 1024**2  # bytes of a text
_MOST_CHUNKS = 100_000
_MOST_BOXES = 10_000
_LONGEST_TABLES = 16 * 1024**2  # bytes
_SECONDS = 10  # that ffmpeg may take
_MEMORY = 1024**3  # bytes of address space that it may have


@dataclass(frozen=True)
class Metadata:
    """`world`: the complete world file as run; `options`: what the command line added, e.g. `--steps 10`."""

    world: str
    version: str
    fingerprint: str
    title: str = ""
    options: str = ""

    def items(self) -> dict[str, str]:
        """As they are written, with their checksum."""
        items = {
            f"{PREFIX}version": self.version,
            f"{PREFIX}fingerprint": self.fingerprint,
            f"{PREFIX}options": self.options,
            f"{PREFIX}world": self.world,
        }
        digest = integrity.hex_digest("\0".join([self.title, *items.values()]).encode())
        return {f"{PREFIX}checksum": digest, **items}


class NoWorldError(ValueError):
    """A picture or movie without Eddyline's metadata."""


def read(path: str | Path) -> Metadata:
    """The metadata of a PNG or MP4 that Eddyline made. Raises NoWorldError if it has none, CorruptFileError
    if it cannot be read or they have changed."""
    path = Path(path)
    with reading(path):
        with integrity.opened(path):
            pass  # neither Pillow nor ffmpeg shall wait for a pipe
        found = _read_png(path) if path.suffix.lower() == ".png" else _read_movie(path)
    if f"{PREFIX}world" not in found:
        raise NoWorldError(
            f"{path}: contains no Eddyline world: Eddyline did not write it, or another program removed it"
        )
    made = Metadata(
        world=found[f"{PREFIX}world"],
        version=found.get(f"{PREFIX}version", ""),
        fingerprint=found.get(f"{PREFIX}fingerprint", ""),
        title=found.get("Title") or found.get("title", ""),
        options=found.get(f"{PREFIX}options", ""),
    )
    digest = found.get(f"{PREFIX}checksum")
    if digest not in (None, made.items()[f"{PREFIX}checksum"]):
        raise CorruptFileError(path, "its metadata were changed after they were written")
    return made


def save_png(path: Path, image: Any, metadata: Metadata) -> None:
    """Writes an image ((rows, columns, 3 or 4) uint8, row 0 at the top) with `metadata` as iTXt chunks."""
    from PIL import Image

    with atomic.replacing(path) as temporary:
        Image.fromarray(image).save(temporary, format="PNG", pnginfo=png_info(metadata))


def png_info(metadata: Metadata) -> PngInfo:
    """The metadata as Pillow writes it into a PNG."""
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_itxt("Title", metadata.title)
    info.add_itxt("Software", f"Eddyline {metadata.version}")
    for key, text in metadata.items().items():
        info.add_itxt(key, text, zip=len(text) > 1000)
    return info


def ffmetadata(metadata: Metadata) -> str:
    """The metadata as ffmpeg's own text format, which takes any length and any characters."""
    items = {"title": metadata.title, "comment": f"Eddyline {metadata.version}", **metadata.items()}
    return ";FFMETADATA1\n" + "".join(f"{key}={_escape(text)}\n" for key, text in items.items())


def _escape(text: str) -> str:
    return re.sub(r"([=;#\\\n\r])", r"\\\1", text)


def _read_png(path: Path) -> dict[str, str]:
    """Text chunks, as far as they stand in order; pixels are passed over. Raises ValueError."""
    found: dict[str, str] = {}
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(_PNG)) != _PNG:
            raise ValueError(f"{path}: not a PNG file")
        for _ in range(_MOST_CHUNKS):
            head = file.read(8)
            if len(head) < 8 or head[4:] == b"IEND":
                return found
            length, kind = int.from_bytes(head[:4], "big"), head[4:]
            end = file.tell() + length + 4
            if end > size:
                raise ValueError(f"{path}: damaged: a chunk is cut off")
            if kind in _TEXTS:
                if length > _LONGEST:
                    raise ValueError(f"{path}: a text of more than {_LONGEST:,} bytes")
                data = file.read(length)
                if zlib.crc32(kind + data) != int.from_bytes(file.read(4), "big"):
                    raise ValueError(f"{path}: damaged: the checksum of a text differs")
                key, text = _TEXTS[kind](data)
                found[key] = text
                if sum(map(len, found.values())) > 2 * _LONGEST:
                    raise ValueError(f"{path}: texts of more than {2 * _LONGEST:,} characters")
            file.seek(end)
    raise ValueError(f"{path}: more than {_MOST_CHUNKS:,} chunks")


def _itxt(data: bytes) -> tuple[str, str]:
    """Keyword, compression flag and method, language, translated keyword, UTF-8."""
    key, rest = _split(data)
    is_packed, rest = rest[:1] == b"\1", _split(_split(rest[2:])[1])[1]
    return key.decode("latin-1"), (_inflated(rest) if is_packed else rest).decode("utf-8")


def _text(data: bytes) -> tuple[str, str]:
    key, rest = _split(data)
    return key.decode("latin-1"), rest.decode("latin-1")


def _ztxt(data: bytes) -> tuple[str, str]:
    key, rest = _split(data)
    return key.decode("latin-1"), _inflated(rest[1:]).decode("latin-1")


_TEXTS = {b"iTXt": _itxt, b"tEXt": _text, b"zTXt": _ztxt}


def _split(data: bytes) -> tuple[bytes, bytes]:
    first, separator, rest = data.partition(b"\0")
    if not separator:
        raise ValueError("damaged: a text without its keyword")
    return first, rest


def _inflated(data: bytes) -> bytes:
    """Decompresses to at most _LONGEST bytes. Raises ValueError."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, _LONGEST)
    except zlib.error as error:
        raise ValueError(f"damaged: {error}") from None
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise ValueError(f"a text that is cut off, or of more than {_LONGEST:,} bytes")
    return text


def _read_movie(path: Path) -> dict[str, str]:
    """Metadata that ffmpeg reads from an MP4 without decoding it, within limits of time, memory and
    length."""
    import imageio_ffmpeg  # type: ignore[import-untyped]

    _check_boxes(path)
    program = imageio_ffmpeg.get_ffmpeg_exe()
    source = ["-protocol_whitelist", "file", "-f", "mov", "-i", f"file:{path.absolute()}"]
    command = [program, "-nostdin", "-v", "fatal", *source, "-f", "ffmetadata", "pipe:1"]
    with tempfile.TemporaryFile() as said:
        try:
            done = subprocess.run(
                command,
                stdout=said,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                preexec_fn=_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ValueError(f"{path}: takes more than {_SECONDS} s to read") from None
        if done.returncode != 0:
            raise ValueError(f"{path}: not a movie; ffmpeg cannot read it")
        said.seek(0)
        return _parse(said.read().decode("utf-8", "replace"))


def _limit() -> None:
    """Limit the process that reads a movie."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * _LONGEST, 4 * _LONGEST))  # of what it writes
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _check_boxes(path: Path) -> None:
    """Raises ValueError if an MP4 is not the few boxes of which a movie consists, or its tables are long."""
    size = path.stat().st_size
    with path.open("rb") as file:
        for _ in range(_MOST_BOXES):
            place, head = file.tell(), file.read(16)
            if len(head) < 8:
                return
            length, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:
                length = int.from_bytes(head[8:], "big")
            elif length == 0:
                length = size - place
            if length < 8 or place + length > size:
                raise ValueError(f"{path}: damaged: a part is cut off")
            if kind != b"mdat" and length > _LONGEST_TABLES:
                raise ValueError(f"{path}: more than {_LONGEST_TABLES:,} bytes beside its pictures")
            file.seek(place + length)
    raise ValueError(f"{path}: more than {_MOST_BOXES:,} parts")


def _parse(text: str) -> dict[str, str]:
    """Keys and values of ffmpeg's metadata format: a backslash before = ; # \\ and before a line that goes
    on."""
    out: dict[str, str] = {}
    for line in _logical_lines(text):
        key, separator, value = line.partition("=")
        if separator and not line.startswith((";", "[")):
            out[key] = re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
    return out


def _logical_lines(text: str) -> list[str]:
    lines, current, escaped = [], "", False
    for character in text:
        if character == "\n" and not escaped:
            lines.append(current)
            current = ""
            continue
        current += character
        escaped = character == "\\" and not escaped
    return [*lines, current]
