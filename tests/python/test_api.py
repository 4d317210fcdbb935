"""The package as a notebook uses it, and the examples."""

from __future__ import annotations

import pydoc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import small_worlds

import eddyline
from eddyline.run import Run
from eddyline.run.errors import RequestError

QUIET = {"progress": False, "movie": False, "report": False}
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") >= 3


@pytest.fixture
def simulation(tmp_path: Path) -> eddyline.Simulation:
    return eddyline.Simulation(small_worlds.write(tmp_path), threads=1)


def test_steps_are_counted(simulation: eddyline.Simulation) -> None:
    assert simulation.steps == 0 and simulation.time == 0
    simulation.step()
    simulation.step(9)
    assert simulation.steps == 10 and simulation.time > 0
    simulation.advance_to(0.02)
    assert 0.02 <= simulation.time < 0.022
    for call, value in (
        ("step", 1.5),
        ("step", float("inf")),
        ("advance_to", -1),
        ("advance_to", float("nan")),
    ):
        with pytest.raises(ValueError, match="must be a whole number" if call == "step" else "at least 0"):
            getattr(simulation, call)(value)
    with pytest.raises(ValueError, match="at least 0"):
        simulation.step(-1)


WRONG_KINDS = [
    (lambda _: eddyline.run(None), "world = None: must be a World, or the path of a world file"),
    (lambda _: eddyline.run({}), "world = {}: must be a World, or the path of a world file"),
    (lambda _: eddyline.Simulation(3), "world = 3: must be a World, or the path of a world file"),
    (lambda world: eddyline.run(world, threads="2"), "threads = '2': must be a whole number"),
    (lambda world: eddyline.run(world, steps=2.0), "steps = 2.0: must be a whole number"),
    (lambda world: eddyline.run(world, until="2"), "until = '2': must be a number"),
    (lambda world: eddyline.run(world, checkpoint_every=None), "checkpoint_every = None: must be a number"),
    (lambda world: eddyline.run(world, checksums="1"), "checksums = '1': must be a whole number"),
    (lambda world: eddyline.run(world, exchange=1), "exchange = 1: must be a text"),
    (lambda world: eddyline.run(world, sites=3), "sites = 3: must be a list of whole numbers"),
    (lambda world: eddyline.World.load(3), "path = 3: must be a path"),
    (lambda world: eddyline.World.from_text(3), "text = 3: must be a text"),
    (lambda world: eddyline.run(world, out=5), "out = 5: must be a path"),
    (lambda world: eddyline.resume(5), "run = 5: must be a Run or the folder of a run"),
    (
        lambda world: eddyline.Simulation(world).raster("speed", 3),
        "shape = 3: must be a list of whole numbers",
    ),
    (lambda world: Run.open(3), "path = 3: must be a path"),
    (lambda world: eddyline.Simulation(world).raster(3), "quantity = 3: must be a text"),
    (lambda world: eddyline.run(world, live=8000), "live = 8000: must be a text"),
    (lambda world: eddyline.Simulation(world, boxes="2"), "boxes = '2': must be a whole number"),
    (lambda world: eddyline.Simulation(world).step("3"), "n = '3': must be a number"),
    (lambda world: eddyline.Simulation(world).advance_to(None), "time = None: must be a number"),
    (
        lambda _: eddyline.World.load("dam_break", ["let.a=1"]),
        "overrides = ['let.a=1']: must be a dict of values by path, such as {\"domain.spacing\": 0.01}",
    ),
]


@pytest.mark.parametrize(("call", "line"), WRONG_KINDS, ids=[line for _, line in WRONG_KINDS])
def test_an_argument_of_the_wrong_kind_is_reported_in_a_line(
    call: Callable[[eddyline.World], object], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError) as caught:
        call(world)
    assert str(caught.value) == line
    assert not (tmp_path / "runs").exists()


def test_overrides_may_be_of_numpy() -> None:
    changes = {
        "domain.spacing": np.float32(0.125),
        "domain.size": np.array([4, 2]),
        "start.seed": np.int64(7),
    }
    file = eddyline.World.load("dam_break", changes | {"let.a": 0.5}).file  # type: ignore[operator]
    assert (file.domain.spacing, file.domain.size, file.start.seed) == (0.125, (4.0, 2.0), 7)


