"""Equations outside the package: a module is started, built, found and run; what is wrong with it is told in
one line."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomlkit
from typer.testing import CliRunner
from ways import needs_ranks

import eddyline
from eddyline import _core, modules
from eddyline.cli import app
from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.hello import hello
from eddyline.live.steering import RefusedError, Steering, mark
from eddyline.modules import compiler as building
from eddyline.modules import library as libraries
from eddyline.modules.description import RESERVED
from eddyline.plot import colors
from eddyline.run.replay import replay
from eddyline.solvers.amr import AmrOptions
from eddyline.world import World, WorldError, terms

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "modules"
NATIVE = "avx2" if "avx2" in _core.instruction_sets() else "scalar"

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "clang++", "c++")), reason="no C++ compiler"
)


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example of heat conduction, built in 2D."""
    folder = tmp_path_factory.mktemp("modules") / "heat"
    shutil.copytree(EXAMPLES / "heat", folder, ignore=shutil.ignore_patterns("*.so"))
    file = folder / "module.toml"
    file.write_text(file.read_text().replace("[parameters.kappa]", "dimensions = [2]\n[parameters.kappa]", 1))
    modules.build(folder, [NATIVE])
    return folder


def world_of(folder: Path, **changes: Any) -> World:
    overrides = {"let.n": 32, "time.end": 0.2} | {
        key.replace("__", "."): value for key, value in changes.items()
    }
    return World.load(folder / f"{folder.name}.toml", overrides)


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def told(result: Any) -> str:
    """The one line of an error."""
    assert result.exit_code == 2, result.output
    text = result.stderr.strip()
    assert "\n" not in text and "Traceback" not in result.output
    return str(text)


def bits(world: World, **how: Any) -> list[Any]:
    """State, series and pictures at the end."""
    simulation = _core.Simulation(world.core, **how)
    simulation.advance(world.end, 10_000, 1e9)
    series = {name: rows.tobytes() for name, (_, _, rows) in simulation.take_series().items()}
    pictures = simulation.rasters(["T"], (17, 23), (0, 0, 0), (1, 1, 0)).tobytes()
    return [simulation.checksum(), series, pictures]


# --- what works without a line of the module's own ---------------------------------------------------


def test_nothing_that_changes_how_a_module_is_computed_changes_a_bit(heat: Path) -> None:
    known = bits(world_of(heat), instructions="scalar", threads=1)
    for instructions in _core.instruction_sets():
        assert bits(world_of(heat, method__patch=8), instructions=instructions, threads=2) == known
        assert bits(world_of(heat), instructions=instructions, boxes=3) == known


@pytest.mark.parametrize("n", [16, 32])
def test_heat_decays_as_the_exact_solution(heat: Path, n: int) -> None:
    world = world_of(heat, let__n=n)
    simulation = _core.Simulation(world.core)
    simulation.advance(world.end, 10_000, 1e9)
    values = simulation.values("cells", "T", 0, n * n).reshape(n, n)
    x = (np.arange(n) + 0.5) / n
    k = 2 * np.pi
    exact = np.sin(k * x) * np.sin(k * x)[:, None] * np.exp(-2 * 0.01 * k**2 * simulation.time)
    assert np.abs(values - exact).max() < 0.55 / n**2


def steered_bits(
    world: World, commands: Sequence[tuple[int, pb.Command]], instructions: str = "auto", threads: int = 1,
    boxes: int = 1, steps: int = 20, end: float = math.inf,
) -> int:  # fmt: skip
    """The checksum after some steps with commands."""
    simulation = _core.Simulation(world.core, instructions=instructions, threads=threads, boxes=boxes)
    steering = Steering(world)
    for step, command in commands:
        simulation.advance(math.inf, step, 60.0)
        simulation.take_series()
        steering.apply(steering.plan(command, simulation.time), simulation)
    simulation.advance(end, steps, 60.0)
    return simulation.checksum()


