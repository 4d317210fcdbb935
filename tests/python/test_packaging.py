"""The package's descriptions agree: pyproject.toml, constraints, conda recipe, Dockerfile and job script; the
build shows its progress."""

from __future__ import annotations

import fnmatch
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomlkit
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT: dict[str, Any] = tomlkit.parse((ROOT / "pyproject.toml").read_text(encoding="utf-8")).unwrap()
PROJECT = PYPROJECT["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base", "xxhash": "python-xxhash"}
LINKED_IN_CONDA = {"nanobind-backend"}


def requirements(lines: list[str]) -> dict[str, SpecifierSet]:
    """Requirements by name, without markers."""
    parsed = [Requirement(re.sub(r"^([\w.-]+) +(?=[<>=!~])", r"\1", line)) for line in lines]
    return {canonicalize_name(each.name): each.specifier for each in parsed}


PINNED = requirements(
    [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
)


# --- versions -------------------------------------------------------------------------------------


def test_pinned_versions_are_allowed() -> None:
    """Every library that is pinned is pinned to a version that pyproject.toml allows; those of a run are."""
    wanted = [*PROJECT["dependencies"], *PYPROJECT["build-system"]["requires"]]
    wanted += [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    needed = requirements(wanted)
    assert set(needed) <= set(PINNED)
    for name, allowed in needed.items():
        version = next(iter(PINNED[name])).version
        assert Version(version) in allowed, f"{name} {version} is pinned, {allowed} is allowed"


def test_packaging_tools_are_pinned() -> None:
    assert set(requirements(PYPROJECT["dependency-groups"]["package"])) <= set(PINNED)


# --- conda ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    return found


def test_the_recipe_has_this_version(recipe: dict[str, Any]) -> None:
    assert recipe["context"]["version"] == PROJECT["version"]
    assert recipe["package"]["name"] == PROJECT["name"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    (script,) = recipe["build"]["python"]["entry_points"]
    assert script == f"eddyline = {PROJECT['scripts']['eddyline']}"


def test_the_recipe_needs_the_same_libraries(recipe: dict[str, Any]) -> None:
    needed = requirements(PROJECT["dependencies"])
    expected = {CONDA_NAMES.get(name, name): str(allowed) for name, allowed in needed.items()}
    expected = {name: allowed for name, allowed in expected.items() if name not in LINKED_IN_CONDA}
    run = {name: str(allowed) for name, allowed in requirements(recipe["requirements"]["run"]).items()}
    assert run == expected | {"python": PROJECT["requires-python"]}


def test_the_recipe_is_built_with_the_same_tools(recipe: dict[str, Any]) -> None:
    host = requirements(recipe["requirements"]["host"])
    for name, allowed in requirements(PYPROJECT["build-system"]["requires"]).items():
        assert name in host and (name == "mpich" or host[name] == allowed)
    assert recipe["build"]["script"].endswith("--config-settings=wheel.py-api=")  # nanobind is linked in


# --- container ------------------------------------------------------------------------------------


def instructions(text: str) -> list[tuple[str, str]]:
    """(name, arguments) of each instruction of a Dockerfile."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in joined.splitlines()]


def test_the_container_runs_the_command_as_nobody_special() -> None:
    found = instructions((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    names = [name for name, _ in found]
    last = found[len(names) - 1 - names[::-1].index("FROM") :]
    given = dict(last)
    assert names.count("FROM") == 2
    assert given["ENTRYPOINT"] == f'["{PROJECT["name"]}"]' and int(given["USER"]) > 0
    versions = re.findall(r"FROM python:(\d+\.\d+)-slim", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert len(versions) == 2 and len(set(versions)) == 1  # a wheel's libraries are those of its base
    assert versions[0] in SpecifierSet(PROJECT["requires-python"])
    assert "constraints.txt" in dict(last)["RUN"] and "g++" not in dict(last)["RUN"]
    extras = re.findall(r"EXTRAS=\[(\w+)\]", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert extras and set(extras) <= set(PROJECT["optional-dependencies"])


def test_the_container_gets_all_that_the_build_reads() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] not in ("#", "")]
    let_in = {line[1:] for line in rules if line.startswith("!")}
    needed = {
        PROJECT["readme"],
        *PROJECT["license-files"],
        "CMakeLists.txt",
        "constraints.txt",
        "pyproject.toml",
    }
    build = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8").split("if(EDDYLINE_TESTS)")[0]
    needed |= {"core", "python"} | set(re.findall(r"install\(DIRECTORY (\w+)", build))
    assert rules[0] == "*" and needed <= let_in
    assert not any(fnmatch.fnmatch("python/eddyline/wrong.so", rule) for rule in let_in)


# --- job script -----------------------------------------------------------------------------------


def submit(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the job script as Slurm's first node does, with a starter that says what it is asked for."""
    starter = folder / "srun"
    starter.write_text('#!/bin/sh\nprintf "%s\\n" "$*"\n')
    starter.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", ROOT / "examples" / "slurm.sh", *arguments], cwd=folder, capture_output=True, text=True,
        check=False, env={"PATH": path, "SLURM_CPUS_PER_TASK": "4", "SLURM_JOB_ID": "17", **environment},
    )  # fmt: skip


def test_the_job_script_asks_for_what_the_command_knows(tmp_path: Path) -> None:
    from typer.main import get_command

    from eddyline.cli import app

    new = submit(tmp_path, "worlds/dam_break.toml", "--until", "0.1")
    on = submit(tmp_path, RESUME="runs/dam_break-17")
    assert new.returncode == 0 and on.returncode == 0, new.stderr + on.stderr
    asked = "--mpi=pmi2 --cpus-per-task=4 eddyline"
    assert new.stdout == (
        f"{asked} run worlds/dam_break.toml --threads 4 --out runs/dam_break-17 --until 0.1\n"
    )
    assert on.stdout == f"{asked} resume runs/dam_break-17 --threads 4\n"
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    for line in (new.stdout, on.stdout):
        words = shlex.split(line.split("eddyline ", 1)[1])
        known = {option for parameter in commands[words[0]].params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_the_job_script_wants_a_world(tmp_path: Path) -> None:
    done = submit(tmp_path)
    assert done.returncode != 0 and done.stderr.rstrip().endswith(
        "name a world: sbatch slurm.sh WORLD [OPTION ...]"
    )


# --- progress of the build ------------------------------------------------------------------------


def progress() -> Any:
    spec = importlib.util.spec_from_file_location("progress", ROOT / "tools" / "progress.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILD = r"""
print("Preparing metadata")
print("  [1/3] Building CXX object CMakeFiles/eddyline_core.dir/core/comm/wait.cpp.o")
print("  [2/3] Linking CXX static library libeddyline_core.a")
print("core/comm/wait.cpp:3:1: error: expected expression")
raise SystemExit(CODE)
"""


def test_a_build_shows_its_steps() -> None:
    out = io.StringIO()
    code = progress().build([sys.executable, "-c", BUILD.replace("CODE", "0")], out)
    assert code == 0
    assert out.getvalue() == "[1/3] Building core/comm/wait.cpp\n[2/3] Linking libeddyline_core.a\n"


def test_a_build_that_fails_shows_all() -> None:
    out = io.StringIO()
    code = progress().build([sys.executable, "-c", BUILD.replace("CODE", "3")], out)
    assert code == 3
    assert "Preparing metadata" in out.getvalue() and "expected expression" in out.getvalue()
