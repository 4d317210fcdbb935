"""The order of folders: which may include and import which, in core and in the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CORE = ROOT / "core"
PACKAGE = ROOT / "python" / "eddyline"

CORE_ORDER = (
    "base", "comm", "world", "grid", "particles", "decompose", "exchange", "neighbors", "patches", "linear",
    "physics", "solver", "domain", "device", "observe", "solvers", "driver",
)  # fmt: skip
"""A folder may include those before it. Some are not there yet."""

PACKAGE_ORDER = (
    "option_names", "cores", "argument_types", "execution_arguments", "files", "remote", "_core", "signals",
    "modules", "mesh", "world", "solvers", "stream", "ranks", "plot", "plan", "live", "run", "compare",
    "sweep", "simulation", "__init__", "bench", "validate", "serve", "cli", "__main__",
)  # fmt: skip
"""A part may import those before it. `__init__` is the public face; what stands after it uses it."""

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
INTRINSICS = re.compile(r"(^|/)(\w*intrin|arm_neon|arm_sve|immintrin)\.h$")


def sources() -> list[Path]:
    return sorted([*CORE.rglob("*.hpp"), *CORE.rglob("*.cpp")])


def includes(path: Path) -> list[tuple[str, str]]:
    """(bracket, name) of every include of a file."""
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def core_folder(path: Path) -> str:
    return path.relative_to(CORE).parts[0]


def all_includes() -> Iterator[tuple[Path, str, str]]:
    for path in sources():
        for bracket, name in includes(path):
            yield path, bracket, name


# --- core -----------------------------------------------------------------------------------------


def test_core_has_no_folder_without_a_place():
    found = {path.name for path in CORE.iterdir() if path.is_dir()}
    assert found <= set(CORE_ORDER), f"give {sorted(found - set(CORE_ORDER))} a place in CORE_ORDER"
    assert not [path.name for path in CORE.iterdir() if path.is_file()], "core holds folders only"


def test_core_includes_only_what_stands_above():
    wrong = []
    for path, bracket, name in all_includes():
        if bracket == "<":
            continue
        own, other = core_folder(path), name.split("/")[0]
        if other not in CORE_ORDER or CORE_ORDER.index(other) > CORE_ORDER.index(own):
            wrong.append(f"{path.relative_to(ROOT)} includes {name}")
    assert not wrong, "against the order:\n" + "\n".join(wrong)


def test_core_includes_exist_and_start_at_core():
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, bracket, name in all_includes()
        if bracket == '"' and not (CORE / name).is_file()
    ]
    assert not missing, "\n".join(missing)


def test_no_two_core_folders_include_each_other():
    """The rule holds at all depths, e.g. for physics/sph and physics/delta."""
    uses = {
        (path.parent, (CORE / name).parent)
        for path, bracket, name in all_includes()
        if bracket == '"' and path.parent != (CORE / name).parent
    }
    # A folder and a room inside it are one folder: world/shapes.hpp is the face of world/shapes/.
    pairs = {
        f"{a.relative_to(CORE)} and {b.relative_to(CORE)}"
        for a, b in uses
        if (b, a) in uses and a < b and a not in b.parents
    }
    assert not pairs, "\n".join(sorted(pairs))


SPH_ORDER = ("state", "domain", "lists", "step", "observe")
"""The folders of the SPH solver; each may include those before it. Files beside them include any."""


def test_parts_of_the_sph_solver_include_only_what_stands_above():
    own = CORE / "solvers" / "sph"
    wrong = []
    for path, bracket, name in all_includes():
        inside = path.relative_to(own).parts[0] if path.is_relative_to(own) else ""
        other = name.removeprefix("solvers/sph/").split("/")[0] if name.startswith("solvers/sph/") else ""
        is_within = bracket == '"' and inside in SPH_ORDER and other in SPH_ORDER
        if is_within and SPH_ORDER.index(other) > SPH_ORDER.index(inside):
            wrong.append(f"{path.relative_to(ROOT)} includes {name}")
    assert not wrong, "against the order:\n" + "\n".join(wrong)
    assert {path.name for path in own.iterdir() if path.is_dir()} == {*SPH_ORDER, "openings"}


def test_mpi_is_known_to_comm_only():
    wrong = [str(path) for path, _, name in all_includes() if name == "mpi.h" and core_folder(path) != "comm"]
    assert not wrong


def test_intrinsics_stay_in_base_and_flavours():
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, _, name in all_includes()
        if INTRINSICS.search(name) and core_folder(path) != "base" and "flavours" not in path.parts
    ]
    assert not wrong


def test_packs_of_one_width_are_included_by_flavours_only():
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, _, name in all_includes()
        if re.fullmatch(r"base/pack_\w+\.hpp", name)
        and "flavours" not in path.parts
        and not (core_folder(path) == "base" and path.name.startswith("pack_"))
    ]
    assert not wrong


def test_core_knows_neither_python_nor_sockets():
    foreign = re.compile(r"^(Python\.h|nanobind/.*|pybind11/.*|sys/socket\.h|netdb\.h|hdf5.*)$")
    wrong = [f"{path.relative_to(ROOT)}: {name}" for path, _, name in all_includes() if foreign.match(name)]
    assert not wrong


def test_loops_shared_out_as_threads_come_count_with_signed_numbers():
    """The OpenMP of builds with the thread sanitizer knows no others, and these builds are rare."""
    loop = re.compile(r"#pragma omp [^\n]*schedule\(dynamic[^\n]*\n\s*for \(([\w:]+) ")
    types = [(path.name, name) for path in sources() for name in loop.findall(path.read_text("utf-8"))]
    assert len(types) >= 3
    assert {name for _, name in types} <= {"int", "long", "std::int32_t", "std::int64_t"}, types


def test_headers_are_included_once():
    wrong = [
        str(path.relative_to(ROOT)) for path in CORE.rglob("*.hpp") if "#pragma once" not in path.read_text()
    ]
    assert not wrong


# --- the package ----------------------------------------------------------------------------------


def module_name(path: Path) -> str:
    """eddyline/world/draw.py is eddyline.world.draw."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """The part that a module belongs to: eddyline.world.draw to `world`, eddyline itself to `__init__`."""
    return module.split(".")[1] if "." in module else "__init__"


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """(module, line) of all that a file imports of the package, also inside functions and for types."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "eddyline":
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            if base == "eddyline":
                for alias in node.names:
                    inside = (PACKAGE / alias.name).is_dir() or (PACKAGE / f"{alias.name}.py").is_file()
                    is_module = inside or alias.name == "_core"
                    yield f"eddyline.{alias.name}" if is_module else "eddyline", node.lineno
            elif base.startswith("eddyline."):
                yield base, node.lineno


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_package_has_no_part_without_a_place():
    found = {part_of(module_name(path)) for path in modules()} | {"__main__"}
    assert found <= set(PACKAGE_ORDER), f"give {sorted(found - set(PACKAGE_ORDER))} a place in PACKAGE_ORDER"


