"""Meshes of worlds: which mesh fits the bodies and sides of a world file, and how good it is."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from .. import remote
from ..mesh.airfoil import airfoil, trailing_edge
from ..mesh.around import around
from ..mesh.blocks import Mesh, MeshError
from ..mesh.box import box
from ..mesh.curves import Curve
from ..mesh.extrude import extrude
from ..mesh.frames import Sizes, channel
from ..mesh.quality import Worst, check_folds, measure, wall_distances, y_plus
from ..mesh.spacing import Line, cells_for, check_count, geometric, two_ratios, two_sided, uniform
from ..mesh.wing import Span, around_wing
from . import wings
from .curves import find_file
from .memory import available_memory
from .mesh_table import MeshTable
from .problems import Path as ProblemPath
from .problems import listed, number, rounded
from .samples import corners
from .schema import SIDES, Outflow, Periodic, Stream, Wall, WorldFile
from .shapes import Body, Circle, Cylinder, Wing, vec3

FAR_FIELD = 400.0
"""Distance of the far field of a free stream in lengths of the body: at 50 the drag of a cylinder is 0.7 %
too high."""
WING_FAR_FIELD = 15.0
"""The same of a wing, in chords: its lift vanishes with the square of the distance."""
NOSE_CELL, EDGE_CELL = 0.1, 0.5
"""Lengths of cells at the nose and at the trailing edge of a wing, in spacings."""
ALONG_SPAN = 2.5
"""Cells of a wing along the span, in spacings."""
FAN = 2
"""Cells around the body of a mesh with a far field, over those of the spacing: they widen on the way out."""
NEAR = 10.0
"""Distance from the body, in its lengths, up to which cells grow by mesh.stretching only: the wake."""
FAR_RATIO = 1.2
"""Ratio of neighbouring cells farther away, at least."""
FIRST = 1 / 3
"""Height of the first cells at a body with friction, in spacings: with 1, the lift of a cylinder that sheds
vortices is 25 % too high."""
BYTES_PER_CELL = 800
MULTIPLE = 8
"""Numbers of cells are multiples of it, so that multigrid can coarsen them."""
LARGEST = 2.5
"""Largest cells of a channel, in spacings: with 6, eddies behind a cylinder are 7 % too short."""
OUTLINE = 1e-4
"""Tolerance of outlines, over the size of a body."""
SKEWED, UNEVEN, LONG = 0.85, 2.0, 1e5
"""Skewness, ratio of neighbouring cells, and ratio of a cell's edges, above which a note is shown."""


_NAMED = re.compile(r"(bodies|boundaries|mesh)\.([A-Za-z]\w*)\b")
"""The key that an error begins with, on whose line it is reported."""


def make(file: WorldFile) -> Mesh:
    """The mesh of a world, without folded cells. Raises MeshError with one line."""
    global _last
    if _last is None or _last[0] is not file:
        _last = file, _made(file)
    return _last[1]


_last: tuple[WorldFile, Mesh] | None = None
"""The last world and its mesh: a world is checked, described and built one after the other."""


def mesh_problems(file: WorldFile) -> Iterator[tuple[ProblemPath, str]]:
    """Everything that prevents a mesh, as (path, text of the line)."""
    try:
        make(file)
    except MeshError as error:
        named = _NAMED.match(str(error))
        yield named.groups() if named else ("mesh",), str(error) + ("" if str(error).endswith(".") else ".")


def _made(file: WorldFile) -> Mesh:
    table = table_of(file)
    if table.file is not None:
        mesh = _from_file(table.file, file, table.folders)
        if "far" in mesh.boundary_names:
            _check_stream(file, f'mesh.file = "{table.file}": has a far field')
        return mesh
    if table.far_field is not None and not file.bodies:
        raise MeshError(
            f"mesh.far_field = {number(table.far_field)}: is the distance from a body, and this world has "
            "none. Remove it, or add a body"
        )
    _check_heights(file, table)
    if file.dimensions == 3:
        mesh = _in_space(file, table)
    elif not file.bodies:
        mesh = _box(file, table)
    else:
        mesh = _in_plane(file, table, {name: curve_of(body) for name, body in file.bodies.items()})
    check_folds(mesh)
    return mesh


