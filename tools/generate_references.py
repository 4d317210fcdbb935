"""Writes docs/references.md from refs.bib, so that the documents can refer to a paper.

python tools/generate_references.py           rewrites the page
python tools/generate_references.py --check   says whether it is up to date
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIBLIOGRAPHY = ROOT / "refs.bib"
PAGE = ROOT / "docs" / "references.md"

ENTRY = re.compile(r"@\w+\{\s*([^,\s]+)\s*,(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"(\w+)\s*=\s*\{(.*?)\}\s*(?:,\s*\n|\s*$)", re.DOTALL)
ACCENTS = {r"\c{c}": "ç", r"{\'y}": "ý", r"{\'e}": "é", r"{\"a}": "ä", r"$\delta$": "δ"}


def main() -> int:
    page = references()
    if "--check" in sys.argv[1:]:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page
        if not current:
            print(f"{PAGE}: out of date; run python tools/generate_references.py")
        return int(not current)
    PAGE.write_text(page, encoding="utf-8")
    return 0


def entries() -> dict[str, dict[str, str]]:
    """Every paper of refs.bib: key to fields, as plain text."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return {
        key: {name: plain(value) for name, value in FIELD.findall(body)} for key, body in ENTRY.findall(text)
    }


def references() -> str:
    """The page, with a heading for each key, so that references.md#key links to it."""
    lines = [
        "# References",
        "",
        "The papers behind equations, worlds and validation, from `refs.bib`. Code cites them by author",
        "and year, with the number of the equation where there is one.",
        "",
    ]
    for key, fields in sorted(entries().items()):
        lines += [f"### {key}", "", sentence(fields), ""]
    return "\n".join(lines)


def sentence(fields: dict[str, str]) -> str:
    names = [first_name_first(name) for name in fields["author"].split(" and ")]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    place = " ".join(
        part
        for part in (fields.get("journal") or fields.get("booktitle") or fields.get("publisher"),)
        if part
    )
    where = f"*{html.escape(place, quote=False)}*"
    if "volume" in fields:
        where += f" **{fields['volume']}**"
    if "pages" in fields:
        where += f", {fields['pages'].replace('--', chr(0x2013))}"
    link = f". [doi:{fields['doi']}](https://doi.org/{fields['doi']})" if "doi" in fields else "."
    return f"{authors} ({fields['year']}). {fields['title']}. {where}{link}"


def first_name_first(name: str) -> str:
    last, _, first = name.partition(",")
    return f"{first.strip()} {last.strip()}".strip()


def plain(text: str) -> str:
    for code, character in ACCENTS.items():
        text = text.replace(code, character)
    return " ".join(text.replace("{", "").replace("}", "").split())


if __name__ == "__main__":
    sys.exit(main())
