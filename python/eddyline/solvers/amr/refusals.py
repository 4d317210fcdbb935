"""Parts of a world that equations on cells do not have, each with the line that it is about."""

from __future__ import annotations

from eddyline import _core
from eddyline.solvers.amr.options import (
    BURGERS,
    EULER,
    EULER_POISSON,
    GASES,
    GRAVITY,
    NAVIER_STOKES,
    WAVE,
    WAVES,
    columns_of,
    equations_of,
    options_of,
)
from eddyline.world.problems import Found, Path, dotted, listed
from eddyline.world.quantities import series_columns
from eddyline.world.schema import (
    CONDUCTION_KEYS,
    SIDE_KINDS,
    SIDES,
    Inflow,
    Isosurface,
    Open,
    Outflow,
    Periodic,
    Probe,
    Torque,
    Wall,
    WorldFile,
)
from eddyline.world.shapes import Table

SUBJECTS = {
    EULER_POISSON: "the Euler-Poisson equations of the solver amr have",
    WAVE: "the wave equation of the solver amr has",
    GRAVITY: "gravitational waves of the solver amr have",
    EULER: "the Euler equations of the solver amr have",
    NAVIER_STOKES: "the Navier-Stokes equations of the solver amr have",
    BURGERS: "Burgers' equation of the solver amr has",
}
"""The equations as the subject of a sentence."""


def subject(file: WorldFile) -> str:
    """The equations as the subject of a sentence."""
    name = equations_of(file)
    return SUBJECTS.get(name, f"the equations {name} have")


def refusals_of(file: WorldFile) -> Found:
    """Parts of a world that equations of fields without a fluid do not have."""
    what = subject(file)
    if file.given_fluid is not None:
        hint = 'Remove [fluid], or write equations = "euler"' if file.is_gas else "Remove [fluid]"
        yield ("fluid",), f"fluid: {what} no fluid. {hint}."
    yield from _forces(file, what)
    names = [field for field, _ in columns_of(file)["start"]]
    fields = " and ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"
    if options_of(file).amplitude and file.start.fields:
        yield (
            ("start", "fields"),
            "start.fields: method.amplitude gives the start as well. Remove one of them.",
        )
    for key in sorted(file.start.model_fields_set - {"fields"}):
        hint = f" Write [start.fields] with {fields}" if key == "velocity" else " Remove it"
        yield ("start", key), f"start.{key}: {what} no such start.{hint}."
    for kind, tables in (("regions", file.regions), ("openings", file.openings), ("bodies", file.bodies)):
        for each in tables:
            yield (kind, each), f"{dotted((kind, each))}: {what} no {kind}. Remove it."


def gas_refusals_of(file: WorldFile) -> Found:
    """Parts of a world that a gas on cells does not have."""
    what = subject(file)
    fluid = file.given_fluid
    if fluid is not None and not fluid.is_gas:
        yield (
            ("fluid", "state"),
            f'fluid.state = "liquid"; {what} ideal gases only. Write state = "ideal_gas".',
        )
    for key in ("kinematic_viscosity", "dynamic_viscosity"):
        if equations_of(file) == EULER and fluid is not None and fluid.is_gas and getattr(fluid, key):
            text = f'fluid.{key}: {what} no friction. Remove it, or write equations = "navier-stokes".'
            yield ("fluid", key), text
    for key in CONDUCTION_KEYS:
        is_used = key == "prandtl" and equations_of(file) == NAVIER_STOKES
        if fluid is not None and fluid.is_gas and getattr(fluid, key) is not None and not is_used:
            missing = (
                "no friction" if equations_of(file) == EULER else "a viscosity that is the same everywhere"
            )
            yield ("fluid", key), f"fluid.{key}: {what} {missing}. Remove it."
    if equations_of(file) == NAVIER_STOKES and fluid is not None and not fluid.nu > 0:
        yield (
            ("fluid",),
            f'fluid.kinematic_viscosity is missing; {what} friction. Add it, or write equations = "euler".',
        )
    yield from _forces(file, what)
    for key in sorted(file.start.model_fields_set & {"arrangement", "jitter", "settle"}):
        yield ("start", key), f"start.{key}: {what} no particles. Remove it."
    if file.start.fields:
        yield (
            ("start", "fields"),
            f"start.fields: {what} their start in start.density, start.velocity and start.pressure. Remove "
            "it.",
        )
    for each in file.openings:
        yield ("openings", each), f"openings.{each}: {what} no openings. Remove it."
    for name, body in file.bodies.items():
        if body.motion is not None:
            text = f"bodies.{name}.motion: {what} bodies at rest only. Remove it."
            yield ("bodies", name, "motion"), text


