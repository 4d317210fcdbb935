"""Display of a world in a notebook: a small drawing and a table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .outlines import Outline, outlines
from .problems import rounded
from .samples import corners
from .schema import SIDES, Line, PressureDrop, Profile
from .shapes import vec3

if TYPE_CHECKING:
    from .world import World

_WIDTH = 360.0  # pixels of the longer side
_STROKES = {
    "wall": "3",
    "periodic": '1.5" stroke-dasharray="7 4',
    "open": '1.5" stroke-dasharray="1.5 4',
}
_OPENING = '1.5" stroke-dasharray="10 3 2 3'


def to_html(world: World) -> str:
    """A table of the main numbers beside a drawing in exact shapes."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(key)}</th><td>{escape(text)}</td></tr>"
        for key, text in _rows(world)
    )
    return (
        f"<div style='display:flex;gap:1.5em;align-items:center;flex-wrap:wrap'>{to_svg(world)}"
        f"<table><caption style='text-align:left'><b>{escape(world.title)}</b></caption>{rows}</table></div>"
    )


def _rows(world: World) -> list[tuple[str, str]]:
    file = world.file
    size = " x ".join(rounded(length) for length in file.domain.size)
    rows = [
        ("domain", f"{size} m, spacing {rounded(file.domain.spacing)} m"),
        ("sides", ", ".join(f"{name} {kind}" for name, kind in world.sides.items())),
        *_fluid_rows(world),
        ("end", f"{rounded(world.end)} {world.time_unit}"),
    ]
    if world.reynolds is not None:
        rows.insert(0, ("Reynolds number", rounded(world.reynolds)))
    for key, table in (("bodies", file.bodies), ("regions", file.regions), ("observe", file.observe)):
        if table:
            rows.append((key, ", ".join(table)))
    return rows


def _fluid_rows(world: World) -> list[tuple[str, str]]:
    fluid = world.file.given_fluid
    if fluid is None:
        return [("solver", world.solver.title)]
    nu = f"{rounded(fluid.nu)} m\N{SUPERSCRIPT TWO}/s"
    return [
        ("fluid", f"{rounded(fluid.density)} kg/m\N{SUPERSCRIPT THREE}, {nu}"),
        ("speed of sound", f"{rounded(world.scales.sound_speed)} m/s"),
    ]


def to_svg(world: World) -> str:
    """The world as a small SVG drawing; in 3D seen along z."""
    low, high = corners(world.file)
    scale = _WIDTH / max(high[0] - low[0], high[1] - low[1])
    width, height = (high[0] - low[0]) * scale, (high[1] - low[1]) * scale

    def place(x: float, y: float) -> tuple[float, float]:
        return (x - low[0]) * scale, (high[1] - y) * scale

    def path(line: Outline, style: str) -> str:
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in (place(float(p[0]), float(p[1])) for p in line))
        return f'<polygon points="{points}" {style}/>'

    tolerance = 0.3 / scale
    water = 'fill="#cfe3f2" stroke="#7ba7c7"'
    parts = []
    if not world.file.regions:
        parts.append(f'<rect width="{width:.1f}" height="{height:.1f}" {water}/>')
    for region in world.file.regions.values():
        parts += [path(line, water) for line in outlines(region, (0, 1), tolerance)]
    for name, body in world.file.bodies.items():
        style = 'fill="#8a9097" stroke="#22272c"'
        parts += [
            f"<g><title>{escape(name)}</title>{path(line, style)}</g>"
            for line in outlines(body, (0, 1), tolerance)
        ]
    ends = {"left": (0, 0, 0, 1), "right": (1, 0, 1, 1), "bottom": (0, 1, 1, 1), "top": (0, 0, 1, 0)}
    for name in SIDES[:4]:
        x1, y1, x2, y2 = (end * (height if k % 2 else width) for k, end in enumerate(ends[name]))
        kind = world.sides[name]
        parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#22272c" '
            f'stroke-width="{_STROKES.get(kind, _OPENING)}"><title>{name}: {kind}</title></line>'
        )
    for name, observer in world.file.observe.items():
        points = [place(*vec3(mark)[:2]) for mark in observer.marks.values()]
        if not isinstance(observer, PressureDrop | Line | Profile):
            parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="#b3361f" stroke-width="1.5">'
                f"<title>{escape(name)}</title></circle>"
                for x, y in points
            ]
        else:
            (x1, y1), (x2, y2) = points
            parts.append(
                f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#b3361f" '
                f'stroke-width="1.5"><title>{escape(name)}</title></line>'
            )
    margin = 6
    box = f"{-margin} {-margin} {width + 2 * margin:.1f} {height + 2 * margin:.1f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width + 2 * margin:.0f}" '
        f'height="{height + 2 * margin:.0f}" '
        f'role="img"><title>{escape(world.title)}</title>{"".join(parts)}</svg>'
    )
