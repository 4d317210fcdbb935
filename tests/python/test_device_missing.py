"""Devices that are missing, and what a device cannot compute: one line before anything runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import law_worlds
import pytest
from typer.testing import CliRunner

from eddyline import _core, cli, run
from eddyline.run import device as device_of_runs
from eddyline.run.device import LIBRARY, NAMED
from eddyline.run.errors import RequestError
from eddyline.world import World


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        (law_worlds.VORTICES + '[method]\nname = "mps"\n', {}, "mps"),
        (law_worlds.VORTICES, {"lazy": 2}, "lazy steps cannot be computed on a device"),
        (law_worlds.VORTICES, {"device": "tpu"}, "must be cpu, gpu or emulated"),
    ],
)
def test_what_a_device_cannot_compute_is_refused_before_the_run(
    text: str, options: dict[str, object], found: str, tmp_path: Path
) -> None:
    world = World.from_text(text)
    with pytest.raises(RequestError, match=found):
        run(world, **({"device": "emulated", "out": tmp_path / "run"} | options))  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


def test_a_missing_library_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAMED, str(tmp_path / LIBRARY))
    with pytest.raises(RequestError, match="does not exist; build it in the source folder with `make gpu`"):
        run(World.from_text(law_worlds.VORTICES), device="gpu", out=tmp_path / "run")


def test_a_library_of_something_else_is_one_line(tmp_path: Path) -> None:
    world = World.from_text(law_worlds.VORTICES)
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(_core.UserError, match=r'device = "gpu": .*text\.so.*\[gpu\]'):
        _core.Simulation(world.core, device="gpu", device_library=str(text))
    with pytest.raises(_core.UserError, match="is not a library for GPUs"):
        _core.Simulation(world.core, device="gpu", device_library=_core.__file__)


@pytest.mark.parametrize(
    "why",
    [
        "there is no NVIDIA driver. Install one for CUDA 13.0 or newer",
        "the NVIDIA driver supports CUDA 11.4, but 13.0 is needed. Update the driver",
        "no NVIDIA GPU can be used (no CUDA-capable device is detected)",
    ],
)
def test_what_the_library_finds_missing_is_one_line(why: str, tmp_path: Path) -> None:
    """A library that finds no driver, an old one, or no GPU."""
    source, library = tmp_path / "fake.cpp", tmp_path / "fake.so"
    source.write_text(
        "#include <stdexcept>\n"
        'extern "C" void* eddyline_make_flow(const char*, int, int, int) '
        f'{{ throw std::runtime_error("{why}"); }}\n'
    )
    subprocess.run(["c++", "-shared", "-fPIC", source, "-o", library], check=True)
    world = World.from_text(law_worlds.VORTICES)
    with pytest.raises(_core.UserError) as found:
        _core.Simulation(world.core, device="gpu", device_library=str(library))
    assert str(found.value).startswith(f'device = "gpu": {why}; or compute with device = "cpu"')
    assert "\n" not in str(found.value)


class _Driver:
    """Stands in for libcuda."""

    def __init__(self, gpus: int, failure: int = 0) -> None:
        self.gpus, self.failure = gpus, failure

    def cuInit(self, _flags: int) -> int:  # noqa: N802
        return self.failure

    def cuDeviceGetCount(self, count: object) -> int:  # noqa: N802
        count._obj.value = self.gpus  # type: ignore[attr-defined]
        return 0


@pytest.mark.parametrize(
    ("driver", "offered"),
    [(None, False), (_Driver(0), False), (_Driver(2), True), (_Driver(2, failure=100), False)],
    ids=["no driver", "no GPU", "two GPUs", "driver fails"],
)
def test_a_gpu_is_offered_if_there_is_one(
    driver: _Driver | None, offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(_name: str) -> _Driver:
        if driver is None:
            raise OSError("libcuda.so.1: cannot open shared object file")
        return driver

    monkeypatch.setattr(device_of_runs, "_gpus", device_of_runs._gpus.__wrapped__)
    monkeypatch.setattr(device_of_runs.ctypes, "CDLL", load)
    monkeypatch.setenv(NAMED, str(tmp_path / LIBRARY))
    assert device_of_runs.offered("cpu") == ["cpu"]  # no library
    (tmp_path / LIBRARY).touch()
    assert device_of_runs.offered("cpu") == (["cpu", "gpu"] if offered else ["cpu"])
    assert device_of_runs.offered("emulated")[-1] == "emulated"


def test_check_refuses_like_run(tmp_path: Path) -> None:
    path = tmp_path / "implicit.toml"
    path.write_text(law_worlds.VORTICES + '[method]\nname = "mps"\n')
    done = CliRunner().invoke(cli.app, ["check", str(path), "--device", "gpu"])
    assert done.exit_code != 0
    found = " ".join(done.output.split())
    assert (
        "--device gpu: method.name = " in found
        and "cannot be computed on a device yet; use --device cpu" in found
    )
