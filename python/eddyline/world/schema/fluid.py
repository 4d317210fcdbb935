"""The tables [fluid] and [start]: what the fluid is, and how it is at t = 0."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..problems import listed
from ..shapes import Table
from ..values import (
    Count,
    FieldFormula,
    FieldVector,
    Identifier,
    NotNegative,
    Number,
    Positive,
    PressureValue,
    wrong_table,
)

CONDUCTION_KEYS = ("prandtl", "gas_constant", "sutherland")
TURBULENCE_KEYS = ("turbulence", "turbulence_ratio")
GAS_KEYS = ("gamma", *CONDUCTION_KEYS, *TURBULENCE_KEYS)
"""Keys of [fluid] of a gas only; those of conduction are not for particles, those of turbulence for one
solver."""


class Fluid(Table):
    """The fluid. Exactly one viscosity, of a gas at most one; of a liquid at most one of max_speed and
    sound_speed."""

    state: Literal["liquid", "ideal_gas"] = Field(
        default="liquid",
        description="A liquid, or an ideal gas: with particles it needs method.scheme = classic.",
    )
    density: Positive = Field(
        description="Density [kg/m^3]: of a liquid at zero pressure, or at the background pressure if "
        "there is one; of a gas at the start.",
        examples=[1000.0],
    )
    gamma: Annotated[Number, Field(gt=1, le=10)] | None = Field(
        default=None, description="Ratio of specific heats, gas only; default 1.4."
    )
    prandtl: Positive | None = Field(
        default=None, description="Prandtl number, gas only; default 0.72. Not for particles."
    )
    gas_constant: Positive | None = Field(
        default=None,
        description="R in p = density R T [J/(kg K)], gas only; default 287.05 (air). Not for particles.",
    )
    sutherland: Positive | None = Field(
        default=None,
        description="Sutherland's temperature [K], 110.4 for air, gas only: the viscosity, given for the "
        "temperature at the start, grows with the temperature; default constant. Not for particles.",
    )
    turbulence: Literal["spalart_allmaras"] | None = Field(
        default=None,
        description="Turbulence model, gas and the solver multiblock only; default none. "
        "spalart_allmaras: the variant SA-neg; boundary layers are turbulent from where they begin.",
    )
    turbulence_ratio: NotNegative | None = Field(
        default=None,
        description="With a turbulence model: its variable over the kinematic viscosity at the start, in "
        "streams and in inflows; default 3.",
    )
    kinematic_viscosity: NotNegative | None = Field(default=None, description="Kinematic viscosity [m^2/s].")
    dynamic_viscosity: NotNegative | None = Field(default=None, description="Dynamic viscosity [Pa s].")
    max_speed: Positive | None = Field(
        default=None,
        description="Highest expected speed [m/s]; the speed of sound is 10 times this. Default: estimated.",
    )
    sound_speed: Positive | None = Field(
        default=None, description="Artificial speed of sound [m/s], instead of max_speed."
    )

    @model_validator(mode="after")
    def _one_of_each(self) -> Fluid:
        if self.kinematic_viscosity is None and self.dynamic_viscosity is None and not self.is_gas:
            raise wrong_table(
                "has neither kinematic_viscosity nor dynamic_viscosity; exactly one is needed. "
                "Add kinematic_viscosity = 1e-6 (water)"
            )
        if self.kinematic_viscosity is not None and self.dynamic_viscosity is not None:
            raise wrong_table(
                "has kinematic_viscosity and dynamic_viscosity; exactly one is allowed. Remove one"
            )
        if self.max_speed is not None and self.sound_speed is not None:
            raise wrong_table("has max_speed and sound_speed; at most one is allowed. Remove one")
        foreign = ("max_speed", "sound_speed") if self.is_gas else GAS_KEYS
        given = [key for key in foreign if getattr(self, key) is not None]
        if given and self.is_gas:
            raise wrong_table(
                f'has {listed(given)} with state = "ideal_gas"; the speed of sound of a gas follows from its '
                f"pressure and density. Remove {given[0]}"
            )
        if given:
            raise wrong_table(
                f'has {given[0]} with state = "liquid"; {given[0]} is allowed for a gas only. Write state = '
                f'"ideal_gas" or remove {given[0]}'
            )
        return self

    @property
    def is_gas(self) -> bool:
        return self.state == "ideal_gas"

    @property
    def nu(self) -> float:
        """Kinematic viscosity [m^2/s]."""
        if self.kinematic_viscosity is not None:
            return self.kinematic_viscosity
        return (self.dynamic_viscosity or 0.0) / self.density


class Start(Table):
    """The fluid at t = 0."""

    velocity: FieldVector | None = Field(
        default=None, description="Velocity [m/s], a formula of x, y, z; default 0."
    )
    pressure: PressureValue | None = Field(
        default=None,
        description='"hydrostatic" or a formula [Pa]; default 0; with openings and without a free surface '
        "density max_speed^2; required for a gas.",
    )
    density: FieldFormula | None = Field(
        default=None, description="Density [kg/m^3], a formula of x, y, z; gas only; default fluid.density."
    )
    arrangement: Literal["lattice", "jittered", "fitted"] = Field(
        default="lattice",
        description="Initial particle positions: on a lattice, randomly displaced from it, or fitted "
        "to the surfaces of bodies.",
    )
    jitter: Annotated[Number, Field(ge=0, le=0.5)] | None = Field(
        default=None, description='Largest random displacement in spacings, for "jittered" only; default 0.1.'
    )
    settle: NotNegative = Field(
        default=0.0, description="Duration [s] of damped motion before t = 0, for a disordered start."
    )
    seed: Annotated[Count, Field(le=10**15)] = Field(default=1, description="Seed of the random numbers.")
    fields: dict[Identifier, FieldFormula] = Field(
        default_factory=dict,
        description="Start of the solver's own fields, by name: formulas of x, y, z. Sections of solvers "
        "name them.",
    )

    @model_validator(mode="after")
    def _jitter_only_if_jittered(self) -> Start:
        if self.jitter is not None and self.arrangement != "jittered":
            raise wrong_table(
                f'has jitter with arrangement = "{self.arrangement}"; jitter requires "jittered". Write '
                'arrangement = "jittered" or remove jitter'
            )
        return self
