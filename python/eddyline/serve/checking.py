"""Answers to the page while a world is edited: problems, cost, and the geometry of the drawing."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, Field

from eddyline.live.hello import quantities as shown_quantities
from eddyline.run.device import needs, refusal
from eddyline.serve.drafts import Draft, draft
from eddyline.serve.problems import Fault, fault_of
from eddyline.world import World
from eddyline.world.describe import plan
from eddyline.world.gaps import narrow_gaps
from eddyline.world.outlines import outlines
from eddyline.world.samples import corners
from eddyline.world.schema import SIDES, Wall, WorldFile
from eddyline.world.shapes import Body, ShapeTable

_TOLERANCE = 0.02  # of outlines, in spacings
_IN_D = ("diameter", "thickness", "size")
_TRY = re.compile(r"--set\s+let\.(\w+)=([-+.\deE]+)")
_WHEN = re.compile(r"(\w+)\s*==\s*([-+.\deE]+)")

Numbers = list[float]


class Summary(BaseModel):
    """Size and cost of a run of this world."""

    particles: int = Field(description="Number of fluid particles at the start, or of cells.")
    wall_particles: int
    members: str = Field(description="What `particles` counts, in the plural: particles, cells.")
    spacing: float = Field(description="[m]")
    time_step: float = Field(description="Time step at the start [s].")
    steps: int
    end: float = Field(description="[time_unit]")
    time_unit: str = Field(description="s; cycles in a search for a steady flow")
    reynolds: float | None
    mach: float | None
    max_speed: float = Field(description="Highest expected speed [m/s].")
    sound_speed: float = Field(description="[m/s]")
    seconds: float = Field(
        description="Estimated wall time on all cores of this machine, including movie and report."
    )
    seconds_after: float = Field(description="Share of it for movie and report after the last step.")
    cores: int
    memory_bytes: int
    disk_bytes: int
    device: str = Field(description="Device that computes a run: the one that was asked for, or cpu.")
    devices: list[str] = Field(description="Devices that the server offers.")
    notes: list[str]


class SideDrawing(BaseModel):
    name: str
    type: str
    slip: bool = False


class ShapeDrawing(BaseModel):
    """A body or a region."""

    name: str
    shape: str
    written: dict[str, Any] = Field(description="Parameters as the file has them, formulas among them.")
    numbers: dict[str, Any] = Field(description="The same as numbers [m]; motion left out.")
    in_reference: dict[str, Any] = Field(description="Sizes in reference lengths; empty without [reference].")
    outlines: list[list[Numbers]] = Field(description="Closed lines of [x, y] [m]; of 3D the silhouette.")
    moves: bool = False
    slip: bool = False
    drawn: bool = Field(
        default=True, description="False: it has errors, and therefore neither numbers nor outlines."
    )


class PlaceDrawing(BaseModel):
    """An observer or an opening."""

    name: str
    type: str
    written: dict[str, Any]
    numbers: dict[str, Any]
    drawn: bool = Field(default=True, description="False: it has errors, and therefore no numbers.")


class GapDrawing(BaseModel):
    between: list[str]
    width: float = Field(description="[m]")
    spacings: float
    ends: list[Numbers] = Field(description="Two points [m] across the narrowest part.")
    reason: str


class Drawing(BaseModel):
    dimensions: int
    origin: Numbers
    size: Numbers
    spacing: float
    sides: list[SideDrawing]
    bodies: list[ShapeDrawing]
    regions: list[ShapeDrawing]
    openings: list[PlaceDrawing]
    observers: list[PlaceDrawing]


class QuantityAnswer(BaseModel):
    name: str
    label: str
    unit: str
    diverging: bool


class ReferenceAnswer(BaseModel):
    velocity: float
    length: float
    name: str = Field(
        description="Symbol of the reference length as in the file; L if it is a number or a formula."
    )


class Regime(BaseModel):
    """A value of [let] that a slider may change, with the values that the world mentions."""

    name: str
    path: list[str]
    value: float
    low: float
    high: float
    marks: list[RegimeMark]


class RegimeMark(BaseModel):
    value: float
    text: str


class CheckAnswer(BaseModel):
    """Description of a world that may have errors, as far as possible."""

    problems: list[Fault]
    summary: Summary | None
    drawing: Drawing | None
    gaps: list[GapDrawing]
    quantities: list[QuantityAnswer]
    quantity: str | None = Field(description="Quantity of the pictures of the world.")
    reference: ReferenceAnswer | None
    regimes: list[Regime]
    title: str
    toml: str = Field(description="The world file as it would be run.")


@functools.lru_cache(maxsize=64)
def check(
    text: str,
    overrides: tuple[tuple[str, str | float], ...],
    quality: str,
    device: str = "cpu",
    devices: tuple[str, ...] = ("cpu",),
) -> CheckAnswer:
    """Checks a text; results of the same text are cached. device: asked for; devices: of the server."""
    found = draft(text, dict(overrides), quality)
    world, file = found.world, found.file
    reference = file.reference if file is not None else None
    return CheckAnswer(
        problems=[fault_of(problem) for problem in found.problems],
        summary=None if world is None else _summary(world, device, devices),
        drawing=None if file is None else _drawing(file, found.data),
        gaps=[] if file is None else _gaps(file),
        quantities=[] if file is None else quantities(file),
        quantity=None if file is None else file.pictured,
        reference=None
        if reference is None
        else ReferenceAnswer(**reference.model_dump(), name=_name_of_length(found.data)),
        regimes=list(_regimes(found)),
        title=(file.title if file is not None else "") or str(found.data.get("title", "")),
        toml=found.text,
    )


def _summary(world: World, device: str, devices: tuple[str, ...]) -> Summary:
    found = plan(world)
    return Summary(
        particles=found.estimate.members,
        wall_particles=found.estimate.counts.get("wall_particles", 0),
        members=world.solver.members,
        spacing=world.file.domain.spacing,
        time_step=found.estimate.time_step,
        steps=found.steps,
        end=world.end,
        time_unit=world.time_unit,
        reynolds=world.reynolds,
        mach=None if world.file.given_fluid is None else world.scales.mach,
        max_speed=world.scales.max_speed,
        sound_speed=world.scales.sound_speed,
        seconds=found.seconds,
        seconds_after=found.cost.film + found.cost.start,
        cores=found.cores,
        memory_bytes=found.estimate.memory_bytes,
        disk_bytes=found.disk_bytes,
        device="cpu" if refusal(device, world) else device,
        devices=list(devices),
        notes=[*world.notes, *_on_device(world, device)],
    )


def _on_device(world: World, device: str) -> Iterator[str]:
    """A sentence on what a run takes on a device, or on why the processor computes it."""
    if why := refusal(device, world):
        yield f"The processor computes this world: {why}."
    elif told := needs(device, world):
        yield f"It runs on {device}: {told}."


def quantities(file: WorldFile) -> list[QuantityAnswer]:
    """Quantities that can be shown of a world."""
    return [
        QuantityAnswer(name=made.name, label=made.label, unit=made.unit, diverging=made.kind == "diverging")
        for made in shown_quantities(file)
    ]


# --- the drawing ------------------------------------------------------------------------------------------


def _drawing(file: WorldFile, data: dict[str, Any]) -> Drawing:
    origin, _ = corners(file)
    sides = [(name, file.boundaries.side(name)) for name in SIDES[: 2 * file.dimensions]]
    return Drawing(
        dimensions=file.dimensions,
        origin=list(origin)[: file.dimensions],
        size=list(file.domain.size),
        spacing=file.domain.spacing,
        sides=[
            SideDrawing(name=name, type=side.type, slip=isinstance(side, Wall) and side.slip)
            for name, side in sides
        ],
        bodies=_shapes(file.bodies, file, data, "bodies"),
        regions=_shapes(file.regions, file, data, "regions"),
        openings=_places(file.openings, data, "openings"),
        observers=_places(file.observe, data, "observe"),
    )


def _shapes(
    tables: Mapping[str, ShapeTable], file: WorldFile, data: dict[str, Any], part: str
) -> list[ShapeDrawing]:
    """Bodies or regions, those with errors included, so that they can be corrected."""
    right = [_shape(name, table, file, data, part) for name, table in tables.items()]
    wrong = [
        ShapeDrawing(
            name=name,
            shape=str(table.get("shape", "")),
            written=table,
            numbers={},
            in_reference={},
            outlines=[],
            drawn=False,
        )
        for name, table in _left_out(tables, data, part)
    ]
    return [*right, *wrong]


def _places(tables: Mapping[str, Any], data: dict[str, Any], part: str) -> list[PlaceDrawing]:
    right = [_place(name, table, data, part) for name, table in tables.items()]
    wrong = [
        PlaceDrawing(name=name, type=str(table.get("type", "")), written=table, numbers={}, drawn=False)
        for name, table in _left_out(tables, data, part)
    ]
    return [*right, *wrong]


def _left_out(
    tables: Mapping[str, Any], data: dict[str, Any], part: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tables of the file that did not pass the checks."""
    written = data.get(part)
    for name, table in written.items() if isinstance(written, dict) else ():
        if name not in tables and isinstance(table, dict):
            yield name, _written(data, part, name)


