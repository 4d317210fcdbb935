"""What every picture and movie carries: the world, the version and the fingerprint, enough to repeat the
run."""

from __future__ import annotations

import re
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.stream import atomic
from eddyline.wording import one_line

if TYPE_CHECKING:
    from PIL.PngImagePlugin import PngInfo

PREFIX = "eddyline_"
_DAMAGED = (OSError, SyntaxError, ValueError, EOFError, OverflowError, struct.error, zlib.error)
"""What Pillow raises of a file that is damaged."""


@dataclass(frozen=True)
class Metadata:
    """`world`: the complete world file as run; `options`: what the command line added, e.g. `--steps 10`."""

    world: str
    version: str
    fingerprint: str
    title: str = ""
    options: str = ""

    def items(self) -> dict[str, str]:
        return {
            f"{PREFIX}version": self.version,
            f"{PREFIX}fingerprint": self.fingerprint,
            f"{PREFIX}options": self.options,
            f"{PREFIX}world": self.world,
        }


def read(path: str | Path) -> Metadata:
    """The metadata of a PNG or MP4 that Eddyline made; ValueError if it has none."""
    path = Path(path)
    found = _read_png(path) if path.suffix.lower() == ".png" else _read_movie(path)
    if f"{PREFIX}world" not in found:
        raise ValueError(
            f"{path}: holds no Eddyline world; it was not made by Eddyline, or a program removed it"
        )
    return Metadata(
        world=found[f"{PREFIX}world"],
        version=found.get(f"{PREFIX}version", ""),
        fingerprint=found.get(f"{PREFIX}fingerprint", ""),
        title=found.get("Title") or found.get("title", ""),
        options=found.get(f"{PREFIX}options", ""),
    )


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

    try:
        with Image.open(path) as image:
            image.load()
            return {str(key): str(value) for key, value in image.info.items()}
    except FileNotFoundError:
        raise
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        told = one_line(str(error).partition(str(path))[0].rstrip(" '\"(")) or type(error).__name__
        raise ValueError(f"{path}: is no PNG that can be read: {told}") from None


def _read_movie(path: Path) -> dict[str, str]:
    import imageio_ffmpeg  # type: ignore[import-untyped]

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-f", "ffmetadata", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        first = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise ValueError(one_line(f"{path}: is no movie that can be read{': ' if first else ''}{first}"))
    return _parse(done.stdout.decode(errors="replace"))


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