def test_a_parameter_changes_while_the_run_goes_on_and_the_law_holds(heat: Path) -> None:
    world = world_of(heat, let__n=16)
    more = pb.Command(id="a", parameter=pb.Parameter(name="kappa", value="0.02"))
    # The time step goes with 1/kappa, so that the state after so many steps is the same for any kappa.
    long: dict[str, Any] = {"steps": 1000, "end": 0.6}
    steered = steered_bits(world, [(5, more)], **long)
    assert steered != steered_bits(world, (), **long)
    assert steered_bits(world, [(5, more)], steps=5) == steered_bits(world, (), steps=5)
    for way in (("scalar", 1, 1), ("auto", 2, 3)):
        assert steered_bits(world, [(5, more)], *way, **long) == steered
    # From a checkpoint, in the world as steered, the run goes on with the same bits, and with its time step.
    first = _core.Simulation(world.core, threads=1)
    first.advance(math.inf, 5, 60.0)
    before = first.time_step
    steering = Steering(world)
    steering.apply(steering.plan(more, first.time), first)
    assert first.time_step == pytest.approx(before / 2)
    rest = _core.Simulation(steering.world.core, threads=1)
    rest.restore(iter([first.save()]))
    rest.advance(0.6, 1000, 60.0)
    assert rest.checksum() == steered
    (offered,) = hello(world, "", "", "T", 1, steering.abilities()).parameters
    assert (offered.name, offered.value, offered.unit) == ("kappa", "0.01", "m^2/s")
    told_to_viewers = mark(journal.Entry(5, first.time, more, "as told"))
    assert (told_to_viewers.parameter, told_to_viewers.value) == ("kappa", "0.02")
    (shown,) = steering.present().parameters
    assert (shown.name, shown.value, shown.unit) == ("kappa", "0.02", "m^2/s")


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("kapa", "1", "'kapa' is not a parameter that can change; known: kappa."),
        ("kappa", "-1", "method.parameters.kappa = -1 m^2/s; must be > 0."),
        ("kappa", "heat", "unknown name `heat`"),
        ("kappa", "1e999", "must be a finite number"),
    ],
)
def test_a_parameter_that_a_world_could_not_have_is_refused(
    heat: Path, name: str, value: str, line: str
) -> None:
    steering = Steering(world_of(heat))
    assert steering.abilities()["parameter"] == "" and steering.abilities()["gravity"]
    with pytest.raises(RefusedError, match=r"^parameter: ") as caught:
        steering.plan(pb.Command(parameter=pb.Parameter(name=name, value=value)), 0.1)
    assert line in str(caught.value) and "\n" not in str(caught.value)


