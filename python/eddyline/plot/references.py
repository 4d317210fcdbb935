"""The papers that worlds cite: data/refs.bib, as plain sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BIBLIOGRAPHY = Path(__file__).resolve().parent.parent / "data" / "refs.bib"
_ENTRY = re.compile(r"@\w+\{\s*([^,\s]+)\s*,(.*?)\n\}", re.DOTALL)
_FIELD = re.compile(r"(\w+)\s*=\s*\{(.*?)\}\s*(?:,\s*\n|\s*$)", re.DOTALL)
_ACCENTS = {
    r"\'y": "ý",
    r"\'i": "í",
    r"\'a": "á",
    r"\'e": "é",
    r"\"a": "ä",
    r"\"o": "ö",
    r"\"u": "ü",
    r"\c{c}": "ç",
}


@dataclass(frozen=True)
class Citation:
    key: str
    text: str
    link: str


def cite(keys: Sequence[str]) -> list[Citation]:
    """Each source once, in order; a source that is not in the bibliography stands as it is."""
    out = []
    for key in dict.fromkeys(keys):
        fields = _entries().get(key)
        link = f"https://doi.org/{fields['doi']}" if fields and "doi" in fields else ""
        out.append(Citation(key, _sentence(fields) if fields else key, link))
    return out


def known(key: str) -> bool:
    return key in _entries()


def short(key: str) -> str:
    """`Martin & Moyce 1952`; the key itself if the bibliography does not know it."""
    fields = _entries().get(key)
    if fields is None:
        return key
    names = [name.partition(",")[0].strip() for name in fields.get("author", "").split(" and ")]
    shown = " & ".join(names) if len(names) <= 2 else f"{names[0]} et al."
    return f"{shown} {fields.get('year', '')}".strip()


@cache
def _entries() -> dict[str, dict[str, str]]:
    if not BIBLIOGRAPHY.is_file():
        return {}
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return {
        key: {name.lower(): _plain(value) for name, value in _FIELD.findall(body)}
        for key, body in _ENTRY.findall(text)
    }


def _sentence(fields: dict[str, str]) -> str:
    authors = " and ".join(
        _first_name_first(name) for name in fields.get("author", "").split(" and ") if name
    )
    if authors.count(" and ") > 1:
        authors = authors.replace(" and ", ", ", authors.count(" and ") - 1)
    where = fields.get("journal") or fields.get("booktitle") or fields.get("publisher") or ""
    volume = fields.get("volume", "")
    pages = fields.get("pages", "").replace("--", "\u2013")
    place = ", ".join(part for part in (" ".join(part for part in (where, volume) if part), pages) if part)
    return ". ".join(
        part for part in (authors, fields.get("title", ""), f"{place} ({fields.get('year', '')})") if part
    )


def _first_name_first(name: str) -> str:
    last, separator, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if separator else name.strip()


def _plain(text: str) -> str:
    for code, character in _ACCENTS.items():
        text = text.replace("{" + code + "}", character).replace(code, character)
    return re.sub(r"\s+", " ", text.replace("{", "").replace("}", "").replace("$\\delta$", "δ")).strip()