def _check_heights(file: WorldFile, table: MeshTable) -> None:
    """Raises MeshError for cells that are higher than what they lie at."""
    limits = [("first_cell", f"bodies.{name}", _width(body)) for name, body in file.bodies.items()]
    limits.append(("side_cell", "the domain", min(file.domain.size)))
    if not file.bodies:
        limits.append(("first_cell", "the domain", min(file.domain.size)))
    for key, what, limit in limits:
        height: float | None = getattr(table, key)
        if height is not None and height > limit:
            raise MeshError(
                f"mesh.{key} = {number(height)}: is the height of one cell [m], and {what} is "
                f"{rounded(limit)} m wide; must be smaller. Reduce it, or remove it"
            )


def _width(body: Body) -> float:
    """The larger extent of a body along x and y, m."""
    low, high = body.core_shape.bounds
    return max(high[k] - low[k] for k in (0, 1))


def table_of(file: WorldFile) -> MeshTable:
    """The table [mesh], or its defaults."""
    found = getattr(file, "mesh", None)
    return found if isinstance(found, MeshTable) else MeshTable()


def curve_of(body: Body) -> Curve:
    """The outline of a body in the plane. Raises MeshError."""
    low, high = body.core_shape.bounds
    size = max(high[0] - low[0], high[1] - low[1])
    lines = body.core_shape.outline(OUTLINE * size)
    if len(lines) != 1:
        raise MeshError(f"{body.shape}: has {len(lines)} outlines; a mesh needs one. Give mesh.file")
    exact = None
    if isinstance(body, Circle):
        exact = (float(body.center[0]), float(body.center[1]), body.diameter / 2)
    return Curve.of(lines[0], exact)


def _most_cells() -> float:
    """Cells of which mesh and flow fit into the free memory."""
    free = available_memory()
    return 1e8 if free is None else free / BYTES_PER_CELL


# --- in the plane -----------------------------------------------------------------------------------


def _in_plane(file: WorldFile, table: MeshTable, curves: dict[str, Curve]) -> Mesh:
    sides = [file.boundaries.side(name) for name in SIDES[:4]]
    unbounded = any(isinstance(side, Stream) for side in sides) and not any(
        isinstance(side, Wall | Periodic) for side in sides
    )
    if len(curves) == 1 and (unbounded or table.far_field is not None):
        (name, curve), *_ = curves.items()
        return _far(file, table, name, curve)
    if table.far_field is not None:
        raise MeshError("mesh.far_field: is for a single body. Remove it, or all bodies but one")
    low, high = corners(file)
    sizes = Sizes(
        spacing=min(_spacing(file, table, curve) for curve in curves.values()),
        first=_first_cell(file, table, file.bodies.values()),
        at_sides=_at_sides(file, table),
        largest=LARGEST * file.domain.spacing,
        downstream=_downstream(file),
        ratio=table.stretching,
        multiple=MULTIPLE,
        most=_most_cells(),
        outwards=table.cells[1] if table.cells and len(table.cells) > 1 else 0,
        edge=table.edge_cell,
    )
    periodic = [axis for axis in (0, 1) if isinstance(sides[2 * axis], Periodic)]
    return channel(low[:2], [high[k] - low[k] for k in (0, 1)], curves, sizes, periodic)


def _check_far(file: WorldFile, far: float | None, what: str, sides: Sequence[str] = SIDES[:4]) -> None:
    """Raises MeshError for sides that a mesh with a far field would leave out. far: as given, or None.
    what: begins the message."""
    remedy = "its type" if far is None else "its type, or remove mesh.far_field"
    _check_stream(file, what)
    for name in sides:
        side = file.boundaries.side(name)
        if not isinstance(side, Stream | Outflow):
            default = " (default)" if name not in file.boundaries.model_fields_set else ""
            raise MeshError(
                f'{what}: the far field replaces all sides, but boundaries.{name}.type = "{side.type}"'
                f"{default}; must be stream or outflow. Change {remedy}"
            )


def _check_stream(file: WorldFile, what: str) -> None:
    """Raises MeshError if no side says what flows in from the far field. what: begins the message."""
    if not any(isinstance(file.boundaries.side(name), Stream) for name in SIDES[:4]):
        raise MeshError(
            f"{what}; a far field requires a side of type stream, and this world has none. Give the sides "
            'type = "stream"'
        )


def _spacing(file: WorldFile, table: MeshTable, curve: Curve) -> float:
    """Edges of cells along a body, m."""
    return curve.perimeter / table.cells[0] if table.cells else file.domain.spacing


