"""Equations in the notation of tensors: Einstein's, in flat space and on waves whose solution is known."""

from __future__ import annotations

import json
import math
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ways import needs_ranks

from eddyline import _core, modules
from eddyline.modules import library as libraries
from eddyline.modules.symbolic import Equations
from eddyline.world import World

sympy = pytest.importorskip("sympy")
einstein = pytest.importorskip("einstein")
from eddyline.modules.symbolic_code import closure  # noqa: E402
from eddyline.modules.tensors import Tensors  # noqa: E402

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "modules" / "z4c"
PARAMETERS = {
    "kappa1": 0.3,
    "kappa2": 0.4,
    "eta": 1.7,
    "driver": 0.75,
    "log": 2.0,
    "harmonic": 0.1,
    "damping": 0.2,
}
AXES = "xyz"

Values = dict[str, float]


# --- indices ---------------------------------------------------------------------------------------------


def test_indices_are_summed_and_compared() -> None:
    e = Equations(2)
    t = Tensors(e)
    g, v = t.symmetric("g", ""), t.vector("v", "")
    xx, xy, yy = (g.parts[at] for at in ((0, 0), (0, 1), (1, 1)))
    assert g["ii"] == xx + yy
    assert sympy.expand(g["ij"] * v["i"] * v["j"] - (xx * v.parts[0,] ** 2 + yy * v.parts[1,] ** 2)) == (
        2 * xy * v.parts[0,] * v.parts[1,]
    )
    assert (g["ij"] + g["ji"] - 2 * g["ij"]).parts == dict.fromkeys(g.parts, 0)
    assert t.d(v["i"], "i") == e.d(v.parts[0,], 0) + e.d(v.parts[1,], 1)
    product = t.d(xx * xy, "i").parts[1,]
    assert sympy.expand(product - xx * e.d(xy, 1) - xy * e.d(xx, 1)) == 0
    u = t.inverse("u", g)
    unit = g["ij"] * u["jk"]
    known = {each: e.definitions[each] for each in e.definitions}
    for (i, k), part in unit.parts.items():
        assert sympy.simplify(part.subs(known).subs(known).subs(known)) == int(i == k)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda t, g, v: t.d(g["ij"], "ii"), "ijii: an index occurs more than twice"),
        (lambda t, g, v: g["ij"] + v["i"], "cannot add components with indices i to those with ij"),
        (lambda t, g, v: g["ij"] + 1, "cannot add 1 to components with indices ij"),
        (lambda t, g, v: g["i"], r"g\[i\]: has 2 indices"),
        (lambda t, g, v: t.rate(v, "i", g["ij"]), "has the indices ij in place of i"),
        (lambda t, g, v: t.d(t.d(v["i"], "jk"), "l"), "takes two derivatives of a field at most"),
    ],
)
def test_what_is_wrong_with_indices_is_told(make: Any, line: str) -> None:
    t = Tensors(Equations(2))
    g, v = t.symmetric("g", ""), t.vector("v", "")
    with pytest.raises(modules.ModuleError, match=line):
        make(t, g, v)


# --- rates of Einstein's equations -----------------------------------------------------------------------


class Rates:
    """The rates and constraints of the example as functions of the fields and their derivatives."""

    def __init__(self) -> None:
        self.e: Equations = runpy.run_path(str(EXAMPLE / "equations.py"))["equations"](3)
        self.results = {str(field): self.e.rates[field] for field in self.e.fields}
        self.results |= {name: each for name, _, each in (*self.e.integrals, *self.e.extremes)}
        self.needed = closure(list(self.results.values()), self.e.definitions)
        self.functions = {each: self.function(self.e.definitions[each]) for each in self.needed}
        self.ends = {name: self.function(each) for name, each in self.results.items()}

    @staticmethod
    def function(expression: Any) -> tuple[list[Any], Any]:
        names = sorted(expression.free_symbols, key=str)
        return names, sympy.lambdify(names, expression, "math")

    def at(self, values: Values, changed: Any = None, by: Any = None) -> Values:
        """changed: a definition or the name of a result that has another function, `by`."""
        known: dict[Any, float] = {field: values[str(field)] for field in self.e.fields}
        for symbol, each in self.e.derivatives.items():
            axes = "".join(AXES[axis] for axis in each.axes)
            known[symbol] = 0.0 if each.kind == "rough" else values[f"{each.field}__{axes}"]
        known |= {each: PARAMETERS[str(each)] for each in self.e.parameters}
        for symbol in self.needed:
            names, function = by if symbol == changed else self.functions[symbol]
            known[symbol] = function(*(known[name] for name in names))
        found = {}
        for end in self.results:
            names, function = by if end == changed else self.ends[end]
            found[end] = function(*(known[name] for name in names))
        return found


@pytest.fixture(scope="module")
def rates() -> Rates:
    return Rates()


@pytest.fixture(scope="module")
def flat() -> tuple[Values, Values]:
    """Flat space in bent, moving coordinates: fields with derivatives, and what the rates must be there."""
    values, moving = einstein.with_derivatives(
        tuple(einstein.mp.mpf(each) for each in ("0.3", "0.2", "-0.4", "0.7"))
    )
    now = {name: float(value) for name, value in values.items()}
    return now, expected(now, {name: float(value) for name, value in moving.items()})