def _shape(name: str, table: ShapeTable, file: WorldFile, data: dict[str, Any], part: str) -> ShapeDrawing:
    lines = outlines(table, (0, 1), _TOLERANCE * file.domain.spacing)
    numbers = _numbers(table)
    length = file.reference.length if file.reference is not None else None
    low, high = table.core_shape.bounds
    sizes = {key: numbers[key] for key in _IN_D if key in numbers}
    sizes |= {"extent": [high[k] - low[k] for k in range(file.dimensions)]}
    return ShapeDrawing(
        name=name,
        shape=table.shape,
        written=_written(data, part, name),
        numbers=numbers,
        in_reference={} if length is None else {key: _over(value, length) for key, value in sizes.items()},
        outlines=[line.tolist() for line in lines],
        moves=isinstance(table, Body) and table.motion is not None,
        slip=isinstance(table, Body) and table.slip,
    )


def _name_of_length(data: Mapping[str, Any]) -> str:
    written = data.get("reference", {}).get("length")
    return written if isinstance(written, str) and re.fullmatch(r"[A-Za-z]\w*", written) else "L"


def _over(value: Any, length: float) -> Any:
    return [item / length for item in value] if isinstance(value, (list, tuple)) else value / length


def _place(name: str, table: Any, data: dict[str, Any], part: str) -> PlaceDrawing:
    return PlaceDrawing(
        name=name, type=table.type, written=_written(data, part, name), numbers=_numbers(table)
    )


