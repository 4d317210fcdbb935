"""The compiled core: private to the package. SI units; arrays are C-contiguous unless said otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

__version__: str

def instruction_sets() -> list[str]:
    """Instruction sets that this build and this processor share, best last: e.g. ["scalar", "avx2",
    "avx512"].
    """

def execution_options() -> list[str]:
    """Names of the options of execution that `Simulation` takes."""

def exchange_strategies() -> list[str]:
    """Ways in which ranks can exchange boundaries, the default first."""

def inside_refusal(exchange: str) -> str:
    """Why this strategy cannot carry the messages inside a site alone, as combining and compressing those
    between sites asks for; "": it can. Raises UserError for a name that is not known."""

def replay_names() -> list[str]:
    """Ways in which `replay` can exchange: those of runs, and a few more."""

def replay(
    communicator: Communicator,
    name: str,
    exchanges: NDArray[np.int64],
    groups: Sequence[NDArray[np.int64]],
    *,
    compute: float = 0.0,
    most_seconds: float,
) -> dict[str, Any]:
    """Makes exchanges with messages of given sizes, whose contents are checked. Collective.

    exchanges: (n, 3) halo, rebuild, group, the same on all ranks. groups: (k, 3) each, of this rank:
    neighbour, in order, bytes to it and from it. compute: core time for which the rank computes while
    messages travel [s]. No exchange begins after `most_seconds`. Gives `moments`, (m, 3), of those made:
    begin and end by the machine's steady clock, and waiting [s]; `prepared`, (p,): what preparing for each
    change of group took [s]; `wrong`: bytes that are not what was sent. Raises UserError.
    """

def device_refusal(world: World) -> str:
    """What devices cannot compute of a world yet, as a sentence without its full stop; "": nothing."""

def device_memory_refusal(world: World, fluid: float, walls: float, device: str, free: float) -> str:
    """That a device with so many bytes left has too little memory for so many particles, and what would fit;
    "": it has enough."""

def arithmetic_limit(dimensions: int, sums: str = "confined", instructions: str = "auto") -> float:
    """Directed pairs a second whose rates and forces one core sums, if it does nothing but their arithmetic:
    every pair near, all lanes full, all data in the first cache, nothing transposed. sums: of the scheme
    delta "confined" or "free surface", of classic "liquid" or "gas". Raises ValueError for others.
    """

def series_lines(rows: NDArray[np.float64]) -> bytes:
    """Rows of a series as they stand in a file, numbers between commas: each the shortest text that gives the
    same double."""

def known_pixels(
    pixels: NDArray[np.float32], is_solid: NDArray[np.bool_] | None
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Of (rows, columns) pixels those that are finite or solid: `known`, a bit for each pixel, in the order
    of numpy.packbits, and their (n,) values, NaN on solids. Raises UserError for a mask of another shape."""

def value_codes(values: NDArray[np.float32], top: int, solid: int) -> tuple[NDArray[np.uint16], float, float]:
    """(n,) values as whole numbers: (n,) codes, `scale` and `offset`: value = offset + scale * code, and the
    highest has the code `top`. Those that are not finite have the code `solid`."""

def cover_codes(covers: NDArray[np.float32], one: int) -> NDArray[np.uint8]:
    """The same for (n,) covers from 0 to 1: codes, `one` for 1."""

class UserError(RuntimeError): ...

class UnresponsiveError(RuntimeError):
    """A rank has waited for others for longer than its patience."""

class StepError(RuntimeError):
    """A step produced a value that is not finite, a speed over the limit, or a jump. The message names
    particle, step and place; `details` holds id, step, time, position, velocity, density and the nearest
    neighbours.
    """

    details: dict[str, Any]

