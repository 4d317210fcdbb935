"""The device that computes the steps of a run: the processor, or a GPU with the same bits (docs/gpu.md)."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.option_names import given
from eddyline.run.errors import RequestError

if TYPE_CHECKING:
    from eddyline.world import World

DEVICES = ("cpu", "gpu", "emulated")
"""cpu: the processor. gpu: an NVIDIA GPU. emulated: the loops of the GPU, on the processor, for tests."""
LIBRARY = "eddyline_cuda.so"
NAMED = "EDDYLINE_CUDA"
"""Environment variable with the path of another library."""


def offered(device: str) -> list[str]:
    """Devices that a lab offers for a run: the processor, a GPU if there is one, and the lab's own."""
    found = ["cpu"] + ["gpu"] * has_gpu()
    return found if device in found else [*found, device]


def has_gpu() -> bool:
    """Tells whether this machine has the library for GPUs, a driver, and a GPU."""
    try:
        library_of("gpu")
    except RequestError:
        return False
    return _gpus() > 0


@functools.cache
def _gpus() -> int:
    """Number of GPUs that the driver knows; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    return 0 if failed else count.value


def check_name(device: str) -> None:
    """Raises RequestError for an unknown device."""
    from eddyline.world.problems import listed

    if device not in DEVICES:
        raise RequestError(f"{given('device', device)}: must be {listed(DEVICES, 'or')}")


def check_device(device: str) -> None:
    """Raises RequestError for an unknown device, or if the library for GPUs is missing."""
    check_name(device)
    library_of(device)


def check_world(device: str, world: World, lazy: int = 1) -> None:
    """Raises RequestError for what a device cannot compute yet."""
    check_name(device)
    if device == "cpu":
        return
    why = refusal(device, world)
    if not why and lazy > 1:
        why = "lazy steps cannot be computed on a device"
    if why:
        raise RequestError(f"{given('device', device)}: {why}; use {given('device', 'cpu')}")


def refusal(device: str, world: World) -> str:
    """The reason why a device cannot compute a world yet; "": it can."""
    from eddyline import _core

    return "" if device == "cpu" else _core.device_refusal(world.core)


def needs(device: str, world: World) -> str:
    """The needs of a run on a device, in a sentence; "" for the processor."""
    from eddyline import _core
    from eddyline.world.describe import size_text

    if device == "cpu":
        return ""
    found = _core.estimate(world.core)
    each = found.device_bytes / max(1, found.fluid_particles)
    return (
        f"about {size_text(found.device_bytes)} of its memory, {each:.0f} bytes for each particle of the "
        "fluid; the run time above is that of the processor"
    )


def library_of(device: str) -> str:
    """Path of the library for a device; "" for those that need none. Raises RequestError if it is missing."""
    from eddyline import _core

    if device != "gpu":
        return ""
    named = os.environ.get(NAMED)
    path = Path(named) if named else Path(_core.__file__).with_name(LIBRARY)
    if path.is_file():
        return str(path)
    where = f"{path} does not exist" if named else "this build of Eddyline has no library for GPUs"
    raise RequestError(
        f"{given('device', device)}: {where}; build it in the source folder with `make gpu`, or use "
        f"{given('device', 'cpu')}, which gives the same result"
    )
