"""The keys of [method] of the solver amr, and what equations have: fields, quantities, columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PrivateAttr, ValidationInfo, WithJsonSchema, model_validator

from eddyline import _core, modules
from eddyline.world.named_modules import check_module, named_module
from eddyline.world.problems import did_you_mean, listed
from eddyline.world.schema import (
    WorldFile,
)
from eddyline.world.solver import (
    Pictured,
    SolverOptions,
    pictures_of,
    plain_outline,
    show_quantity,
)
from eddyline.world.values import (
    Context,
    Count,
    FieldFormula,
    Number,
    Positive,
    Quantities,
    wrong,
    wrong_table,
)

WAVE, GRAVITY, EULER, NAVIER_STOKES, BURGERS = "wave", "gravity", "euler", "navier-stokes", "burgers"


EULER_POISSON = "euler-poisson"


GASES = (EULER, NAVIER_STOKES)


WAVES = (WAVE, GRAVITY)


EQUATIONS = (WAVE, GRAVITY, EULER, NAVIER_STOKES, EULER_POISSON, BURGERS)
"""Those of the package; others come from modules."""


PLACES = ("x", "y", "z", "t", "level")
"""Variables of method.refine besides the quantities of pictures."""


PICTURES = pictures_of(
    *(
        plain_outline("amr", dimensions, equations=name, levels=2)
        for name in _core.equation_names()
        for dimensions in ((3,) if name == GRAVITY else (2, 3))
    )
)


QUANTITIES = tuple(name for name in PICTURES if name != "level")
"""Quantities of all equations."""


def is_module(name: str | None) -> bool:
    return name is not None and name.startswith(modules.PREFIX)


def _dimensions(info: ValidationInfo) -> int | None:
    return info.context.dimensions if isinstance(info.context, Context) else None


def _known(name: str, info: ValidationInfo) -> str:
    if is_module(name):
        check_module(name.removeprefix(modules.PREFIX), "patches", info)
    elif name not in EQUATIONS:
        near = did_you_mean(name, EQUATIONS)
        hint = near if near.startswith("Did") else f'Others are written "{modules.PREFIX}NAME".'
        raise wrong(f"must be {listed(EQUATIONS, 'or')}. {hint}")
    elif name == GRAVITY and _dimensions(info) == 2:
        raise wrong("gravitational waves are three-dimensional, and this world is 2D")
    return name


_Equations = Annotated[
    str,
    AfterValidator(_known),
    WithJsonSchema(
        {"anyOf": [{"enum": list(EQUATIONS)}, {"type": "string", "pattern": f"^{modules.PREFIX}"}]}
    ),
]


@dataclass(frozen=True)
class _Condition(Quantities):
    """Annotation of a formula that may also use the quantities of a module."""

    def compile(self, value: Any, info: ValidationInfo) -> _core.Formula:
        name = info.data.get("equations")
        if name is None or not is_module(name):
            return super().compile(value, info)
        library = named_module(name.removeprefix(modules.PREFIX), "patches", info)
        dimensions, known = _dimensions(info), library.description
        wanted = dimensions if dimensions in known.dimensions else known.dimensions[0]
        options: dict[str, bool | int | float | str] = {"library": str(library.path)}
        options |= {key: each.default for key, each in known.parameters.items()}
        own = [own for own, _ in _core.equation_columns(name, wanted, options)["quantities"]]
        return Quantities(tuple(dict.fromkeys((*self.names, *own)))).compile(value, info)


class AmrOptions(SolverOptions):
    """Equations on Cartesian cells with the edge domain.spacing, in patches.

    wave: d2u/dt2 = wave_speed^2 laplace(u); [start.fields] has u [m] and p = du/dt [m/s]. gravity: the same
    for the components h_xx to h_zz of a weak gravitational wave and their rates k_xx to k_zz [1/s], in 3D;
    amplitude and width give an exact solution as the start. euler, navier-stokes: an ideal gas without and
    with friction, of a [fluid]; start and regions as of particles. euler-poisson: an isothermal gas that
    attracts or repels itself; [start.fields] has density (default 1) and velocity_x to velocity_z. burgers:
    du/dt + u du/dx + u du/dy = 0; [start.fields] has u [m/s]."""

    name: Literal["amr"]
    equations: _Equations | None = Field(
        default=None,
        description="Equations; default for an ideal gas euler, with a viscosity navier-stokes; else wave. "
        '"module:NAME": those of a module outside the package.',
    )
    parameters: dict[str, Number] = Field(
        default={}, description="Parameters of the equations of a module, by name; its module.toml has them."
    )
    sound_speed: Positive | None = Field(
        default=None, description="Speed of sound [m/s]; equations euler-poisson only, default 1."
    )
    coupling: Number | None = Field(
        default=None,
        description="laplace(potential) = coupling (density - its mean) [m^3/(kg s^2)]: attraction above 0, "
        "repulsion below; equations euler-poisson only, default 1.",
    )
    residual: Annotated[Positive, Field(lt=1)] | None = Field(
        default=None,
        description="Residual of the potential after each step, relative to the right side; equations with "
        "a constraint only, default 1e-6.",
    )
    cycles: Annotated[Count, Field(ge=1)] | None = Field(
        default=None,
        description="Multigrid cycles after a step, at most; equations with a constraint only, default 30.",
    )
    wave_speed: Positive | None = Field(
        default=None, description="Speed of waves [m/s]; equations wave and gravity only, default 1."
    )
    amplitude: Number | None = Field(
        default=None,
        description="Starts with the gravitational wave of Teukolsky 1982 and compares it with the exact "
        "solution; equations gravity only.",
    )
    width: Positive | None = Field(
        default=None, description="Width of that wave [m]; equations gravity only, default 1."
    )
    potential: FieldFormula | None = Field(
        default=None,
        description="V in d2u/dt2 = wave_speed^2 laplace(u) - V u + source signal, a formula of x, y, z; "
        "where V is large waves cannot enter; equations wave only, default 0.",
    )
    source: FieldFormula | None = Field(
        default=None,
        description="Where waves are made, a formula of x, y, z [m/s^2]; equations wave only, default 0.",
    )
    signal: FieldFormula | None = Field(
        default=None,
        description="Factor of the source, a formula of t; equations wave only, default 1.",
    )
    order: Literal[2, 4, 6] | None = Field(
        default=None,
        description="Order of the finite differences in space; equations wave only, default 4.",
    )
    reconstruction: Literal["muscl", "weno"] | None = Field(
        default=None,
        description="Values at faces, of equations that conserve means of cells: by limited slopes, or by "
        "WENO-Z of order 5; default muscl.",
    )
    cfl: Annotated[Positive, Field(le=0.9)] = Field(
        default=0.4,
        description="dt = cfl edge / speed; speed: the largest sum over axes of the fastest signals, of "
        "waves wave_speed sqrt(dimensions).",
    )
    patch: Annotated[Count, Field(ge=8, le=1024)] = Field(
        default=32, description="Cells along the edge of a patch; it changes no result."
    )
    levels: Annotated[Count, Field(ge=1, le=10)] = Field(
        default=1,
        description="Levels of refinement: cells of each have half the edge of the one before, those of the "
        "finest domain.spacing. More than 1 require tolerance or refine.",
    )
    tolerance: Positive | None = Field(
        default=None,
        description="Cells that vary more are refined; of waves the fourth difference of u from cell to cell "
        "[m], of means the second one, divided by the value.",
    )
    refine: Annotated[_core.Formula, _Condition(("level", *QUANTITIES))] | None = Field(
        default=None, description="Condition: cells for which it holds are refined."
    )
    unit: Literal[4, 8] = Field(
        default=8, description="Cells along the edge of what is refined together, of the coarser level."
    )
    regrid_every: Annotated[Count, Field(ge=1)] = Field(
        default=2, description="Steps of the coarsest level after which refinement is chosen anew."
    )

    body_layer: Annotated[Count, Field(ge=2)] | None = Field(
        default=None,
        description="Cells before the surfaces of bodies that are refined, on each level but the finest; "
        "default 4.",
    )

    _module: modules.Library | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _find_module(self, info: ValidationInfo) -> AmrOptions:
        if self.equations is not None and is_module(self.equations):
            self._module = named_module(self.equations.removeprefix(modules.PREFIX), "patches", info)
            dimensions = _dimensions(info) or self._module.description.dimensions[0]
            try:
                _core.equation_columns(self.equations, dimensions, module_options(self))
            except _core.UserError as error:  # of the model itself
                raise wrong_table(f"is refused by {self.equations}: {error}") from None
        return self

    @property
    def module(self) -> modules.Library | None:
        """The module of the equations, if they are not of the package."""
        return self._module


DEFAULT_PRANDTL = 0.72
"""As in the core."""


def options_of(file: WorldFile) -> AmrOptions:
    assert isinstance(file.method, AmrOptions)
    return file.method


def equations_of(file: WorldFile) -> str:
    """The equations that the file names, or those of its fluid."""
    named = options_of(file).equations
    if named is not None or not file.is_gas:
        return named or WAVE
    return NAVIER_STOKES if file.fluid.nu > 0 else EULER


@cache
def _columns(
    name: str, dimensions: int, options: tuple[tuple[str, str | float], ...]
) -> dict[str, list[tuple[str, str]]]:
    return {"start": []} | _core.equation_columns(name, dimensions, dict(options))


def module_options(options: AmrOptions) -> dict[str, str | float]:
    """Options that the core takes for the equations of a module: its library, and all its parameters."""
    if options.module is None:
        return {}
    known = options.module.description.parameters
    values = {key: options.parameters.get(key, each.default) for key, each in known.items()}
    return {"library": str(options.module.path), **values}


def column_options(file: WorldFile) -> dict[str, str | float]:
    """Options on which the names of the equations depend."""
    options = options_of(file)
    if options.module is not None:
        return module_options(options)
    if equations_of(file) != GRAVITY:
        return {}
    return {key: value for key in ("amplitude", "width") if (value := getattr(options, key)) is not None}


def columns_of(file: WorldFile) -> dict[str, list[tuple[str, str]]]:
    """Names and units of the equations, see `_core.equation_columns`."""
    options = options_of(file)
    given = column_options(file)
    known = _columns(equations_of(file), file.dimensions, tuple(given.items()))
    if options.module is not None:
        shown = options.module.description.pictures
        for name, unit in known["quantities"]:
            own = shown.get(name, modules.Picture())
            show_quantity(name, Pictured(own.label or name, unit, own.diverging, own.starts_at_zero))
    return known