def test_a_run_has_pictures_series_and_checkpoints(heat: Path, tmp_path: Path) -> None:
    path, small = heat / "heat.toml", ["--set", "let.n=16", "--set", "output.pictures=2"]
    small += ["--set", "output.snapshots=2", "--set", "time.end=0.4"]
    for name, steps in (("whole", ()), ("parts", ("--steps", 10))):
        done = run("run", path, *small, *steps, "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "whole" / "pictures" / "final.png").stat().st_size > 10_000
    assert colors.quantity_of("T", None).label == "temperature"
    assert "max_T" in (tmp_path / "whole" / "series" / "budget.csv").read_text()
    # A folder of a run holds no code, and nothing says where its world was.
    libraries._last_found.clear()
    resumed = run("resume", tmp_path / "parts")
    assert "EDDYLINE_MODULES" in told(resumed)


def test_a_run_is_resumed_with_the_module_that_the_environment_names(
    heat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(libraries.VARIABLE, f"/nowhere:{heat.parent}")
    for name, steps in (("whole", ()), ("parts", ("--steps", 10))):
        world = ["--set", "let.n=16", "--set", "output.pictures=0", "--set", "output.snapshots=2"]
        assert run("run", heat / "heat.toml", *world, *steps, "--out", tmp_path / name).exit_code == 0
    assert run("resume", tmp_path / "parts").exit_code == 0
    same = run("compare", tmp_path / "whole", tmp_path / "parts")
    assert same.exit_code == 0 and "identical" in same.output


def test_a_run_goes_on_only_with_the_version_of_the_module_that_began_it(
    heat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(libraries.VARIABLE, str(heat.parent))
    out = tmp_path / "run"
    world = ["--set", "let.n=16", "--set", "output.pictures=0", "--set", "output.snapshots=2"]
    assert run("run", heat / "heat.toml", *world, "--steps", 10, "--out", out).exit_code == 0
    version = json.loads((out / "run.json").read_text())["versions"]["module:heat"]
    assert version == modules.find("heat", [heat]).version
    monkeypatch.setattr(libraries.Library, "version", property(lambda self: "0123456789abcdef"))
    for command in ("resume", "replay"):
        line = told(run(command, out, *(() if command == "resume" else ("--out", tmp_path / "again"))))
        assert (
            f"module:heat has changed since this run began (sources {version}, now 0123456789abcdef)" in line
        )
    assert run("run", heat / "heat.toml", *world, "--steps", 10, "--out", tmp_path / "new").exit_code == 0
    same = run("compare", out, tmp_path / "new").output
    assert "module:heat is of another version in each" in same


def test_an_installed_package_brings_a_module_as_an_entry_point(
    heat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, about = tmp_path / "site" / "warm", tmp_path / "site" / "warm-1.0.dist-info"
    package.mkdir(parents=True), about.mkdir()
    (package / "__init__.py").write_text("")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: warm\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[eddyline.modules]\nheat = warm\ncold = nowhere_at_all\n")
    shutil.copy(heat / "heat.toml", tmp_path)
    monkeypatch.syspath_prepend(str(package.parent))
    assert "has no heat.module.so" in told(run("check", tmp_path / "heat.toml"))
    shutil.copy(heat / "heat.module.so", package)
    assert run("check", tmp_path / "heat.toml", "--set", "let.n=16").exit_code == 0
    listed = run("module", "list", tmp_path).output
    assert f"heat conduction ({package}" in listed and "cold  cannot be used" in listed


def test_modules_are_listed(heat: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.module.so").write_bytes(b"\x7fELF")
    listed = run("module", "list", heat.parent).output
    assert "heat" in listed and "heat conduction" in listed
    assert "broken  cannot be used" in run("module", "list", tmp_path).output


def test_a_module_that_has_changed_since_it_was_built_is_noted(heat: Path) -> None:
    file = heat / "heat.hpp"
    text = file.read_text()
    try:
        file.write_text(text + "// changed\n")
        assert any("have changed since it was built" in line for line in world_of(heat).warnings)
    finally:
        file.write_text(text)
    assert not world_of(heat).warnings


# --- what is wrong is told in one line ---------------------------------------------------------------


def test_a_value_that_is_not_finite_ends_the_run_with_its_step_its_cell_and_its_module(heat: Path) -> None:
    world = world_of(heat, let__n=16, start__fields__T="1e308*sin(40*x)")
    simulation = _core.Simulation(world.core, threads=1)
    told = r"step 1, .* the cell at \(.*not finite.* of module:heat: look there"
    with pytest.raises(_core.StepError, match=told):
        simulation.advance(math.inf, 3, 60.0)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"method__equations": "module:cold"}, "there is no cold.module.so beside the world"),
        ({"method__equations": "module:../heat"}, "must be module: and a name of small letters"),
        (
            {"method__equations": "heat"},
            "must be wave, gravity, euler, navier-stokes, euler-poisson or burgers",
        ),
        ({"method__parameters__kapa": 1}, 'have no such parameter. Did you mean "kappa"?'),
        ({"method__parameters__kappa": 0}, "method.parameters.kappa = 0 m^2/s; must be > 0."),
        ({"domain__size": [1, 1, 1]}, "the module has equations in 2D, and this world is 3D"),
        ({"method__levels": 2, "method__refine": "TT > 0"}, "unknown name `TT`"),
        ({"output__quantity": "p"}, "pictures of a 2D world show T"),
        ({"start__fields__u": "1"}, "Known: T."),
    ],
)
def test_what_a_world_has_wrong_about_a_module_is_told_in_one_line(
    heat: Path, changes: dict[str, Any], line: str
) -> None:
    with pytest.raises(WorldError) as caught:
        world_of(heat, **changes)
    assert line in str(caught.value) and "\n" not in str(caught.value)


def test_a_module_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    modules.new_module("puff", parent=tmp_path)
    line = told(run("check", tmp_path / "puff" / "puff.toml"))
    assert "the module is not built. Run `eddyline module build" in line


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        ("heat.hpp", "Q sum(0.0)", "Q sum(zero)", r"module heat: .*heat\.hpp:\d+: .*zero"),
        ("heat.hpp", "k_fields = 1", "k_field = 1", r"module heat: .*heat\.hpp: .*k_fields"),
        ("module.toml", 'name  = "heat"', 'name  = "cold"', r"the folder has no cold\.hpp"),
        ("module.toml", "title = ", "titel = ", r"module\.toml: title: Field required"),
        ("module.toml", "default     = 0.01", "default     = -1", r"default = -1 must be > 0"),
        (
            "module.toml",
            "parameters.kappa",
            "parameters.cfl",
            r"module\.toml: parameters\.cfl has the name of",
        ),
        ("module.toml", "title =", "title", r"module\.toml: "),
    ],
)
def test_what_is_wrong_with_a_module_is_told_in_one_line(
    tmp_path: Path, file: str, old: str, new: str, line: str
) -> None:
    shutil.copytree(EXAMPLES / "heat", tmp_path / "heat", ignore=shutil.ignore_patterns("*.so"))
    path = tmp_path / "heat" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert re.search(line, told(run("module", "build", tmp_path / "heat", "--instructions", "scalar")))
    assert not list((tmp_path / "heat").glob("*.so*")) and not list((tmp_path / "heat").glob(".*"))


