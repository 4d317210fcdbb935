"""Scalars that the flow of the solver multiblock carries: those of a module for blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, PrivateAttr, ValidationInfo, WithJsonSchema, model_validator

from eddyline import _core, modules
from eddyline.world.named_modules import check_module, named_module
from eddyline.world.openings import faces
from eddyline.world.parameters import SteeredParameter
from eddyline.world.problems import Found, Path, did_you_mean, dotted, number, rounded
from eddyline.world.samples import evaluate, face
from eddyline.world.schema import SIDES, Wall, WorldFile
from eddyline.world.solver import Pictured, Rows, SolverOptions, show_quantity
from eddyline.world.values import Context, FieldFormula, Number, wrong, wrong_table

_Options = dict[str, bool | int | float | str]
TAKEN = (
    *("id", "block", "position", "volume", "velocity", "velocity_x", "velocity_y", "velocity_z", "speed"),
    *("pressure", "vorticity", "density", "temperature", "mach", "pressure_coefficient", "fluid_fraction"),
    *("eddy_viscosity_ratio", "wall_distance"),
)
"""Names that a scalar cannot have: those of other fields of cells, pictures and probes."""


class Scalar(NamedTuple):
    """A scalar of a module. diffusivity: [m^2/s]. start: where the world gives none."""

    name: str
    unit: str
    meaning: str
    diffusivity: float
    start: float


def _known(name: str, info: ValidationInfo) -> str:
    if not name.startswith(modules.PREFIX):
        raise wrong(f'must be written "{modules.PREFIX}NAME"')
    check_module(name.removeprefix(modules.PREFIX), "blocks", info)
    return name


_Module = Annotated[
    str,
    AfterValidator(_known),
    WithJsonSchema({"type": "string", "pattern": f"^{modules.PREFIX}"}),
]


class ScalarOptions(SolverOptions):
    """The keys of [method] for scalars."""

    scalars: _Module | None = Field(
        default=None,
        description='Scalars that the flow of a liquid carries: "module:NAME", a module for blocks. '
        "[start.fields] has their start by name.",
    )
    parameters: dict[str, Number] = Field(
        default={}, description="Parameters of the module of the scalars, by name; its module.toml has them."
    )
    values: dict[str, dict[str, FieldFormula]] = Field(
        default={},
        description="Values of scalars at sides, openings and bodies, by their names: at a wall instead of "
        "no flux, at an opening where fluid enters, there instead of those of the start.",
        examples=[{"bottom": {"c": 1}}],
    )

    _module: modules.Library | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _find_module(self, info: ValidationInfo) -> ScalarOptions:
        if self.scalars is None:
            return self
        self._module = named_module(self.scalars.removeprefix(modules.PREFIX), "blocks", info)
        context = info.context.dimensions if isinstance(info.context, Context) else None
        try:
            scalars_of(self, context or self._module.description.dimensions[0])
        except _core.UserError as error:  # of the model itself
            raise wrong_table(f"is refused by {self.scalars}: {error}") from None
        return self

    @property
    def module(self) -> modules.Library | None:
        """The module of the scalars, if there are any."""
        return self._module


def core_options(options: ScalarOptions) -> _Options:
    """Options that the core takes: the library, and all its parameters."""
    if options.module is None:
        return {}
    known = options.module.description.parameters
    values = {key: float(options.parameters.get(key, each.default)) for key, each in known.items()}
    return {"library": str(options.module.path), "scalars": str(options.scalars), **values}


def core_values(options: ScalarOptions) -> dict[str, _core.Formula]:
    """Values at boundaries, as the core takes them among its fields."""
    return {f"{part}.{name}": of for part, all_of in options.values.items() for name, of in all_of.items()}


@cache
def _scalars(dimensions: int, options: tuple[tuple[str, Any], ...]) -> tuple[Scalar, ...]:
    return tuple(Scalar(*each) for each in _core.scalars_of(dimensions, dict(options)))


def scalars_of(options: ScalarOptions, dimensions: int) -> tuple[Scalar, ...]:
    """The scalars of a world; pictures know them from now on."""
    if options.module is None:
        return ()
    found = _scalars(dimensions, tuple(core_options(options).items()))
    shown = options.module.description.pictures
    for each in found:
        own = shown.get(each.name, modules.Picture())
        label = own.label or each.meaning or each.name
        show_quantity(each.name, Pictured(label, each.unit, own.diverging, own.starts_at_zero))
    return found


def parameters_of(options: ScalarOptions) -> Iterator[SteeredParameter]:
    """See `eddyline.world.parameters.steered_parameters`."""
    known = {} if options.module is None else options.module.description.parameters
    for key, about in known.items():
        value = options.parameters.get(key, about.default)
        yield SteeredParameter(key, ("method", "parameters", key), value, about.unit, about.description)


def refusals(file: WorldFile, options: ScalarOptions) -> Found:
    """Scalars that a world cannot have, and what it says of them without any."""
    if options.module is None:
        for key in ("parameters", "values"):
            if getattr(options, key):
                yield (
                    ("method", key),
                    f"method.{key}: this world has no scalars. Remove it, or write method.scalars.",
                )
        return
    if file.is_gas:
        yield (
            ("method", "scalars"),
            f'method.scalars = "{options.scalars}"; a gas carries no scalars here. Remove it, or write '
            'fluid.state = "liquid".',
        )
    yield from _refused_names(file, options)
    yield from _refused_parameters(options.module, options.parameters)
    yield from _refused_values(file, options)


def _refused_names(file: WorldFile, options: ScalarOptions) -> Found:
    names = [each.name for each in scalars_of(options, file.dimensions)]
    for name in names:
        if name in TAKEN or names.count(name) > 1 or not modules.is_name(name):
            yield (
                ("method", "scalars"),
                f'method.scalars = "{options.scalars}": its {name!r} is no name of a scalar, as another '
                "field has it, or it is not made of letters, digits and _. Rename it in the module and "
                "rebuild.",
            )
            return


def _refused_parameters(module: modules.Library, given: Mapping[str, float]) -> Found:
    known = module.description.parameters
    for key, value in given.items():
        path: Path = ("method", "parameters", key)
        if key not in known:
            text = f"{dotted(path)} = {number(value)}; the module {module.description.name} has no such"
            yield path, f"{text} parameter. {did_you_mean(key, known, 'and') or 'Remove it.'}"
        elif (complaint := known[key].complaint(value)) is not None:
            yield path, f"{dotted(path)} = {number(value)} {known[key].unit}; {complaint}.".replace(" ;", ";")


def _refused_values(file: WorldFile, options: ScalarOptions) -> Found:
    """Values of parts and scalars that there are not, and values that a run cannot use."""
    parts = _parts(file)
    names = [each.name for each in scalars_of(options, file.dimensions)]
    for part, all_of in options.values.items():
        if part not in parts:
            path: Path = ("method", "values", part)
            hint = did_you_mean(part, list(parts), "and") or "Remove it."
            yield path, f"{dotted(path)}: the world has no wall, opening or body of this name. {hint}"
            continue
        for name, formula in all_of.items():
            path = ("method", "values", part, name)
            if name not in names:
                hint = did_you_mean(name, names, "and") or "Remove it."
                yield path, f"{dotted(path)}: the module has no such scalar. {hint}"
            elif "t" in formula.used_variables and getattr(options, "steady", False):
                yield path, f"{dotted(path)} uses t; a steady search has no time. Write it without t."
            elif (points := parts[part]) is not None:
                for time in (0.0, 0.5 * file.time.end, file.time.end):
                    if not np.isfinite(evaluate(formula, points, time)).all():
                        when = f"t = {rounded(time)} s"
                        yield path, f"{dotted(path)} is not finite somewhere at {when}; must be everywhere."
                        break


def _parts(file: WorldFile) -> dict[str, Any]:
    """Parts of the boundary that may have values, with points on them; bodies without."""
    parts: dict[str, Any] = {opening.name: opening.points(file.dimensions) for opening in faces(file)}
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        if isinstance(file.boundaries.side(name), Wall):
            parts[name] = face(file, index)
    return parts | dict.fromkeys(file.bodies)


def describe(file: WorldFile, options: ScalarOptions) -> Rows:
    """Lines of `eddyline check`."""
    if options.module is None:
        return
    yield "scalars", f"{options.module.description.title}, {options.scalars} ({options.module.path})"
    for each in scalars_of(options, file.dimensions):
        unit = f" [{each.unit}]" if each.unit else ""
        what = each.meaning or "scalar"
        yield each.name, f"{what}{unit}, diffusivity {rounded(each.diffusivity)} m^2/s"


def stale(options: ScalarOptions) -> Iterator[str]:
    """A warning if the sources of the module have changed since it was built."""
    module = options.module
    if module is not None and module.is_stale:
        yield (
            f"{module.path.parent}: files of the module have changed since it was built. Run "
            f"`eddyline module build {module.path.parent}`."
        )


def bytes_per_cell(count: int, dimensions: int) -> int:
    """Memory of `count` scalars."""
    return 8 * ((5 + dimensions) * count + 4 * dimensions + 4) if count else 0