def expected(now: Values, moving: Values) -> Values:
    """Rates of the geometry as they are in flat space, of lapse and shift as the gauge says."""

    def carried(name: str) -> float:
        return sum(now[f"beta_{axis}"] * now[f"{name}__{axis}"] for axis in AXES)

    p, alpha = PARAMETERS, now["alpha"]
    found = dict(moving)
    found["alpha"] = carried("alpha") - alpha * (p["log"] + p["harmonic"] * alpha) * now["K"]
    for axis in AXES:
        beta = f"beta_{axis}"
        found[beta] = carried(beta) + p["driver"] * now[f"G_{axis}"] - p["eta"] * now[beta]
    constraints = ("hamiltonian_2", "momentum_2", "theta_2", "max_hamiltonian", "max_momentum")
    return found | dict.fromkeys(constraints, 0.0)


def violated(now: Values, known: Values) -> tuple[Values, Values]:
    """The same with Theta and G^i that violate the constraints, but the same extrinsic curvature."""
    theta, slope, more = 0.2, np.array([0.13, -0.21, 0.17]), np.array([0.3, -0.2, 0.1])
    p, alpha = PARAMETERS, now["alpha"]
    g = np.array([[now[f"g_{''.join(sorted(i + j))}"] for i in AXES] for j in AXES])
    carried = sum(now[f"beta_{axis}"] * slope[k] for k, axis in enumerate(AXES))
    changed, found = dict(now), dict(known)
    changed["theta"], changed["K"] = theta, now["K"] - 2 * theta
    found["alpha"] += 2 * theta * alpha * (p["log"] + p["harmonic"] * alpha)
    found["K"] += alpha * p["kappa1"] * (1 - p["kappa2"]) * theta - 2 * carried
    found["theta"] += carried - alpha * p["kappa1"] * (2 + p["kappa2"]) * theta
    for k, axis in enumerate(AXES):
        changed[f"theta__{axis}"] = slope[k]
        changed[f"K__{axis}"] -= 2 * slope[k]
        changed[f"G_{axis}"] += more[k]
        found[f"G_{axis}"] += 2 * alpha * (np.linalg.inv(g) @ slope - p["kappa1"] * more)[k]
        found[f"beta_{axis}"] += p["driver"] * more[k]
    del found["theta_2"]
    return changed, found


def curved(now: Values, known: Values) -> tuple[Values, Values]:
    """The same with a larger K, which is not flat: half of what violates the constraint changes Theta."""
    more, trace = 0.4, now["K"]
    rate = known["theta"] + now["alpha"] / 3 * ((trace + more) ** 2 - trace**2)
    return now | {"K": trace + more}, {"theta": rate}


def largest_error(found: Values, known: Values) -> float:
    return max(abs(found[name] - known[name]) for name in known)


def test_rates_are_those_of_flat_space_in_bent_moving_coordinates(
    rates: Rates, flat: tuple[Values, Values]
) -> None:
    """Also where constraints are violated, with the terms that make violations decay."""
    assert max(abs(value) for value in flat[1].values()) > 0.05
    for now, known in (flat, violated(*flat), curved(*flat)):
        assert largest_error(rates.at(now), known) < 1e-12


def changes(expression: Any) -> Iterator[Any]:
    """The expression with each of its factors that is a number changed by a percent."""
    for part in sympy.preorder_traversal(expression):
        if part.is_Mul and part.args[0].is_Number:
            yield expression.xreplace({part: sympy.Rational(101, 100) * part})


@pytest.mark.matrix
def test_a_percent_in_each_number_of_the_rates_is_noticed(rates: Rates, flat: tuple[Values, Values]) -> None:
    cases = (flat, violated(*flat), curved(*flat))
    all_of = {each: rates.e.definitions[each] for each in rates.needed} | rates.results
    tried = 0
    for name, expression in all_of.items():
        if str(name) == "outside" or str(name).startswith("max_"):
            continue
        for other in changes(expression):
            tried += 1
            errors = [
                largest_error(rates.at(now, name, Rates.function(other)), known) for now, known in cases
            ]
            assert max(errors) > 1e-10, f"{name} = {other}"
    assert tried > 200


def test_projections_keep_the_determinant_and_the_trace(rates: Rates, flat: tuple[Values, Values]) -> None:
    e, values = rates.e, dict(flat[0])
    for k, field in enumerate(each for each in e.fields if str(each).startswith(("g_", "A_"))):
        values[str(field)] *= 1 + 0.02 * math.sin(k)
    values["chi"] = -1.0
    known: dict[Any, float] = {field: values[str(field)] for field in e.fields}
    for symbol in closure(list(e.projections.values()), e.definitions):
        names, function = Rates.function(e.definitions[symbol])
        known[symbol] = function(*(known[name] for name in names))
    for field, expression in e.projections.items():
        names, function = Rates.function(expression)
        values[str(field)] = function(*(known[name] for name in names))
    g, a = (
        np.array([[values[f"{name}_{''.join(sorted(i + j))}"] for i in AXES] for j in AXES]) for name in "gA"
    )
    assert abs(np.linalg.det(g) - 1) < 1e-12
    assert abs(np.trace(np.linalg.inv(g) @ a)) < 1e-12
    assert values["chi"] == 1e-4