def _written(data: dict[str, Any], part: str, name: str) -> dict[str, Any]:
    inside = data.get(part)
    table = inside.get(name) if isinstance(inside, dict) else None
    return dict(table) if isinstance(table, dict) else {}


def _numbers(table: Any) -> dict[str, Any]:
    """The keys of a table that are numbers, texts and lists of them."""
    found = {}
    for name, info in type(table).model_fields.items():
        value = getattr(table, name)
        if _is_plain(value):
            found[info.alias or name] = value
    return found


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_plain(item) for item in value)
    return isinstance(value, (bool, int, float, str))


def _gaps(file: WorldFile) -> list[GapDrawing]:
    """Narrow gaps of a two-dimensional world, for the drawing; in 3D only notes report them."""
    return [
        GapDrawing(
            between=list(gap.between),
            width=gap.width,
            spacings=gap.spacings,
            ends=gap.ends.tolist(),
            reason=gap.reason,
        )
        for gap in (narrow_gaps(file) if file.dimensions == 2 else ())
    ]


# --- regimes ----------------------------------------------------------------------------------------------


def _regimes(found: Draft) -> Iterator[Regime]:
    """Values of [let] that `when` of expectations and `Try:` in comments mention, and Re."""
    table = found.data.get("let")
    if not isinstance(table, dict):
        return
    marks: dict[str, dict[float, list[str]]] = {}
    for name, value in _TRY.findall(found.text):
        marks.setdefault(name, {}).setdefault(float(value), [])
    for expect in found.data.get("expect") or []:
        for name, value in _WHEN.findall(str(expect.get("when", ""))) if isinstance(expect, dict) else ():
            text = f"{expect.get('quantity', '')} ({expect.get('source', '')})"
            marks.setdefault(name, {}).setdefault(float(value), []).append(text)
    for name in dict.fromkeys(["Re", *marks]):
        value = table.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            continue
        points = [float(value), *(point for point in marks.get(name, {}) if point > 0)]
        yield Regime(
            name=name,
            path=["let", name],
            value=value,
            low=min(points) / 4,
            high=max(points) * 4,
            marks=[
                RegimeMark(value=point, text="; ".join(texts))
                for point, texts in sorted(marks.get(name, {}).items())
            ],
        )
