"""The law: where, when and on how many threads a particle is computed never changes the result.

Every run here is repeated with other boxes, threads, instruction sets and groupings of particles, and must
give the same bits: state and series.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache

import law_worlds
import numpy as np
import pytest
from numpy.typing import NDArray

from eddyline import _core
from eddyline.world import World

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NEVER = 2**62
INTERVAL = 0.004
"""Time between rows of the series [s]: a few steps."""


@dataclass(frozen=True)
class Execution:
    """One way to compute a run; no way may change the result."""

    boxes: int = 1
    threads: int = 1
    instructions: str = "scalar"
    shuffle: int = 0
    list_parts: int = 1

    def __str__(self) -> str:
        grouping = "shuffled" if self.shuffle else "sorted"
        shared = f"{self.boxes}-boxes-{self.threads}-threads"
        return f"{shared}-{self.instructions}-{grouping}-{self.list_parts}-parts"


def pairwise() -> list[Execution]:
    """Few runs in which any two choices, of any two of the five factors, meet at least once, beside the plain
    run, which is what the others are compared with."""
    factors: list[list[object]] = [[1, 2, 3, 5], [1, 2], list(_core.instruction_sets()), [0, 7], [0, 1, 3]]
    runs = list(itertools.product(*factors))

    def pairs(run: Iterable[object]) -> set[object]:
        return set(itertools.combinations(enumerate(run), 2))

    plain = astuple(Execution())
    runs.remove(plain)
    missing = set().union(*(pairs(run) for run in runs)) - pairs(plain)
    chosen = []
    while missing:
        best = max(runs, key=lambda run: len(pairs(run) & missing))
        chosen.append(Execution(*best))  # type: ignore[arg-type]
        missing -= pairs(best)
    return chosen


@dataclass(frozen=True)
class Journey:
    """A world, how many steps it is run for, and how many cells particles must travel along which axis."""

    text: str
    steps: int
    axis: int
    cells: float


JOURNEYS = {
    "dam-2d": Journey(law_worlds.DAM_2D, 300, 0, 2.0),
    "dam-3d": Journey(law_worlds.DAM_3D, 120, 0, 2.0),
    "stream-2d": Journey(law_worlds.STREAM_2D, 200, 0, 3.0),
    "stream-3d": Journey(law_worlds.STREAM_3D, 80, 0, 1.2),
    "settled-2d": Journey(law_worlds.SETTLED_2D, 250, 1, 1.0),
    "moving-2d": Journey(law_worlds.MOVING_2D, 200, 0, 2.0),
    "moving-3d": Journey(law_worlds.MOVING_3D, 90, 0, 0.5),
    "moving-channel": Journey(law_worlds.MOVING_CHANNEL, 150, 0, 0.7),
    "channel-2d": Journey(law_worlds.CHANNEL_2D, 150, 0, 1.3),
    "free-stream-2d": Journey(law_worlds.FREE_STREAM_2D, 150, 0, 0.7),
    "channel-3d": Journey(law_worlds.CHANNEL_3D, 80, 2, 0.7),
    "jets-2d": Journey(law_worlds.JETS_2D, 150, 0, 1.0),
    "classic-dam-2d": Journey(law_worlds.by_classic(law_worlds.DAM_2D), 1100, 0, 2.0),
    "classic-dam-3d": Journey(law_worlds.by_classic(law_worlds.DAM_3D, "xsph = 0.5"), 350, 0, 1.0),
    "classic-jets-2d": Journey(law_worlds.by_classic(law_worlds.JETS_2D), 300, 0, 0.7),
    "gas-2d": Journey(law_worlds.GAS_2D, 110, 0, 3.0),
    "gas-3d": Journey(law_worlds.GAS_3D, 40, 0, 1.0),
}


@dataclass(frozen=True)
class End:
    """Values at the end of a run that must be equal."""

    checksum: int
    ids: Ints
    series: dict[str, Floats]
    time: float


def simulate(world: World, how: Execution, interval: float = INTERVAL) -> _core.Simulation:
    return _core.Simulation(
        world.core,
        boxes=how.boxes,
        threads=how.threads,
        instructions=how.instructions,  # type: ignore[arg-type]
        shuffle=how.shuffle,
        list_parts=how.list_parts,
        series_interval=interval,
    )


def end_of(simulation: _core.Simulation) -> End:
    series = {name: values for name, (_, _, values) in simulation.take_series().items()}
    return End(simulation.checksum(), np.sort(simulation.id), series, simulation.time)


def by_id(simulation: _core.Simulation, field: NDArray[np.float64]) -> Floats:
    return np.array(field)[np.argsort(simulation.id, kind="stable")]


@cache
def reference(name: str, instructions: str = "scalar") -> End:
    """The plain run: one box, one thread, one lane if nothing else is asked for."""
    journey = JOURNEYS[name]
    simulation = simulate(World.from_text(journey.text), Execution(instructions=instructions))
    simulation.advance(np.inf, journey.steps, np.inf)
    return end_of(simulation)


def walls_of(simulation: _core.Simulation) -> Floats:
    """(n, D + 2) places, owners and pressures of dummy particles, in an order of their own."""
    columns = [simulation.wall_position(), np.asarray(simulation.wall_body())[:, None]]
    table = np.column_stack([*columns, simulation.wall_pressure()])
    return table[np.lexsort(table.T)]


def assert_same(found: End, expected: End) -> None:
    assert found.time == expected.time
    assert np.array_equal(found.ids, expected.ids)
    assert found.checksum == expected.checksum
    assert found.series.keys() == expected.series.keys()
    for name, values in expected.series.items():
        assert np.array_equal(found.series[name], values, equal_nan=True), f"series {name}"


# --- the same bits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", pairwise(), ids=str)
@pytest.mark.parametrize("name", JOURNEYS)
def test_the_same_bits_however_it_is_computed(name: str, how: Execution):
    journey = JOURNEYS[name]
    simulation = simulate(World.from_text(journey.text), how)
    simulation.advance(np.inf, journey.steps, np.inf)
    assert simulation.statistics()["instructions"] == how.instructions
    assert_same(end_of(simulation), reference(name))


@pytest.mark.parametrize("name", ["moving-2d", "moving-3d"])
def test_moving_bodies_are_in_the_same_place_on_all_ranks(name: str):
    """And in another one than at the start, sorted anew many times."""
    journey, tables = JOURNEYS[name], []
    for how in (
        Execution(),
        Execution(boxes=3, threads=2, instructions=_core.instruction_sets()[-1], shuffle=5),
    ):
        simulation = simulate(World.from_text(journey.text), how)
        before = walls_of(simulation)
        simulation.advance(np.inf, journey.steps, np.inf)
        tables.append(walls_of(simulation))
        assert simulation.statistics()["rebuilds"] > 3
    assert np.array_equal(*tables)
    dimensions = tables[0].shape[1] - 2
    assert np.abs(tables[0] - before)[:, :dimensions].max() > 2 * World.from_text(journey.text).core.spacing


@pytest.mark.parametrize("name", JOURNEYS)
def test_the_journeys_are_long_enough_to_prove_something(name: str):
    """Sorting and renewals happen many times, and particles travel through several cells, from box to box."""
    journey = JOURNEYS[name]
    world = World.from_text(journey.text)
    simulation = simulate(world, Execution(instructions=_core.instruction_sets()[-1], boxes=2, list_parts=3))
    travelled: dict[int, float] = {}
    before = dict(zip(simulation.id.tolist(), simulation.position[:, journey.axis].tolist(), strict=True))
    period = world.core.size[journey.axis]
    periodic = world.core.sides[2 * journey.axis].kind == "periodic"
    entered = 0
    for step in range(5, journey.steps + 1, 5):
        simulation.advance(np.inf, step, np.inf)
        now = dict(zip(simulation.id.tolist(), simulation.position[:, journey.axis].tolist(), strict=True))
        for particle in now.keys() & before.keys():
            moved = now[particle] - before[particle]
            moved -= period * round(moved / period) if periodic else 0
            travelled[particle] = travelled.get(particle, 0) + moved
        entered += len(now.keys() - before.keys())
        before = now
    assert simulation.statistics()["rebuilds"] > 3
    assert simulation.statistics()["renewals"] > 3
    assert simulation.statistics()["messages"] > 0
    assert max(map(abs, travelled.values())) > journey.cells * _core.estimate(world.core).cell_edge
    # Several columns of particles enter; none enter elsewhere.
    inflows = [1 + k for k, opening in enumerate(world.core.openings) if opening.inflow]
    waiting = int(np.isin(simulation.buffer, inflows).sum())  # some columns of every site
    assert entered > waiting / 2 if inflows else entered == 0


def test_the_checksum_sees_every_change():
    """Or else equal checksums would mean nothing."""
    texts = [law_worlds.VORTICES, law_worlds.VORTICES.replace("0.002", "0.0020001")]
    found = set()
    for text in texts:
        simulation = simulate(World.from_text(text), Execution())
        for _ in range(3):
            simulation.advance(np.inf, simulation.step_count + 1, np.inf)
            found.add(simulation.checksum())
    assert len(found) == 6


@pytest.mark.parametrize("name", ["dam-2d", "stream-3d"])
def test_a_run_in_pieces_is_the_same_run(name: str):
    """advance() may be called for a step, to a time, or for an instant, and be looked at in between."""
    journey = JOURNEYS[name]
    world = World.from_text(journey.text)
    simulation = simulate(world, Execution(boxes=2, instructions=_core.instruction_sets()[-1]))
    upper = (world.core.size[0], world.core.size[1], 0.0)
    pieces: list[dict[str, Floats]] = []
    while simulation.step_count < journey.steps:
        left = journey.steps - simulation.step_count
        simulation.advance(np.inf, simulation.step_count + min(left, 7), np.inf)
        simulation.advance(simulation.time + 1.5 * simulation.time_step, journey.steps, np.inf)
        simulation.advance(np.inf, journey.steps, 0.0)
        simulation.rasters(["speed"], (8, 8), (0.0, 0.0, 0.0), upper)
        simulation.pressure(), simulation.surface(), simulation.wall_pressure(), simulation.statistics()
        pieces.append({key: values for key, (_, _, values) in simulation.take_series().items()})
    series = {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}
    assert_same(End(simulation.checksum(), np.sort(simulation.id), series, simulation.time), reference(name))


@pytest.mark.parametrize("name", ["dam-2d", "settled-2d"])
def test_output_never_changes_the_state(name: str):
    journey = JOURNEYS[name]
    for interval in (0.0, 0.05, 1e9):
        simulation = simulate(
            World.from_text(journey.text), Execution(instructions=_core.instruction_sets()[-1]), interval
        )
        simulation.advance(np.inf, journey.steps, np.inf)
        assert (simulation.checksum(), simulation.time) == (reference(name).checksum, reference(name).time)


def test_a_body_may_begin_to_move_after_lists_have_been_renewed():
    """Walls rest until then, and no record keeps their positions."""
    text = (
        law_worlds.DAM_2D
        + """
