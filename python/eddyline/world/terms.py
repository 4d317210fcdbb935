"""Terms that a world states as formulas or takes from modules: forces between pairs of fluid particles, and
accelerations of single ones, of the solver sph with the scheme delta."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from .. import _core, modules
from .formulas import is_number, names_in
from .named_modules import check_module, named_module
from .parameters import SteeredParameter
from .problems import Found, Path, did_you_mean, dotted, listed, number, rounded
from .shapes import Table
from .values import Context, Identifier, Number, _Field, _length, wrong, wrong_table

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
"""Variables of formulas, as in core/physics/terms/variables.hpp. A 2D world has none with a z."""
_ORDER_OF_PAIRS = (
    *("t", *(name for name in OF_PAIRS if name.endswith("_i"))),
    *("r", "q", "W", "dW", "rx", "ry", "rz", "vx", "vy", "vz", "vr", "x", "y", "z"),
    *(name for name in OF_PAIRS if name.endswith("_j")),
)
"""The variables in the order in which the core takes them for modules."""
MOST_TERMS = 16
_SHOWN_OF_MODULES = ("r", "q", "vr", *OF_PARTICLES)

_IN_PAIRS = "r, q, W, dW, vr, rx, ry, rz, vx, vy, vz, x, y, z, t and rho, p, m, V, vx, vy, vz with _i or _j"
_PAIRS = 400  # random pairs for which formulas are tried
_SAME = 1e-9  # relative difference of forces that are opposite
_SMALLEST = 1e-16  # mass [kg] or volume [m^3] whose square single precision holds
_KINDS = ("central", "vector", "particle", "module")


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


def _known(name: str, info: ValidationInfo) -> str:
    check_module(name, "particles", info)
    return name


class Term(Table):
    """A term of the equation of motion, with exactly one of central, vector, particle and module. For the
    solver sph with scheme = "delta"."""

    name: Identifier = Field(description="Name of the term.", examples=["cohesion"])
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
    module: Annotated[str, AfterValidator(_known)] | None = Field(
        default=None, description="Name of a module for particles that states the term in C++."
    )
    parameters: dict[str, Number] = Field(
        default={}, description="Parameters of the module, by name; its module.toml has them."
    )

    _library: modules.Library | None = PrivateAttr(None)
    _acts: tuple[bool, bool] = PrivateAttr((False, False))

    @model_validator(mode="after")
    def _one_kind(self, info: ValidationInfo) -> Term:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise wrong_table(
                f"has {listed(given) or 'no formula'}; must have exactly one of: central, vector, particle, "
                "module"
            )
        if self.module is None:
            self._acts = (self.kind != "particle", self.kind == "particle")
            return self
        self._library = named_module(self.module, "particles", info)
        context = info.context.dimensions if isinstance(info.context, Context) else None
        dimensions = context or self._library.description.dimensions[0]
        try:
            self._acts = _core.term_acts(str(self._library.path), dimensions, self.values)
        except _core.UserError as error:  # of the model itself
            raise wrong_table(f"is refused by the module {self.module}: {error}") from None
        return self

    @property
    def kind(self) -> str:
        """central, vector, particle or module."""
        return next(kind for kind in _KINDS if getattr(self, kind) is not None)

    @property
    def formulas(self) -> tuple[_core.Formula, ...]:
        """None of a module."""
        value = getattr(self, self.kind)
        return (value,) if self.kind == "central" else () if self.kind == "module" else value

    @property
    def library(self) -> modules.Library | None:
        """The module, if the term is one."""
        return self._library

    @property
    def values(self) -> dict[str, float]:
        """All parameters of the module."""
        if self._library is None:
            return {}
        known = self._library.description.parameters
        return {key: self.parameters.get(key, each.default) for key, each in known.items()}

    @property
    def acts_on_pairs(self) -> bool:
        return self._acts[0]

    @property
    def acts_on_particles(self) -> bool:
        return self._acts[1]


Values = dict[str, NDArray[np.float64]]


def refusals(file: WorldFile) -> Found:
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
        yield from _parameter_refusals(k, term)
        used = {name for formula in term.formulas for name in formula.used_variables}
        if term.kind == "particle" and used <= {"x", "y", "z", "t"}:
            yield (
                ("terms", k, "particle"),
                f"terms[{k}].particle depends on nothing but place and time. Write it as domain.body_force, "
                "which also presses on walls.",
            )


def _parameter_refusals(k: int, term: Term) -> Found:
    """Parameters that the module does not have, and values outside their limits."""
    known = {} if term.library is None else term.library.description.parameters
    for key, value in term.parameters.items():
        path: Path = ("terms", k, "parameters", key)
        if term.library is None:
            yield path, f"{dotted(path)} = {number(value)}; only modules have parameters. Use [let]."
        elif key not in known:
            remedy = did_you_mean(key, known, "and") or "Remove it."
            text = f"the module {term.module} has no such parameter. {remedy}"
            yield path, f"{dotted(path)} = {number(value)}; {text}"
        elif (complaint := known[key].complaint(value)) is not None:
            yield path, f"{dotted(path)} = {number(value)} {known[key].unit}; {complaint}.".replace(" ;", ";")


def problems(file: WorldFile, sound_speed: float, max_speed: float) -> Found:
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
        path: Path = ("terms", k, term.kind)
        for values in _tried(term, there):
            for axis, found in enumerate(_results(term, file, values)):
                bad = np.flatnonzero(~np.isfinite(found))
                if not len(bad):
                    continue
                names = term.formulas[axis].used_variables if term.formulas else _SHOWN_OF_MODULES
                at = ", ".join(
                    f"{name} = {rounded(values[name][bad[0]])}" for name in names if name in values
                )
                where = (*path, axis) if term.kind in ("vector", "particle") else path
                place = f" at {at}" if at else ""
                yield where, f"{dotted(where)} gives {found[bad[0]]}{place}; must be finite."
                break


def _tried(term: Term, pairs: Values) -> Iterator[Values]:
    """The pairs or particles for which a term is tried."""
    if term.acts_on_pairs:
        yield pairs
    if term.acts_on_particles:
        yield _single(pairs)


def _results(term: Term, file: WorldFile, values: Values) -> NDArray[np.float64]:
    """Forces on the first particles of pairs, or accelerations of particles: (outputs, _PAIRS)."""
    if term.library is None:
        found = [np.broadcast_to(np.asarray(_evaluate(each, values)), (_PAIRS,)) for each in term.formulas]
        return np.array(found, dtype=np.float64)
    order = _ORDER_OF_PAIRS if "q" in values else OF_PARTICLES
    table = np.stack([values.get(name, np.zeros(_PAIRS)) for name in order], axis=1)
    scales = file.domain.spacing, file.fluid.density
    rows = _core.term_values(str(term.library.path), file.dimensions, term.values, *scales, table)
    return np.ascontiguousarray(rows.T)


def opposite(term: Term, file: WorldFile, sound_speed: float, max_speed: float) -> bool:
    """True if the forces on the two particles of a pair are opposite, for random pairs."""
    there = _samples(file, sound_speed, max_speed)
    sign = -1.0 if term.kind == "central" else 1.0  # the direction of a central force turns by itself
    one, other = _results(term, file, there), sign * _results(term, file, _swapped(there))
    return not np.any(np.abs(one + other) > _SAME * (np.abs(one) + np.abs(other)))


def _is_central(term: Term, file: WorldFile, sound_speed: float, max_speed: float) -> bool:
    """True if forces are along the line between the two particles of random pairs."""
    if term.kind != "module":
        return term.kind == "central"
    there = _samples(file, sound_speed, max_speed)
    force = _results(term, file, there)
    along = np.stack([there["r" + axis] / there["r"] for axis in "xyz"[: file.dimensions]])
    across = force - (force * along).sum(axis=0) * along
    return not np.any(np.abs(across) > _SAME * np.abs(force).sum(axis=0))


def describe(world: World) -> Iterator[tuple[str, str]]:
    """A line of `eddyline check` for each term."""
    for term in world.file.terms:
        scales = world.file, world.scales.sound_speed, world.scales.max_speed
        what, kept = "acceleration of a particle", ""
        if term.acts_on_pairs:
            is_central = _is_central(term, *scales)
            what = "force along the line of a pair" if is_central else "force of a pair"
            both = " and angular momentum" if is_central else ""
            kept = (
                f", conserves momentum{both}" if opposite(term, *scales) else ", does not conserve momentum"
            )
            if term.acts_on_particles:
                what, kept = f"{what}{kept}", ", and acceleration of a particle"
        of = "" if term.library is None else f" ({modules.PREFIX}{term.module}, {term.library.path})"
        yield "term", f"{term.name}: {what}{kept}{of}"


def warnings(world: World) -> Iterator[str]:
    """Terms of pairs that give and take momentum."""
    for k, term in enumerate(world.file.terms):
        if term.acts_on_pairs and not opposite(
            term, world.file, world.scales.sound_speed, world.scales.max_speed
        ):
            yield (
                f"terms[{k}] ({term.name}) does not conserve momentum: the forces on the two particles of a "
                "pair are not opposite. Make the formula symmetric in i and j if they should be."
            )
        if term.library is not None and term.library.is_stale:
            folder = term.library.path.parent
            yield (
                f"{folder}: files of the module have changed since it was built. Run "
                f"`eddyline module build {folder}`."
            )


def options(terms: Sequence[Term]) -> dict[str, str | float]:
    """The terms among the options of the core's world."""
    made: dict[str, str | float] = {}
    for k, term in enumerate(terms):
        for axis, formula in enumerate(term.formulas):
            made[f"terms.{k:02d}.{term.kind}.{axis}"] = formula.text
        if term.library is not None:
            made[f"terms.{k:02d}.module"] = str(term.library.path)
            made |= {f"terms.{k:02d}.parameters.{key}": value for key, value in term.values.items()}
    return made