# --- world ----------------------------------------------------------------------------------------
class Formula:
    def __init__(self, text: str, variables: Sequence[str] = ()) -> None: ...
    def evaluate(self, values: Mapping[str, float | NDArray[np.float64]]) -> float | NDArray[np.float64]:
        """Scalars give a float; arrays broadcast and give an array, with the same bits as scalar
        evaluation.
        """
    def differentiate(self, values: Sequence[float], variable: str) -> tuple[float, float, float]:
        """The value and its first and second derivative by `variable`; one value for each variable, in
        their order. Exact up to rounding.
        """
    @property
    def text(self) -> str: ...
    @property
    def is_constant(self) -> bool: ...
    @property
    def used_variables(self) -> list[str]: ...

class Shape:
    def signed_distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 3) points, m -> (n,) distances, m, negative inside."""
    def layers(
        self, spacing: float, count: int, inside: bool = True
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(positions (n, 3) m, volumes (n,) m^D)."""
    def outline(self, tolerance: float) -> list[NDArray[np.float64]]: ...
    @property
    def bounds(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]: ...
    @property
    def volume(self) -> float: ...
    @property
    def dimensions(self) -> int: ...

Vec3 = tuple[float, float, float]

def circle(center: Vec3, diameter: float) -> Shape: ...
def rectangle(min: Vec3, max: Vec3, angle: float = 0.0) -> Shape: ...
def polygon(points: Sequence[Vec3]) -> Shape: ...
def line(from_: Vec3, to: Vec3, thickness: float) -> Shape: ...
def sphere(center: Vec3, diameter: float) -> Shape: ...
def box(min: Vec3, max: Vec3) -> Shape: ...
def cylinder(from_: Vec3, to: Vec3, diameter: float) -> Shape: ...
def triangulated(points: NDArray[np.float64], triangles: Sequence[tuple[int, int, int]]) -> Shape:
    """A closed surface; corners of triangles anticlockwise as seen from outside."""

def formula_region(inside: Formula, min: Vec3, max: Vec3, dimensions: int) -> Shape:
    """Where a condition on x, y and z holds, in the box from min to max: -1 inside and 1 outside are its
    signed distances, its bounds the box. It has neither layers nor an outline nor a volume.
    """

class Side:
    kind: Literal["wall", "periodic", "open", "inflow", "outflow", "stream"]
    slip: bool
    velocity: list[Formula]  # three, of x, y, z, t

class Opening:
    """Where fluid enters or leaves; a side of kind inflow or outflow has one that covers it."""

    def __init__(self) -> None: ...
    name: str
    inflow: bool
    stream: bool  # inflow: of a stream that bodies disturb, in or out as that turns
    axis: int  # across the opening
    inward: int  # 1: the fluid lies at higher coordinates, -1: at lower ones
    lower: Vec3  # m
    upper: Vec3  # m, equal to lower along the axis
    velocity: list[Formula]  # three, of x, y, z, t; inflow
    density: float  # kg/m^3, of the stream that has this velocity; 0: any; inflow
    pressure_imposed: bool  # inflow: else extrapolated from the fluid
    pressure: Formula  # Pa, of x, y, z, t

class Fluid:
    density: float
    kinematic_viscosity: float
    sound_speed: float
    matter: Literal["liquid", "ideal_gas"]
    gamma: float
    turbulence: Literal["none", "spalart_allmaras"]
    turbulence_ratio: float

PressureStart = Literal["zero", "hydrostatic", "formula"]

class Region:
    def __init__(self) -> None: ...
    name: str
    shape: Shape
    pressure_start: PressureStart
    pressure: Formula
    density: Formula  # gas only

class Motion:
    """Rigid motion by formulas of x, y, z, t, of which only t occurs; both 0 at t = 0."""

    def __init__(self) -> None: ...
    displacement: list[Formula]  # three, m
    rotation: Formula  # rad, about `axis` through `pivot`, which the displacement carries along
    pivot: Vec3  # m
    axis: Vec3
    def place(self, points: NDArray[np.float64], time: float) -> NDArray[np.float64]:
        """(n, 3) points of the body at t = 0, m -> where they are at `time`, m."""
    def velocity(self, points: NDArray[np.float64], time: float) -> NDArray[np.float64]:
        """(n, 3) points of the body at t = 0, m -> their velocities at `time`, m/s."""
    def acceleration(self, points: NDArray[np.float64], time: float) -> NDArray[np.float64]:
        """(n, 3) points of the body at t = 0, m -> their accelerations at `time`, m/s^2."""

