"""The first message of a run, and the positions of its bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.live import stream_pb2 as pb
from eddyline.plot import references
from eddyline.plot.colors import Quantity, quantity_of
from eddyline.world.parameters import steered_parameters
from eddyline.world.problems import rounded
from eddyline.world.schema import Probe, Wall
from eddyline.world.surfaces import surface

if TYPE_CHECKING:
    from eddyline.world import World
    from eddyline.world.schema import WorldFile
    from eddyline.world.shapes import Body

_TOLERANCE = 0.02  # of outlines and surfaces, in spacings


def quantities(file: WorldFile) -> list[Quantity]:
    """Quantities that can be shown of a world."""
    density = None if file.is_gas or file.given_fluid is None else file.fluid.density
    return [quantity_of(name, density) for name in file.solver.pictured(file)]


def hello(
    world: World, run: str, folder: str, quantity: str, ranks: int, abilities: dict[str, str]
) -> pb.Hello:
    """abilities: the reason why each command is refused, or empty."""
    file = world.file
    origin = tuple(file.domain.origin or (0.0,) * world.dimensions)
    upper = [low + length for low, length in zip(origin, file.domain.size, strict=True)]
    said = pb.Hello(
        run=run,
        title=world.title,
        world=world.name,
        dimensions=world.dimensions,
        lower=origin,
        upper=upper,
        spacing=file.domain.spacing,
        end=world.end,
        time_unit=world.time_unit,
        free_surface=world.has_free_surface,
        quantity=quantity,
        ranks=ranks,
        folder=folder,
        toml=world.source,
        bodies=[body(name, table, world.core.spacing, 0.0) for name, table in file.bodies.items()],
        abilities=[pb.Ability(command=name, refusal=reason) for name, reason in abilities.items()],
        probes=[
            pb.Probe(name=name, position=list(table.position))
            for name, table in world.observers.items()
            if isinstance(table, Probe)
        ],
    )
    said.sets.add(members=world.solver.members, points=not world.solver.snapshot_fields(file))
    for shown in quantities(file):
        said.quantities.add(
            name=shown.name,
            unit=shown.unit,
            diverging=shown.kind == "diverging",
            label=shown.label,
            starts_at_zero=shown.starts_at_zero,
        )
    for each in steered_parameters(world).values():
        said.parameters.add(
            name=each.name, value=rounded(each.value), unit=each.unit, description=each.description
        )
    for name, kind in world.sides.items():
        side = file.boundaries.side(name)
        said.sides.add(name=name, type=kind, slip=isinstance(side, Wall) and side.slip)
    _refer(said, world)
    return said


def _refer(said: pb.Hello, world: World) -> None:
    """Reference values and expectations of a world."""
    if world.reference is not None:
        said.reference.velocity, said.reference.length = world.reference.velocity, world.reference.length
        said.reference.coefficient_of_force = world.coefficient_of_force or 0.0
        said.reference.reynolds = world.reynolds or 0.0
    for expect in world.file.expect:
        low, high = 0.0, 0.0
        if expect.range is not None:
            low, high = expect.range
        elif expect.value is not None and expect.tolerance is not None:
            low, high = expect.value - expect.tolerance, expect.value + expect.tolerance
        said.expectations.add(
            quantity=expect.quantity,
            low=low,
            high=high,
            source=references.short(expect.source),
            holds=bool(expect.when),
            curve=expect.curve or "",
        )


def body(name: str, table: Body, spacing: float, time: float) -> pb.Body:
    """A body at its position at `time` [s], in a world with this spacing [m]."""
    low, high = table.core_shape.bounds
    middle = np.array([(a + b) / 2 for a, b in zip(low, high, strict=True)])
    motion, tolerance = table.core_motion, _TOLERANCE * spacing

    def placed(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return points if motion is None else motion.place(points, time)

    center = placed(middle[None, :])[0, : table.dimensions].tolist()
    made = pb.Body(name=name, moves=motion is not None, center=center)
    if table.dimensions == 2:
        for line in table.core_shape.outline(tolerance):
            made.outlines.add(points=placed(line)[:, :2].ravel().tolist())
    else:
        found = surface(table, tolerance)
        made.surface.vertices.extend(placed(found.vertices).ravel().tolist())
        made.surface.triangles.extend(found.triangles.ravel().tolist())
    return made
