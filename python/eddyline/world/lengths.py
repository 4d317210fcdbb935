"""Lengths of particle methods that decide what fits into a world, as the core has them."""

from __future__ import annotations

from .. import _core
from .schema import WorldFile
from .sph_options import SphOptions


def _world(file: WorldFile) -> _core.World:
    """A world of the core with what its lengths depend on."""
    world = _core.World()
    world.dimensions, world.spacing = file.dimensions, file.domain.spacing
    world.fluid.matter = "ideal_gas" if file.is_gas else "liquid"
    if isinstance(file.method, SphOptions):
        world.method.scheme = file.method.scheme
        world.method.smoothing_ratio = file.method.smoothing_ratio or 0.0
        world.method.skin = file.method.skin or 0.0
    return world


def reach(file: WorldFile) -> float:
    """Reach of the kernel, 2 h [m]."""
    return _core.lengths(_world(file)).interaction_radius


def cell_edge(file: WorldFile) -> float:
    """Edge of the cells [m]: the reach of the kernel and the skin."""
    return _core.lengths(_world(file)).cell_edge


def buffer_length(file: WorldFile) -> float:
    """Length of the buffers beyond openings [m]."""
    return _core.buffer_length(_world(file))