def _first_cell(file: WorldFile, table: MeshTable, bodies: Iterable[Body]) -> float:
    """Height of the cells at bodies, m."""
    if table.first_cell is not None:
        return table.first_cell
    has_friction = file.fluid.nu > 0 and not all(body.slip for body in bodies)
    return file.domain.spacing * (FIRST if has_friction else 1)


def _at_sides(file: WorldFile, table: MeshTable) -> tuple[float, float, float, float]:
    """Heights of cells at the sides of a channel, m: free without side_cell."""
    left, right, bottom, top = (_at_side(file, name, table.side_cell) for name in SIDES[:4])
    return left, right, bottom, top


def _at_side(file: WorldFile, name: str, height: float | None) -> float:
    """Height of cells at a side, m; infinite: free. height: that of walls with friction; None: free."""
    side = file.boundaries.side(name)
    if isinstance(side, Wall) and not side.slip and height is not None:
        return height
    return math.inf


def _downstream(file: WorldFile) -> tuple[bool, bool, bool, bool]:
    """Sides that fluid leaves through: left, right, bottom, top."""
    left, right, bottom, top = (
        isinstance(file.boundaries.side(name), Outflow | Stream) for name in SIDES[:4]
    )
    return left, right, bottom, top


def _far(file: WorldFile, table: MeshTable, name: str, curve: Curve) -> Mesh:
    """A body alone: C around an airfoil, O around others."""
    far = table.far_field or FAR_FIELD
    what = "a body in a stream" if table.far_field is None else f"mesh.far_field = {number(far)}"
    _check_far(file, table.far_field, what)
    spacing = _spacing(file, table, curve)
    first = _first_cell(file, table, file.bodies.values())
    outwards = table.cells[1] if table.cells and len(table.cells) > 1 else 0
    if trailing_edge(curve) is not None:
        chord = curve.size
        height = math.sqrt(far)
        step = first / chord / math.sqrt(2.0) / height  # in the middle of the chord, where |zeta| = sqrt(1/2)
        count = outwards or _rounded(cells_for(1.0, step, math.inf, table.stretching))
        on_side = _rounded(0.5 * curve.perimeter / spacing)
        edge_cell = 0.5 * spacing / chord
        wake = _rounded(cells_for(far - 1, edge_cell, math.inf, table.stretching))
        line = geometric(count, min(step, 1 / count))
        return airfoil(curve, name, on_side, wake, line, far, 0.25 * spacing / chord, edge_cell)
    radius = far * curve.size
    widening = 1 if table.cells else FAN
    cells = _rounded(widening * curve.perimeter / spacing, 2 * MULTIPLE)
    distance = radius - 0.5 * curve.size
    near = min(NEAR * curve.size, distance)
    ratio = max(table.stretching, FAR_RATIO)
    count = cells_for(near, first, math.inf, table.stretching)
    if near < distance:
        count += cells_for(distance - near, near * (table.stretching - 1) + first, math.inf, ratio)
    count = outwards or _rounded(count)
    check_count(cells * count, _most_cells())
    line = two_ratios(count, min(first / distance, 1 / count), table.stretching, near / distance)
    return around(curve, name, cells, line, radius)


def _rounded(count: float, multiple: int = MULTIPLE) -> int:
    return max(multiple, multiple * math.ceil(count / multiple - 1e-9))


# --- boxes and space --------------------------------------------------------------------------------


def _box(file: WorldFile, table: MeshTable) -> Mesh:
    low, high = corners(file)
    size = [high[k] - low[k] for k in range(file.dimensions)]
    lines = [_line_along(file, table, axis, size[axis]) for axis in range(file.dimensions)]
    check_count(math.prod(len(line) - 1 for line in lines), _most_cells())
    periodic = [
        axis for axis in range(file.dimensions) if isinstance(file.boundaries.side(SIDES[2 * axis]), Periodic)
    ]
    return box(low[: file.dimensions], size, lines, periodic)


def _line_along(file: WorldFile, table: MeshTable, axis: int, length: float) -> Line:
    given = table.cells[axis] if table.cells and len(table.cells) > axis else 0
    count = given or _rounded(length / file.domain.spacing)
    height = table.side_cell or table.first_cell
    if height is None:
        return uniform(count)
    ends = [_at_side(file, SIDES[2 * axis + end], height) / length for end in (0, 1)]
    if not given and any(map(math.isfinite, ends)):
        first = min(ends)
        sides = sum(map(math.isfinite, ends))
        spacing = file.domain.spacing / length
        count = _rounded(sides * cells_for(1 / sides, first, spacing, table.stretching))
    near = [min(end, 1 / count) for end in ends]
    if all(map(math.isfinite, ends)):
        return two_sided(count, near[0], near[1])
    if math.isfinite(ends[0]):
        return geometric(count, near[0])
    if math.isfinite(ends[1]):
        return np.asarray((1 - geometric(count, near[1]))[::-1])
    return uniform(count)


