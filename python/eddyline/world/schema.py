"""The tables and keys of a world file. Each key states its unit; JSON Schema is made from these classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    Discriminator,
    Field,
    PlainValidator,
    StrictBool,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)

from .. import _core
from .problems import listed
from .shapes import (
    BODIES,
    FRICTION,
    REGIONS,
    ROUGHNESS,
    Body,
    Friction,
    Motion,
    Region,
    Table,
    Vec3,
    check_friction,
    dimensions_of_space,
    vec3,
)
from .shapes import Profile as ProfileShape
from .shapes import Wing as WingShape
from .solver import Solver, SolverOptions, known_solver, picture_names, solvers
from .sph_options import SphOptions
from .terms import Term
from .values import (
    Condition,
    Count,
    FieldFormula,
    FieldVector,
    InflowVelocity,
    Lengths,
    NotNegative,
    Number,
    OneLine,
    Positive,
    PressureValue,
    Range,
    Vector,
    wrong_table,
)

AxisName = Literal["x", "y", "z"]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
SIDES: tuple[str, ...] = _core.SIDES
"""The sides of the domain, in the core's order: low and high x, low and high y, low and high z."""


class Reference(Table):
    """Reference values of the Reynolds number, coefficients and Strouhal numbers; they change nothing
    else."""

    velocity: Positive = Field(description="Reference velocity [m/s].", examples=[1.0])
    length: Positive = Field(description="Reference length [m].", examples=[0.1])
    area: Positive | None = Field(
        default=None, description="Reference area [m^2], 3D only: required for force coefficients."
    )

    @model_validator(mode="after")
    def _area_in_space(self, info: ValidationInfo) -> Reference:
        if self.area is not None and dimensions_of_space(info) == 2:
            raise wrong_table("has area, but force coefficients of a 2D world use length. Remove area")
        return self


