"""A simulation step by step, for notebooks and experiments of one's own."""

from __future__ import annotations

import base64
import html
import io
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.argument_types import number, text, whole, wholes
from eddyline.cores import refusal

if TYPE_CHECKING:
    from eddyline.stream.surfaces import Surface
    from eddyline.world import World

Floats = NDArray[np.float64]


class Simulation:
    """A world at a moment. Writes nothing; `eddyline.run` keeps what it computes.

    world: a World, or the path of a world file. boxes: parts into which the domain is cut. threads: 0 for
    all cores, as far as they pay.
    Neither boxes nor threads change a bit of the result.
    """

    def __init__(self, world: World | str | os.PathLike[str], boxes: int = 1, threads: int = 0) -> None:
        from eddyline import _core
        from eddyline.run.execution_options import MOST_BOXES
        from eddyline.world import World

        self.world = World.of(world)
        whole(boxes=boxes, threads=threads)
        if not 1 <= boxes <= MOST_BOXES:
            raise ValueError(f"boxes = {boxes}: must be from 1 to {MOST_BOXES:,}")
        if threads < 0:
            raise ValueError(f"threads = {threads}: must be >= 0 (0: automatic)")
        if too_many := refusal("threads", threads):
            raise ValueError(too_many)
        self._core = _core.Simulation(self.world.core, boxes=boxes, threads=threads)

    def step(self, n: int = 1) -> None:
        """Makes `n` steps. Ctrl-C stops between two of them. Raises _core.StepError if one breaks down."""
        number(n=n)
        if not (0 <= n < math.inf) or n != int(n):
            raise ValueError(f"n = {n}: must be a whole number, at least 0")
        last = self.steps + int(n)
        while self._core.step_count < last:
            self._core.advance(float("inf"), last, 0.2)

    def advance_to(self, time: float) -> None:
        """Steps until `time` [s] is reached or just passed; makes none if it is past already."""
        number(time=time)
        if not time >= 0:
            raise ValueError(f"time = {time} s: must be at least 0")
        while self._core.time < time:
            self._core.advance(time, 2**62, 0.2)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._core.time

    @property
    def steps(self) -> int:
        """Steps made since the start."""
        return self._core.step_count

    @property
    def time_step(self) -> float:
        """The time step that comes next [s]."""
        return self._core.time_step

    @property
    def particles(self) -> Particles:
        """The fluid as it is now: views without copies, valid until the next step."""
        return Particles(self)

    def field(self, name: str) -> Floats:
        """A field of the cells of a solver that has cells: a copy, (rows, columns) in 2D, (layers, rows,
        columns) in 3D; of a mesh or of levels (cells,) in order of their ids. Raises _core.UserError for
        others."""
        from eddyline.stream.cells import layout_of
        from eddyline.stream.level_cells import Levels

        text(name=name)
        grid = layout_of(self.world)
        shape = (self._core.count("cells"),) if isinstance(grid, Levels) else grid.array
        return self._core.values("cells", name, 0, math.prod(shape)).reshape(shape)

    def raster(
        self, quantity: str | None = None, shape: tuple[int, int] | None = None
    ) -> NDArray[np.float32]:
        """A quantity on a plane of pixels, (rows, columns) float32, row 0 at the bottom, NaN where there is
        no fluid.

        quantity: default the one of the world's pictures. shape: pixels of half a spacing unless given. In
        3D: the plane in the middle of z.
        """
        from eddyline.plot.scene import Scene

        quantity = self.world.output.quantity if quantity is None else quantity
        text(quantity=quantity)
        if shape is not None:
            wholes(shape=shape)
            if len(shape) != 2 or min(shape) < 1:
                raise ValueError(f"shape = {shape}: must be two numbers >= 1, rows and columns")
        scene = Scene.of(self.world, whole=True)
        lower, upper = list(scene.lower), scene.upper
        if scene.dimensions == 3:
            lower[2] = 0.5 * (scene.lower[2] + scene.upper[2])
        size = shape or scene.raster_shape(0.5 * scene.spacing, 1600)
        raster: NDArray[np.float32] = self._core.rasters(
            [quantity], size, (lower[0], lower[1], lower[2]), upper
        )[0]
        return raster

    def surface(
        self,
        quantity: str = "fluid",
        level: float = 0.5,
        *,
        color: str = "",
        resolution: float = 1.0,
        stride: int = 1,
    ) -> Surface:
        """The closed surface where a quantity has the value `level`, as triangles; 3D only.

        color: a second quantity, for each vertex. resolution: distance of lattice points in spacings.
        stride: 1, 2 or 4, every how many of them are used. Raises ValueError.
        """
        from eddyline import _core
        from eddyline.stream.surfaces import Surface, isosurface

        text(quantity=quantity, color=color)
        number(level=level, resolution=resolution)
        whole(stride=stride)
        try:
            made = isosurface(self._core, quantity, level, color=color, resolution=resolution, stride=stride)
        except _core.UserError as error:
            raise ValueError(str(error)) from None
        return Surface.of(made.data)

    def __repr__(self) -> str:
        moment = f"t = {self.time:.4g} s, step {self.steps}"
        return f"<Simulation {self.world.name}: {self._size()}, {moment}>"

    def _size(self) -> str:
        count = self._core.count(self._core.sets[0][0])
        return f"{count:,} {self.world.solver.members}"

    def _repr_html_(self) -> str:
        caption = html.escape(f"{self.world.title}, t = {self.time:.4g} s, step {self.steps}")
        data = base64.b64encode(self._picture()).decode()
        return (
            f'<figure><img alt="{caption}" style="max-width:100%" src="data:image/png;base64,{data}">'
            f"<figcaption>{caption}, {self._size()}</figcaption></figure>"
        )

    def _picture(self) -> bytes:
        from PIL import Image

        from eddyline.plot import colors, oblique
        from eddyline.plot.frame import FramePainter
        from eddyline.plot.scene import Scene
        from eddyline.run.recorder import raster_shape
        from eddyline.run.view import paint_bodies, paint_fluid
        from eddyline.stream.frames import Frame

        scene, quantity = Scene.of(self.world), self.world.output.quantity
        if scene.dimensions == 2:
            shape = raster_shape(self.world, scene)
            covered = self.world.has_free_surface
            wanted = [quantity, "cover"] if covered else [quantity]
            rasters = self._core.rasters(wanted, shape, *scene.corners, scene.axes)
            frame = Frame(
                self.time, self.steps, quantity, rasters[0], scene.lower[:2], scene.upper[:2],
                cover=rasters[1] if covered else None,
            )  # fmt: skip
        else:
            view = oblique.View.of(scene)
            painting = oblique.Painting(view, scene.spacing, [quantity])
            for job in (
                *paint_bodies(painting, self._core),
                *paint_fluid(painting, self._core, [quantity]),
            ):
                job()
            seen = painting.finish()
            raster = seen.values[quantity]
            frame = Frame(
                self.time, self.steps, quantity, raster, view.lower, view.upper, seen.solid, seen.shade
            )
        shown = colors.shown_values(quantity, frame.values, scene.density)
        painter = FramePainter(
            scene,
            quantity,
            colors.robust_scale(colors.quantity_of(quantity, scene.density), [shown]),
            width=900,
        )
        out = io.BytesIO()
        Image.fromarray(painter.paint(frame)).save(out, format="PNG")
        return out.getvalue()