def _in_space(file: WorldFile, table: MeshTable) -> Mesh:
    """A box, or a plane mesh around upright cylinders, layer over layer."""
    if not file.bodies:
        return _box(file, table)
    low, high = corners(file)
    for name, body in file.bodies.items():
        if isinstance(body, Wing):
            return _around_wing(file, table, name, body)
    curves = {}
    for name, body in file.bodies.items():
        if not _is_upright(body, low[2], high[2]):
            raise MeshError(
                f"bodies.{name}: a mesh in 3D can be made around a wing, and around cylinders that "
                "reach from front to back. Give mesh.file"
            )
        assert isinstance(body, Cylinder)
        curves[name] = _circle(body.from_[0], body.from_[1], body.diameter / 2)
    flat = _in_plane(file, table, curves)
    length = high[2] - low[2]
    layers = (
        table.cells[2] if table.cells and len(table.cells) > 2 else _rounded(length / file.domain.spacing)
    )
    heights = low[2] + length * uniform(layers)
    return extrude(flat, heights, periodic=isinstance(file.boundaries.front, Periodic))


def _around_wing(file: WorldFile, table: MeshTable, name: str, body: Wing) -> Mesh:
    """A C-H mesh around a wing whose root lies in the side front."""
    wing = body.surface
    _check_wing(file, table, name, wing)
    far = table.far_field or WING_FAR_FIELD
    given = (*(table.cells or ()), 0, 0, 0)
    root, tip = wing.chords
    spacing = wing.perimeter() / given[0] if given[0] else file.domain.spacing
    first = _first_cell(file, table, file.bodies.values()) / (0.5 * (root + tip))
    step = first / math.sqrt(2.0) / math.sqrt(far)  # as around an airfoil
    outwards = given[1] or _rounded(cells_for(1.0, step, math.inf, table.stretching))
    on_side = _rounded(0.5 * wing.perimeter() / spacing)
    edge_cell = EDGE_CELL * spacing / root
    wake = _rounded(cells_for(far - 1, edge_cell, math.inf, max(table.stretching, FAR_RATIO)))
    along = _rounded(given[2] or 1.5 * (wing.end - wing.root) / (ALONG_SPAN * spacing))
    on_tip, beyond = max(2, along // 8), along // 4
    if along >= 3 * MULTIPLE:  # the end of the tip is between coarse cells too
        beyond = MULTIPLE * round(beyond / MULTIPLE)
    check_count(2 * (on_side + wake) * outwards * along, _most_cells())
    span = Span(
        wing.root, wing.end, wing.cap, wing.end + far * tip, (along - on_tip - beyond, on_tip, beyond)
    )
    line = geometric(outwards, min(step, 1 / outwards))
    return around_wing(
        wing.at, name, "front", span, on_side, wake, line, far, NOSE_CELL * spacing / root, edge_cell
    )


def _check_wing(file: WorldFile, table: MeshTable, name: str, wing: wings.Wing) -> None:
    """Raises MeshError for a world that has more than a wing in a stream."""
    if len(file.bodies) > 1:
        raise MeshError(f"bodies.{name}: a mesh around a wing has no room for other bodies. Give mesh.file")
    _check_far(file, table.far_field, f"bodies.{name}: a wing", (*SIDES[:4], "back"))
    low = corners(file)[0][2]
    if abs(wing.root - low) > 1e-9 * file.domain.size[2]:
        raise MeshError(
            f"bodies.{name}.stations[0].nose: has z = {number(wing.root)} m; the root must lie in the "
            f"side front, z = {number(low)} m"
        )


def _circle(x: float, y: float, radius: float) -> Curve:
    angles = np.linspace(0.0, 2 * math.pi, 721)[:-1]
    points = np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)
    return Curve.of(points, (x, y, radius))


def _is_upright(body: Body, low: float, high: float) -> bool:
    if not isinstance(body, Cylinder):
        return False
    (x0, y0, z0), (x1, y1, z1) = vec3(body.from_), vec3(body.to)
    slack = 1e-9 * (high - low)
    return (x0, y0) == (x1, y1) and min(z0, z1) <= low + slack and max(z0, z1) >= high - slack