class Domain(Table):
    """The computational domain, a box."""

    size: Lengths = Field(
        description="Lengths of the sides [m]; two numbers: 2D, three: 3D.", examples=[[1.0, 0.5]]
    )
    spacing: Positive = Field(description="Initial distance of neighbouring particles, or edge of a cell [m].", examples=[0.01])
    origin: Vector | None = Field(default=None, description="Lowest corner [m]; default 0.")
    gravity: Vector | None = Field(default=None, description="Acceleration of gravity [m/s^2]; default none.")
    body_force: FieldVector | None = Field(
        default=None, description="Additional acceleration [m/s^2], a formula of x, y, z, t."
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
    fields: dict[_Name, FieldFormula] = Field(
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


# --- sides --------------------------------------------------------------------------------------------------


class Wall(Table):
    """A solid side."""

    type: Literal["wall"]
    slip: StrictBool = Field(default=False, description="True: no friction; default no-slip.")
    friction: Friction | None = Field(default=None, description=FRICTION, examples=[0.003, "log"])
    roughness: Positive | None = Field(default=None, description=ROUGHNESS)
    velocity: FieldVector | None = Field(
        default=None, description="Velocity of the wall in its own plane [m/s], a formula of x, y, z, t."
    )

    @model_validator(mode="after")
    def _slip_or_friction(self) -> Wall:
        check_friction(self)
        return self

    @model_validator(mode="after")
    def _slip_or_velocity(self) -> Wall:
        if self.slip and self.velocity is not None:
            raise wrong_table(
                "has slip = true and velocity; a wall without friction moves no fluid. Remove one of them"
            )
        return self

    @property
    def slides(self) -> bool:
        """True if it ever moves in its plane."""
        velocity = self.velocity or ()
        return any(not part.is_constant or part.evaluate({}) != 0 for part in velocity)


class Periodic(Table):
    """Fluid that leaves here enters on the opposite side, which must also be periodic."""

    type: Literal["periodic"]


class Open(Table):
    """An open side (air). Fluid may leave and return; it is not shown outside the domain and is removed half
    a domain length away. Walls and bodies continue up to there."""

    type: Literal["open"]


class Inflow(Table):
    """Fluid enters with a given velocity."""

    type: Literal["inflow"]
    velocity: InflowVelocity = Field(
        description="Velocity of the entering fluid [m/s], formulas of x, y, z, t: a vector, or one "
        "component along the normal into the domain.",
        examples=[1.0],
    )
    pressure: FieldFormula | None = Field(
        default=None,
        description="Pressure [Pa], a formula of x, y, z, t; default extrapolated from the fluid.",
    )


class Outflow(Table):
    """Fluid leaves, and with it vortices, sound and, with a free surface, long waves."""

    type: Literal["outflow"]
    pressure: FieldFormula | None = Field(
        default=None,
        description="Mean pressure [Pa], a formula of x, y, z, t; waves leave freely. Default density "
        "max_speed^2, or 0 with a free surface.",
    )


class Stream(Table):
    """Free stream, 2D: fluid passes either way, with the velocity of an unbounded stream that the bodies
    disturb: that given here, and what the force on each body and its size say about the flow far from it."""

    type: Literal["stream"]
    velocity: Vector = Field(
        description="Of the stream far from all bodies [m/s]; the same on all sides of this type.",
        examples=[[1.0, 0.0]],
    )

    @property
    def pressure(self) -> None:
        """Extrapolated from the fluid."""
        return None


SIDE_KINDS: dict[str, type[Table]] = {
    "wall": Wall,
    "periodic": Periodic,
    "open": Open,
    "inflow": Inflow,
    "outflow": Outflow,
    "stream": Stream,
}


class _Patch(Table):
    min: Vector = Field(
        description="Lowest corner [m]; one coordinate equals that of max.", examples=[[0, 0.1]]
    )
    max: Vector = Field(description="Highest corner [m].", examples=[[0, 0.2]])
    facing: Literal["left", "right", "bottom", "top", "front", "back"] | None = Field(
        default=None,
        description="Direction from the opening to the fluid, for openings inside the domain, which "
        "need a body behind them; not for openings on a side.",
    )


class InflowPatch(Inflow, _Patch):
    """Fluid enters through a part of a wall or of a body."""


class OutflowPatch(Outflow, _Patch):
    """Fluid leaves through a part of a wall or of a body."""


OPENINGS: dict[str, type[Table]] = {"inflow": InflowPatch, "outflow": OutflowPatch}


# --- observers ----------------------------------------------------------------------------------------------


class Observer(Table):
    @property
    def marks(self) -> dict[str, tuple[float, ...]]:
        """The places that it names, by their keys [m]."""
        fields = type(self).model_fields.items()
        values = {field.alias or name: getattr(self, name) for name, field in fields}
        return {key: value for key, value in values.items() if isinstance(value, tuple)}


class Probe(Observer):
    """Pressure and velocity at one place."""

    type: Literal["probe"]
    position: Vector = Field(description="Position [m].", examples=[[0.1, 0.1]])


class Gauge(Observer):
    """The height of the free surface above one place."""

    type: Literal["gauge"]
    position: Vector = Field(description="Foot of the gauge [m].", examples=[[0.1, 0.0]])
    axis: AxisName | None = Field(
        default=None,
        description="Axis along which the height is measured; default that of gravity, or y without gravity.",
    )


class Front(Observer):
    """The position of the foremost fluid along an axis."""

    type: Literal["front"]
    axis: AxisName = Field(default="x", description="The axis.")


class Patch(Observer):
    """The mean pressure over a flat sensor, a line in 2D and a disc in 3D, and its wetted share. The pressure
    of dry parts counts as 0. Sampled at points at most half a spacing apart."""

    type: Literal["patch"]
    position: Vector = Field(description="Centre of the sensor [m].", examples=[[0.1, 0.0]])
    normal: Vector | None = Field(
        default=None,
        description="Normal direction, of any length; default that of the side of the domain at the centre.",
    )
    diameter: Positive = Field(description="Diameter of the sensor; in 2D its length [m].", examples=[0.03])

    @model_validator(mode="after")
    def _has_direction(self) -> Patch:
        if self.normal is not None and not any(self.normal):
            raise wrong_table("has a normal of length 0; must have a direction. Change it")
        return self

    @property
    def marks(self) -> dict[str, tuple[float, ...]]:
        return {"position": self.position}


class PressureDrop(Observer):
    """The pressure at one place minus that at another."""

    type: Literal["pressure_drop"]
    from_: Vector = Field(alias="from", description="First point [m].", examples=[[0.1, 0.2]])
    to: Vector = Field(description="Second point [m].", examples=[[0.3, 0.2]])

    @model_validator(mode="after")
    def _has_two_places(self) -> PressureDrop:
        _two_places(self)
        return self

    @property
    def places(self) -> list[Vec3]:
        return [vec3(self.from_), vec3(self.to)]


class Line(Observer):
    """The velocity along a straight line: how far from its start fluid flows back towards the start."""

    type: Literal["line"]
    from_: Vector = Field(
        alias="from", description="Start [m], e.g. the rear of a body.", examples=[[0.3, 0.2]]
    )
    to: Vector = Field(description="End [m].", examples=[[0.8, 0.2]])
    points: Annotated[Count, Field(ge=3, le=1000)] = Field(
        default=100, description="Number of points at equal distances, ends included."
    )

    @model_validator(mode="after")
    def _has_length(self) -> Line:
        _two_places(self)
        return self

    @property
    def places(self) -> list[Vec3]:
        return _places_between(self.from_, self.to, self.points)


class Profile(Observer):
    """A quantity along a straight line, at each row of the series; it has no value where there is no
    fluid."""

    type: Literal["profile"]
    from_: Vector = Field(alias="from", description="Start [m].", examples=[[0.5, 0.0]])
    to: Vector = Field(description="End [m].", examples=[[0.5, 1.0]])
    points: Annotated[Count, Field(ge=3, le=1000)] = Field(
        default=65, description="Number of points at equal distances, ends included."
    )
    quantity: Literal["velocity_x", "velocity_y", "velocity_z", "speed", "pressure"] = Field(
        description="Sampled quantity; velocity_z in 3D only.", examples=["velocity_x"]
    )

    @model_validator(mode="after")
    def _has_length(self, info: ValidationInfo) -> Profile:
        _two_places(self)
        if self.quantity == "velocity_z" and dimensions_of_space(info) == 2:
            raise wrong_table(
                'has quantity = "velocity_z", but this world is 2D. Write quantity = "velocity_x"'
            )
        return self

    @property
    def places(self) -> list[Vec3]:
        return _places_between(self.from_, self.to, self.points)

    @property
    def unit(self) -> str:
        return "Pa" if self.quantity == "pressure" else "m/s"


class Torque(Observer):
    """The torque of the fluid on a body about a fixed point."""

    type: Literal["torque"]
    body: OneLine = Field(description="The name of the body.", examples=["cylinder"])
    pivot: Vector = Field(description="The point [m], anywhere.", examples=[[0.1, 0.1]])


class Isosurface(Observer):
    """The surface of the fluid, or that on which another quantity has a value, as triangles in the folder of
    the run. 3D only."""

    type: Literal["isosurface"]
    quantity: OneLine = Field(
        default="fluid",
        max_length=500,
        description="Quantity: `fluid` (1 in the fluid, 0 outside), speed, velocity_x, velocity_y, "
        "velocity_z, pressure, density, vorticity and strain (magnitudes) or q (the Q criterion); or a "
        "formula of these and of values of [let].",
        examples=["vorticity - 2*strain"],
    )
    value: Number | None = Field(
        default=None, description="Value of the quantity on the surface; default 0.5 for `fluid`."
    )
    values: Annotated[list[Number], Field(min_length=1, max_length=16)] | None = Field(
        default=None, description="Several values, one surface for each.", examples=[[100.0, 200.0]]
    )
    resolution: Annotated[Positive, Field(ge=0.25, le=8)] = Field(
        default=1.0, description="Distance of the points at which the quantity is computed, in spacings."
    )
    every: Positive | None = Field(
        default=None, description="Interval between surfaces [s]; default that of the pictures."
    )
    color: OneLine | None = Field(
        default=None,
        max_length=500,
        description="A second quantity or formula, stored for each vertex in 8 bits.",
        examples=["speed"],
    )

    @model_validator(mode="after")
    def _has_values(self, info: ValidationInfo) -> Isosurface:
        if dimensions_of_space(info) == 2:
            raise wrong_table("is an isosurface, but this world is 2D; surfaces need 3D. Remove it")
        if self.value is not None and self.values is not None:
            raise wrong_table("has value and values; must have one of them. Remove one")
        return self

    @property
    def marks(self) -> dict[str, tuple[float, ...]]:
        return {}

    @property
    def levels(self) -> list[float]:
        if self.values is not None:
            return self.values
        return [0.5 if self.value is None else self.value]


def _two_places(observer: PressureDrop | Line | Profile) -> None:
    if observer.from_ == observer.to:
        raise wrong_table("has the same point as from and to; must be two different points. Change one")


def _places_between(first: Sequence[float], last: Sequence[float], points: int) -> list[Vec3]:
    """Places at equal distances from one to the other [m], ends included."""
    start, end = vec3(first), vec3(last)
    shares = [k / (points - 1) for k in range(points)]
    x, y, z = ([a + share * (b - a) for share in shares] for a, b in zip(start, end, strict=True))
    return list(zip(x, y, z, strict=True))


OBSERVERS: dict[str, type[Observer]] = {
    "probe": Probe,
    "gauge": Gauge,
    "front": Front,
    "patch": Patch,
    "pressure_drop": PressureDrop,
    "line": Line,
    "profile": Profile,
    "torque": Torque,
    "isosurface": Isosurface,
}

if TYPE_CHECKING:
    BodyTable = Body
    RegionTable = Region
    SideTable = Wall | Periodic | Open | Inflow | Outflow | Stream
    OpeningTable = InflowPatch | OutflowPatch
    ObserverTable = Probe | Gauge | Front | Patch | PressureDrop | Line | Profile | Torque | Isosurface
else:
    BodyTable = Annotated[reduce(or_, BODIES.values()), Field(discriminator="shape")]
    RegionTable = Annotated[reduce(or_, REGIONS.values()), Field(discriminator="shape")]
    SideTable = Annotated[reduce(or_, SIDE_KINDS.values()), Field(discriminator="type")]
    OpeningTable = Annotated[reduce(or_, OPENINGS.values()), Field(discriminator="type")]
    ObserverTable = Annotated[reduce(or_, OBSERVERS.values()), Field(discriminator="type")]


def _default_side() -> SideTable:
    return Wall(type="wall")


class Boundaries(Table):
    """The sides of the domain; a side that is not named is a no-slip wall."""

    left: SideTable = Field(default_factory=_default_side, description="Side of lowest x.")
    right: SideTable = Field(default_factory=_default_side, description="Side of highest x.")
    bottom: SideTable = Field(default_factory=_default_side, description="Side of lowest y.")
    top: SideTable = Field(default_factory=_default_side, description="Side of highest y.")
    front: SideTable = Field(default_factory=_default_side, description="Side of lowest z, 3D only.")
    back: SideTable = Field(default_factory=_default_side, description="Side of highest z, 3D only.")

    @model_validator(mode="after")
    def _sides_of_the_space(self, info: ValidationInfo) -> Boundaries:
        extra = sorted({"front", "back"} & self.model_fields_set)
        if dimensions_of_space(info) == 2 and extra:
            sides = listed(extra)
            raise wrong_table(
                f"has {sides}; front and back exist in 3D only, and this world is 2D. Remove {sides}"
            )
        return self

    def side(self, name: str) -> SideTable:
        side: SideTable = getattr(self, name)
        return side


class Time(Table):
    end: Positive = Field(description="End of the run [s].", examples=[1.0])


def _add_picture_names(schema: dict[str, Any]) -> None:
    schema["enum"] = list(picture_names())


class Cut(Table):
    """A plane shown in pictures and movies of a 3D world, instead of the fluid from outside."""

    normal: Literal["x", "y", "z", "none"] = Field(
        description='Axis normal to the plane; "none": pictures show the fluid from outside.', examples=["z"]
    )
    at: Number | None = Field(
        default=None,
        description="Position along that axis [m]; default the middle of the first body at rest, or "
        "of the domain.",
    )


class Camera(Table):
    """Pictures and film of a 3D run show the surfaces of an isosurface from outside, coloured by its `color`.
    `output.cut` then leaves out what is in front of its plane."""

    surface: OneLine | None = Field(
        default=None,
        description="Name of an isosurface of [observe]; default the first one. Its `every` is the interval "
        "of the film.",
        examples=["vortices"],
    )
    azimuth: Annotated[Number, Field(ge=-360, le=360)] = Field(
        default=28.0, description="Direction from which the camera looks, around the upward axis [degrees]."
    )
    elevation: Annotated[Number, Field(ge=-89, le=89)] = Field(
        default=22.0, description="Its height above the horizon [degrees]."
    )


class Output(Table):
    """Outputs of a run. Each number divides the time from 0 to the end into equal intervals; the start and
    the end of each interval are kept. With 0 pictures only the last state is shown, with 0 snapshots none are
    written."""

    pictures: Annotated[Count, Field(le=1_000_000)] = Field(
        default=160, description="Number of frames of the movie."
    )
    snapshots: Annotated[Count, Field(le=1_000_000)] = Field(
        default=20, description="Number of snapshots of all particles, for ParaView."
    )
    series: Annotated[Count, Field(ge=1, le=1_000_000_000)] = Field(
        default=2000, description="Number of rows of each time series; at least 1."
    )
    quantity: str | None = Field(
        default=None,
        description="Quantity of the pictures; default the first that the solver has: of sph speed. "
        "vorticity in 2D only, velocity_z in 3D only.",
        json_schema_extra=_add_picture_names,
    )
    cut: Cut | None = Field(
        default=None,
        description='3D only: a plane shown in pictures, e.g. { normal = "z", at = 0.5 }. Default without a '
        "free surface: along the stream through the first body at rest or the middle of the domain; with "
        "a free surface: none.",
    )
    camera: Camera | None = Field(
        default=None,
        description='3D only: pictures and film show an isosurface, e.g. { surface = "vortices" }.',
    )


class Expect(Table):
    """A published or exact value that is compared with the run."""

    quantity: str = Field(
        min_length=1,
        description='A formula of results, e.g. "force.cylinder.total_x.mean".',
        examples=["budget.max_speed.max"],
    )
    range: Range | None = Field(default=None, description="Lowest and highest allowed value.")
    value: Number | None = Field(default=None, description="The value, with tolerance.")
    tolerance: Positive | None = Field(
        default=None, description="Largest allowed difference from value, in the unit of the quantity."
    )
    curve: str | None = Field(
        default=None,
        description="A CSV file of two columns, against and quantity, beside the world, or its URL.",
    )
    against: str | None = Field(default=None, description='Abscissa of the curve, e.g. "time".')
    band: Positive | None = Field(
        default=None,
        description="Largest allowed RMS difference from the curve, relative to the RMS of the curve.",
    )
    shift: NotNegative | None = Field(
        default=None,
        description="Largest shift of the curve along the abscissa for the best agreement; default "
        "0.3, for a profile 0.",
    )
    after: NotNegative = Field(default=0.0, description="Start of the evaluated time range [s].")
    unbounded: StrictBool = Field(
        default=False,
        description="True: the value is for an unbounded stream; blockage raises the computed value.",
    )
    source: str = Field(
        default="", description="Key of the paper in refs.bib, or another source of the value."
    )
    when: Condition = Field(default=True, description="Condition; the entry is used only if it is true.")

    @model_validator(mode="after")
    def _one_kind(self) -> Expect:
        kinds = {"range": ("range",), "value": ("value", "tolerance"), "curve": ("curve", "against", "band")}
        given = [kind for kind, keys in kinds.items() if any(getattr(self, key) is not None for key in keys)]
        if len(given) != 1:
            raise wrong_table(
                f"has {listed(given) or 'no reference'}; must have exactly one of: range, value with "
                "tolerance, curve with against and band"
            )
        missing = [key for key in kinds[given[0]] if getattr(self, key) is None]
        if missing:
            raise wrong_table(f"lacks {listed(missing)}, which {given[0]} requires. Add {missing[0]}")
        return self


_LET_SCHEMA = {
    "type": "object",
    "description": "Values for use in formulas: numbers, or formulas of other values.",
    "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "string"}]},
}


def _as_it_is(value: Any) -> Any:
    return value


class WorldFile(Table):
    """A world: fluid, bodies and walls, in SI units. A number may be a formula of [let] values."""

    format: Literal[1] = Field(description="Version of the file format.", examples=[1])
    title: OneLine = Field(default="", description="Title of the world, one line.")
    let: Annotated[dict[str, Any], PlainValidator(_as_it_is), WithJsonSchema(_LET_SCHEMA)] = Field(
        default_factory=dict
    )
    reference: Reference | None = None
    domain: Domain
    given_fluid: Fluid | None = Field(default=None, alias="fluid")
    start: Start = Field(default_factory=Start)
    regions: dict[_Name, RegionTable] = Field(
        default_factory=dict, description="Initial regions of fluid; without regions fluid fills the domain."
    )
    boundaries: Boundaries = Field(default_factory=Boundaries)
    openings: dict[_Name, OpeningTable] = Field(
        default_factory=dict, description="Inflow and outflow through parts of walls and bodies."
    )
    bodies: dict[_Name, BodyTable] = Field(default_factory=dict, description="Solid bodies.")
    terms: tuple[Term, ...] = Field(
        default=(), description="Terms of the equation of motion that the world states as formulas."
    )
    time: Time
    method: SolverOptions = Field(default_factory=SphOptions)
    output: Output = Field(default_factory=Output)
    observe: dict[_Name, ObserverTable] = Field(default_factory=dict, description="Measurements, by name.")
    expect: tuple[Expect, ...] = Field(
        default=(), description="Reference values that results are compared with."
    )

    @property
    def dimensions(self) -> int:
        return len(self.domain.size)

    @property
    def named_files(self) -> list[str]:
        """Files that the world needs beside it: reference curves, profiles of bodies and regions, and a
        mesh."""
        names = [expect.curve for expect in self.expect if expect.curve]
        tables = (*self.bodies.values(), *self.regions.values())
        names += [table.file for table in tables if isinstance(table, ProfileShape)]
        wings = [table for table in tables if isinstance(table, WingShape)]
        names += [station.file for wing in wings for station in wing.stations if station.file]
        names += getattr(getattr(self, "mesh", None), "named_files", [])
        return list(dict.fromkeys(names))

    @property
    def solver(self) -> Solver:
        """The solver that [method] names."""
        return solvers()[self.method.name]

    @property
    def fluid(self) -> Fluid:
        """The fluid of a world whose solver requires one."""
        if self.given_fluid is None:
            raise LookupError(f"a world of the solver {self.method.name} without [fluid]")
        return self.given_fluid

    @property
    def lengths(self) -> _core.Lengths:
        """Lengths of particle methods."""
        from .outline import outline

        return _core.lengths(outline(self))

    @property
    def is_gas(self) -> bool:
        return self.given_fluid is not None and self.given_fluid.is_gas

    @property
    def pictured(self) -> str:
        """The quantity of the pictures."""
        return self.output.quantity or self.solver.pictured(self)[0]

    @property
    def sph(self) -> SphOptions:
        """The options of the solver sph, in a world of sph."""
        if not isinstance(self.method, SphOptions):
            raise LookupError(f"the options of sph in a world of {self.method.name}")
        return self.method

    @property
    def has_free_surface(self) -> bool:
        """True if the fluid need not fill the domain, so that it may have a surface."""
        if not self.solver.has_surfaces:
            return False
        sides = SIDES[: 2 * self.dimensions]
        return bool(self.regions) or any(self.boundaries.side(name).type == "open" for name in sides)


@cache
def world_file() -> type[WorldFile]:
    """The class of world files with the options and tables of all solvers."""
    members: Any = reduce(or_, (Annotated[each.options, Tag(name)] for name, each in solvers().items()))
    options = Annotated[members, Discriminator(name_of_solver)]
    about = "The solver and its options; a section for each solver says which."
    fields: dict[str, Any] = {"method": (options, Field(default_factory=SphOptions, description=about))}
    for each in solvers().values():
        fields |= {key: (table | None, None) for key, table in each.tables.items()}
    return create_model("WorldFile", __base__=WorldFile, __doc__=WorldFile.__doc__, **fields)


def name_of_solver(table: Any) -> str:
    """The solver that the content of [method] names: sph if it names none."""
    name = table.get("name", "sph") if isinstance(table, Mapping) else getattr(table, "name", "sph")
    return str(name)


def table_of(path: Sequence[str | int], data: Any) -> type[Table] | None:
    """The class of the table at `path` in the content `data`; None if it depends on missing keys."""
    if not path:
        return world_file()
    tagged: dict[str, tuple[Mapping[str, type[Table]], str]] = {
        "bodies": (BODIES, "shape"),
        "regions": (REGIONS, "shape"),
        "boundaries": (SIDE_KINDS, "type"),
        "openings": (OPENINGS, "type"),
        "observe": (OBSERVERS, "type"),
    }
    first = str(path[0])
    if len(path) == 2 and first in tagged:
        classes, key = tagged[first]
        try:
            return classes.get(data[first][path[1]][key])
        except (KeyError, TypeError):
            return None
    if len(path) == 3 and first == "bodies" and path[2] == "motion":
        return Motion
    if tuple(path) == ("output", "cut"):
        return Cut
    if len(path) == 2 and first in ("expect", "terms"):
        return Expect if first == "expect" else Term
    simple: dict[str, type[Table]] = {
        "reference": Reference,
        "domain": Domain,
        "fluid": Fluid,
        "start": Start,
        "boundaries": Boundaries,
        "time": Time,
        "output": Output,
    }
    if tuple(path) == ("method",):
        solver = known_solver(name_of_solver(data.get("method") if isinstance(data, Mapping) else None))
        return solver.options if solver is not None else None
    for solver in solvers().values():
        simple |= solver.tables
    return simple.get(first) if len(path) == 1 else None


def keys_of(table: type[Table]) -> list[str]:
    """The keys of a table as written in a file; shape or type comes first."""
    keys = [field.alias or name for name, field in table.model_fields.items()]
    return sorted(keys, key=lambda key: (key not in ("shape", "type"), key in ("slip", "motion", "pressure")))
