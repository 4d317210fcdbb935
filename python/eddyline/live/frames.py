"""Frames of a running simulation, and their rate."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.live import codes
from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.live.surfaces import add_surfaces
from eddyline.plot.scene import MESH_PIXEL

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.world import World

SHARE, SMOOTH_SHARE = 0.006, 0.02
"""Largest share of the computing time that frames may take, and if a viewer asks for a smooth picture;
expensive frames are sent less often."""
SLOWEST = 0.5  # frames a second, whatever they cost
MOST_PARTICLES = 400_000  # particles of a frame; of more, always the same subset
MOST_COLUMNS = 1600  # of a raster of cells
FASTEST = 30.0  # frames a second


class Pace:
    """Schedule of frames: as often as viewers request, within their share of the computing time."""

    def __init__(self) -> None:
        self._next = 0.0
        self._began = self._began_computing = 0.0

    def is_due(self, wanted: float) -> bool:
        """wanted: frames a second."""
        return wanted > 0 and clock.perf_counter() >= self._next

    def left(self, wanted: float) -> float:
        """Seconds until the next frame; infinity without viewers."""
        return max(0.0, self._next - clock.perf_counter()) if wanted > 0 else float("inf")

    def begin(self) -> None:
        """Called before a frame is made."""
        self._began, self._began_computing = clock.perf_counter(), clock.thread_time()

    def end(self, wanted: float, sending: float, *, smooth: bool = False) -> None:
        """Called after a frame was made. Its cost is processor time, as other programs may use the processor,
        too. sending: time to send the previous frame [s]."""
        cost = clock.thread_time() - self._began_computing + sending
        share = SMOOTH_SHARE if smooth else SHARE
        self._next = self._began + max(1 / min(wanted, FASTEST), min(cost / share, 1 / SLOWEST))


def frame_of(world: World, simulation: _core.Simulation, index: int, view: pb.View) -> pb.Message:
    """The state now, with what a view requests: particles, from which the hub makes rasters, or rasters of
    cells; and surfaces."""
    if not (view.quantities or view.particles) and view.surfaces:
        frame = packed(frame=pb.Frame(index=index, step=simulation.step_count, time=simulation.time))
    elif simulation.has_points:
        frame = particles_frame(world, simulation, index, view)
    else:
        frame = cells_frame(world, simulation, index, view)
    add_surfaces(frame.frame, simulation, view)
    return frame


def cells_frame(world: World, simulation: _core.Simulation, index: int, view: pb.View) -> pb.Message:
    """Rasters of the requested quantities, at most one pixel per cell of a grid. In 3D: the middle plane."""
    core = world.core
    known = dict(simulation.quantities)
    names = [name for name in view.quantities if name in known] or [world.output.quantity]
    cells = round(core.size[0] / (core.spacing if core.mesh is None else MESH_PIXEL * core.spacing))
    columns = min(cells, view.columns or MOST_COLUMNS, MOST_COLUMNS)
    rows = max(2, round(core.size[1] / core.size[0] * columns))
    low, size = core.origin, core.size
    middle = low[2] + 0.5 * size[2] if world.dimensions == 3 else 0.0
    upper = (low[0] + size[0], low[1] + size[1], middle)
    drawn = simulation.rasters(names, (rows, columns), (low[0], low[1], middle), upper)
    frame = pb.Frame(index=index, step=simulation.step_count, time=simulation.time)
    for name, values in zip(names, drawn, strict=True):
        frame.rasters.append(codes.raster(name, known[name], values, (low[:2], upper[:2])))
    return packed(frame=frame)


def particles_frame(world: World, simulation: _core.Simulation, index: int, view: pb.View) -> pb.Message:
    """The fluid now, for the rasters of the hub: all particles, or always the same subset."""
    total = simulation.fluid_count
    most = MOST_PARTICLES if view.quantities or not view.most_particles else view.most_particles
    every = 1
    while total > every * most:
        every *= 2
    glance: dict[str, Any] = simulation.glance(every, view.ids)
    table = np.frombuffer(glance["particles"], dtype="<u2").reshape(-1, 8)
    dimensions = world.dimensions
    low = np.array(world.file.domain.origin or (0.0,) * dimensions)
    high = low + np.array(world.file.domain.size)
    if every == 1:
        total = len(table)  # without those beyond open sides
    made = pb.Particles(count=len(table), total=total, ids=glance["ids"])
    for axis in range(dimensions):
        made.position.append(codes.given(table[:, axis], float(low[axis]), float(high[axis])))
    speed = glance["speed"]
    for axis in range(dimensions):
        velocity = codes.given(table[:, 3 + axis], -speed, speed)
        made.carried.add(quantity=f"velocity_{'xyz'[axis]}", values=velocity)
    made.carried.add(quantity="pressure", values=codes.given(table[:, 6], *glance["pressure"]))
    made.carried.add(quantity="density", values=codes.given(table[:, 7], *glance["density"]))
    frame = pb.Frame(index=index, step=simulation.step_count, time=simulation.time, particles=made)
    return packed(frame=frame)
