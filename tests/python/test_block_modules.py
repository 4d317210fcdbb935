"""Modules for blocks: scalars that a flow carries, from the module to the results of worlds."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ways import needs_ranks, started

import eddyline
from eddyline import _core, modules
from eddyline.live import stream_pb2 as pb
from eddyline.live.steering import Steering
from eddyline.modules.description import RESERVED_ON_BLOCKS
from eddyline.solvers.multiblock import MultiblockOptions
from eddyline.world import World, WorldError

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "clang++", "c++")), reason="no C++ compiler"
)

RANKS = str(Path(__file__).with_name("scalar_ranks.py"))
BOX = """
format = 1
[let]
n     = 16
kappa = 0.01
k     = 0
[domain]
size    = [1, 1]
spacing = "1/n"
[fluid]
density             = 1000
kinematic_viscosity = 0.01
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "periodic" }
top    = { type = "periodic" }
[start]
velocity = [1, 0.5]
[start.fields]
c = "sin(2*pi*x)*cos(2*pi*y)"
[method]
name      = "multiblock"
scalars   = "module:dye"
time_step = "0.25/n"
inner_tolerance = 1e-10
inner_cycles    = 60
[method.parameters]
kappa = "kappa"
k     = "k"
[time]
end = 0.25
"""
"""A wave of dye in a uniform flow: it moves with it and decays."""
VORTEX: dict[str, object] = {
    "start.velocity": ["sin(2*pi*x)*cos(2*pi*y)", "-cos(2*pi*x)*sin(2*pi*y)"],
    "start.fields.c": "20 + x*(1-x)*y",
    "method.inner_cycles": 8,
    "method.inner_tolerance": 1e-3,
}
PLATES: dict[str, object] = {
    "boundaries.bottom": {"type": "wall"},
    "boundaries.top": {"type": "wall", "velocity": [1, 0]},
    "start.velocity": ["y", 0],
    "start.fields.c": "3",
    "method.values": {"bottom": {"c": "2"}, "top": {"c": "4"}},
    "method.steady": True,
    "method.time_step": 1,
    "time.end": 60,
}


@pytest.fixture(scope="module")
def dye(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new module for blocks, built in 2D."""
    folder = modules.new_module("dye", "blocks", parent=tmp_path_factory.mktemp("modules"))
    file = folder / "module.toml"
    file.write_text(file.read_text().replace("[2, 3]", "[2]"))
    modules.build(folder)
    return folder


def test_a_new_module_passes_its_own_test(dye: Path) -> None:
    assert pytest.main(["-q", "-p", "no:cacheprovider", str(dye / "test_dye.py")]) == 0


def world_of(dye: Path, changes: Mapping[str, Any] | None = None) -> World:
    return World.from_text(BOX, path=dye.parent / "box.toml", overrides=dict(changes or {}))


def core_of(world: World, **how: Any) -> Any:
    return _core.Simulation(world.core, **how)


def values(simulation: Any, world: World) -> np.ndarray:
    return np.asarray(simulation.values("cells", "c", 0, simulation.count("cells")))


def carried(world: World, steps: int = 10_000, **how: Any) -> np.ndarray:
    """The scalar in cells at the end."""
    simulation = core_of(world, **how)
    simulation.advance(world.end, steps, 1e9)
    return values(simulation, world)


def error_of_wave(dye: Path, n: int) -> float:
    world = world_of(dye, {"let.n": n})
    found, middle = carried(world).reshape(n, n), (np.arange(n) + 0.5) / n
    x, y = middle[None, :] - 0.25, middle[:, None] - 0.125
    exact = np.sin(2 * np.pi * x) * np.cos(2 * np.pi * y) * math.exp(-0.01 * 8 * np.pi**2 * 0.25)
    return float(np.abs(found - exact).mean())


def test_a_wave_of_dye_is_carried_with_second_order(dye: Path) -> None:
    coarse, fine = error_of_wave(dye, 16), error_of_wave(dye, 32)
    assert fine < 0.02
    assert math.log2(coarse / fine) > 1.6


def test_dye_in_a_box_is_conserved_and_uniform_dye_stays_so(dye: Path) -> None:
    world = world_of(dye, VORTEX)
    simulation = core_of(world)
    before = values(simulation, world)
    simulation.advance(world.end, 20, 1e9)
    after = values(simulation, world)
    assert np.abs(after - before).max() > 0.01
    assert after.mean() == pytest.approx(before.mean(), rel=1e-6)
    uniform = carried(world_of(dye, VORTEX | {"start.fields.c": "300"}), 5)
    assert np.abs(uniform - 300).max() < 1e-10


def test_dye_between_plates_with_values_has_the_exact_profile(dye: Path) -> None:
    changes = PLATES | {"time.end": 300, "let.kappa": 0.1}
    y = (np.arange(16) + 0.5) / 16
    found = carried(world_of(dye, changes)).reshape(16, 16)
    assert np.abs(found - (2 + 2 * y)[:, None]).max() < 1e-4