# --- files ------------------------------------------------------------------------------------------


def _from_file(name: str, file: WorldFile, folders: Sequence[str]) -> Mesh:
    from ..mesh.files import UNNAMED, read

    try:
        path = find_file(name, folders)
    except ValueError as error:
        raise MeshError(f'mesh.file = "{name}": {error}') from None
    with contextlib.suppress(remote.RemoteError):  # a mesh file may name its boundaries itself
        remote.beside(path.parent, path.with_suffix(".nmf").name)
    mesh = read(path)
    if mesh.dimensions != file.dimensions:
        raise MeshError(f'mesh.file = "{name}": is {mesh.dimensions}D, and this world is {file.dimensions}D')
    known = [*SIDES[: 2 * file.dimensions], *file.bodies, "far"]
    unknown = [boundary for boundary in mesh.boundary_names if boundary not in known]
    if UNNAMED in unknown:
        raise MeshError(
            f'mesh.file = "{name}": has boundaries without names. Name them in {Path(name).stem}.nmf: '
            f"{listed(known)}"
        )
    if unknown:
        raise MeshError(
            f'mesh.file = "{name}": has the boundary "{unknown[0]}", which is no side and no body. Use '
            f"{listed(known)}"
        )
    return mesh


# --- descriptions -----------------------------------------------------------------------------------


def describe_mesh(file: WorldFile) -> Iterator[tuple[str, str]]:
    """Lines of `eddyline check`: name and text."""
    mesh = make(file)
    found = measure(mesh)
    blocks = f"{len(mesh.blocks)} block{'s' if len(mesh.blocks) > 1 else ''}"
    yield "mesh", f"{blocks}, {mesh.cells:,} cells; boundaries {listed(mesh.boundary_names)}"
    yield "skewness", f"at most {rounded(found.skewness.value, 2)}, {found.skewness.where}"
    yield (
        "neighbours",
        f"ratio of volumes at most {rounded(found.neighbors.value, 3)}, {found.neighbors.where}",
    )
    yield (
        "cell sizes",
        f"smallest {rounded(found.smallest.value, 3)} m, longest {rounded(found.aspect.value, 3)} : 1",
    )
    nu = 0.0 if file.given_fluid is None else file.given_fluid.nu
    for name in (*file.bodies, *_walls(file)):
        distances = [float(each.max()) for each in wall_distances(mesh, name) if each.size]
        if distances:
            count = sum(each.size for each in wall_distances(mesh, name))
            text = f"{count:,} cells along it, {rounded(2 * max(distances), 3)} m high"
            if file.reference is not None and nu > 0:
                at = y_plus(max(distances), file.reference.velocity, file.reference.length, nu)
                text += f", y+ about {rounded(at, 2)}"
            yield f"wall {name}", text


def _walls(file: WorldFile) -> list[str]:
    sides = SIDES[: 2 * file.dimensions]
    return [name for name in sides if math.isfinite(_at_side(file, name, 1.0))]


def mesh_notes(file: WorldFile) -> Iterator[str]:
    """Remarks on cells that may cost accuracy."""
    found = measure(make(file))
    low, high = corners(file)

    def matters(worst: Worst) -> bool:
        """True inside the domain; far from a body in a stream cells may be as they like."""
        return all(a <= x <= b for a, x, b in zip(low, worst.place, high, strict=False))

    if found.skewness.value > SKEWED and matters(found.skewness):
        yield f"mesh: {found.skewness.where} is skewed, {rounded(found.skewness.value, 2)} of at most 1."
    if found.neighbors.value > UNEVEN and matters(found.neighbors):
        yield (
            f"mesh: {found.neighbors.where} has {rounded(found.neighbors.value, 2)} times the volume of its "
            "neighbour. Use more cells, or a smaller mesh.stretching."
        )
    if found.aspect.value > LONG:
        keys = [key for key in ("first_cell", "side_cell") if getattr(table_of(file), key) is not None]
        remedy = f"Increase {listed([f'mesh.{key}' for key in keys], 'or')}" if keys else "Change its cells"
        yield (
            f"mesh: {found.aspect.where} is {rounded(found.aspect.value, 2)} times as long as high, so that "
            f"the flow converges slowly, if at all. {remedy}."
        )
