"""Fonts for texts that people wrote: which characters can be drawn here, and with what.

DejaVu Sans, which matplotlib brings, has the letters of Europe and some others. For the rest a font of the
system is looked for; characters that none has are left out, so that no picture shows boxes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN = "DejaVu Sans"
_LIKELY = ("regular", "sans", "cjk", "noto", "dejavu")  # in the names of fonts that are looked at first
_SHAPED = (
    (0x0300, 0x036F),
    (0x0590, 0x08FF),
    (0x0900, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x18AF),
    (0xFB1D, 0xFEFC),
)
"""Unicode ranges that need text shaping: combining marks, right-to-left scripts, Indic scripts."""


def drawable(text: str) -> str:
    """The text without characters that no font here draws."""
    if text.isascii():
        return text
    kept = "".join(character for character in unicodedata.normalize("NFC", text) if _font_with(character))
    kept = re.sub(r"\s+", " ", kept).strip()
    return kept if any(character.isalnum() for character in kept) else ""


def left_out(texts: Iterable[str]) -> str:
    """A line about characters of these texts that pictures leave out; empty if there are none."""
    missing: dict[str, None] = {}
    for text in texts:
        if not text.isascii():
            for character in unicodedata.normalize("NFC", text):
                if not _is_invisible(character) and not _font_with(character):
                    missing[character] = None
    if not missing:
        return ""
    shown = "".join(missing)
    return f'note: no installed font has "{shown}"; pictures omit it, the report keeps it'


def families(text: str) -> list[str]:
    """Names of fonts for matplotlib, which takes the first one that has a character."""
    found = [OWN]
    for character in text:
        path = _font_with(character)
        if path is not None and (name := _register(path)) not in found:
            found.append(name)
    return found


def path_for(character: str) -> Path:
    """The file of the font that draws a character."""
    return _font_with(character) or _own()


def settle(figure: Figure) -> None:
    """Gives all texts of a figure fonts that draw them, and takes out what none does."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        words = text.get_text()
        if not words.isascii():
            text.set_text(drawable(words))
            text.set_fontfamily(families(words))


@cache
def _font_with(character: str) -> Path | None:
    """A font that draws this character as it must look; None if there is none."""
    if _is_invisible(character) or (_needs_shaping(character) and not _shapes()):
        return None
    if character.isspace() or _has(_own(), character):
        return _own()
    return next((path for path in _of_system() if _has(path, character)), None)


def _is_invisible(character: str) -> bool:
    """Joiners and selectors between the signs of an emoji: nothing is lost without them."""
    return unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f"


def _needs_shaping(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _SHAPED)


@cache
def _shapes() -> bool:
    """True if matplotlib orders and joins letters of all scripts: since version 3.11."""
    import matplotlib

    return tuple(map(int, matplotlib.__version__.split(".")[:2])) >= (3, 11)


@cache
def _own() -> Path:
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


@cache
def _of_system() -> list[Path]:
    """Fonts of the system, those first that are likely to be plain and to have much."""
    from matplotlib import font_manager

    paths = [Path(path) for path in font_manager.findSystemFonts()]
    wanted = {path: sum(word in path.name.lower() for word in _LIKELY) for path in paths}
    return sorted(paths, key=lambda path: (-wanted[path], path.name))


@cache
def _face(path: Path) -> Any:
    """None for a font that matplotlib cannot draw, as those of coloured bitmaps."""
    from matplotlib.ft2font import FaceFlags, FT2Font

    try:
        face = FT2Font(str(path))
    except (OSError, RuntimeError, ValueError):
        return None
    flags = face.face_flags
    is_plain = bool(flags & FaceFlags.SCALABLE) and not flags & getattr(FaceFlags, "COLOR", FaceFlags(0))
    return face if is_plain else None


def _has(path: Path, character: str) -> bool:
    face = _face(path)
    return face is not None and face.get_char_index(ord(character)) != 0


@cache
def _register(path: Path) -> str:
    """Lets matplotlib find a font; its name."""
    from matplotlib import font_manager

    if path == _own():
        return OWN
    font_manager.fontManager.addfont(str(path))
    return str(_face(path).family_name)