@pytest.mark.parametrize(("n", "allowed"), [(16, 0.009), (32, 0.0023)])
def test_dye_that_decays_between_plates_has_the_exact_profile(n: int, allowed: float, dye: Path) -> None:
    changes = PLATES | {"time.end": 300, "let.n": n, "let.k": 1, "let.kappa": 0.1}
    world = world_of(dye, changes | {"method.values.top.c": "2"})
    y, m = (np.arange(n) + 0.5) / n, math.sqrt(1 / 0.1)
    exact = 2 * np.cosh(m * (y - 0.5)) / math.cosh(m / 2)
    assert np.abs(carried(world).reshape(n, n) - exact[:, None]).max() < allowed


def test_without_a_value_nothing_passes_a_wall(dye: Path) -> None:
    changes = PLATES | {"method.values": {}, "start.fields.c": "x + y", "time.end": 5, "method.steady": False}
    world = world_of(dye, changes | {"method.time_step": 0.02, "method.inner_tolerance": 1e-10})
    before, after = values(core_of(world), world), carried(world, 20)
    assert after.mean() == pytest.approx(before.mean(), rel=1e-9)


@pytest.mark.parametrize("changes", [VORTEX, PLATES], ids=["in-time", "steady"])
def test_boxes_threads_and_a_restart_give_the_same_bits(changes: dict[str, object], dye: Path) -> None:
    world = world_of(dye, changes)
    first = core_of(world, threads=1)
    first.advance(world.end, 6, 1e9)
    half = core_of(world, boxes=3, threads=2)
    half.advance(world.end, 3, 1e9)
    resumed = core_of(world, boxes=2, threads=2)
    resumed.restore(iter([half.save()]))
    resumed.advance(world.end, 6, 1e9)
    assert resumed.checksum() == first.checksum()
    assert np.array_equal(values(resumed, world), values(first, world))
    replicated = core_of(world, boxes=3, replicated_cells=4096)
    replicated.advance(world.end, 6, 1e9)
    assert replicated.checksum() == first.checksum()


@needs_ranks
def test_ranks_give_the_same_bits(dye: Path) -> None:
    alone, *others = (started(ranks, RANKS, str(dye)) for ranks in (1, 3))
    assert len(alone.stdout.split()) == 2, alone.stderr
    assert all(each.stdout == alone.stdout for each in others)


def test_a_run_has_series_probes_and_pictures_of_scalars(dye: Path, tmp_path: Path) -> None:
    changes = PLATES | {
        "output.quantity": "c",
        "observe": {"middle": {"type": "probe", "position": [0.5, 0.5]}},
    }
    run = eddyline.run(
        world_of(dye, changes | {"output.pictures": 1, "output.series": 20}),
        out=tmp_path / "run",
        movie=False,
        report=False,
    )
    series = run.series("scalars")
    last = series.iloc[-1]
    assert last["total_c"] == pytest.approx(3, rel=1e-3)
    assert last["mean_c"] == pytest.approx(3, rel=1e-3)
    assert 2 < last["min_c"] < last["max_c"] < 4
    assert run.series("middle")["c"].iloc[-1] == pytest.approx(3, rel=1e-3)


def test_parameters_change_while_a_run_goes_on(dye: Path) -> None:
    world = world_of(dye, VORTEX | {"start.fields.c": "1"})
    steering = Steering(world)
    named = pb.Command(id="a", parameter=pb.Parameter(name="k", value="4"))
    simulation = core_of(world)
    simulation.advance(world.end, 2, 1e9)
    assert np.abs(values(simulation, world) - 1).max() < 1e-10
    steering.apply(steering.plan(named, simulation.time), simulation)
    simulation.advance(world.end, 4, 1e9)
    assert values(simulation, world).mean() < 0.95


def test_what_a_world_cannot_say_of_scalars_is_told_in_one_line(dye: Path) -> None:
    def told(**changes: object) -> str:
        with pytest.raises(WorldError) as error:
            world_of(dye, {key.replace("__", "."): value for key, value in changes.items()})
        return str(error.value)

    assert "no such field" in told(start__fields__d="1")
    assert "no wall, opening or body of this name" in told(method__values={"left": {"c": "1"}})
    assert "no such scalar" in told(boundaries__top={"type": "wall"}, boundaries__bottom={"type": "wall"},
                                    method__values={"top": {"d": "1"}})  # fmt: skip
    assert "must be >= 0" in told(method__parameters__k=-1)
    assert "no such parameter" in told(method__parameters__q=1)
    assert 'must be written "module:NAME"' in told(method__scalars="dye")
    assert "there is no soot" in told(method__scalars="module:soot")
    assert "as method.scalars of the solver multiblock" in told(
        method={"name": "amr", "equations": "module:dye"}
    )


def test_parameters_have_no_names_of_options() -> None:
    assert set(MultiblockOptions.model_fields) | {"library"} == RESERVED_ON_BLOCKS