class Body:
    def __init__(self) -> None: ...
    name: str
    shape: Shape  # at t = 0
    slip: bool
    motion: Motion | None
    def shape_at(self, time: float) -> Shape:
        """The shape where it is at `time`, s."""

class Start:
    velocity: list[Formula]
    pressure_start: PressureStart
    pressure: Formula
    density: Formula  # gas only
    jitter: float
    fitted: bool
    settle: float
    seed: int

class Method:
    OPTIONS: ClassVar[tuple[str, ...]]
    """Names of the options of the solver sph, which are attributes."""
    scheme: Literal["delta", "classic"]
    double_precision: bool
    def __getattr__(self, option: str) -> float: ...
    def __setattr__(self, option: str, value: float | str) -> None: ...

class Probe:
    def __init__(self, name: str, position: Vec3) -> None: ...
    name: str
    position: Vec3

class Gauge:
    def __init__(self, name: str, position: Vec3, axis: int) -> None: ...
    name: str
    position: Vec3
    axis: int

class Front:
    def __init__(self, name: str, axis: int) -> None: ...
    name: str
    axis: int

class Mesh:
    """Body-fitted blocks, links and boundaries, see core/world/mesh.hpp. Indices have one number for
    each dimension. low, high: half-open range of cells, along `axis` the layer at the face; end: 0 low, 1
    high."""

    def __init__(self, dimensions: int) -> None: ...
    def add_block(self, name: str, nodes: NDArray[np.float64]) -> None:
        """nodes: (ni + 1, nj + 1, 2) or (ni + 1, nj + 1, nk + 1, 3), m."""
    def add_link(
        self,
        block: int,
        axis: int,
        end: int,
        low: Sequence[int],
        high: Sequence[int],
        giver: int,
        axes: Sequence[int],
        signs: Sequence[int],
        offset: Sequence[int],
        shift: Sequence[float],
    ) -> None:
        """The cell c beyond the patch is the cell g of `giver`: g[axes[k]] = signs[k] c[k] + offset[axes[k]].
        shift: added to places of the giver, m."""
    def add_boundary(
        self, block: int, axis: int, end: int, low: Sequence[int], high: Sequence[int], name: str
    ) -> None:
        """name: of a side of the domain or a body, or "far"."""
    def divide(
        self, ranks: int, levels: int, is_gas: bool
    ) -> tuple[int, list[tuple[int, list[int], list[int], int]]]:
        """Levels of multigrid, and pieces as a run of the solver multiblock divides blocks among ranks:
        block, lowest cell, end, rank. levels: method.levels."""
    def check(self) -> None:
        """Raises UserError if links and boundaries do not fit."""
    @property
    def cells(self) -> int: ...
    @property
    def blocks(self) -> list[str]: ...

class World:
    """Numbers only, already validated. Lists and sub-objects: assign whole (`w.bodies = [...]`), or set
    the attributes of `w.fluid`, `w.start`, `w.method`, `w.sides[k]` (left right bottom top front back) in
    place.
    """

    def __init__(self) -> None: ...
    solver: str  # one of solver_names()
    options: dict[str, bool | int | float | str]  # of solvers other than sph
    fields: dict[str, Formula]  # start of a solver's own fields
    mesh: Mesh | None  # of solvers on body-fitted blocks
    dimensions: int
    origin: Vec3
    size: Vec3
    spacing: float
    gravity: Vec3
    body_force: list[Formula]
    sides: list[Side]
    openings: list[Opening]
    fluid: Fluid
    regions: list[Region]
    bodies: list[Body]
    start: Start
    method: Method
    probes: list[Probe]
    gauges: list[Gauge]
    fronts: list[Front]

# --- simulation -----------------------------------------------------------------------------------
class Estimate:
    """What a run will need, found without running it (particles are counted by placing them)."""

    fluid_particles: int
    wall_particles: int
    memory_bytes: int
    device_bytes: int  # on a device, lists included
    time_step: float  # s, at the start
    smoothing_length: float  # m
    interaction_radius: float  # m
    cell_edge: float  # m
    skin: float  # m