def _forces(file: WorldFile, what: str) -> Found:
    for key, name in (("gravity", "gravity"), ("body_force", "body force")):
        if getattr(file.domain, key) is not None:
            yield ("domain", key), f"domain.{key}: {what} no {name}. Remove domain.{key}."


def check_foreign_options(file: WorldFile) -> Found:
    """Options of other equations."""
    name = equations_of(file)
    owners = {
        "wave_speed": WAVES,
        "sound_speed": (EULER_POISSON,),
        "coupling": (EULER_POISSON,),
        "residual": (EULER_POISSON,),
        "cycles": (EULER_POISSON,),
        "amplitude": (GRAVITY,),
        "width": (GRAVITY,),
        "order": (WAVE,),
        "potential": (WAVE,),
        "source": (WAVE,),
        "signal": (WAVE,),
        "reconstruction": (*GASES, EULER_POISSON, BURGERS),
    }
    for key, of in owners.items():
        value = getattr(options_of(file), key)
        if key == "reconstruction" and options_of(file).module is not None:
            continue
        if key in ("residual", "cycles") and "solver" in series_columns(file):
            continue
        if value is not None and name not in of:
            value = value.text if isinstance(value, _core.Formula) else value
            text = f'"{value}"' if isinstance(value, str) else f"{value:g}"
            yield (
                ("method", key),
                f"method.{key} = {text}; is an option of the equations {listed(of, 'and')}, and this world "
                f"uses {name}. Remove it.",
            )


SIDES_OF = {
    WAVE: (Periodic, Open, Wall),
    GRAVITY: (Periodic, Open, Wall),
    EULER: (Periodic, Open, Wall, Inflow, Outflow),
    NAVIER_STOKES: (Periodic, Open, Wall, Inflow, Outflow),
    EULER_POISSON: (Periodic, Wall),
    BURGERS: (Periodic, Open, Wall),
}
"""Kinds of sides of the equations."""


def check_sides(file: WorldFile) -> Found:
    name, module = equations_of(file), options_of(file).module
    allowed: tuple[type[Table], ...] = SIDES_OF.get(name, ())
    if module is not None:
        allowed = tuple(SIDE_KINDS[kind] for kind in module.description.sides)
    for side_name in SIDES[: 2 * file.dimensions]:
        side = file.boundaries.side(side_name)
        path: Path = ("boundaries", side_name)
        if not isinstance(side, allowed):
            kinds = listed([key for key, kind in SIDE_KINDS.items() if kind in allowed], "and")
            yield (
                (*path, "type"),
                f'boundaries.{side_name}.type = "{side.type}"; {subject(file)} sides of the types {kinds} '
                "only. Change it.",
            )
        elif isinstance(side, Wall) and name == GRAVITY and not side.slip:
            yield (
                path,
                f"boundaries.{side_name} is a wall; of gravitational waves it must be a plane of symmetry. "
                "Add slip = true.",
            )
        elif isinstance(side, Wall) and side.velocity is not None and name != NAVIER_STOKES:
            text = f"boundaries.{side_name}.velocity: {subject(file)} no friction. Remove it."
            yield (*path, "velocity"), text


def check_observers(file: WorldFile) -> Found:
    what = subject(file)
    if file.output.cut is not None and file.output.cut.normal == "none":
        yield (
            ("output", "cut", "normal"),
            f'output.cut.normal = "none"; {what} no surface to see from outside. Write x, y or z.',
        )
    kinds: tuple[type[Table], ...] = (Probe, Isosurface)
    names = "probes and isosurfaces"
    if equations_of(file) in GASES:
        kinds, names = (*kinds, Torque), "probes, torques and isosurfaces"
    for name, observer in file.observe.items():
        if not isinstance(observer, kinds):
            yield (
                ("observe", name, "type"),
                f'observe.{name}.type = "{observer.type}"; {what} {names} only. Change '
                "it, or remove this observer.",
            )
