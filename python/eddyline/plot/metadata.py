"""What every picture and movie carries: the world, the version and the fingerprint, enough to repeat the
run."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.stream import atomic, integrity
from eddyline.stream.damaged import DamagedError, reading

if TYPE_CHECKING:
    from PIL.PngImagePlugin import PngInfo

PREFIX = "eddyline_"


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
    """The metadata of a PNG or MP4 that Eddyline made. Raises NoWorldError if it has none, DamagedError if it
    cannot be read or they have changed."""
    path = Path(path)
    with reading(path):
        with integrity.opened(path):
            pass  # neither Pillow nor ffmpeg shall wait for a pipe
        found = _read_png(path) if path.suffix.lower() == ".png" else _read_movie(path)
    if f"{PREFIX}world" not in found:
        raise NoWorldError(
            f"{path}: holds no Eddyline world; it was not made by Eddyline, or a program removed it"
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
        raise DamagedError(path, "its metadata were changed after they were written")
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
    from PIL import Image

    with Image.open(path) as image:
        image.load()
        return {str(key): str(value) for key, value in image.info.items()}


def _read_movie(path: Path) -> dict[str, str]:
    import imageio_ffmpeg  # type: ignore[import-untyped]

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-f", "ffmetadata", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(said[0] if said else "not a movie")
    return _parse(done.stdout.decode())


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
