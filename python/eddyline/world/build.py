"""From checked tables to the core's world: numbers, formulas of x, y, z and t, and shapes."""

from __future__ import annotations

from .. import _core
from .samples import corners
from .scales import Scales
from .schema import SIDES, Front, Gauge, Line, PressureDrop, Wall, WorldFile
from .shapes import vec3
from .values import Pressure

_OPTIONS = (
    "smoothing_ratio",
    "cfl",
    "viscous_cfl",
    "density_diffusion",
    "artificial_viscosity",
    "shifting",
    "shifting_strength",
    "shifting_cap",
    "skin",
    "speed_limit",
)
DEFAULT_JITTER = 0.1
"""Largest random displacement of a jittered start, in spacings."""


def build(file: WorldFile, scales: Scales) -> _core.World:
    """The core's world. Everything has been checked."""
    world = _core.World()
    world.dimensions = file.dimensions
    world.origin = corners(file)[0]
    world.size = vec3(file.domain.size)
    world.spacing = file.domain.spacing
    if file.domain.gravity is not None:
        world.gravity = vec3(file.domain.gravity)
    if file.domain.body_force is not None:
        world.body_force = _three(file.domain.body_force)
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        world.sides[index].kind = side.type
        if isinstance(side, Wall):
            world.sides[index].slip = side.slip
            if side.velocity is not None:
                world.sides[index].velocity = _three(side.velocity)
    world.fluid.density = file.fluid.density
    world.fluid.kinematic_viscosity = file.fluid.nu
    world.fluid.sound_speed = scales.sound_speed
    world.regions = [_region(name, file) for name in file.regions]
    world.bodies = [_body(name, file) for name in file.bodies]
    _start(world.start, file)
    for option in _OPTIONS:
        value = getattr(file.method, option)
        if value is not None:
            setattr(world.method, option, value)
    world.method.double_precision = file.method.precision == "double"
    _observers(world, file)
    return world


def _three(formulas: tuple[_core.Formula, ...]) -> list[_core.Formula]:
    missing = 3 - len(formulas)
    return [*formulas, *(_core.Formula("0", ()) for _ in range(missing))]


def _body(name: str, file: WorldFile) -> _core.Body:
    body = _core.Body()
    body.name = name
    body.shape = file.bodies[name].core_shape
    body.slip = file.bodies[name].slip
    body.motion = file.bodies[name].core_motion
    return body


def _region(name: str, file: WorldFile) -> _core.Region:
    region = _core.Region()
    region.name = name
    region.shape = file.regions[name].core_shape
    pressure: Pressure | None = file.regions[name].pressure or file.start.pressure
    if pressure is not None:
        region.pressure_start = pressure.kind
        region.pressure = pressure.formula
    return region


def _start(start: _core.Start, file: WorldFile) -> None:
    if file.start.velocity is not None:
        start.velocity = _three(file.start.velocity)
    if file.start.pressure is not None:
        start.pressure_start = file.start.pressure.kind
        start.pressure = file.start.pressure.formula
    if file.start.arrangement == "jittered":
        start.jitter = DEFAULT_JITTER if file.start.jitter is None else file.start.jitter
    start.fitted = file.start.arrangement == "fitted"
    start.settle = file.start.settle
    start.seed = file.start.seed


def gauge_axis(gauge: Gauge, file: WorldFile) -> int:
    """0, 1 or 2: the axis that the gauge names, or that of gravity."""
    if gauge.axis is not None:
        return "xyz".index(gauge.axis)
    gravity = [abs(value) for value in file.domain.gravity or (0.0, 1.0)]
    return gravity.index(max(gravity))


def _observers(world: _core.World, file: WorldFile) -> None:
    probes, gauges, fronts = [], [], []
    for name, observer in file.observe.items():
        if isinstance(observer, Gauge):
            gauges.append(_core.Gauge(name, vec3(observer.position), gauge_axis(observer, file)))
        elif isinstance(observer, Front):
            fronts.append(_core.Front(name, "xyz".index(observer.axis)))
        elif isinstance(observer, PressureDrop | Line):
            probes += [_core.Probe(f"{name}.{k}", place) for k, place in enumerate(observer.places)]
        else:
            probes.append(_core.Probe(name, vec3(observer.position)))
    world.probes, world.gauges, world.fronts = probes, gauges, fronts