@dataclass(frozen=True)
class ParticleCopies:
    """Particles in order of their ids: arrays that stay as they are."""

    id: NDArray[np.int64]  # (n,)
    position: Floats  # (n, D) m
    velocity: Floats  # (n, D) m/s
    density: Floats  # (n,) kg/m^3
    mass: Floats  # (n,) kg, in 2D kg/m
    pressure: Floats  # (n,) Pa


class Particles:
    """The fluid particles of a simulation.

    Arrays are read-only views of the simulation's memory, valid until the next step, where they do not say
    that they are copies; the order of particles changes from time to time. `by_id()` gives copies in an order
    that never changes.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._core = simulation._core

    def __len__(self) -> int:
        return self._core.fluid_count

    @property
    def id(self) -> NDArray[np.int64]:
        """(n,) int64: the name of a particle for life."""
        return self._core.id

    @property
    def buffer(self) -> NDArray[np.uint8]:
        """(n,) 1 + the opening beyond which a particle stands, in the order of the file; 0: fluid."""
        return self._core.buffer

    @property
    def position(self) -> Floats:
        """(n, D) m."""
        return self._core.position

    @property
    def velocity(self) -> Floats:
        """(n, D) m/s."""
        return self._core.velocity

    @property
    def density(self) -> Floats:
        """(n,) kg/m^3, computed from what the particles carry: a copy."""
        return self._core.density

    @property
    def mass(self) -> Floats:
        """(n,) kg; in 2D kg/m."""
        return self._core.mass

    @property
    def pressure(self) -> Floats:
        """(n,) Pa, computed from the density: a copy."""
        return self._core.pressure()

    def by_id(self) -> ParticleCopies:
        """Copies sorted by id, comparable from step to step and from run to run."""
        order = np.argsort(self.id, kind="stable")
        return ParticleCopies(
            id=self.id[order],
            position=self.position[order],
            velocity=self.velocity[order],
            density=self.density[order],
            mass=self.mass[order],
            pressure=self.pressure[order],
        )

    def __repr__(self) -> str:
        return f"<Particles: {len(self):,}, views valid until the next step>"