def code(terms: Sequence[Term]) -> dict[str, str]:
    """Versions of the modules, see `World.code`."""
    return {
        modules.PREFIX + each.library.description.name: each.library.version for each in terms if each.library
    }


def steered(
    file: WorldFile, document: Mapping[str, Any], let: Mapping[str, float]
) -> Iterator[SteeredParameter]:
    """Parameters of modules, as TERM.NAME, and the values of [let] that nothing but terms depends on."""
    for k, term in enumerate(file.terms):
        if term.library is None:
            continue
        for key, about in term.library.description.parameters.items():
            path = ("terms", k, "parameters", key)
            yield SteeredParameter(
                f"{term.name}.{key}", path, term.values[key], about.unit, about.description
            )
    for name in _let_of_terms(document):
        yield SteeredParameter(f"let.{name}", ("let", name), let[name], "", "Value of [let] that terms use")


_WITHOUT_FORMULAS = frozenset(("title", "source", "name", "module", "note"))


def _let_of_terms(document: Mapping[str, Any]) -> list[str]:
    """The names of [let] that nothing but terms depends on."""
    let = document.get("let", {})

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            for key, each in value.items():
                if key not in _WITHOUT_FORMULAS:
                    yield from texts(each)
        elif isinstance(value, list):
            for each in value:
                yield from texts(each)

    def needed(value: Any) -> set[str]:
        waiting: list[Any] = [value]
        found: set[str] = set()
        while waiting:
            for text in texts(waiting.pop()):
                new = {name for name in names_in(text) if name in let} - found
                found |= new
                waiting += [let[name] for name in new]
        return found

    elsewhere = needed({key: value for key, value in document.items() if key not in ("let", "terms")})
    of_terms = needed(document.get("terms", []))
    return [name for name in let if name in of_terms - elsewhere]


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
