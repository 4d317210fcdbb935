"""Body-fitted meshes: links and boundaries, shapes of meshes, quality, files, and meshes of worlds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest

from eddyline.mesh import Block, Mesh, MeshError, connect
from eddyline.mesh.airfoil import airfoil
from eddyline.mesh.around import around
from eddyline.mesh.box import box
from eddyline.mesh.curves import Curve
from eddyline.mesh.extrude import extrude
from eddyline.mesh.files import read
from eddyline.mesh.frames import Sizes, channel
from eddyline.mesh.plot3d import write_grid
from eddyline.mesh.quality import check_folds, corner_volumes, measure, y_plus
from eddyline.mesh.spacing import cells_for, geometric, ratio_of, two_sided, uniform
from eddyline.world import World, WorldError, meshes
from eddyline.world.airfoils import naca
from eddyline.world.draw import mesh_lines
from eddyline.world.mesh_table import MeshTable

FREE = (math.inf,) * 4


def circle(x: float, y: float, radius: float) -> Curve:
    angles = np.linspace(0, 2 * math.pi, 361)[:-1]
    points = np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)
    return Curve.of(points, (x, y, radius))


def polygon(*points: tuple[float, float]) -> Curve:
    return Curve.of(np.array(points, dtype=float))


def five_blocks(sizes: Sizes | None = None) -> Mesh:
    bodies = {"cylinder": circle(0.2, 0.2, 0.05)}
    return channel((0, 0), (2.2, 0.41), bodies, sizes or Sizes(0.005, 0.002, FREE, 0.03, 1.15))


def area(mesh: Mesh) -> float:
    """Sum of the areas of all cells: the quadrilaterals between their nodes."""
    return sum(float(corner_volumes(block).mean(axis=0).sum()) for block in mesh.blocks)


def check(mesh: Mesh) -> None:
    """All cells have volumes; a layer of ghost cells lies where the link says, seen from both sides."""
    check_folds(mesh)
    there = {(link.patch, link.giver) for link in mesh.links}
    assert len(there) == len(mesh.links)
    for link in mesh.links:
        patch, giver = link.patch, mesh.blocks[link.giver]
        low, high = list(patch.low), list(patch.high)
        beyond = 1 if patch.end else -1
        low[patch.axis] += beyond
        high[patch.axis] += beyond
        given_low, given_high = link.giver_range(low, high)
        assert all(0 <= a < b <= n for a, b, n in zip(given_low, given_high, giver.cells, strict=True))
        back = [each for each in mesh.links if each.giver == patch.block and each.patch.low == given_low
                and each.patch.block == link.giver]  # fmt: skip
        assert any(each.giver_range(*shifted(each)) == (patch.low, patch.high) for each in back)


def shifted(link: object) -> tuple[Sequence[int], Sequence[int]]:
    patch = link.patch  # type: ignore[attr-defined]
    low, high = list(patch.low), list(patch.high)
    for ends in (low, high):
        ends[patch.axis] += 1 if patch.end else -1
    return low, high


# --- links ----------------------------------------------------------------------------------------


def test_blocks_in_any_orientation_are_linked() -> None:
    """Two cubes of which the second is turned and mirrored in all ways that keep it right-handed."""
    line = uniform(4)
    first = np.stack(np.meshgrid(line, line[:4] / line[3], line[:3] / line[2], indexing="ij"), axis=-1)
    second = first + np.array([1.0, 0, 0])
    for turn in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        for flips in ((), (0, 1), (1, 2), (0, 2)):
            nodes = np.flip(np.transpose(second, (*turn, 3)), flips)
            blocks = [Block("a", first), Block("b", np.ascontiguousarray(nodes))]
            faces = {(k, axis, end): "wall" for k in (0, 1) for axis in range(3) for end in (0, 1)}
            mesh = connect(blocks, faces)
            check(mesh)
            assert (
                len(mesh.links) == 2
                and sum(b.patch.size for b in mesh.boundaries) == 2 * (12 + 8 + 6) * 2 - 12
            )
            link = mesh.links[0]
            for cell in np.ndindex(1, 3, 2):
                ghost = (4 + cell[0], cell[1], cell[2])
                given = [0, 0, 0]
                for k, axis in enumerate(link.axes):
                    given[axis] = link.signs[k] * ghost[k] + link.offset[axis]
                place = blocks[1].nodes[
                    given[0] : given[0] + 2, given[1] : given[1] + 2, given[2] : given[2] + 2
                ]
                expected = second[cell[0] : cell[0] + 2, cell[1] : cell[1] + 2, cell[2] : cell[2] + 2]
                assert np.allclose(place.mean(axis=(0, 1, 2)), expected.mean(axis=(0, 1, 2)))


def test_a_face_that_fits_nothing_is_named() -> None:
    nodes = np.stack(np.meshgrid(uniform(2), uniform(2), indexing="ij"), axis=-1)
    with pytest.raises(MeshError, match='block "b", face i low at'):
        connect([Block("b", nodes)], {(0, 0, 1): "right", (0, 1, 0): "bottom", (0, 1, 1): "top"})


def test_periodic_sides_are_linked_with_the_period() -> None:
    mesh = box((0, 0), (2, 1), [uniform(8), uniform(4)], periodic=[0])
    check(mesh)
    assert {link.shift for link in mesh.links} == {(-2.0, 0.0), (2.0, 0.0)}
    assert mesh.boundary_names == ["bottom", "top"]


# --- shapes of meshes -----------------------------------------------------------------------------


def test_a_channel_with_a_cylinder_has_five_blocks() -> None:
    mesh = five_blocks()
    check(mesh)
    assert len(mesh.blocks) == 5 and len(mesh.links) == 10
    sides = {name: sum(patch.size for patch in mesh.patches(name)) for name in mesh.boundary_names}
    assert sides.keys() == {"cylinder", "left", "right", "bottom", "top"} and sides["cylinder"] == 64
    assert area(mesh) == pytest.approx(2.2 * 0.41 - math.pi * 0.05**2, rel=3e-4)
    radii = [np.hypot(*(block.nodes[:, 0] - [0.2, 0.2]).T) for block in mesh.blocks[:4]]
    assert np.allclose(radii, 0.05, rtol=1e-12)  # on the circle, not on a polygon
    assert all(count % 8 == 0 for block in mesh.blocks for count in block.cells)


def test_first_cells_have_the_height_asked_for_at_bodies_and_walls() -> None:
    mesh = five_blocks(Sizes(0.005, 0.001, (math.inf, math.inf, 0.001, 0.001), 0.03, 1.15))
    check(mesh)
    below = mesh.blocks[0].nodes
    assert np.allclose(np.linalg.norm(below[:, 1] - below[:, 0], axis=1), 0.001, rtol=1e-3)
    wake = mesh.blocks[4].nodes
    assert wake[0, 1, 1] == pytest.approx(0.001, rel=1e-3) and 0.41 - wake[0, -2, 1] == pytest.approx(
        0.001, rel=1e-3
    )


@pytest.mark.parametrize(
    "bodies",
    [
        {"a": circle(0.4, 0.5, 0.05), "b": circle(0.8, 0.53, 0.05)},
        {"a": circle(0.4, 0.3, 0.05), "b": circle(0.52, 0.7, 0.08), "c": circle(1.2, 0.5, 0.06)},
        {"triangle": polygon((0.4, 0.4), (0.7, 0.4), (0.5, 0.65))},
        {"square": polygon((0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6))},
        {"step": polygon((-0.1, -0.1), (0.5, -0.1), (0.5, 0.3), (-0.1, 0.3))},
        {"a": circle(0.5, 0.6, 0.1), "sill": polygon((1, 0), (1.2, 0), (1.2, 0.3), (1, 0.3))},
    ],
    ids=lambda bodies: "-".join(bodies),
)
def test_bodies_of_many_shapes_fit_into_a_channel(bodies: dict[str, Curve]) -> None:
    mesh = channel((0, 0), (2, 1), bodies, Sizes(0.01, 0.004, FREE, 0.06, 1.15))
    check(mesh)
    assert set(bodies) < set(mesh.boundary_names)
    solid = 0.0
    for curve in bodies.values():
        x, y = np.clip(curve.points, 0, [2, 1]).T
        solid += 0.5 * float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    assert area(mesh) == pytest.approx(2 - solid, rel=1e-3)


def test_corners_of_a_polygon_are_nodes() -> None:
    corners = ((0.4, 0.4), (0.7, 0.4), (0.5, 0.65))
    mesh = channel((0, 0), (2, 1), {"t": polygon(*corners)}, Sizes(0.01, 0.004, FREE, 0.06, 1.15))
    surface = np.concatenate([block.nodes[:, 0] for block in mesh.blocks[:4]])
    for corner in corners:
        assert np.abs(surface - corner).max(axis=1).min() < 1e-12


@pytest.mark.parametrize(
    ("bodies", "told"),
    [
        ({"a": circle(0.4, 0.05, 0.05)}, "bodies.a: 0 m on its bottom side"),
        ({"a": circle(0.5, 0.5, 0.2), "b": circle(0.75, 0.75, 0.1)}, "leave no straight line between them"),
    ],
)
def test_bodies_that_are_too_close_are_refused(bodies: dict[str, Curve], told: str) -> None:
    with pytest.raises(MeshError, match=told):
        channel((0, 0), (2, 1), bodies, Sizes(0.01, 0.004, FREE, 0.06, 1.15))


def test_an_o_mesh_is_exact_around_a_circle() -> None:
    mesh = around(circle(1, 2, 0.5), "cylinder", 64, geometric(48, 0.01 / 199.5), 200)
    check(mesh)
    radii = np.hypot(*(mesh.blocks[0].nodes - [1, 2]).transpose(2, 0, 1))
    assert np.allclose(radii[:, 0], 0.5) and np.allclose(radii[:, -1], 200) and np.allclose(radii[:, 1], 0.51)
    assert len(mesh.links) == 2 and set(mesh.boundary_names) == {"cylinder", "far"}


@pytest.mark.parametrize("ratio", [0.05, 0.2, 1.0])
def test_an_o_mesh_bends_around_an_ellipse(ratio: float) -> None:
    angles = np.linspace(0, 2 * math.pi, 401)[:-1]
    curve = Curve.of(np.stack([np.cos(angles), ratio * np.sin(angles)], axis=1))
    mesh = around(curve, "body", 128, geometric(48, 0.01 / 200), 200)
    check(mesh)
    assert measure(mesh).skewness.value < 0.8


@pytest.mark.parametrize(("digits", "angle"), [("0012", 0.0), ("0012", -8.0), ("4412", -4.0)])
def test_a_c_mesh_closes_behind_the_airfoil(digits: str, angle: float) -> None:
    turn = np.radians(angle)
    points = naca(digits, 200) @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    mesh = airfoil(Curve.of(points), "foil", 48, 32, geometric(32, 0.002), 20, 0.004, 0.01)
    check(mesh)
    assert len(mesh.links) == 2 and mesh.links[0].patch.size == 32  # the wake
    assert sum(patch.size for patch in mesh.patches("foil")) == 96
    assert measure(mesh).skewness.value < 0.35


def test_a_c_mesh_needs_a_trailing_edge() -> None:
    with pytest.raises(MeshError, match="one sharp corner"):
        airfoil(circle(0, 0, 1), "body", 16, 8, uniform(8), 20, 0.01, 0.01)


def test_layers_of_a_mesh_make_it_spatial() -> None:
    flat = five_blocks()
    for periodic in (False, True):
        mesh = extrude(flat, np.linspace(0, 0.3, 4), periodic=periodic)
        check(mesh)
        assert mesh.cells == 3 * flat.cells and ("front" in mesh.boundary_names) is not periodic
    faces = {
        (b.patch.block, b.patch.axis, b.patch.end): b.name
        for b in extrude(flat, np.linspace(0, 0.3, 4)).boundaries
    }
    found = connect(extrude(flat, np.linspace(0, 0.3, 4)).blocks, faces)
    assert {(link.patch, link.giver, link.axes, link.signs, link.offset) for link in found.links} == {
        (link.patch, link.giver, link.axes, link.signs, link.offset)
        for link in extrude(flat, np.linspace(0, 0.3, 4)).links
    }


# --- spacing and quality --------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "last"), [(0.01, 0.03), (0.06, 0.08), (0.001, 0.001), (0.05, 0.05)])
def test_lines_have_the_intervals_asked_for(first: float, last: float) -> None:
    steps = np.diff(two_sided(20, first, last))
    assert steps[0] == pytest.approx(first, rel=1e-5) and steps[-1] == pytest.approx(last, rel=1e-5)
    assert steps.min() > 0 and steps.sum() == pytest.approx(1)
    assert np.diff(geometric(20, first))[0] == pytest.approx(first)


def test_enough_cells_keep_the_ratio() -> None:
    count = cells_for(1.0, 0.001, math.inf, 1.2)
    assert ratio_of(geometric(count, 0.001)) <= 1.2 < ratio_of(geometric(count - 2, 0.001))


def test_many_cells_of_nearly_equal_size_have_places() -> None:
    """The largest ratio that is tried, to the power of the count, is beyond the largest number."""
    line = geometric(400, 1 / 401)
    assert np.diff(line)[0] == pytest.approx(1 / 401)
    assert 1 < ratio_of(line) < 1.001
    mesh = meshes.make(World.load("cylinder", {"method.name": "multiblock", "mesh.cells": [256, 64],
                                               "domain.spacing": "D/80"}).file)  # fmt: skip
    assert mesh.cells > 256 * 64


def test_a_folded_mesh_is_refused_with_the_place() -> None:
    mesh = box((0, 0), (1, 1), [uniform(4), uniform(4)])
    nodes = mesh.blocks[0].nodes.copy()
    nodes[2, 2] = [0.9, 0.9]
    with pytest.raises(MeshError, match=r'the mesh folds: cell \(2, 2\) of block "box" at'):
        check_folds(Mesh((Block("box", nodes),), mesh.links, mesh.boundaries))


def test_quality_of_known_cells() -> None:
    """A parallelogram of 60 degrees, and cells that double their width."""
    line = np.array([0.0, 1.0, 3.0, 7.0]) / 7
    nodes = np.stack(np.meshgrid(7 * line, uniform(1), indexing="ij"), axis=-1)
    nodes[..., 0] += nodes[..., 1] / math.sqrt(3)
    found = measure(Mesh((Block("b", nodes),), (), ()))
    assert found.skewness.value == pytest.approx(30 / 90)
    assert found.neighbors.value == pytest.approx(2) and found.smallest.value == pytest.approx(1)
    assert found.volume.cell == (0, 0) and found.volume.value == pytest.approx(1)


def test_wall_units_of_a_flat_plate() -> None:
    """Re 1e4: cf = 0.01328, u_tau = U sqrt(cf / 2)."""
    assert y_plus(0.001, 1.0, 1.0, 1e-4) == pytest.approx(10 * math.sqrt(0.01328 / 2))


# --- files ----------------------------------------------------------------------------------------

MAP = """# names
2
1 9 5 1
2 9 5 1
'left' 1 3 1 5 1 1
'floor' 1 5 1 1 1 5
'step' 1 5 1 1 5 9
'right' 2 4 1 5 1 1
'floor' 2 5 1 1 1 9
'top' 1 6 1 1 1 9
'top' 2 6 1 1 1 9
'one-to-one' 1 4 1 5 1 1 2 3 1 5 1 1 FALSE
"""


def two_blocks() -> list[Block]:
    nodes = np.stack(np.meshgrid(np.linspace(0, 2, 17), uniform(4), indexing="ij"), axis=-1)
    return [Block("1", nodes[:9].copy()), Block("2", nodes[8:].copy())]


def test_a_plot3d_grid_with_a_neutral_map_is_read(tmp_path: Path) -> None:
    write_grid(tmp_path / "g.xyz", two_blocks())
    assert read(tmp_path / "g.xyz").boundary_names == ["unnamed"]
    (tmp_path / "g.nmf").write_text(MAP)
    mesh = read(tmp_path / "g.xyz")
    check(mesh)
    assert {name: sum(p.size for p in mesh.patches(name)) for name in mesh.boundary_names} == {
        "left": 4, "floor": 12, "step": 4, "top": 16, "right": 4,
    }  # fmt: skip
    assert np.array_equal(mesh.blocks[0].nodes, two_blocks()[0].nodes)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_unformatted_plot3d_grids_are_read(tmp_path: Path, order: str, kind: str) -> None:
    blocks = extrude(
        connect(two_blocks(), {(k, a, e): "x" for k in (0, 1) for a in (0, 1) for e in (0, 1)}),
        np.arange(3.0),
    ).blocks

    def record(content: bytes) -> bytes:
        size = np.array(len(content), f"{order}i4").tobytes()
        return size + content + size

    shapes = np.array([block.nodes.shape[:3] for block in blocks], f"{order}i4")
    content = record(np.array([2], f"{order}i4").tobytes()) + record(shapes.tobytes())
    for block in blocks:
        flat = np.concatenate([block.nodes[..., k].ravel(order="F") for k in range(3)])
        content += record(flat.astype(order + kind).tobytes())
    (tmp_path / "g.xyz").write_bytes(content)
    mesh = read(tmp_path / "g.xyz")
    check(mesh)
    assert mesh.cells == 2 * 8 * 4 * 2


def test_a_left_handed_grid_is_turned(tmp_path: Path) -> None:
    blocks = [Block(block.name, block.nodes[::-1].copy()) for block in two_blocks()]
    write_grid(tmp_path / "g.xyz", blocks)
    (tmp_path / "g.nmf").write_text(
        MAP.replace("'left' 1 3", "'left' 1 4").replace("'right' 2 4", "'right' 2 3")
    )
    mesh = read(tmp_path / "g.xyz")
    check(mesh)
    assert [patch.low for patch in mesh.patches("step")] == [(0, 0)]  # nodes 5 to 9 of the reversed index


@pytest.mark.parametrize("content", [b"", b"hello", b"2\n3 3\n1 2", bytes(100), b"1\n2 2\n0 0 0 0 1 1 1"])
def test_files_that_are_no_grids_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "g.xyz").write_bytes(content)
    with pytest.raises(MeshError, match=r"g\.xyz"):
        read(tmp_path / "g.xyz")


def test_a_cgns_file_is_read(tmp_path: Path) -> None:
    def node(parent: h5py.Group, name: str, label: str, data: object = None) -> h5py.Group:
        made = parent.create_group(name)
        made.attrs["label"] = np.bytes_(label)
        if data is not None:
            made[" data"] = data
        return made

    with h5py.File(tmp_path / "g.cgns", "w") as file:
        base = node(file, "Base", "CGNSBase_t", np.array([2, 2], "i4"))
        for number, block in enumerate(two_blocks()):
            zone = node(base, f"zone{number}", "Zone_t")
            node(zone, "ZoneType", "ZoneType_t", np.frombuffer(b"Structured", "i1"))
            grid = node(zone, "GridCoordinates", "GridCoordinates_t")
            for k, axis in enumerate("XY"):
                node(grid, f"Coordinate{axis}", "DataArray_t", block.nodes[..., k].T.copy())
            conditions = node(zone, "ZoneBC", "ZoneBC_t")
            lower = node(conditions, "lower", "BC_t", np.frombuffer(b"BCWall", "i1"))
            node(lower, "PointRange", "IndexRange_t", np.array([[1, 1], [9, 1]], "i4"))
            upper = node(conditions, "BC2", "BC_t", np.frombuffer(b"BCWall", "i1"))
            node(upper, "PointRange", "IndexRange_t", np.array([[1, 5], [9, 5]], "i4"))
            node(upper, "FamilyName", "FamilyName_t", np.frombuffer(b"top", "i1"))
    mesh = read(tmp_path / "g.cgns")
    check(mesh)
    assert {name: sum(p.size for p in mesh.patches(name)) for name in mesh.boundary_names} == {
        "unnamed": 8, "lower": 16, "top": 16,
    }  # fmt: skip
    assert [block.name for block in mesh.blocks] == ["zone0", "zone1"]


# --- meshes of worlds -----------------------------------------------------------------------------


def made(world: World, monkeypatch: pytest.MonkeyPatch, **table: object) -> Mesh:
    monkeypatch.setattr(meshes, "table_of", lambda file: MeshTable.model_validate(table))
    monkeypatch.setattr(meshes, "_last", None)
    mesh = meshes.make(world.file)
    check(mesh)
    return mesh


@pytest.mark.parametrize(
    ("name", "blocks", "boundaries"),
    [
        ("cylinder", 5, {"cylinder", "left", "right", "bottom", "top"}),
        ("free_stream", 12, {"cylinder", "left", "right", "bottom", "top"}),
        ("periodic_cylinder", 5, {"cylinder", "bottom", "top"}),
        ("channel", 1, {"left", "right", "bottom", "top"}),
        ("taylor_green", 1, set()),
    ],
)
def test_worlds_of_the_gallery_have_meshes(
    name: str, blocks: int, boundaries: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.load(name)
    mesh = made(world, monkeypatch)
    assert len(mesh.blocks) == blocks and set(mesh.boundary_names) == boundaries
    told = dict(meshes.describe_mesh(world.file))
    assert f"{mesh.cells:,} cells" in told["mesh"]
    assert ("y+" in told.get("wall cylinder", "y+")) and not list(meshes.mesh_notes(world.file))


STREAM = """
format = 1
domain = { size = [4, 4], origin = [-2, -2], spacing = 0.1 }
fluid = { density = 1.0, kinematic_viscosity = 0.01 }
reference = { velocity = 1.0, length = 1.0 }
time = { end = 0.1 }
[boundaries]
left = { type = "stream", velocity = [1, 0] }
right = { type = "outflow" }
bottom = { type = "stream", velocity = [1, 0] }
top = { type = "stream", velocity = [1, 0] }
[bodies.body]
"""
ROUND = 'shape = "circle"\ncenter = [0, 0]\ndiameter = 1\n'
FOIL = 'shape = "naca"\ndigits = "0012"\nnose = [-0.5, 0]\nchord = 1\nangle = -5\n'


def test_the_table_sets_cells_and_their_heights(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World.from_text(STREAM + ROUND)
    mesh = made(world, monkeypatch, cells=[96, 40], first_cell=0.01, far_field=100)
    nodes = mesh.blocks[0].nodes
    assert mesh.blocks[0].cells == (96, 40)
    assert np.linalg.norm(nodes[0, 1] - nodes[0, 0]) == pytest.approx(0.01)
    assert np.ptp(nodes[:, -1, 0]) == pytest.approx(200)
    assert np.ptp(made(world, monkeypatch).blocks[0].nodes[..., 0]) == pytest.approx(800)
    couette = made(World.load("couette"), monkeypatch, first_cell=1e-5, stretching=1.3)
    heights = np.diff(couette.blocks[0].nodes[0, :, 1])
    assert heights[0] == pytest.approx(1e-5, rel=1e-3) and heights[-1] == pytest.approx(1e-5, rel=1e-3)


def test_an_airfoil_in_a_stream_gets_a_c_mesh(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = made(World.from_text(STREAM + FOIL), monkeypatch, first_cell=0.005)
    assert len(mesh.blocks) == 1 and len(mesh.links) == 2 and mesh.links[0].giver == 0
    assert set(mesh.boundary_names) == {"body", "far"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'left = { type = "stream", velocity = [1, 0] }',
            'left = { type = "wall" }',
            'left.type = "wall"; must',
        ),
        ('right = { type = "outflow" }', "", 'boundaries.right.type = "wall" (default); must be stream or'),
        ("far_field = 40", "", "a body in a stream: the far field replaces all sides"),
        ('"stream", velocity = [1, 0]', '"wall"', "requires a side of type stream"),
        (f"[bodies.body]\n{ROUND}", "", "this world has none. Remove it, or add a body"),
    ],
)
def test_a_far_field_requires_sides_that_it_can_replace(old: str, new: str, told: str) -> None:
    text = f'{STREAM}{ROUND}[method]\nname = "multiblock"\n[mesh]\nfar_field = 40\n'
    if old == "far_field = 40":
        text = text.replace('{ type = "outflow" }', '{ type = "inflow", velocity = [-1, 0] }')
    with pytest.raises(WorldError) as raised:
        World.from_text(text.replace(old, new))
    assert told in str(raised.value) and "\n" not in str(raised.value)


def test_cells_of_senseless_heights_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World.from_text(STREAM + ROUND)
    for key, told in (
        ("first_cell", "bodies.body is 1 m wide; must be smaller"),
        ("side_cell", "the domain"),
    ):
        with pytest.raises(MeshError, match=rf"mesh\.{key} = 7: is the height of one cell \[m\], and {told}"):
            made(world, monkeypatch, **{key: 7})
    made(world, monkeypatch, cells=[64, 64], first_cell=1e-8, stretching=1.9)
    notes = list(meshes.mesh_notes(world.file))
    assert any("times as long as high" in note and "Increase mesh.first_cell." in note for note in notes)


def test_names_of_a_file_are_those_of_the_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World.load("channel")
    write_grid(tmp_path / "g.xyz", two_blocks())
    table = MeshTable.model_validate({"file": "g.xyz"})
    table._folders = (str(tmp_path),)
    monkeypatch.setattr(meshes, "table_of", lambda file: table)
    for content, told in ((None, "Name them in g.nmf"), (MAP, 'has the boundary "floor"')):
        monkeypatch.setattr(meshes, "_last", None)
        if content:
            (tmp_path / "g.nmf").write_text(content)
        ((path, text),) = meshes.mesh_problems(world.file)
        assert path[0] == "mesh" and told in text
    (tmp_path / "g.nmf").write_text(MAP.replace("floor", "bottom").replace("step", "bottom"))
    assert not list(meshes.mesh_problems(world.file))


def test_pictures_of_a_mesh_have_all_lines() -> None:
    mesh = five_blocks()
    inner, edges = mesh_lines(mesh)
    assert len(edges) == 4 * len(mesh.blocks)
    assert len(inner) == sum(sum(block.cells) - 2 for block in mesh.blocks)
    assert all(line.shape[1] == 2 for line in inner)


def test_many_cells_on_a_line_have_finite_lengths() -> None:
    line = geometric(2000, 1e-6)
    assert np.isfinite(line).all() and line[-1] == 1 and np.diff(line).min() > 0


def test_a_plate_in_the_floor_has_first_cells_and_a_name() -> None:
    """A body below the floor whose upper side lies in it is a part of the floor."""
    text = STREAM.replace(
        'bottom = { type = "stream", velocity = [1, 0] }', 'bottom = { type = "wall", slip = true }'
    )
    plate = (
        'shape = "rectangle"\nmin = [0, -2.1]\nmax = [2, -2]\n[method]\nname = "multiblock"\nsteady = true\n'
    )
    world = World.from_text(text + plate + "[mesh]\nfirst_cell = 0.01\nstretching = 1.2\n")
    mesh = meshes.make(world.file)
    (patch,) = mesh.patches("body")
    nodes = mesh.blocks[patch.block].nodes[:, 0]
    assert nodes[patch.low[0]].tolist() == [0, -2] and nodes[patch.high[0]].tolist() == [2, -2]
    assert mesh.blocks[patch.block].nodes[0, 1, 1] + 2 == pytest.approx(0.01, rel=1e-3)
    assert "bottom" in mesh.boundary_names


def test_default_cells_are_flat_at_a_body_with_friction_and_grow_downstream() -> None:
    world = World.load("cylinder", {"method.name": "multiblock"})
    mesh = meshes.make(world.file)
    spacing = world.file.domain.spacing
    at_body = mesh.blocks[0].nodes
    assert np.linalg.norm(at_body[:, 1] - at_body[:, 0], axis=1) == pytest.approx(spacing / 3, rel=1e-3)
    wake = np.diff(mesh.blocks[4].nodes[:, 0, 0])
    assert wake[-1] > 2.5 * wake[0] and (wake[1:] / wake[:-1]).max() < 1.03
    frictionless = World.load("cylinder", {"method.name": "multiblock", "bodies.cylinder.slip": True})
    nodes = meshes.make(frictionless.file).blocks[0].nodes
    assert np.linalg.norm(nodes[0, 1] - nodes[0, 0]) > 0.8 * spacing