[bodies.post]
shape    = "circle"
center   = ["2*a", "a/2"]
diameter = "a/2"
"""
    )
    world, moment, ends = World.from_text(text), 0, []
    for parts in (3, 1):
        simulation = simulate(world, Execution(list_parts=parts, boxes=parts))
        simulation.advance(np.inf, moment, np.inf)
        while parts > 1 and simulation.statistics()["renewals"] == 0:
            simulation.advance(np.inf, simulation.step_count + 1, np.inf)
        moment = simulation.step_count
        simulation.take_series()
        begin = simulation.time
        simulation.change("motion", "post", formulas=[f"0.5*(t - {begin})", "0", "0", "0"])
        simulation.advance(np.inf, 100, np.inf)
        ends.append(simulation.checksum())
    assert ends[0] == ends[1]


# --- the test oracle ----------------------------------------------------------------------------------------

ORACLES = {
    "dam-2d": law_worlds.DAM_2D,
    "vortices": law_worlds.VORTICES,
    "stream-2d": law_worlds.STREAM_2D,
    "classic-vortices": law_worlds.by_classic(law_worlds.VORTICES),
    "gas-2d": law_worlds.GAS_2D,
    "moving-2d": law_worlds.MOVING_2D,
}


@pytest.mark.parametrize("name", ORACLES)
def test_cells_find_the_pairs_that_a_search_of_all_pairs_finds(name: str):
    ends = []
    for neighbors in ("all_pairs", "cells"):
        world = World.from_text(ORACLES[name], overrides={"method.precision": "double"})
        simulation = _core.Simulation(world.core, threads=1, neighbors=neighbors)  # type: ignore[arg-type]
        simulation.advance(np.inf, 60, np.inf)
        assert simulation.statistics()["rebuilds"] > 1
        ends.append(simulation)
    plain, cells = ends
    assert np.array_equal(np.sort(plain.id), np.sort(cells.id))
    size = max(World.from_text(ORACLES[name]).core.size)
    assert np.abs(by_id(plain, plain.position) - by_id(cells, cells.position)).max() <= 1e-12 * size
    assert plain.statistics()["pairs"] == cells.statistics()["pairs"]


@pytest.mark.parametrize("name", ORACLES)
def test_pair_sums_in_single_precision_agree_with_all_pairs_in_double(name: str):
    """Changes of velocity and pressure over a few steps, relative to the largest. In rows without a free
    surface two values have half the bits: eight that count in single precision."""
    changes = []
    allowed = 1e-4
    for precision, neighbors in (("double", "all_pairs"), ("single", "cells")):
        world = World.from_text(ORACLES[name], overrides={"method.precision": precision})
        simulation = _core.Simulation(world.core, threads=1, neighbors=neighbors)  # type: ignore[arg-type]
        if world.file.method.scheme == "delta" and not world.has_free_surface:
            allowed = 5e-4
        before = by_id(simulation, simulation.velocity)
        simulation.advance(np.inf, 4, np.inf)
        after = by_id(simulation, simulation.velocity)
        changes.append((after - before, by_id(simulation, simulation.pressure())))
    for plain, fast in zip(*changes, strict=True):
        assert np.abs(fast - plain).max() <= allowed * np.abs(plain).max()


# --- ids and places -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", JOURNEYS)
def test_ids_are_unique_and_do_not_depend_on_boxes(name: str):
    worlds = [World.from_text(JOURNEYS[name].text) for _ in range(2)]
    best = _core.instruction_sets()[-1]
    one = simulate(worlds[0], Execution(instructions=best))
    five = simulate(worlds[1], Execution(boxes=5, instructions=best, shuffle=3))
    assert len(np.unique(one.id)) == one.fluid_count
    assert np.array_equal(np.sort(one.id), np.sort(five.id))
    assert np.array_equal(by_id(one, one.position), by_id(five, five.position))
    one.advance(np.inf, 60, np.inf)
    five.advance(np.inf, 60, np.inf)
    assert len(np.unique(one.id)) == one.fluid_count
    assert np.array_equal(np.sort(one.id), np.sort(five.id))


@pytest.mark.parametrize(
    ("text", "steps"), [(law_worlds.DAM_2D, 40), (law_worlds.VORTICES, 40)], ids=["dam", "vortices"]
)
def test_a_domain_far_from_the_origin_is_computed_as_well(text: str, steps: int):
    """Pair differences are exact wherever the domain lies; only the positions themselves have fewer digits.

    4096 m is a multiple of the quantum. In single precision, coordinates there would miss by 0.2 mm.
    """
    ends = []
    for place in (0.0, 4096.0):
        world = World.from_text(text, overrides={"let.x0": place})
        simulation = simulate(world, Execution(instructions=_core.instruction_sets()[-1]))
        simulation.advance(np.inf, steps, np.inf)
        ends.append((by_id(simulation, simulation.position) - place, by_id(simulation, simulation.velocity)))
    (near, near_velocity), (far, far_velocity) = ends
    spacing = World.from_text(text).core.spacing
    assert np.abs(far - near).max() < 1e-4 * spacing
    assert np.abs(far_velocity - near_velocity).max() < 1e-4 * np.abs(near_velocity).max()


# --- when a step goes wrong ---------------------------------------------------------------------------------


def test_the_speed_of_an_inflow_is_not_wrong_before_it_is_held():
    """A force would speed it up by 0.02 m/s within the step."""
    text = """format = 1