def test_a_machine_without_a_compiler_is_told_in_one_line(
    heat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert "CXX = no-such-compiler: there is no such compiler" in told(run("module", "build", heat))
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "/nowhere")
    assert "there is no C++ compiler" in told(run("module", "build", heat))


def test_a_module_of_another_version_is_refused(heat: Path, tmp_path: Path) -> None:
    content = (heat / "heat.module.so").read_bytes()
    own = building.headers_hash(building.include_folder())
    assert own.encode() in content and _core.module_abi().startswith(own)
    path = tmp_path / "heat.module.so"
    path.write_bytes(content[: -len(libraries._seal(b""))].replace(own.encode(), b"0" * len(own)))
    libraries.seal(path)
    shutil.copy(heat / "heat.toml", tmp_path)
    line = told(run("check", tmp_path / "heat.toml"))
    assert "was built for another version of Eddyline" in line and "eddyline module build" in line


@pytest.mark.parametrize("length", [0, 100, -100])
def test_a_damaged_library_is_refused_before_it_is_loaded(heat: Path, tmp_path: Path, length: int) -> None:
    (tmp_path / "heat.module.so").write_bytes((heat / "heat.module.so").read_bytes()[:length])
    shutil.copy(heat / "heat.toml", tmp_path)
    assert "is damaged, or not a module" in told(run("check", tmp_path / "heat.toml"))


def test_worlds_of_others_load_no_module(heat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "_confined", True)
    with pytest.raises(WorldError, match="as this program reads worlds of others"):
        world_of(heat)


# --- what the package brings -------------------------------------------------------------------------