def test_particles_are_views_and_read_only(simulation: eddyline.Simulation) -> None:
    particles = simulation.particles
    assert len(particles) == 128
    assert particles.position.shape == particles.velocity.shape == (128, 2)
    assert particles.density.shape == particles.mass.shape == particles.id.shape == (128,)
    assert np.shares_memory(particles.position, particles.position)
    for array in (particles.position, particles.velocity, particles.mass, particles.id):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert particles.mass.sum() == pytest.approx(1000 * 0.05 * 0.1, rel=5e-3)  # hydrostatic, so a little more


def test_by_id_gives_sorted_copies(simulation: eddyline.Simulation) -> None:
    before = simulation.particles.by_id()
    kept = before.position.copy()
    simulation.step(30)
    after = simulation.particles.by_id()
    assert np.array_equal(before.id, after.id) and np.all(np.diff(after.id) > 0)
    assert np.array_equal(before.position, kept) and not np.array_equal(after.position, kept)


def test_boxes_and_threads_do_not_change_a_bit(tmp_path: Path) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    states = []
    for boxes, threads in ((1, 1), (2, 2), (3, 1)):
        simulation = eddyline.Simulation(world, boxes=boxes, threads=threads)
        simulation.step(40)
        states.append(simulation.particles.by_id())
    for state in states[1:]:
        assert np.array_equal(state.position, states[0].position)
        assert np.array_equal(state.velocity, states[0].velocity)


def test_rasters(simulation: eddyline.Simulation) -> None:
    speed = simulation.raster("speed")
    assert speed.shape == (48, 64) and speed.dtype == np.float32
    assert np.isfinite(speed[5, 5]) and np.isnan(speed[-1, -1])
    assert simulation.raster("pressure", (10, 20)).shape == (10, 20)
    for shape in ((3,), (0, 4)):
        with pytest.raises(ValueError, match="must be two numbers >= 1, rows and columns"):
            simulation.raster("pressure", shape)  # type: ignore[arg-type]


def test_notebooks_show_pictures(simulation: eddyline.Simulation, tmp_path: Path) -> None:
    assert "data:image/png;base64," in simulation._repr_html_()
    box = eddyline.Simulation(small_worlds.write(tmp_path, small_worlds.BOX, "box"), threads=1)
    assert "data:image/png;base64," in box._repr_html_()
    assert "128 particles" in repr(simulation)


def test_a_run_in_a_notebook(tmp_path: Path) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    run = eddyline.run(world, steps=10, out=tmp_path / "run", progress=False, movie=False)
    assert "data:image/png;base64," in run._repr_html_() and run.fingerprint in run._repr_html_()
    front = run.series("front")
    assert list(front.columns) == ["time", "position"] and front.attrs["units"]["position"] == "m"
    with pytest.raises(KeyError, match=r"known: .*front"):
        run.series("back")
    assert eddyline.Run.open(tmp_path / "run").fingerprint == run.fingerprint
    assert run.report == tmp_path / "run" / "report.html"
    with pytest.raises(eddyline.run.RequestError, match="give a later until or more steps, counted"):
        eddyline.resume(run, steps=10)
    again = eddyline.resume(run, steps=12, progress=False, movie=False, report=False)
    assert again.folder == run.folder and again.record["steps"] == 12


