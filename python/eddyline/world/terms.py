"""Terms that a world states as formulas: forces between pairs of fluid particles, and accelerations of single
ones, of the solver sph with the scheme delta."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from .. import _core
from .formulas import is_number
from .problems import Path, dotted, listed, rounded
from .shapes import Table
from .values import Context, _Field, _length, wrong, wrong_table

if TYPE_CHECKING:
    from .schema import WorldFile
    from .world import World

OF_PAIRS = (
    *("r", "q", "W", "dW", "vr"),
    *("rx", "ry", "rz", "vx", "vy", "vz", "x", "y", "z", "t"),
    *("rho_i", "p_i", "m_i", "V_i", "vx_i", "vy_i", "vz_i"),
    *("rho_j", "p_j", "m_j", "V_j", "vx_j", "vy_j", "vz_j"),
)
OF_PARTICLES = ("x", "y", "z", "t", "vx", "vy", "vz", "rho", "p")
"""Variables of formulas, as in core/physics/terms/terms.hpp. A 2D world has none with a z."""
MOST_TERMS = 16

_IN_PAIRS = "r, q, W, dW, vr, rx, ry, rz, vx, vy, vz, x, y, z, t and rho, p, m, V, vx, vy, vz with _i or _j"
_PAIRS = 400  # random pairs for which formulas are tried
_SAME = 1e-9  # relative difference of forces that are opposite
_SMALLEST = 1e-16  # mass [kg] or volume [m^3] whose square single precision holds
_KINDS = ("central", "vector", "particle")


class _TermFormula(_Field):
    """Annotation of `_core.Formula`: a number, or a formula of the variables of a term and [let] values."""

    def __init__(self, names: tuple[str, ...], told: str) -> None:
        self.names = names
        self.variables = told

    def compile(self, value: Any, info: ValidationInfo) -> _core.Formula:
        if not isinstance(value, str) and not is_number(value):
            raise wrong("must be a number or a formula")
        if not isinstance(value, str) and not math.isfinite(value):
            raise wrong("must be a finite number")
        context = info.context
        dimensions = context.dimensions if isinstance(context, Context) else None
        names = tuple(name for name in self.names if dimensions != 2 or "z" not in name)
        formula = self._compiled(value, info, names)
        let = context.names.values if isinstance(context, Context) else {}
        both = [name for name in formula.used_variables if name in let]
        if both:
            raise wrong(f"{both[0]} is a variable of terms and a value of [let]. Rename the value")
        return formula


_PairFormula = Annotated[_core.Formula, _TermFormula(OF_PAIRS, _IN_PAIRS)]
_ParticleFormula = Annotated[_core.Formula, _TermFormula(OF_PARTICLES, ", ".join(OF_PARTICLES))]
_PairVector = Annotated[tuple[_PairFormula, ...], Field(min_length=2, max_length=3), BeforeValidator(_length)]
_ParticleVector = Annotated[
    tuple[_ParticleFormula, ...], Field(min_length=2, max_length=3), BeforeValidator(_length)
]


class Term(Table):
    """A term of the equation of motion as formulas, with exactly one of central, vector and particle. For the
    solver sph with scheme = "delta"."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = Field(
        description="Name of the term.", examples=["cohesion"]
    )
    central: _PairFormula | None = Field(
        default=None,
        description="Force of particle j on particle i along r_i - r_j [N], 2D [N/m]: positive pushes apart. "
        "It acts between fluid particles nearer than the reach R of the kernel.",
    )
    vector: _PairVector | None = Field(
        default=None, description="The same as a vector, a formula for each axis [N], 2D [N/m]."
    )
    particle: _ParticleVector | None = Field(
        default=None, description="Acceleration of a fluid particle, a formula for each axis [m/s^2]."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Term:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise wrong_table(
                f"has {listed(given) or 'no formula'}; must have exactly one of: central, vector, particle"
            )
        return self

    @property
    def kind(self) -> str:
        """central, vector or particle."""
        return next(kind for kind in _KINDS if getattr(self, kind) is not None)

    @property
    def formulas(self) -> tuple[_core.Formula, ...]:
        value = getattr(self, self.kind)
        return (value,) if self.kind == "central" else value


Values = dict[str, NDArray[np.float64]]


def refusals(file: WorldFile) -> Iterator[tuple[Path, str]]:
    """Terms of worlds that cannot have them."""
    if not file.terms:
        return
    is_classic = getattr(file.method, "scheme", "") == "classic"
    if file.solver.name != "sph" or is_classic:
        other = 'method.scheme = "classic"' if is_classic else f"the solver {file.solver.name}"
        yield (
            ("terms",),
            f'[[terms]] are for the solver sph with scheme = "delta", and this world uses {other}. Remove '
            "them.",
        )
        return
    if len(file.terms) > MOST_TERMS:
        yield ("terms",), f"[[terms]]: a world has at most {MOST_TERMS}, this one {len(file.terms)}."
    names = [term.name for term in file.terms]
    for k, term in enumerate(file.terms):
        if term.name in names[:k]:
            yield ("terms", k, "name"), f'terms[{k}].name = "{term.name}"; is taken. Choose another name.'
        used = {name for formula in term.formulas for name in formula.used_variables}
        if term.kind == "particle" and used <= {"x", "y", "z", "t"}:
            yield (
                ("terms", k, "particle"),
                f"terms[{k}].particle depends on nothing but place and time. Write it as domain.body_force, "
                "which also presses on walls.",
            )


def problems(file: WorldFile, sound_speed: float, max_speed: float) -> Iterator[tuple[Path, str]]:
    """Formulas that give no finite number for a pair or particle as they may occur."""
    if not file.terms:
        return
    volume = file.domain.spacing**file.dimensions
    mass = file.fluid.density * volume
    if min(volume, mass) < _SMALLEST and getattr(file.method, "precision", "") == "single":
        yield (
            ("terms",),
            f"[[terms]]: a particle of {rounded(mass, 2)} kg is too light for formulas in single precision. "
            'Write method.precision = "double".',
        )
    there = _samples(file, sound_speed, max_speed)
    for k, term in enumerate(file.terms):
        values = there if term.kind != "particle" else _single(there)
        for axis, formula in enumerate(term.formulas):
            found = np.broadcast_to(np.asarray(_evaluate(formula, values)), (_PAIRS,))
            bad = np.flatnonzero(~np.isfinite(found))
            if len(bad):
                path: Path = ("terms", k, term.kind, *(() if term.kind == "central" else (axis,)))
                at = ", ".join(f"{name} = {rounded(values[name][bad[0]])}" for name in formula.used_variables)
                yield path, f"{dotted(path)} gives {found[bad[0]]} at {at}; must be finite."
                break


def opposite(term: Term, file: WorldFile, sound_speed: float, max_speed: float) -> bool:
    """True if the forces on the two particles of a pair are opposite, for random pairs."""
    there = _samples(file, sound_speed, max_speed)
    back = _swapped(there)
    sign = -1.0 if term.kind == "central" else 1.0  # the direction of a central force turns by itself
    for formula in term.formulas:
        one, other = _evaluate(formula, there), sign * np.asarray(_evaluate(formula, back))
        if np.any(np.abs(one + other) > _SAME * (np.abs(one) + np.abs(other))):
            return False
    return True


def describe(world: World) -> Iterator[tuple[str, str]]:
    """A line of `eddyline check` for each term."""
    what = {
        "central": "force along the line of a pair",
        "vector": "force of a pair",
        "particle": "acceleration of a particle",
    }
    for term in world.file.terms:
        kept = ""
        if term.kind != "particle":
            is_kept = opposite(term, world.file, world.scales.sound_speed, world.scales.max_speed)
            both = " and angular momentum" if term.kind == "central" else ""
            kept = f", conserves momentum{both}" if is_kept else ", does not conserve momentum"
        yield "term", f"{term.name}: {what[term.kind]}{kept}"


def warnings(world: World) -> Iterator[str]:
    """Terms of pairs that give and take momentum."""
    for k, term in enumerate(world.file.terms):
        if term.kind != "particle" and not opposite(
            term, world.file, world.scales.sound_speed, world.scales.max_speed
        ):
            yield (
                f"terms[{k}] ({term.name}) does not conserve momentum: the forces on the two particles of a "
                "pair are not opposite. Make the formula symmetric in i and j if they should be."
            )


def options(terms: Sequence[Term]) -> dict[str, str]:
    """The terms among the options of the core's world."""
    return {
        f"terms.{k:02d}.{term.kind}.{axis}": formula.text
        for k, term in enumerate(terms)
        for axis, formula in enumerate(term.formulas)
    }


def _evaluate(formula: _core.Formula, values: Values) -> Any:
    with np.errstate(all="ignore"):
        return formula.evaluate({name: values[name] for name in formula.used_variables})


def _samples(file: WorldFile, sound_speed: float, max_speed: float) -> Values:
    """Random pairs, the same for every call: SI units, arrays of _PAIRS."""
    random = np.random.default_rng(1)
    dimensions, density = file.dimensions, file.fluid.density
    volume = file.domain.spacing**dimensions
    ratio = getattr(file.method, "smoothing_ratio", None) or {2: 2.0, 3: 1.5}[dimensions]
    radius = 2 * file.domain.spacing * ratio
    q = random.uniform(0.02, 0.999, _PAIRS)
    direction = random.normal(size=(dimensions, _PAIRS))
    direction /= np.sqrt((direction**2).sum(axis=0))
    sigma = 7 / math.pi if dimensions == 2 else 21 / (2 * math.pi)
    values: Values = {
        "r": q * radius,
        "q": q,
        "W": sigma / radius**dimensions * (1 - q) ** 4 * (1 + 4 * q),
        "dW": -20 * sigma / radius ** (dimensions + 1) * q * (1 - q) ** 3,
        "t": random.uniform(0, file.time.end, _PAIRS),
    }
    origin = file.domain.origin or (0.0,) * dimensions
    for k, axis in enumerate("xyz"[:dimensions]):
        values["r" + axis] = values["r"] * direction[k]
        values[axis] = origin[k] + random.uniform(0, 1, _PAIRS) * file.domain.size[k]
    for side in ("_i", "_j"):
        excess = random.uniform(-0.01, 0.01, _PAIRS)
        values["rho" + side] = density * (1 + excess)
        values["p" + side] = density * sound_speed**2 * excess
        values["m" + side] = density * volume * random.uniform(0.98, 1.02, _PAIRS)
        values["V" + side] = values["m" + side] / values["rho" + side]
        for axis in "xyz"[:dimensions]:
            values[f"v{axis}{side}"] = random.uniform(-max_speed, max_speed, _PAIRS)
    values["vr"] = np.zeros(_PAIRS)
    for k, axis in enumerate("xyz"[:dimensions]):
        values["v" + axis] = values[f"v{axis}_i"] - values[f"v{axis}_j"]
        values["vr"] = values["vr"] + values["v" + axis] * direction[k]
    return values


def _swapped(values: Mapping[str, NDArray[np.float64]]) -> Values:
    """The same pairs, seen from the other particle."""
    turned = {name: -value for name, value in values.items() if name[-1] in "xyz" and len(name) == 2}
    other = {"_i": "_j", "_j": "_i"}
    swapped = {name: values[name[:-2] + other[name[-2:]]] for name in values if name[-2:] in other}
    return {**values, **turned, **swapped}


def _single(values: Mapping[str, NDArray[np.float64]]) -> Values:
    """Single particles: the first ones of pairs."""
    names = [name for name in OF_PARTICLES if name in values or f"{name}_i" in values]
    return {name: values[f"{name}_i"] if f"{name}_i" in values else values[name] for name in names}