def closure(names: Sequence[str]) -> set[str]:
    """Headers of the core that these include, and they themselves."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            text = (ROOT / "core" / name).read_text(encoding="utf-8")
            waiting += re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)
    return found


def test_the_package_brings_all_headers_that_modules_include() -> None:
    needed = ["physics/modules/library.hpp", "physics/equations/loops.hpp"]
    needed += ["physics/modules/particle_library.hpp", "physics/terms/model_sweep.hpp"]
    needed += ["physics/modules/scalar_library.hpp"]
    needed += [name for _, headers, _ in building.INSTRUCTIONS.values() for name in headers]
    needed += [name for _, name in building.OF_PARTICLES.values()]
    listed = (ROOT / "core" / building.LIST).read_text().split()
    assert listed == sorted(closure(needed))
    assert all(os.fspath(name) in listed for name in needed)


def test_flags_of_modules_are_those_of_the_core() -> None:
    cmake = (ROOT / "CMakeLists.txt").read_text()
    for name, (_, _, flags) in building.INSTRUCTIONS.items():
        assert f"set(flags_{name} {' '.join(flags)})" in cmake
    assert " ".join(building.SCHEDULING) in cmake
    assert "-ffp-contract=off" in building.FLAGS and "-fno-math-errno" in building.FLAGS


def test_a_new_module_has_all_its_files(tmp_path: Path) -> None:
    folder = modules.new_module("puff", parent=tmp_path)
    names = {path.name for path in folder.iterdir()}
    assert names == {"puff.hpp", "puff.toml", "module.toml", "README.md", "test_puff.py"}
    assert not any("@NAME@" in path.read_text() for path in folder.iterdir())
    drop = modules.new_module("drop", "particles", parent=tmp_path)
    assert {path.name.replace("drop", "puff") for path in drop.iterdir()} == names
    assert not any("@NAME@" in path.read_text() for path in drop.iterdir())
    assert modules.description.read(drop).method == "particles"
    dye = modules.new_module("dye", "blocks", parent=tmp_path)
    assert {path.name.replace("dye", "puff") for path in dye.iterdir()} == names
    assert not any("@NAME@" in path.read_text() for path in dye.iterdir())
    assert modules.description.read(dye).method == "blocks"
    with pytest.raises(modules.ModuleError, match="is there already"):
        modules.new_module("puff", parent=tmp_path)
    with pytest.raises(modules.ModuleError, match="must be made of small letters"):
        modules.new_module("Puff", parent=tmp_path)
    with pytest.raises(modules.ModuleError, match="must be patches, particles or blocks"):
        modules.new_module("wing", "spheres", parent=tmp_path)


@pytest.mark.parametrize("like", ["heat", "membrane"])
def test_a_new_module_may_begin_as_a_copy_of_an_example(like: str, tmp_path: Path) -> None:
    folder = modules.new_module("plate", parent=tmp_path, like=like)
    own = {"heat": "plate.hpp", "membrane": "equations.py"}[like]
    assert {path.name for path in folder.iterdir()} == {own, "plate.toml", "module.toml"}
    assert modules.description.read(folder).name == "plate"
    assert 'equations = "module:plate"' in (folder / "plate.toml").read_text()
    with pytest.raises(modules.ModuleError, match=r"no such example\. Known: acoustics, burgers"):
        modules.new_module("dish", parent=tmp_path, like="hat")


def test_parameters_have_no_names_of_options() -> None:
    assert {*AmrOptions.model_fields, "library"} == RESERVED


def test_examples_are_short_and_say_what_they_are() -> None:
    names = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert names == set(EXAMPLE_NAMES)
    page = (ROOT / "docs" / "modules.md").read_text()
    for name in names:
        about = modules.description.read(EXAMPLES / name)
        assert about.name == name and f"`examples/modules/{name}`" in page
        sources = [*(EXAMPLES / name).glob("*.hpp"), *(EXAMPLES / name).glob("equations.py")]
        most = 150 if name == "z4c" else 100  # it has 22 fields
        assert len(sources) == 1 and len(sources[0].read_text().splitlines()) < most


# --- equations in the notation of SymPy --------------------------------------------------------------


def symbolic(tmp_path: Path, *lines: str, order: int = 2) -> str:
    """The header of a module whose equations.py has these lines, with u, v, c and e."""
    pytest.importorskip("sympy")
    folder = tmp_path / "own"
    folder.mkdir(exist_ok=True)
    (folder / "module.toml").write_text(
        'name = "own"\ntitle = "own"\ndimensions = [2]\n[parameters.c]\ndefault = 1\n'
    )
    head = ("import sympy", "from eddyline.modules.symbolic import Equations", "def equations(dimensions):")
    body = (f"e = Equations(dimensions, {order})", 'u, v = e.field("u", "m"), e.field("v", "m")')
    body += ('c = e.parameter("c")', *lines, "return e")
    (folder / "equations.py").write_text("\n".join([*head, *(f"    {line}" for line in body)]) + "\n")
    return modules.symbolic.generate(folder, modules.description.read(folder))


def test_common_parts_are_computed_once_and_products_are_fused(tmp_path: Path) -> None:
    lines = ("e.rate(u, (u + v)**3 * c + v)", "e.rate(v, (u + v)**3 / 2 + e.laplace(u))", "e.speed(c)")
    text = symbolic(tmp_path, *lines)
    rates = text.split("rates(const Stencil")[1]
    assert rates.count("u + v") + rates.count("v + u") == 1 and "fma(Q(0.5)" in rates
    assert (
        '{"u", "m", Meaning::point, Reach::star}' in text
        and '{"v", "m", Meaning::point, Reach::none}' in text
    )
    assert text == symbolic(tmp_path, *lines)


def test_equations_without_sympy_say_how_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    folder = modules.new_module("skin", parent=tmp_path, like="membrane")
    with pytest.raises(modules.ModuleError, match=re.escape('pip install "eddyline[symbolic]"')):
        modules.symbolic.generate(folder, modules.description.read(folder))


@pytest.mark.parametrize("wind", [1.0, -1.0])
@pytest.mark.parametrize("order", [2, 4, 6])
def test_generated_differences_are_exact_for_polynomials(tmp_path: Path, order: int, wind: float) -> None:
    """The code is run in Python on u = (x - y) x^(order - 1), for which the differences are exact."""
    lines = ("e.rate(u, e.d(u, 0) + v*e.upwind(v, u, 0))", "e.speed(c)")
    lines = ("e.rate(v, e.d(u, 1, 1) + e.d(u, 0, 1) + e.roughness(u))", *lines)
    text = symbolic(tmp_path, *lines, order=order).split("rates(const Stencil")[1]
    n, h, at = 40, 0.5, (3.0, 2.0)

    class Stencil:
        spacing = h
        stride = staticmethod(lambda field: (1, n))
        at = staticmethod(lambda field: 0)
        value = staticmethod(lambda field: wind)

    def load(offset: int) -> float:
        row = (offset + n // 2) // n
        x, y = at[0] + (offset - row * n) * h, at[1] + row * h
        return (x - y) * x ** (order - 1)

    names: dict[str, Any] = {
        "s": Stencil,
        "spacing": h,
        "fma": lambda a, b, c: a * b + c,
        "Q": float,
        "load": load,
        "select": lambda condition, yes, no: yes if condition else no,
    }
    text = text.replace("const double* const", "const Q").replace("; const std::ptrdiff_t", ";\nconst Q")
    for name, code in re.findall(r"const Q (\w+) = (.*);", text):
        names[name] = eval(code.replace("Q::load", "load"), names)
    x, y = at
    assert names["u__x"] == pytest.approx(order * x ** (order - 1) - (order - 1) * y * x ** (order - 2))
    assert names["u__xy"] == pytest.approx(-(order - 1) * x ** (order - 2))
    assert names["u__yy"] == pytest.approx(0, abs=1e-6)
    assert names["u__upwind_v_x"] == pytest.approx(names["u__x"])
    assert names["u__roughxy"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("e.rate(u, v)", "e.speed(c)"), "v has no rate"),
        (("e.rate(u, v)", "e.rate(v, u)"), "speed() is missing"),
        (("e.rate(u, sympy.exp(v))", "e.rate(v, u)", "e.speed(c)"), "uses exp, which modules cannot call"),
        (("e.rate(u, v**1.5)", "e.rate(v, u)", "e.speed(c)"), "powers are whole numbers"),
        (("e.rate(u, sympy.Symbol('k'))", "e.rate(v, u)", "e.speed(c)"), "k is neither a field nor"),
        (("e.rate(u, e.d(u*v, 0))",), "takes a field and one or two axes"),
        (("e.rate(u, w)",), "NameError: line 7: name 'w' is not defined"),
        (('k = e.parameter("k")', "e.rate(u, v)", "e.rate(v, u)", "e.speed(k)"), "k is not in module.toml"),
        (('e.field("t1", "m")',), "t1 cannot be a name"),
        (('e.let("u", v)',), "u is declared twice"),
        (("e.rate(u, v)", "e.rate(v, u)", "e.speed(e.d(u, 0))"), "know one cell only"),
        (("e.upwind(c, u, 0)",), "takes two fields and an axis"),
    ],
)
def test_what_is_wrong_with_symbolic_equations_is_told_in_one_line(
    tmp_path: Path, lines: tuple[str, ...], line: str
) -> None:
    with pytest.raises(modules.ModuleError) as caught:
        symbolic(tmp_path, *lines)
    assert line in str(caught.value) and "\n" not in str(caught.value), str(caught.value)


EXAMPLE_NAMES = (
    *("heat", "shallow_water", "burgers", "acoustics", "gray_scott", "lake", "membrane", "wide", "z4c"),
)


@pytest.mark.matrix
def test_a_module_for_particles_works_from_its_template_on(tmp_path: Path) -> None:
    """All instruction sets, both precisions, boxes and threads give the same bits; the template runs its own
    test; a formula gives the same forces; parameters can be steered; ranks and replay give the same bits."""
    folder = modules.new_module("drop", "particles", parent=tmp_path)
    modules.build(folder)
    assert pytest.main(["-q", "-p", "no:cacheprovider", str(folder / "test_drop.py")]) == 0
    path = folder / "drop.toml"
    for precision in ("single", "double"):
        world = World.load(path, {"let.n": 12, "method.precision": precision})
        ways = [(name, 2, 3) for name in _core.instruction_sets()] + [("scalar", 1, 1)]
        assert len({steered_bits(world, (), *way) for way in ways}) == 1
        formula = "-100/(1000/n^2)*m_i*m_j*(q*(1 - q))^3"
        old = 'module     = "drop"\nparameters = { kappa = 100 }'
        text = path.read_text().replace(old, f'central = "{formula}"')
        other = World.from_text(text, overrides={"let.n": 12, "method.precision": precision})
        assert np.abs(moved(world) - moved(other)).max() < (1e-13 if precision == "double" else 1e-5)
        assert "conserves momentum and angular momentum" in dict(terms.describe(world))["term"]
    more = pb.Command(id="a", parameter=pb.Parameter(name="cohesion.kappa", value="120"))
    assert steered_bits(world, [(5, more)]) != steered_bits(world, ())
    assert steered_bits(world, [(5, more)]) == steered_bits(world, [(5, more)], "scalar", 2, 3)
    for key, value, line in (
        ("terms", [{"name": "a", "module": "drop", "parameters": {"kapa": 1}}], 'Did you mean "kappa"?'),
        ("terms", [{"name": "a", "module": "drop", "parameters": {"kappa": -1}}], "must be >= 0."),
    ):
        document = tomlkit.parse(path.read_text())
        document[key] = value
        with pytest.raises(WorldError, match=re.escape(line)):
            World.from_text(tomlkit.dumps(document), path=path)
    with pytest.raises(WorldError, match=r"the module is for particles; name it in \[\[terms\]\]"):
        World.from_text((EXAMPLES / "heat" / "heat.toml").read_text().replace(":heat", ":drop"), path=path)
    header = folder / "drop.hpp"
    header.write_text(header.read_text().replace("return P(-scale)", "return P(-scal)"))
    assert re.search(r"module drop: .*drop\.hpp:\d+: .*scal", told(run("module", "build", folder)))


def moved(world: World) -> np.ndarray:
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(math.inf, 20, 60.0)
    return simulation.velocity[np.argsort(simulation.id)]


@pytest.mark.matrix
@needs_ranks
def test_a_steered_module_for_particles_is_replayed_on_two_ranks(tmp_path: Path) -> None:
    folder = modules.new_module("drop", "particles", parent=tmp_path)
    modules.build(folder, [NATIVE])
    quietly: dict[str, Any] = {"progress": False, "movie": False, "report": False, "threads": 1}
    plain = eddyline.run(folder / "drop.toml", steps=20, out=tmp_path / "plain", **quietly)
    assert plain.record["versions"]["module:drop"] == modules.find("drop", [folder], "particles").version
    more = pb.Command(id="a", parameter=pb.Parameter(name="cohesion.kappa", value="120"))
    journal.append(plain.folder / journal.NAME, journal.Entry(9, 0.1, more, "as told"))
    once = replay(plain.folder, out=tmp_path / "once", **quietly)
    assert once.fingerprint != plain.fingerprint and "step 9" in once.record["steered"][0]
    command = [sys.executable, "-m", "eddyline", "replay", str(once.folder), "--ranks", "2", "--threads", "1"]
    environment = os.environ | {libraries.VARIABLE: str(tmp_path)}
    done = subprocess.run([*command, "--out", str(tmp_path / "two"), "--quiet"], env=environment, timeout=120)
    assert done.returncode == 0
    assert json.loads((tmp_path / "two" / "run.json").read_text())["fingerprint"] == once.fingerprint


@pytest.mark.matrix
@pytest.mark.parametrize("name", [*EXAMPLE_NAMES, "puff"])
def test_every_example_gives_its_expected_values(name: str, tmp_path: Path) -> None:
    """All instruction sets; the template of a new module runs its own test."""
    if name == "puff":
        folder = modules.new_module("puff", parent=tmp_path)
        modules.build(folder)
        assert pytest.main(["-q", "-p", "no:cacheprovider", str(folder / "test_puff.py")]) == 0
        return
    if name in ("membrane", "z4c"):
        pytest.importorskip("sympy")
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("*.so"))
    modules.build(folder)
    done = run("run", folder / f"{name}.toml", "--out", tmp_path / "run")
    assert done.exit_code == 0 and "inside" in done.output, done.output


BAD = """
    if (velocity[0] > 5) throw UserError("a is too large.");
  }"""


@pytest.mark.matrix
def test_errors_of_a_model_are_told_with_their_place(tmp_path: Path) -> None:
    """A constructor that throws, and a flux that divides by zero."""
    folder = modules.new_module("bad", parent=tmp_path)
    header = folder / "bad.hpp"
    text = header.read_text()
    for old, new in (
        ('settings.number("w", 0)} {}', f'settings.number("w", 0)}} {{{BAD}'),
        ("v * select", "v / select"),
    ):
        assert old in text
        text = text.replace(old, new)
    header.write_text(text)
    modules.build(folder, [NATIVE])
    line = told(run("check", folder / "bad.toml", "--set", "method.parameters.a=6"))
    assert "method is refused by module:bad: a is too large." in line
    done = run("run", folder / "bad.toml", "--set", "start.fields.c=0", "--out", tmp_path / "run")
    assert done.exit_code == 3 and re.search(r"step 1, .*the cell at \(.*\) m has c = ", done.output)


@pytest.mark.matrix
@needs_ranks
def test_ranks_and_levels_give_the_same_bits(tmp_path: Path) -> None:
    folder = tmp_path / "shallow_water"
    shutil.copytree(EXAMPLES / "shallow_water", folder, ignore=shutil.ignore_patterns("*.so"))
    modules.build(folder, [NATIVE])
    changes = {"method.levels": 2, "method.tolerance": 0.02, "method.unit": 4, "output.pictures": 2}
    options = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    for name, how in (("alone", ()), ("shared", ("--ranks", 2))):
        words = [
            "-m",
            "eddyline",
            "run",
            folder / "shallow_water.toml",
            *options,
            *how,
            "--out",
            tmp_path / name,
        ]
        subprocess.run([sys.executable, *map(str, words)], check=True, capture_output=True, cwd=tmp_path)
    same = run("compare", tmp_path / "alone", tmp_path / "shared")
    assert same.exit_code == 0 and "identical" in same.output
