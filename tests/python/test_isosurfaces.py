"""Isosurfaces: the same bytes however they are computed; closed; where the fluid is; in files that others
read."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_worlds
from ways import needs_ranks

import eddyline
from eddyline import _core
from eddyline.stream import surface_formats
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.surfaces import RECORD, Surface, SurfaceFile, Surfaces, isosurface, quantities, unpacked
from eddyline.world import World, WorldError, isosurfaces
from eddyline.world.describe import describe

SAMPLES = Path(__file__).parent.parent / "data" / "surfaces"
SPACING = 0.01
DAM = small_worlds.tank(
    (0.3, 0.2, 0.1),
    (0.1, 0.15, 0.1),
    SPACING,
    0.12,
    """
[bodies.post]
shape = "cylinder"
from = [0.2, 0.0, 0.05]
to = [0.2, 0.1, 0.05]
diameter = 0.04

[boundaries]
top = { type = "open" }

[output]
pictures = 2
snapshots = 1

[observe.water]
type = "isosurface"
color = "speed"
every = 0.03

[observe.pressed]
type = "isosurface"
quantity = "pressure"
values = [200.0, 400]
color = "speed/(1 + vorticity)"
every = 0.05
""",
)
REQUESTS: tuple[tuple[str, float, dict[str, Any]], ...] = (
    ("fluid", 0.5, {}),
    ("fluid", 0.5, {"color": "pressure", "resolution": 0.5, "bins": 64}),
    ("fluid", 0.4, {"color": "vorticity", "stride": 2}),
    ("pressure", 300.0, {"color": "fluid", "bins": 16}),
    ("q", 5.0, {"stride": 4, "resolution": 0.5}),
    ("vorticity", 20.0, {"resolution": 1.3}),
    ("strain - 0.5*vorticity + 0.1*speed", 2.0, {"color": "abs(velocity_x)*fluid", "stride": 2}),
)


def is_closed(surface: Surface) -> bool:
    """Each edge belongs to two triangles that pass it in opposite directions."""
    ways = np.concatenate([surface.triangles[:, [k, (k + 1) % 3]] for k in range(3)]).astype(np.int64)
    there, back = ways[:, 0] << 32 | ways[:, 1], ways[:, 1] << 32 | ways[:, 0]
    return len(np.unique(there)) == len(there) and np.array_equal(np.sort(there), np.sort(back))


def made(simulation: _core.Simulation) -> list[tuple[bytes, list[int]]]:
    """The bytes of all requests, and their histograms."""
    found = []
    for quantity, level, options in REQUESTS:
        surface = isosurface(simulation, quantity, level, **options)
        counts = [] if surface.histogram is None else [*map(int, surface.histogram[2])]
        found.append((surface.data, counts))
    return found


@pytest.fixture(scope="module")
def dam() -> _core.Simulation:
    """The small dam break some time after its water has reached the post."""
    simulation = _core.Simulation(World.from_text(DAM).core, threads=1)
    simulation.advance(0.12, 2**62, float("inf"))
    return simulation


# --- the law ------------------------------------------------------------------------------------------------


def test_bytes_do_not_depend_on_boxes_threads_and_instructions(dam: _core.Simulation) -> None:
    expected = made(dam)
    assert all(len(unpacked(data)) > 128 for data, _ in expected)
    assert sum(expected[1][1]) == 60 * 40 * 20 == len(expected[1][1]) * 750
    for options in ({"boxes": 7, "threads": 2}, {"instructions": "scalar", "boxes": 2}):
        other = _core.Simulation(World.from_text(DAM).core, **options)
        other.advance(0.12, 2**62, float("inf"))
        assert made(other) == expected


@needs_ranks
@pytest.mark.usefixtures("no_pictures")
def test_bytes_do_not_depend_on_ranks_nor_on_a_kill(tmp_path: Path) -> None:
    """One run alone, one on two ranks, and one that was stopped and resumed."""
    world = small_worlds.write(tmp_path, DAM)
    out = [tmp_path / name for name in ("alone", "ranks", "resumed")]
    eddyline.run(world, out=out[0], threads=1, progress=False, movie=False, report=False)
    on_ranks = ["run", world, "--out", out[1], "--ranks", "2", "--threads", "1", "--quiet"]
    subprocess.run([sys.executable, "-m", "eddyline", *on_ranks], check=True, timeout=120)
    eddyline.run(world, out=out[2], threads=1, until=0.05, progress=False, movie=False, report=False)
    eddyline.resume(out[2], threads=1, until=0.12, progress=False)
    for name in ("water", "pressed"):
        files = [(folder / "surfaces" / f"{name}.surfaces").read_bytes() for folder in out]
        assert len(files[0]) > 1000
        assert files[1] == files[0]
        assert files[2] == files[0]
    _check_run(eddyline.Run.open(out[0]))
    _check_exports(eddyline.Run.open(out[0]), tmp_path / "export")


# --- what a run keeps ---------------------------------------------------------------------------------------


def _check_run(run: eddyline.Run) -> None:
    water, pressed = run.surfaces["water"], run.surfaces["pressed"]
    assert len(water) == 5 and water.times[0] == 0
    assert np.allclose(water.times, np.arange(5) * 0.03, atol=2e-3)
    assert list(pressed.levels) == [200, 400] * 3
    for surface in [*water, *pressed]:
        assert is_closed(surface)
    first, last = water[0], water[-1]
    assert first.colors is not None and first.colors.max() == 0
    assert last.colors is not None and last.colors.max() > 0.5
    assert last.time == water.times[-1] and water.at_time(0.11).time == last.time
    assert first.volume == pytest.approx(0.1 * 0.15 * 0.1, rel=0.06)
    assert last.volume == pytest.approx(0.1 * 0.15 * 0.1, rel=0.06)
    assert np.allclose(np.linalg.norm(last.normals(), axis=1), 1)
    assert pressed[1].volume < pressed[0].volume < first.volume


def _check_exports(run: eddyline.Run, out: Path) -> None:
    """VTK reads what the run holds."""
    vtk_hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOGeometry import vtkOBJReader, vtkSTLReader
    from vtkmodules.vtkIOPLY import vtkPLYReader

    paths = {path.name: path for path in eddyline.export(run, ["vtkhdf", "ply", "stl", "obj"], out=out)}
    reader = vtk_hdf.vtkHDFReader()
    reader.SetFileName(str(paths["pressed.vtkhdf"]))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == 3
    surfaces = run.surfaces["pressed"]
    for step in range(3):
        reader.SetStep(step)
        reader.Update()
        found = reader.GetOutputDataObject(0)
        parts = surfaces[2 * step : 2 * step + 2]
        assert found.GetPolys().GetNumberOfCells() == sum(len(part.triangles) for part in parts)
        points = vtk_to_numpy(found.GetPoints().GetData())
        assert np.allclose(points, np.concatenate([part.vertices for part in parts]), atol=1e-7)
        levels = vtk_to_numpy(found.GetPointData().GetArray("level"))
        assert (levels == np.repeat([200.0, 400.0], [len(part.vertices) for part in parts])).all()
    last = run.surfaces["water"][-1]
    for suffix, kind in (("ply", vtkPLYReader), ("stl", vtkSTLReader), ("obj", vtkOBJReader)):
        reader = kind()
        reader.SetFileName(str(paths[f"water-0004.{suffix}"]))
        reader.Update()
        assert reader.GetOutput().GetNumberOfPolys() == len(last.triangles)
    assert len(vtk_to_numpy(reader.GetOutput().GetPoints().GetData())) == len(last.vertices)


def test_records_are_verified_and_a_cut_off_one_does_not_count(dam: _core.Simulation, tmp_path: Path) -> None:
    path = tmp_path / "some.surfaces"
    file = SurfaceFile(path)
    for step in (3, 5, 9):
        file.append(step, _core.isosurface(dam, "fluid", 0.5)[0])
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert list(Surfaces(path, "some").steps) == [3, 5]
    path.write_bytes(whole)
    file.cut(5)
    assert list(Surfaces(path, "some").steps) == [3, 5]
    damaged = bytearray(whole)
    damaged[RECORD.size + 200] ^= 1
    path.write_bytes(damaged)
    surfaces = Surfaces(path, "some")
    assert len(surfaces[1].triangles) > 0
    with pytest.raises(CorruptFileError, match="surface 0 was changed"):
        surfaces[0]
    damaged[9] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(CorruptFileError, match="record at byte 0 was changed"):
        Surfaces(path, "some")


# --- where the surface lies ---------------------------------------------------------------------------------


def test_water_at_rest_is_a_box_with_flat_sides() -> None:
    text = small_worlds.tank((0.1, 0.1, 0.1), (0.1, 0.06, 0.1), SPACING, 0.1)
    simulation = eddyline.Simulation(World.from_text(text))
    for resolution in (1.0, 0.5):
        surface = simulation.surface(resolution=resolution)
        assert is_closed(surface)
        assert surface.volume == pytest.approx(0.1 * 0.06 * 0.1, rel=0.05)
        # The sides lie within 1/512 of a cell of the walls; the water's level is even away from its edges.
        low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
        assert np.allclose(low, 0, atol=SPACING / 500)
        assert np.allclose(high[[0, 2]], 0.1, atol=SPACING / 500)
        middle = surface.vertices[np.abs(surface.vertices[:, [0, 2]] - 0.05).max(axis=1) < 0.025]
        tops = middle[middle[:, 1] > 0.03][:, 1]
        assert tops.size and np.ptp(tops) < 0.02 * SPACING
        assert abs(tops.mean() - 0.06) < 0.25 * SPACING


def test_a_single_particle_is_a_drop_on_any_lattice() -> None:
    text = small_worlds.tank((0.1, 0.1, 0.1), (0.1, 0.02, 0.1), SPACING, 0.1) + (
        '\n[regions.drop]\nshape = "box"\nmin = [0.04, 0.07, 0.04]\nmax = [0.05, 0.08, 0.05]\n'
    )
    simulation = eddyline.Simulation(World.from_text(text))
    assert (simulation.particles.position[:, 1] > 0.06).sum() == 1
    for resolution in (0.25, 0.5, 0.73, 1.0):
        surface = simulation.surface(resolution=resolution)
        assert is_closed(surface)
        drop = surface.vertices[surface.vertices[:, 1] > 0.05]
        assert len(drop) >= 6
        assert np.allclose(drop.mean(axis=0), [0.045, 0.075, 0.045], atol=0.3 * SPACING)


def test_the_surface_continues_through_periodic_sides() -> None:
    """Both caps of a layer of water that flows through them have its whole cross-section."""
    text = small_worlds.tank((0.1, 0.1, 0.12), (0.1, 0.05, 0.12), SPACING, 0.1) + (
        '\n[boundaries]\nfront = { type = "periodic" }\nback = { type = "periodic" }\n'
        '[start]\nvelocity = ["0", "0", "0.5"]\n'
    )
    simulation = eddyline.Simulation(World.from_text(text))
    simulation.step(5)
    surface = simulation.surface()
    assert is_closed(surface)
    assert surface.volume == pytest.approx(0.1 * 0.05 * 0.12, rel=0.06)
    assert np.ptp(surface.vertices[:, 2]) == pytest.approx(0.12, rel=1e-3)


def test_vorticity_and_q_of_a_rigid_rotation() -> None:
    """v = w (-y, x, 0): the vorticity is 2 w, Q = w^2."""
    spin = 3.0
    text = small_worlds.tank((0.2, 0.2, 0.1), (0.2, 0.2, 0.1), SPACING, 0.1) + (
        f'\n[start]\nvelocity = ["-{spin}*(y-0.1)", "{spin}*(x-0.1)", "0"]\n'
    )
    simulation = _core.Simulation(World.from_text(text.replace("[regions.water]", "[regions.all]")).core)
    for quantity, exact in (("vorticity", 2 * spin), ("q", spin**2)):
        found = isosurface(simulation, quantity, 0.9 * exact, bins=1000)
        assert found.histogram is not None
        low, high, counts = found.histogram
        middles = low + (np.arange(1000) + 0.5) / 1000 * (high - low)
        most = np.sort(np.repeat(middles, counts))
        assert most[len(most) // 2] == pytest.approx(exact, rel=0.02)
        assert is_closed(Surface.of(found.data))


def test_the_surface_ends_on_bodies(dam: _core.Simulation) -> None:
    """No water inside the post, and much of it on its side."""
    surface = Surface.of(isosurface(dam, "fluid", 0.5, resolution=0.5).data)
    radius = np.hypot(surface.vertices[:, 0] - 0.2, surface.vertices[:, 2] - 0.05)
    beside = surface.vertices[:, 1] < 0.1 - 1e-3
    assert radius[beside].min() > 0.02 - 0.1 * SPACING
    assert (np.abs(radius - 0.02)[beside] < 0.1 * SPACING).sum() > 50


# --- bytes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sphere", "noise"])
def test_samples_of_the_format_are_read(name: str) -> None:
    expected = json.loads((SAMPLES / f"{name}.json").read_text())
    data = (SAMPLES / f"{name}.eiso").read_bytes()
    surface, raw = Surface.of(data), _core.decode_surface(unpacked(data))
    corners = surface.triangles.astype(np.int64)
    weights = np.arange(1, len(corners) + 1)
    assert len(surface.vertices) == expected["vertices"] and len(corners) == expected["triangles"]
    assert int(raw["cuts"].sum(dtype=np.int64)) == expected["cut_codes_sum"]
    assert int(raw["colors"].sum(dtype=np.int64)) == expected["colour_codes_sum"]
    assert int((weights * (corners @ [1, 3, 7])).sum()) == expected["triangles_sum"]
    assert surface.volume == pytest.approx(expected["volume"], rel=1e-9)
    assert np.allclose(surface.vertices[-1], expected["last_vertex"], atol=1e-8)
    assert is_closed(surface)


def test_damaged_bytes_are_refused() -> None:
    """Any change of a byte gives an error or a surface, never a crash or much memory."""
    data = (SAMPLES / "sphere.eiso").read_bytes()
    chosen = random.Random(1)
    refused = 0
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(chosen.randint(1, 4)):
            changed[chosen.randrange(min(len(data), 400))] = chosen.randrange(256)
        try:
            Surface.of(bytes(changed[: chosen.choice((len(data), chosen.randrange(len(data))))]))
        except ValueError:
            refused += 1
    assert refused > 200
    for part, words in ((data[:100], "100 bytes"), (data[:-9], "its header names"), (b"", "0 bytes")):
        with pytest.raises(ValueError, match=words):
            Surface.of(part)


def test_a_surface_is_small(dam: _core.Simulation) -> None:
    """Triangles with floats would take 40 times the bytes."""
    surface = Surface.of(isosurface(dam, "fluid", 0.5, resolution=0.5).data)
    assert 24 * len(surface.vertices) + 12 * len(surface.triangles) > 40 * len(surface.data)


# --- worlds and errors --------------------------------------------------------------------------------------


def test_check_tells_what_surfaces_cost() -> None:
    text = describe(World.from_text(DAM))
    assert "isosurface of fluid = 0.5, coloured by speed, 5 times, lattice of 8,448 points, about" in text
    assert "isosurface of pressure = 200 and 400, coloured by speed/(1 + vorticity), 3 times" in text


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (('color = "speed"', 'color = "sped"'), r'observe.water.color = "sped"; must be one of .* "speed"'),
        (
            ("values = [200.0, 400]", ""),
            "observe.pressed has no value of pressure; must have value or values",
        ),
        (("[200.0, 400]", "'x'"), 'observe.pressed.values = "x"; must be a list in brackets[.]'),
        (("[200.0, 400]", str([1] * 17)), "observe.pressed.values = .*; must have at most 16 entries"),
        (("values = [200.0, 400]", "values = [1]\nvalue = 1"), "observe.pressed has value and values"),
        (('"pressure"', '"2*presure"'), r"observe.pressed.quantity = .*unknown name `presure`; did you mean"),
        (('"pressure"', '"2 + 3"'), r"observe.pressed.quantity = .*must contain a quantity"),
        (("every = 0.03", "every = 0"), "observe.water.every"),
        (("every = 0.03", "resolution = 0.01"), "observe.water.resolution"),
        (("[observe.water]", "[observe.walls]"), "observe.walls: the particles of an export have this name"),
    ],
)
def test_errors_in_worlds_are_one_line(change: tuple[str, str], error: str) -> None:
    assert change[0] in DAM
    with pytest.raises(WorldError, match=error):
        World.from_text(DAM.replace(*change))


def test_worlds_in_two_dimensions_have_no_surfaces() -> None:
    flat = small_worlds.tank((0.3, 0.2), (0.1, 0.15), SPACING, 0.1)
    with pytest.raises(WorldError, match="is an isosurface, but this world is 2D"):
        World.from_text(flat + '\n[observe.water]\ntype = "isosurface"\n')
    simulation = _core.Simulation(World.from_text(flat).core)
    assert quantities(simulation) == {}
    with pytest.raises(_core.UserError, match="two dimensions"):
        isosurface(simulation, "fluid", 0.5)


def test_formulas_use_values_of_the_world(tmp_path: Path) -> None:
    """[let] may name what a quantity is named as well, which then means the quantity."""
    text = DAM.replace('quantity = "pressure"', 'quantity = "pressure - scale*speed^2"')
    text = text.replace("format = 1", 'format = 1\nlet = { scale = "2*half", half = 500, pressure = 7 }')
    text = text.replace("values = [200.0, 400]", "value = 100")
    world = World.from_text(text)
    assert not [note for note in world.notes if "scale" in note]
    assert "isosurface of pressure - scale*speed^2 = 100" in describe(world)
    run = eddyline.run(world, out=tmp_path / "run", until=0.05, progress=False, movie=False, report=False)
    simulation = _core.Simulation(world.core)
    simulation.advance(0.05, 2**62, float("inf"))
    expected = isosurface(simulation, "pressure - 1000*speed^2", 100, color="speed/(1 + vorticity)")
    surface = run.surfaces["pressed"][-1]
    assert surface.time == pytest.approx(simulation.time) and surface.data == expected.data
    assert is_closed(surface) and surface.volume > 0


def test_vorticity_strain_and_q_belong_together(dam: _core.Simulation) -> None:
    """Q = (vorticity^2 - strain^2)/4, up to the last bit of a float."""
    q = Surface.of(isosurface(dam, "q", 5.0).data)
    other = Surface.of(isosurface(dam, "(vorticity^2 - strain^2)/4", 5.0).data)
    assert len(q.triangles) == len(other.triangles) > 20
    assert other.volume == pytest.approx(q.volume, rel=1e-3)


def test_quantities_are_those_of_the_core(dam: _core.Simulation) -> None:
    assert quantities(dam) == isosurfaces.units_of(World.from_text(DAM).file)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"quantity": "cover"}, 'quantity "cover"; must be one of fluid, speed'),
        ({"quantity": "2*cover"}, "unknown name `cover`"),
        ({"color": "speed + "}, "speed \\+ "),
        ({"stride": 3}, "stride = 3; must be 1, 2 or 4"),
        ({"resolution": 0.001}, "million points"),
        ({"resolution": 0.0}, "resolution must be above 0"),
        ({"bins": -1}, "bins must be from 0"),
    ],
)
def test_wrong_requests_are_refused(dam: _core.Simulation, options: dict[str, Any], error: str) -> None:
    given = {"quantity": "fluid", "level": 0.5, **options}
    with pytest.raises(_core.UserError, match=error):
        isosurface(dam, **given)


def test_exports_without_surfaces_tell_what_to_do(tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path)
    run = eddyline.run(world, out=tmp_path / "run", steps=1, progress=False, movie=False, report=False)
    with pytest.raises(ValueError, match="has no surfaces; add"):
        eddyline.export(run, "ply")
    assert surface_formats.stl(Surface(0, 0, np.zeros((0, 3)), np.zeros((0, 3), np.uint32), None))[
        80:
    ] == bytes(4)


# --- pictures -----------------------------------------------------------------------------------------------

WAVE = """
format = 1
title = "A pulse"
[domain]
size = [1, 1, 1]
spacing = 0.0625
[method]
name = "amr"
[start.fields]
u = "exp(-((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.5)^2)/0.2^2)"
p = "0"
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "periodic" }
top = { type = "periodic" }
front = { type = "periodic" }
back = { type = "periodic" }
[time]
end = 0.02
[output]
pictures = 1
snapshots = 0
camera = { azimuth = 10, elevation = 5 }
[observe.ball]
type = "isosurface"
quantity = "2*u"
value = 1
"""


def test_the_camera_shows_isosurfaces(tmp_path: Path) -> None:
    """The surface u = 1/2 of the pulse at rest is a sphere of radius 0.2 sqrt(log 2) around the middle."""
    from PIL import Image

    from eddyline.run.surface_pictures import SurfacePictures, pictures_of

    run = eddyline.run(World.from_text(WAVE), out=tmp_path / "run", progress=False, report=False, movie=False)
    pictures = pictures_of(run)
    assert isinstance(pictures, SurfacePictures) and len(pictures) == 2
    frame = pictures.frame(0)
    assert frame.shade is not None
    rows, columns = np.nonzero(frame.shade > 0)
    pixel = (frame.upper[0] - frame.lower[0]) / frame.shade.shape[1]
    radius = 0.2 * np.sqrt(np.log(2))
    assert len(rows) * pixel**2 == pytest.approx(np.pi * radius**2, rel=0.03)
    assert abs(columns.mean() / frame.shade.shape[1] - 0.5) < 0.02
    assert np.isfinite(frame.values[rows, columns]).all() and np.isnan(frame.values).sum() > len(rows)
    image = np.asarray(Image.open(run.picture).convert("RGB")).astype(int)
    assert (np.ptp(image, axis=2) > 40).mean() > 0.01  # coloured pixels
    # The half of the ball on the side of the eye is cut off, and what is left is seen from inside.
    clipped = World.from_text(WAVE.replace("camera", 'cut = { normal = "z", at = 0.5 }\ncamera'))
    half = SurfacePictures(run)
    run.__dict__["world"] = clipped
    lit = half.frame(0).shade
    assert lit is not None and abs((lit > 0).sum() - len(rows)) < 0.05 * len(rows)
    middle = tuple(n // 2 for n in lit.shape)
    assert lit[middle] < 0.95 * frame.shade[middle]


@pytest.mark.parametrize(
    ("camera", "error"),
    [
        ('{ surface = "bal" }', 'output.camera.surface = "bal"; must be ball'),
        ("{ elevation = 90 }", "output.camera.elevation"),
    ],
)
def test_cameras_without_a_surface_are_refused(camera: str, error: str) -> None:
    with pytest.raises(WorldError, match=error):
        World.from_text(WAVE.replace("{ azimuth = 10, elevation = 5 }", camera))


def test_a_camera_needs_an_isosurface() -> None:
    with pytest.raises(WorldError, match=r"output\.camera shows an isosurface, and the world has none"):
        World.from_text(WAVE[: WAVE.index("[observe.ball]")])


def test_values_of_cells_are_taken_at_their_centres() -> None:
    """The surface is the same with interpolation and without, for any boxes and at any stride."""
    found = []
    for options in ({}, {"boxes": 5, "threads": 2}):
        simulation = _core.Simulation(World.from_text(WAVE).core, **options)
        found.append([isosurface(simulation, "u", 0.5, stride=stride).data for stride in (1, 2)])
    assert found[0] == found[1]
    for data in found[0]:
        surface = Surface.of(data)
        distance = np.linalg.norm(surface.vertices - 0.5, axis=1)
        assert np.abs(distance - 0.2 * np.sqrt(np.log(2))).max() < 0.01
    between = Surface.of(isosurface(simulation, "u", 0.5, resolution=0.8).data)
    assert between.volume == pytest.approx(Surface.of(found[0][0]).volume, rel=0.03)