[domain]
size = [0.4, 0.2]
spacing = 0.02
body_force = [20, 0]
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
max_speed = 2
[start]
velocity = [0.5, 0]
[boundaries]
left = { type = "inflow", velocity = 1.0 }
right = { type = "outflow" }
bottom = { type = "wall", slip = true }
top = { type = "wall", slip = true }
[time]
end = 1.0
[method]
speed_limit = 1.001
"""
    simulation = simulate(World.from_text(text), Execution())
    assert simulation.advance(np.inf, 1, 60.0) == 1


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"method.density_diffusion": 0.9}, None),
        ({"method.speed_limit": 0.05}, "above the limit of 0.05 m/s: raise method.speed_limit"),
    ],
    ids=["unstable-scheme", "speed-limit"],
)
def test_a_step_that_goes_wrong_says_which_particle_when_and_where(
    overrides: dict[str, float], reason: str | None
):
    text = law_worlds.DAM_2D.replace('spacing = "a/12"', 'spacing = "a/12"\n')
    found = []
    for how in (Execution(), Execution(boxes=3, shuffle=5, instructions=_core.instruction_sets()[-1])):
        simulation = simulate(World.from_text(text, overrides=overrides), how)
        with pytest.raises(_core.StepError) as caught:
            simulation.advance(np.inf, NEVER, 60.0)
        details = caught.value.details
        assert details["id"] in simulation.id
        assert details["step"] == simulation.step_count >= 1
        assert details["time"] == simulation.time
        assert len(details["position"]) == len(details["velocity"]) == len(details["acceleration"]) == 3
        assert details["density"] is not None
        assert 1 <= len(details["neighbors"]) <= 8
        for neighbor in details["neighbors"]:
            assert neighbor["id"] in simulation.id
            assert neighbor["id"] != details["id"]
            assert neighbor["distance"] >= 0
        assert f"particle {details['id']}" in str(caught.value)
        assert f"step {details['step']}" in str(caught.value)
        assert reason is None or reason in details["reason"]
        found.append((details["id"], details["step"], details["position"], details["reason"]))
    assert found[0] == found[1]
