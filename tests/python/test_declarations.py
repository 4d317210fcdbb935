"""Declarations of a solver stand once: quantities, columns and their units, labels, names of sides, tags."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import eddyline
from eddyline import _core
from eddyline.execution_arguments import options
from eddyline.run.replay import replay
from eddyline.world.quantities import DERIVED
from eddyline.world.schema import SIDE_KINDS, SIDES, Boundaries, InflowPatch
from eddyline.world.solver import plain_outline

ROOT = Path(__file__).resolve().parents[2]
CORE, PACKAGE, PAGE = ROOT / "core", ROOT / "python" / "eddyline", ROOT / "lab" / "src"

UNITS = "m/s|m|Pa|1/s|1/s^2|kg/m^3|K|1||W|N|N m|J|kg|s|kg/s|kg m/s"
"""Units of columns and quantities, without those that equations outside the package have."""
DECLARATION = re.compile(
    r'"([a-z]\w*)"(?:, |: )(?:std::string\()?"(?:' + "|".join(map(re.escape, UNITS.split("|"))) + r')(?:/m)?"'
)
"""A name beside its unit."""
DECLARED_BY = {
    "solver/column.cpp": "columns and quantities that solvers share",
    "solvers/amr/describe.cpp": "the solver amr, besides those of its equations",
    "solvers/mps/describe.cpp": "the solver mps",
    "solvers/multiblock/observe/describe.cpp": "the solver multiblock",
    "solvers/sph/observe/describe.cpp": "the solver sph",
    "observe/world_observers.cpp": "series of bodies, gauges and fronts",
    "observe/isosurface/isosurface.cpp": "quantities of surfaces that are derived from velocities",
}
"""Files of the core that declare names with units; each name stands in one place for each solver."""


def sources() -> list[Path]:
    return sorted([*CORE.rglob("*.hpp"), *CORE.rglob("*.cpp")])


def plain_worlds() -> Iterator[_core.World]:
    """A world of each solver, dimension and matter, with all that has a series."""
    for name in _core.solver_names():
        for dimensions in (2, 3):
            for matter in ("liquid", "ideal_gas"):
                yield plain_outline(name, dimensions, matter)
    for equations in _core.equation_names():
        yield plain_outline("amr", 3, equations=equations, levels=2)


def declared(paths: Iterable[Path]) -> Iterator[tuple[set[str], Path]]:
    """(names, file) for the names that files write beside their units."""
    known = {name for world in plain_worlds() for name, *_ in _core.quantities(world)}
    for world in plain_worlds():
        known |= {name for columns in _core.series_columns(world).values() for name, _ in columns}
    known |= {name for columns in DERIVED.values() for name, _ in columns} | {"height", "torque", "power"}
    for path in paths:
        names = {found[1] for found in DECLARATION.finditer(path.read_text(encoding="utf-8"))} & known
        if names:
            yield names, path


def test_a_quantity_and_a_column_stand_in_one_place() -> None:
    in_core = {str(path.relative_to(CORE)): names for names, path in declared(sources())}
    of_equations = {name for name in in_core if name.startswith("physics/")}
    assert in_core.keys() - of_equations == DECLARED_BY.keys()
    assert all(name.endswith("/model.hpp") for name in of_equations)
    elsewhere = {str(path.relative_to(ROOT)): names for names, path in declared(PACKAGE.rglob("*.py"))}
    assert elsewhere == {
        "python/eddyline/world/quantities.py": {name for columns in DERIVED.values() for name, _ in columns},
        "python/eddyline/stream/cells.py": {"level"},  # of each cell of a snapshot
    }
    assert not list(declared([*PAGE.rglob("*.ts"), *PACKAGE.rglob("*.cpp")]))


def test_labels_of_quantities_stand_in_one_place() -> None:
    """Only the density of a liquid is shown as what it is not in the core."""
    labels = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        for _ in re.finditer(r'Pictured\(\s*"', path.read_text(encoding="utf-8"))
    ]
    assert labels == ["python/eddyline/solvers/sph.py"]


def test_names_of_sides_stand_in_one_place() -> None:
    """The core has one; the package has the keys of [boundaries], and what an opening may face."""
    pattern = re.compile(r'"left",\s*"right",\s*"bottom",\s*"top"')
    lists = [
        str(path.relative_to(ROOT))
        for path in [*sources(), *PACKAGE.rglob("*.py")]
        for _ in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert sorted(lists) == ["core/world/sides.hpp", "python/eddyline/world/schema/sides.py"]
    assert SIDES == _core.SIDES == tuple(Boundaries.model_fields)
    assert InflowPatch.model_json_schema()["properties"]["facing"]["anyOf"][0]["enum"] == list(SIDES)


def test_kinds_of_sides_are_listed_by_core_binding_and_stub() -> None:
    """Besides, each is a class with its keys in the schema."""
    pattern = re.compile(r"\W+".join(SIDE_KINDS))
    files = [*sources(), *PACKAGE.rglob("*.cpp"), *PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
    lists = {
        str(path.relative_to(ROOT)) for path in files if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert lists == {
        "core/world/world.hpp", "python/eddyline/bindings/world.cpp", "python/eddyline/_core.pyi",
    }  # fmt: skip


def test_tags_are_handed_out_by_name() -> None:
    """No file but one makes a tag from a number."""
    makers = [
        str(path.relative_to(CORE))
        for path in sources()
        if re.search(
            r"static_cast<(?:comm::)?Tag>|(?:comm::)?Tag\{\d|Tag\(\d", path.read_text(encoding="utf-8")
        )
    ]
    assert makers == ["comm/tags.hpp"]


EXECUTION = {
    "core/solver/execution.hpp": "the member with its default",
    "core/solver/execution_options.hpp": "its name in the package",
    "python/eddyline/_core.pyi": "its type for type checkers",
    "python/eddyline/execution_arguments.py": "its default, its type, and one sentence",
}


def test_an_option_of_execution_stands_in_four_places() -> None:
    """Two are in the core, which every binding has, and one in the package; functions and commands ask."""
    names = [name for name, each in options().items() if each.metadata["core"]]
    assert set(names) <= set(_core.execution_options())
    distinct = ("decomposition", "rebalance", "exchange", "boxes", "device")
    assert set(distinct) <= set(names)
    pattern = re.compile(r"\b(decomposition|rebalance|exchange|boxes|device)\b\"?(?:: | = |, execution)")
    files = [*sources(), *PACKAGE.rglob("*.cpp"), *PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
    lists = {
        str(path.relative_to(ROOT))
        for path in files
        if len({found[1] for found in pattern.finditer(path.read_text(encoding="utf-8"))}) == len(distinct)
    }
    assert lists == EXECUTION.keys()


def test_keywords_are_the_options_of_execution() -> None:
    text = (PACKAGE / "execution_arguments.py").read_text(encoding="utf-8")
    keywords = text.split("class Keywords(")[1].split("\n\n\n")[0]
    written = dict(re.findall(r"^        (\w+): (.+)$", keywords, re.MULTILINE))
    assert written == {name: each.type for name, each in options().items()}
    for function in (eddyline.run, eddyline.resume, replay):
        parameters = inspect.signature(function).parameters
        assert [name for name in parameters if name in written] == list(written)
        assert all(f"{name}: {each.metadata['help']}" in function.__doc__ for name, each in options().items())
    with pytest.raises(TypeError, match="pigeons"):
        eddyline.run("dam_break", pigeons=True)  # type: ignore[call-arg]