def test_a_run_keeps_its_name_and_says_its_spacing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that its world, run again, goes beside it."""
    monkeypatch.chdir(tmp_path)
    world = eddyline.World.load(small_worlds.write(tmp_path))
    run = eddyline.run(world, steps=2, threads=1, **QUIET)  # type: ignore[arg-type]
    opened = eddyline.Run.open("runs/small")
    assert opened.world.name == run.name == "small" and opened.world.source == world.source
    assert opened.spacing == world.core.spacing == pytest.approx(0.05 / 8)
    assert eddyline.run(opened.world, steps=2, threads=1, **QUIET).folder == Path("runs/small/0002")  # type: ignore[arg-type]


def test_what_can_be_done_with_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = eddyline.run(small_worlds.write(tmp_path), until=0.05, threads=1, **QUIET)  # type: ignore[arg-type]
    again = eddyline.replay(run, threads=1, **QUIET)  # type: ignore[arg-type]
    done = eddyline.compare(run, again.folder)
    assert done.identical and again.folder == Path("runs/small/0002")
    made = eddyline.export(run, "csv", out="tables")
    assert Path("tables/front.csv") in made and all(path.is_file() for path in made)
    assert issubclass(eddyline.WorldError, ValueError) and issubclass(
        eddyline.run.RequestError, eddyline.RunError
    )
    completed = eddyline.export(run)
    assert run.report in completed and run.picture in completed
    with pytest.raises(eddyline.RunError, match="nothing to export: give parts"):
        eddyline.export(run, out="tables")
    with pytest.raises(TypeError, match="run = 3: must be a Run or the folder of a run"):
        eddyline.compare(run, 3)  # type: ignore[arg-type]
    assert set(eddyline.__all__) <= set(dir(eddyline)) and all(
        getattr(eddyline, each) for each in dir(eddyline)
    )


def test_frames_of_a_run(tmp_path: Path) -> None:
    run = eddyline.run(small_worlds.write(tmp_path), until=0.05, out=tmp_path / "run", threads=1, **QUIET)  # type: ignore[arg-type]
    frames = run.frames()
    assert frames.quantity == "speed" and len(frames) == len(frames.times) == len(frames.steps) == 4
    assert frames.times[0] == 0 and np.all(np.diff(frames.times) > 0)
    assert frames.extent == pytest.approx((0, 0.2, 0, 0.15))
    assert [frame.time for frame in frames] == frames.times.tolist()
    values = frames.values()
    assert values.shape == (4, *frames[0].values.shape) and values.dtype == np.float32
    assert np.nanmax(values[0]) == 0 < np.nanmax(values[-1])
    assert np.array_equal(values[-1], frames[-1].values, equal_nan=True)
    with pytest.raises(IndexError):
        frames[4]
    with pytest.raises(KeyError, match=r"has no frames of 'foam'; it has: .*speed"):
        run.frames("foam")


def test_a_front_ends_at_the_wall(tmp_path: Path) -> None:
    """Fluid that is pushed against the side stands nearer to it than half a spacing."""
    text = small_worlds.DAM.replace('gravity = [0, "-g"]', 'gravity = ["10*g", "-g"]')
    places = {"regions.column.min": "[0.15, 0]", "regions.column.max": "[0.2, 0.1]"}
    world = eddyline.World.from_text(text, "pushed", places)
    run = eddyline.run(world, until=0.02, out=tmp_path / "run", threads=1, progress=False, movie=False)
    position = run.series("front")["position"]
    assert position.min() > 0.19 and position.max() == world.core.size[0]


def test_the_package_is_found_whatever_is_imported_first() -> None:
    """`eddyline.run` is a package and a function: both must work in any order."""
    for first in ("import eddyline.run.folder", "from eddyline.run import Run", "import eddyline"):
        check = "assert callable(eddyline.run)\nimport eddyline.run.errors as e\nprint(e.RunError)"
        code = f"{first}\nimport eddyline\n{check}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "begins", "told_of"),
    [
        ("run", "run(world", "threads"),
        ("sweep", "sweep(world", "threads"),
        ("compare", "compare(a", "identical"),
    ],
)
def test_help_begins_with_the_function(name: str, begins: str, told_of: str) -> None:
    told = pydoc.plain(pydoc.render_doc(getattr(eddyline, name))).splitlines()
    first = next(k for k, line in enumerate(told) if begins in line)
    assert first < 10 and any(told_of in line for line in told[first : first + 30])


def test_import_is_light() -> None:
    code = "import eddyline, sys; print(sorted({'numpy', 'matplotlib', 'pandas', 'h5py'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]"


def test_decompositions_are_those_of_the_core() -> None:
    from eddyline import _core
    from eddyline.run.execution_options import DECOMPOSITIONS

    core = eddyline.World.from_text(small_worlds.DAM).core
    with pytest.raises(_core.UserError) as raised:
        _core.Simulation(core, decomposition="foo")
    told = f"must be {', '.join(DECOMPOSITIONS[:-1])} or {DECOMPOSITIONS[-1]}."
    assert told in str(raised.value)
    for world in ("blast", "channel"):
        changes = {"method.name": "multiblock"} if world == "channel" else {}
        with pytest.raises(RequestError) as refused:
            eddyline.run(world, overrides=changes, decomposition="curv")
        assert f'decomposition = "curv": {told} Did you mean "curve"?' == str(refused.value)
