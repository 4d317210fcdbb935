"""The keys of [method] for the solver sph, which the checks of its worlds need, such as those of gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, StrictBool, model_validator

from .problems import listed
from .solver import SolverOptions
from .values import NotNegative, Number, Positive, wrong_table


@dataclass(frozen=True)
class OnlyFor:
    """Marks a key of [method] that one scheme alone takes; the other refuses it."""

    scheme: Literal["delta", "classic"]


class SphOptions(SolverOptions):
    """Smoothed particle hydrodynamics. The defaults suit every world."""

    name: Literal["sph"] = Field(default="sph", description="Smoothed particle hydrodynamics.")
    scheme: Literal["delta", "classic"] = Field(
        default="delta",
        description='"delta": weakly compressible with density diffusion and shifting; "classic": the '
        "scheme of Monaghan, with artificial viscosity and thermal energy.",
    )
    smoothing_ratio: Annotated[Number, Field(ge=1, le=3)] | None = Field(
        default=None,
        description="Smoothing length in spacings; default 2 in 2D, 1.5 in 3D; classic, liquid: 1.3.",
    )
    cfl: Annotated[Positive, Field(le=1.5)] | None = Field(
        default=None,
        description="dt <= cfl h / (c0 + highest speed); default 1, unstable above 1.3 to 1.5. In 3D with a "
        "free surface the default is 0.9, and splashes are unstable above 1. classic: cfl h / signal speed, "
        "default 0.3.",
    )
    viscous_cfl: Annotated[Positive, Field(le=0.125)] | None = Field(
        default=None, description="dt <= viscous_cfl h^2 / nu; default 0.1; unstable above 0.116 in 2D."
    )
    density_diffusion: Annotated[NotNegative | None, OnlyFor("delta")] = Field(
        default=None, description="delta: coefficient of density diffusion; default 0.1."
    )
    acoustic_damping: Annotated[Annotated[NotNegative, Field(le=0.3)] | None, OnlyFor("delta")] = Field(
        default=None,
        description="delta: bulk viscosity in units of density h c0, which damps sound; default 0.1; "
        "with a free surface 0.2, in deep fluid only.",
    )
    artificial_viscosity: NotNegative | None = Field(
        default=None,
        description="alpha; the smallest viscosity is alpha h c0 / (2 (D + 2)), default 0.003 with a free "
        "surface, else 0; classic: added to the viscosity between approaching particles, default 0.01; "
        "gas: default 1.",
    )
    artificial_viscosity_beta: Annotated[NotNegative | None, OnlyFor("classic")] = Field(
        default=None, description="beta, which prevents particles from crossing a shock; default 0, gas: 2."
    )
    artificial_conductivity: Annotated[NotNegative | None, OnlyFor("classic")] = Field(
        default=None, description="alpha_u, gas only; default 1."
    )
    xsph: Annotated[Annotated[Number, Field(ge=0, le=1)] | None, OnlyFor("classic")] = Field(
        default=None,
        description="epsilon of XSPH: share of the neighbours' velocity in the motion; default 0.",
    )
    shifting: Annotated[StrictBool | None, OnlyFor("delta")] = Field(
        default=None, description="Particle shifting, which keeps particles evenly distributed; default true."
    )
    shifting_strength: Annotated[Positive | None, OnlyFor("delta")] = Field(
        default=None,
        description="Coefficient A of particle shifting; default 6 with a free surface, 3 without.",
    )
    shifting_cap: Annotated[NotNegative | None, OnlyFor("delta")] = Field(
        default=None, description="Largest shift per step, in spacings; default 0.1."
    )
    volume_relaxation: Annotated[Annotated[NotNegative, Field(le=0.1)] | None, OnlyFor("delta")] = Field(
        default=None,
        description="delta with shifting: rate at which density relaxes to the volume fraction of "
        "particles, in c0/h; default 0.01. At a free surface only where particles are "
        "crowded.",
    )
    skin: Positive | None = Field(
        default=None,
        description="Relative displacement of particles between rebuilds of the neighbour lists, in "
        "spacings; default automatic.",
    )
    precision: Literal["single", "double"] = Field(
        default="single", description="Precision of the sums over pairs."
    )
    speed_limit: Positive | None = Field(
        default=None,
        description="Speed above which the run stops [m/s]; default the speed of sound; gas: 10 times "
        "the highest initial speed.",
    )

    @model_validator(mode="after")
    def _options_of_the_scheme(self) -> SphOptions:
        other: Literal["delta", "classic"] = "classic" if self.scheme == "delta" else "delta"
        foreign = [
            key
            for key, field in type(self).model_fields.items()
            if OnlyFor(other) in field.metadata and getattr(self, key) is not None
        ]
        if foreign:
            verb = "requires" if len(foreign) == 1 else "require"
            raise wrong_table(
                f'has {listed(foreign)}, which {verb} scheme = "{other}"; this world uses "{self.scheme}". '
                f"Change scheme or remove {listed(foreign)}"
            )
        return self
