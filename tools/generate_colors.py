"""Writes the lab's tables of colours, so that the page and the pictures of the command line show the same.

    python tools/generate_colors.py [FILE]

From eddyline/plot/colors.py to lab/src/colors/tables.ts, or to FILE; a test holds the one against the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

from eddyline.plot.colors import GAS_DENSITY, QUANTITIES, table

TARGET = Path(__file__).resolve().parent.parent / "lab" / "src" / "colors" / "tables.ts"
SHOWN = (*(QUANTITIES[name] for name in ("speed", "vorticity", "pressure", "density")), GAS_DENSITY)
WIDTH = 96  # hexadecimal digits in a line


def text() -> str:
    """The file: for each map its 256 colours, red, green and blue, from low to high."""
    maps = {quantity.colormap: table(quantity).tobytes().hex() for quantity in SHOWN}
    lines = [
        "/** Colours of the pictures of the command line, 256 a map, from low to high: generated, see",
        " * tools/generate_colors.py. */",
        "",
        "export const TABLES = {",
    ]
    for name, digits in maps.items():
        lines.append(f"  {name}:")
        parts = [digits[k : k + WIDTH] for k in range(0, len(digits), WIDTH)]
        lines += [f'    "{part}"{" +" if k + 1 < len(parts) else ","}' for k, part in enumerate(parts)]
    return "\n".join([*lines, "} as const;", ""])


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET).write_text(text(), encoding="utf-8")