def solver_names() -> list[str]:
    """Names of the solvers that this build has."""

def equation_names() -> list[str]:
    """Names of the sets of equations of the solver amr."""

def equation_columns(
    name: str, dimensions: int, options: Mapping[str, bool | int | float | str] = {}
) -> dict[str, list[tuple[str, str]]]:
    """Names and units of a set of equations: its "fields", those of [start.fields] ("start"), and
    "quantities" of pictures and probes."""

def scalars_of(
    dimensions: int, options: Mapping[str, bool | int | float | str]
) -> list[tuple[str, str, str, float, float]]:
    """Name, unit, meaning, diffusivity and start of the scalars of a module. options: its library and its
    parameters. Raises UserError."""

def term_acts(
    library: str, dimensions: int, parameters: Mapping[str, bool | int | float | str]
) -> tuple[bool, bool]:
    """Whether the term of a module acts on pairs, and on single particles. Raises UserError."""

def term_values(
    library: str,
    dimensions: int,
    parameters: Mapping[str, bool | int | float | str],
    spacing: float,
    density: float,
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Forces on the first particles of pairs [N; 2D N/m], or accelerations of particles [m/s^2], (n,
    dimensions), for values of the variables of pairs or particles, (n, variables), in the order of
    core/physics/terms/variables.hpp. Raises UserError."""

def equation_speed(
    name: str,
    dimensions: int,
    options: Mapping[str, bool | int | float | str],
    spacing: float,
    values: NDArray[np.float64],
) -> float:
    """Largest speed of signals [m/s] for values of the fields, (fields, cells), on cells with an edge [m];
    NaN if the equations do not allow these values."""

def module_abi() -> str:
    """The version of headers and memory layout that libraries of modules must have."""

def module_about(library: str) -> str:
    """The JSON text that describes the module in a library. Raises UserError if it cannot be loaded or was
    built for another version."""

class Lengths:
    """Lengths of particle methods, m."""

    smoothing_length: float
    interaction_radius: float
    skin: float
    cell_edge: float
    buffer_length: float  # of the buffers beyond openings

def lengths(world: World) -> Lengths:
    """By dimensions, spacing, matter and method of a world; nothing else of it need be set."""

SIDES: tuple[str, ...]
"""Names of the sides of the domain: low and high x, low and high y, low and high z."""

def series_columns(world: World) -> dict[str, list[tuple[str, str]]]:
    """Name and unit of the columns of all series of a run, after the time: by kinds of sides, by names and
    motions of bodies, by names of openings and observers, by solver, method and options; nothing else of the
    world need be set."""

def quantities(world: World) -> list[tuple[str, str, str, str]]:
    """Name, unit, label and shade ("plain", "from_zero", "diverging", "whole") of the quantities that
    pictures of a world can show; of it the same need be set as for `series_columns`."""

def estimate(world: World) -> Estimate: ...
def effective_viscosity(world: World) -> float: ...

class Communicator:
    """The ranks of a run."""

    @staticmethod
    def connect(plugin: str) -> Communicator:
        """Loads the message passing in the library at `plugin` and joins the other ranks. Once a process.
        Raises UserError."""
    @staticmethod
    def library_of(plugin: str) -> str:
        """The file of the MPI library that the one at `plugin` loads. Raises UserError."""
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def library(self) -> str: ...
    patience: float  # s that a rank waits for others within a step; 0: for ever
    sites: list[int]  # the site of each rank; []: one
    def machine(self) -> int:
        """The lowest rank on this rank's machine, as the message passing sees machines. Collective."""
    def broadcast(self, message: bytes) -> bytes:
        """What rank 0 gives. Collective."""
    def gather(self, message: bytes) -> list[bytes]:
        """What all ranks give, by rank, on rank 0; nothing on others. Collective."""
    def disconnect(self) -> None:
        """The end of message passing. Collective."""
    def abort(self, exit_code: int) -> NoReturn:
        """Ends all ranks at once."""

class Simulation:
    def __init__(
        self,
        world: World,
        *,
        boxes: int = 1,
        threads: int = 0,  # 0: as many as pay
        cores: int = 0,  # which that may be at most; 0: all
        instructions: Literal["auto", "scalar", "avx2", "avx512"] = "auto",
        neighbors: Literal["cells", "all_pairs"] = "cells",
        shuffle: int = 0,  # not 0: particles are grouped into chunks in a random order (a test of the law)
        series_interval: float = 0.0,  # s between rows of the series; 0: every step
        decomposition: str = "bisection",  # blocks, strips, strips-x, ...
        exchange: str = "nonblocking",  # see exchange_strategies()
        rebalance: bool = True,  # share the domain out anew among ranks when that is worth its price
        lazy: int = 1,  # ranks exchange at every so many steps
        lazy_exact: bool = True,  # and compute what is around their cells; False: other bits
        communicator: Communicator | None = None,  # None: this process alone
        combine: str = "none",  # what one site has for another in one message
        compress: str = "none",  # between sites travels what cannot be foretold
        list_parts: int = 0,  # lists look the skin over it beyond R; 0: as far as pays
        device: str = "cpu",  # cpu, gpu, or emulated: the loops of devices, on the processor
        device_library: str = "",  # the library for gpu
    ) -> None: ...
    # With ranks, rank 0 calls what it likes and sees the particles of all, and the others only follow.
    def follow(self) -> None:
        """Joins the calls of rank 0 until its run is over."""
    def field(self, set: Literal["fluid", "walls"], name: str) -> NDArray[Any]:
        """A field of the particles of this rank: "fluid" has id, mass, buffer, position, velocity, density,
        pressure, thermal_energy and surface; "walls" has id, position, body and pressure. SI units. A view of
        the core's memory, or a copy of values that are computed. Raises UserError for others."""
    def end(self) -> None:
        """Lets the other ranks go."""
    @property
    def sets(self) -> list[tuple[str, str]]:
        """Sets of points or cells, and what a run calls the number of each: ("fluid", "fluid_particles")."""
    def count(self, set: str) -> int:
        """Members of a set on all ranks."""
    @property
    def has_points(self) -> bool: ...  # particles, for `records` and `glance`
    @property
    def quantities(self) -> list[tuple[str, str]]:
        """Quantities of rasters, with units."""
    @property
    def probe_columns(self) -> list[tuple[str, str]]:
        """Columns of a probe, with units."""
    def values(self, set: str, field: str, first: int, count: int) -> NDArray[np.float64]:
        """(count,) a scalar field of the members of all ranks with the ids `first` to `first + count - 1`;
        NaN for ids without a member. For sets whose ids count up from 0, such as cells."""
    def advance(self, until: float, max_steps: int, max_seconds: float) -> int:
        """Steps until time >= `until`, or step_count == `max_steps` (counted from the start), or
        `max_seconds` of wall time have passed in this call, or `interrupt()` was called; returns the
        steps done. Releases the GIL. Raises StepError.
        """
    def change(
        self,
        kind: str,
        name: str = "",
        value: Vec3 = (0, 0, 0),
        formulas: Sequence[str] = (),
        shape: str = "",
        numbers: Sequence[float] = (),
        slip: bool = False,
    ) -> float:
        """Changes the world between two steps. viscosity: value[0] [m^2/s]. gravity: value [m/s^2]. inflow:
        formulas of the velocity of the opening `name` [m/s]. motion: formulas of the displacement [m] of the
        body `name`, three, and of its rotation [rad]; value: the pivot [m]. add_probe, remove_probe: `name`,
        value [m]. add_body: a body `name` at rest, its shape ("circle", ...), the numbers that the function
        of that name takes, one after the other, and whether it has slip; remove_body: the body `name`; both
        happen as the next step begins. parameter: the option `name` becomes value[0]. term: formulas of the
        term whose options begin with `name`. Rows of series must have been taken. Returns the mass of the
        fluid that makes room for a body [kg], kg/m in 2D, else 0. Raises UserError, and then nothing has
        changed.
        """
    def track(self, name: str, id: int) -> None:
        """Begins a series of the fluid particle `id` between two steps. Rows of series must have been taken.
        Raises UserError if the solver has no particles."""
    def untrack(self, name: str) -> None: ...
    def interrupt(self) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def threads(self) -> int: ...  # of this process
    @property
    def step_count(self) -> int: ...
    @property
    def time_step(self) -> float: ...
    @property
    def fluid_count(self) -> int: ...
    @property
    def wall_count(self) -> int: ...

    # Views without copies: (n, D) or (n,), read-only, valid until the next step; the order of particles
    # changes at rebuilds.
    @property
    def id(self) -> NDArray[np.int64]: ...
    @property
    def buffer(self) -> NDArray[np.uint8]: ...  # 1 + the opening whose buffer it is in; 0: fluid
    @property
    def position(self) -> NDArray[np.float64]: ...  # m
    @property
    def velocity(self) -> NDArray[np.float64]: ...  # m/s
    @property
    def mass(self) -> NDArray[np.float64]: ...  # kg (kg/m in 2D)
    # Computed on request: new arrays.
    @property
    def density(self) -> NDArray[np.float64]: ...  # (n,) kg/m^3
    def pressure(self) -> NDArray[np.float64]: ...  # (n,) Pa
    def thermal_energy(self) -> NDArray[np.float64]:  # J/kg
        """(n,) a view like the above; empty unless the scheme is classic."""
    def surface(self) -> NDArray[np.float64]:
        """(n,) 1 for particles of the free surface, else 0."""
    def wall_position(self) -> NDArray[np.float64]: ...  # (n, D) m
    def wall_body(self) -> NDArray[np.int32]:
        """(n,) index into bodies, or -1 - side for the walls of the domain."""
    def wall_pressure(self) -> NDArray[np.float64]: ...  # (n,) Pa
    def records(self, kind: Literal["fluid", "walls"], after: int, limit: int) -> bytes:
        """The first `limit` particles of all ranks with ids larger than `after`, in order of id, as
        `eddyline.stream.particles.RECORD` lays them out."""
    def glance(self, every: int = 1, with_ids: bool = False) -> dict[str, Any]:
        """The fluid of all ranks within the domain for somebody who watches, one particle of `every`, always
        the same ones, in no particular order: `particles`, (n, 8) uint16: position over the domain, velocity
        from -`speed` to `speed` [m/s], pressure and density within (lowest, highest) `pressure` [Pa] and
        `density` [kg/m^3]; `ids`, (n,) int64, if asked for."""
    def rasters(
        self,
        quantities: Sequence[str],
        shape: tuple[int, int],
        lower: Vec3,
        upper: Vec3,
        axes: Sequence[int] = (0, 1, 2),
    ) -> NDArray[np.float32]:
        """SPH interpolation on a plane of pixels: (quantities, rows, columns) for a shape (rows, columns),
        row 0 at the bottom, centres of equal cells between `lower` and `upper`. axes: those along which
        columns and rows follow each other, and the normal, along which the plane is at `lower`.
        NaN where there is no fluid. Quantities: speed, velocity_x, velocity_y, velocity_z, pressure, density,
        vorticity (2D); all but the vorticity cost little more together than one of them. And cover, from 0
        to 1: how much of a neighbourhood is fluid, of what the walls of the domain leave of it; there is
        fluid where that is at least one half, as it is in pixels with an isolated particle.
        """
    def known_rasters(
        self,
        quantities: Sequence[str],
        shape: tuple[int, int],
        lower: Vec3,
        upper: Vec3,
        axes: Sequence[int] = (0, 1, 2),
    ) -> list[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
        """The same as `known_pixels` of each raster; of the cover the pixels that have any."""
    def take_series(self) -> dict[str, tuple[list[str], list[str], NDArray[np.float64]]]:
        """Rows since the last call: {series: (columns, units, (rows, columns))}. Always there: "budget"
        (time, step, mass, momentum_x.., kinetic_energy, potential_energy, elastic_energy (classic:
        thermal_energy, total_energy), max_speed, particles), "force.NAME" for every body and wall side
        ("force.bottom"): time, total_x, total_y[, total_z], pressure_x.., viscous_x..; "opening.NAME" for
        every opening: time, mass_flow into the flow, mass and momentum_x.. that particles carried in so far,
        force_x.. on the fluid; and one for each probe (time, pressure, velocity_x.., fluid_fraction), gauge
        (time, height), front (time, position), under its own name.
        """
    def keep_checksums(self, every: int) -> None:
        """From now on a checksum is taken after every so many steps, counted from the start; 0: none."""
    def take_checksums(self) -> list[tuple[int, int]]:
        """Steps and their checksums since the last call."""
    def shares(self) -> list[dict[str, Any]]:
        """What each rank did: particles, messages, bytes, seconds by phase; `sizes`: messages of 2^(k-1) to
        less than 2^k bytes."""
    def keep_timeline(self, laps: int) -> None:
        """Keeps the next laps of the timers of all ranks."""
    def timeline(self) -> list[tuple[NDArray[np.float64], list[str]]]:
        """By rank: (n, 2) begin and end [s] of each lap kept, and its phase."""
    def keep_traffic(self) -> None:
        """From now on the exchanges of all ranks are noted."""
    def traffic(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
        """What has been noted: names of the halos; (n, 4) step, halo, rebuild and group of messages of each
        exchange; (m, 4) group, from rank, to rank and bytes of each message."""
    def save(self, rank: int = 0) -> bytes:
        """The part of a checkpoint that `rank` holds."""
    def restore(self, parts: Iterator[bytes]) -> None:
        """Goes on where a checkpoint was written, by any number of ranks. Raises UserError if it belongs to
        another world. Rasters and pressures are known after the next step only."""
    def checksum(self) -> int:
        """128-bit hash of (id, position, velocity, density bits; classic: thermal energy) of all particles,
        whatever their order.
        """
    def statistics(self) -> dict[str, Any]:
        """steps, rebuilds, directed pairs per evaluation (true and stored), evaluations, seconds by
        phase, memory bytes; with `auto`, exchange: which strategy was taken, "" before that, and the
        seconds that an exchange of each kept rank 0 waiting; with `lazy`, lazy: what was asked for, the depth
        of the copies in cells, steps, how often ranks exchanged, and copies of particles.
        """

SURFACE_HEADER: int
"""Size of the header of a surface [bytes]."""

def surface_units(world: World) -> list[tuple[str, str]]:
    """Name and unit of the quantities that a world can make surfaces of, see `series_columns`."""

def surface_quantities(simulation: Simulation) -> list[tuple[str, str]]:
    """Quantities that surfaces can be made of, and their units; none in 2D."""

def check_surface_quantity(simulation: Simulation, quantity: str) -> None:
    """Raises UserError if this is neither a quantity for surfaces nor a formula over them."""

def isosurface(
    simulation: Simulation,
    quantity: str,
    level: float,
    *,
    color: str = "",
    resolution: float = 1.0,
    stride: int = 1,
    bins: int = 0,
) -> tuple[bytes, float, float, NDArray[np.int64]]:
    """The bytes of a surface, not deflated, see docs/surfaces.md; and the lowest and the highest value on the
    lattice, and how often values occur in as many `bins` between them. Raises UserError."""

def decode_surface(surface: bytes) -> dict[str, Any]:
    """Decodes the bytes of a surface, not deflated: time [s], level, stride, vertices (n, 3) float64 [m],
    triangles (m, 3) uint32, cuts (n,) uint8, colors (n,) uint8 or none, color_range. Raises UserError."""

def surface_body_size(header: bytes) -> int:
    """Size of what follows a header, not deflated [bytes]. Raises UserError."""

def surface_lattice_points(world: World, resolution: float) -> int:
    """Points of the lattice of a surface, with a layer of outside points around the domain."""
