"""Converts checked tables to the core's world: numbers, formulas of x, y, z and t, and shapes."""

from __future__ import annotations

import math

from .. import _core
from .openings import Face, faces
from .outline import three
from .patches import places_of
from .samples import corners
from .scales import Scales, gamma_of, pressure_level
from .schema import (
    CONDUCTION_KEYS,
    SIDES,
    TURBULENCE_KEYS,
    Front,
    Gauge,
    Isosurface,
    Line,
    Particle,
    Patch,
    PressureDrop,
    Profile,
    Stream,
    Torque,
    Wall,
    WorldFile,
)
from .shapes import vec3
from .solver import SolverOptions
from .terms import options as term_options
from .values import Pressure

_CLASSIC = {"cfl": 0.3, "artificial_viscosity": 0.01}
_GAS = {"artificial_viscosity": 1.0, "artificial_viscosity_beta": 2.0, "artificial_conductivity": 1.0}
"""Defaults of the scheme classic, and of an ideal gas."""
_SPLASH = {"cfl": 0.9}
"""Default cfl for 3D splashes with colliding particles: 1 of 20 broke down with 1.05, 2 of 4 with 1.1, none
with 1."""
_CONFINED = {"artificial_viscosity": 0.0}
"""Defaults without a free surface: shifting and density diffusion suffice to keep particles in order."""
DEFAULT_JITTER = 0.1
"""Largest random displacement of a jittered start, in spacings."""


def build(file: WorldFile, scales: Scales) -> _core.World:
    """The core's world of the solver sph, from checked tables."""
    world = fluid_world(file, scales)
    world.method.scheme = file.sph.scheme
    for option, value in _options(file).items():
        setattr(world.method, option, value)
    world.method.double_precision = file.sph.precision == "double"
    return world


def plain_world(file: WorldFile) -> _core.World:
    """The core's world with what all solvers have: domain, sides, observers, and the solver's own options and
    fields."""
    world = _core.World()
    world.solver = file.method.name
    world.dimensions = file.dimensions
    world.origin = corners(file)[0]
    world.size = vec3(file.domain.size)
    world.spacing = file.domain.spacing
    if file.domain.gravity is not None:
        world.gravity = vec3(file.domain.gravity)
    if file.domain.body_force is not None:
        world.body_force = three(file.domain.body_force)
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        world.sides[index].kind = side.type
        if isinstance(side, Wall):
            world.sides[index].slip = side.slip or side.friction is not None
            if side.velocity is not None:
                world.sides[index].velocity = three(side.velocity)
    world.options = ({} if file.method.name == "sph" else options_of(file.method)) | _friction(file)
    world.options |= term_options(file.terms)
    world.fields = dict(file.start.fields)
    _observers(world, file)
    return world


def options_of(options: SolverOptions) -> dict[str, bool | int | float | str]:
    """The keys of [method] that are given or have a default, as the core takes them; without tables, which
    the solver itself converts."""
    values = {key: getattr(options, key) for key in type(options).model_fields if key != "name"}
    return {
        key: value.text if isinstance(value, _core.Formula) else value
        for key, value in values.items()
        if value is not None and not isinstance(value, dict)
    }


def fluid_world(file: WorldFile, scales: Scales) -> _core.World:
    """The core's world with fluid, openings, bodies and start."""
    world = plain_world(file)
    for face in faces(file):
        if face.is_stream and face.side is not None:
            world.sides[face.side].velocity = three(face.velocity(file.dimensions))
    level = pressure_level(file, scales)
    world.openings = [_opening(face, file, level) for face in faces(file)]
    # The file refers to the background pressure, the core to zero pressure; nu rho is equal.
    world.fluid.density = file.fluid.density - level / scales.sound_speed**2
    world.fluid.kinematic_viscosity = file.fluid.nu * file.fluid.density / world.fluid.density
    world.fluid.sound_speed = scales.sound_speed
    world.fluid.matter = file.fluid.state
    world.fluid.gamma = gamma_of(file)
    for key in (*CONDUCTION_KEYS, *TURBULENCE_KEYS):
        if getattr(file.fluid, key) is not None:
            setattr(world.fluid, key, getattr(file.fluid, key))
    world.regions = [_region(name, file) for name in file.regions]
    world.bodies = [_body(name, file) for name in file.bodies]
    _start(world.start, file, level)
    return world