# --- the module --------------------------------------------------------------------------------------------


def built(folder: Path, instructions: Sequence[str]) -> Path:
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    modules.build(folder, instructions)
    return folder


@pytest.fixture(scope="module")
def z4c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("modules") / "z4c", ["scalar"])


def gauge_wave(folder: Path, n: int, end: float = 0.125) -> World:
    return World.load(folder / "z4c.toml", {"let.n": n, "let.end": end})


def error_of_gauge_wave(folder: Path, n: int) -> float:
    """Root of the mean square error of g_xx."""
    world = gauge_wave(folder, n)
    simulation = _core.Simulation(world.core)
    simulation.advance(world.end, 10_000, 1e9)
    x = simulation.values("cells", "position_x", 0, 64 * n)
    exact = (1 - 0.1 * np.sin(2 * np.pi * (x - simulation.time))) ** (2 / 3)
    return float(np.sqrt(np.mean((simulation.values("cells", "g_xx", 0, 64 * n) - exact) ** 2)))


@pytest.mark.matrix
def test_a_gauge_wave_converges_with_order_4(z4c: Path) -> None:
    coarse, fine = (error_of_gauge_wave(z4c, n) for n in (12, 24))
    assert fine < 1e-4
    assert math.log2(coarse / fine) == pytest.approx(4, abs=0.3)


def bits(world: World, steps: int = 6, **how: Any) -> list[Any]:
    simulation = _core.Simulation(world.core, **how)
    simulation.advance(math.inf, steps, 1e9)
    series = {name: rows.tobytes() for name, (_, _, rows) in simulation.take_series().items()}
    return [simulation.checksum(), series]


@pytest.mark.matrix
def test_nothing_that_changes_how_einsteins_equations_are_computed_changes_a_bit(z4c: Path) -> None:
    path, start = z4c / "z4c.toml", {"let.n": 12}
    known = bits(World.load(path, start), threads=1)
    assert bits(World.load(path, start | {"method.patch": 8}), threads=2) == known
    assert bits(World.load(path, start), boxes=3) == known


@pytest.mark.matrix
def test_mirrors_give_what_the_whole_of_space_gives(z4c: Path) -> None:
    """Components of tensors change their sign once for each of their axes that is that of the mirror."""
    start = {"let.L": 4, "let.n": 2, "method.levels": 1, "method.refine": "x < 0"}
    names = ["chi", "g_xx", "A_xy", "A_yz", "A_zz", "G_x", "beta_y"]

    def cells(changes: dict[str, Any]) -> np.ndarray:
        world = World.load(z4c / "puncture.toml", start | changes)
        simulation = _core.Simulation(world.core)
        simulation.advance(math.inf, 4, 1e9)
        n = simulation.count("cells")
        x = np.array([simulation.values("cells", f"position_{axis}", 0, n) for axis in AXES])
        inside = (x > 0).all(axis=0)
        found = np.array([simulation.values("cells", name, 0, n) for name in names])[:, inside]
        return found[:, np.lexsort(x[:, inside])]

    whole = {"domain.origin": [-4, -4, -4], "domain.size": [8, 8, 8]}
    whole |= {f"boundaries.{side}": {"type": "open"} for side in ("left", "bottom", "front")}
    part, all_of = cells({}), cells(whole)
    assert (np.abs(part).max(axis=1) > 1e-4).all()
    assert np.abs(part - all_of).max() < 1e-13


@pytest.mark.matrix
@needs_ranks
def test_two_black_holes_have_the_same_bits_on_all_instruction_sets_and_ranks(tmp_path: Path) -> None:
    folder = built(tmp_path / "z4c", list(_core.instruction_sets()))
    path = folder / "merger.toml"
    small = {"let.n": 4, "let.L": 16, "method.levels": 3}
    known = bits(World.load(path, small), steps=2, instructions="scalar", threads=1)
    for instructions in _core.instruction_sets():
        assert (
            bits(World.load(path, small | {"method.patch": 8}), steps=2, instructions=instructions, threads=2)
            == known
        )
        assert bits(World.load(path, small), steps=2, instructions=instructions, boxes=3) == known
    prints = set()
    for ranks in (1, 2, 3):
        out = tmp_path / str(ranks)
        command = [sys.executable, "-m", "eddyline", "run", str(path), "--ranks", str(ranks), "--steps", "2"]
        for change in ("let.n=4", "let.L=16", "method.levels=3"):
            command += ["--set", change]
        command += ["--out", str(out), "--quiet"]
        subprocess.run(command, check=True, timeout=300, env=os.environ | {libraries.VARIABLE: str(tmp_path)})
        prints.add(json.loads((out / "run.json").read_text())["fingerprint"])
    assert len(prints) == 1