def test_package_imports_only_what_stands_below():
    wrong = []
    for path in modules():
        own = "__main__" if path == PACKAGE / "__main__.py" else part_of(module_name(path))
        for module, line in imports(path):
            other = part_of(module)
            if other not in PACKAGE_ORDER or PACKAGE_ORDER.index(other) > PACKAGE_ORDER.index(own):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "against the order:\n" + "\n".join(wrong)


def test_the_compiled_core_is_private():
    """Files for users never import `_core`; the package does, and the tests of the core may."""
    seen = [ROOT / name for name in ("examples", "benchmarks", "validation", "worlds", "docs", "README.md")]
    files = [
        file for place in seen for file in (place.rglob("*") if place.is_dir() else [place]) if file.is_file()
    ]
    wrong = [
        str(file.relative_to(ROOT))
        for file in files
        if file.suffix in (".py", ".md", ".toml", ".ipynb")
        and re.search(r"\bimport\b[^\n]*\b_core\b|\beddyline\._core\b", file.read_text(encoding="utf-8"))
    ]
    assert not wrong


@pytest.mark.parametrize(
    "text", ["from . import _core\n", "from .. import run\n", "import eddyline.plot.frame\n"]
)
def test_the_reader_of_imports_sees(tmp_path, monkeypatch, text):
    folder = tmp_path / "eddyline" / "world"
    folder.mkdir(parents=True)
    path = folder / "sample.py"
    path.write_text(text)
    (tmp_path / "eddyline" / "run").mkdir()
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path / "eddyline")
    expected = {"from . import _core\n": "eddyline.world", "from .. import run\n": "eddyline.run"}
    assert [module for module, _ in imports(path)] == [expected.get(text, "eddyline.plot.frame")]