def _options(file: WorldFile) -> dict[str, float | bool]:
    """The options of [method] that differ from the core's defaults."""
    classic, gas = file.sph.scheme == "classic", file.is_gas
    given = {option: getattr(file.sph, option) for option in _core.Method.OPTIONS}
    defaults = (_CLASSIC if classic else {}) | (_GAS if gas else {})
    if not classic and not file.has_free_surface:
        defaults |= _CONFINED
    if not classic and file.dimensions == 3 and file.has_free_surface:
        defaults |= _SPLASH
    return defaults | {option: value for option, value in given.items() if value is not None}


def _opening(face: Face, file: WorldFile, level: float) -> _core.Opening:
    opening = _core.Opening()
    opening.name = face.name
    opening.inflow = face.is_inflow
    opening.axis, opening.inward = face.axis, face.inward
    opening.lower, opening.upper = face.low, face.high
    if face.is_inflow:
        opening.velocity = three(face.velocity(file.dimensions))
        opening.density = file.fluid.density
    if isinstance(face.table, Stream):
        opening.stream = True
        if face.inward * face.table.velocity[face.axis] < 0.5 * math.hypot(*face.table.velocity):
            opening.density = 0.0  # too little flows in to tell the mass that it brings from noise
    opening.pressure_imposed = face.table.pressure is not None
    if face.table.pressure is not None:
        opening.pressure = face.table.pressure
    elif file.is_gas and file.start.pressure is not None:
        opening.pressure = file.start.pressure.formula
    elif not face.is_inflow:
        opening.pressure = _core.Formula(repr(level), ())
    return opening


def _friction(file: WorldFile) -> dict[str, bool | int | float | str]:
    """Laws of friction at walls, as the core takes them among its options."""
    walls = {name: file.boundaries.side(name) for name in SIDES[: 2 * file.dimensions]}
    tables = {name: side for name, side in walls.items() if isinstance(side, Wall)}
    bodies = {f"bodies.{name}": body for name, body in file.bodies.items()}
    options: dict[str, bool | int | float | str] = {}
    for name, table in (tables | bodies).items():
        if table.friction is not None:
            options[f"friction.{name}"] = table.friction
        if table.roughness is not None:
            options[f"roughness.{name}"] = table.roughness
    return options


def _body(name: str, file: WorldFile) -> _core.Body:
    body = _core.Body()
    body.name = name
    body.shape = file.bodies[name].core_shape
    body.slip = file.bodies[name].slip or file.bodies[name].friction is not None
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
    if file.is_gas:
        region.density = file.regions[name].density or _start_density(file)
    return region


def _start_density(file: WorldFile) -> _core.Formula:
    return file.start.density or _core.Formula(repr(file.fluid.density), ())


def _start(start: _core.Start, file: WorldFile, level: float) -> None:
    if file.start.velocity is not None:
        start.velocity = three(file.start.velocity)
    if file.start.pressure is not None:
        start.pressure_start = file.start.pressure.kind
        start.pressure = file.start.pressure.formula
    elif level > 0:
        start.pressure_start = "formula"
        start.pressure = _core.Formula(repr(level), ())
    if file.is_gas:
        start.density = _start_density(file)
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


def tracked_options(name: str, observer: Particle) -> dict[str, bool | int | float | str]:
    """A tracked particle, as the core takes it among its options."""
    if observer.position is None:
        return {f"tracked.{name}.id": observer.id or 0}
    return {f"tracked.{name}.{'xyz'[k]}": float(x) for k, x in enumerate(observer.position)}


def _observers(world: _core.World, file: WorldFile) -> None:
    probes, gauges, fronts = [], [], []
    for name, observer in file.observe.items():
        if isinstance(observer, Gauge):
            gauges.append(_core.Gauge(name, vec3(observer.position), gauge_axis(observer, file)))
        elif isinstance(observer, Front):
            fronts.append(_core.Front(name, "xyz".index(observer.axis)))
        elif isinstance(observer, Particle):
            world.options |= tracked_options(name, observer)
        elif isinstance(observer, Patch):
            places = places_of(observer, file)
            probes += [_core.Probe(f"{name}.{k}", vec3(place)) for k, place in enumerate(places)]
        elif isinstance(observer, PressureDrop | Line | Profile):
            probes += [_core.Probe(f"{name}.{k}", place) for k, place in enumerate(observer.places)]
        elif not isinstance(observer, Torque | Isosurface):  # from the forces; by the recorder of a run
            probes.append(_core.Probe(name, vec3(observer.position)))
    world.probes, world.gauges, world.fronts = probes, gauges, fronts
