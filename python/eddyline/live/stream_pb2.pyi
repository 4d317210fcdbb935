from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Version(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERSION_NONE: _ClassVar[Version]
    VERSION_CURRENT: _ClassVar[Version]
VERSION_NONE: Version
VERSION_CURRENT: Version

class Message(_message.Message):
    __slots__ = ("version", "hello", "frame", "series", "progress", "acknowledged", "marks", "bodies", "ended", "view", "command", "seen", "notice", "tick", "ping")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HELLO_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    MARKS_FIELD_NUMBER: _ClassVar[int]
    BODIES_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    version: int
    hello: Hello
    frame: Frame
    series: SeriesRows
    progress: Progress
    acknowledged: Acknowledged
    marks: Marks
    bodies: Bodies
    ended: Ended
    view: View
    command: Command
    seen: Seen
    notice: Notice
    tick: Tick
    ping: Ping
    def __init__(self, version: _Optional[int] = ..., hello: _Optional[_Union[Hello, _Mapping]] = ..., frame: _Optional[_Union[Frame, _Mapping]] = ..., series: _Optional[_Union[SeriesRows, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., acknowledged: _Optional[_Union[Acknowledged, _Mapping]] = ..., marks: _Optional[_Union[Marks, _Mapping]] = ..., bodies: _Optional[_Union[Bodies, _Mapping]] = ..., ended: _Optional[_Union[Ended, _Mapping]] = ..., view: _Optional[_Union[View, _Mapping]] = ..., command: _Optional[_Union[Command, _Mapping]] = ..., seen: _Optional[_Union[Seen, _Mapping]] = ..., notice: _Optional[_Union[Notice, _Mapping]] = ..., tick: _Optional[_Union[Tick, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("run", "title", "world", "dimensions", "lower", "upper", "spacing", "end", "time_unit", "quantities", "quantity", "bodies", "sides", "reference", "expectations", "abilities", "ranks", "folder", "probes", "over", "free_surface", "sets", "surfaces", "surface_colors", "parameters", "toml")
    RUN_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    LOWER_FIELD_NUMBER: _ClassVar[int]
    UPPER_FIELD_NUMBER: _ClassVar[int]
    SPACING_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    TIME_UNIT_FIELD_NUMBER: _ClassVar[int]
    QUANTITIES_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    BODIES_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    EXPECTATIONS_FIELD_NUMBER: _ClassVar[int]
    ABILITIES_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    PROBES_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    FREE_SURFACE_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    SURFACES_FIELD_NUMBER: _ClassVar[int]
    SURFACE_COLORS_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    TOML_FIELD_NUMBER: _ClassVar[int]
    run: str
    title: str
    world: str
    dimensions: int
    lower: _containers.RepeatedScalarFieldContainer[float]
    upper: _containers.RepeatedScalarFieldContainer[float]
    spacing: float
    end: float
    time_unit: str
    quantities: _containers.RepeatedCompositeFieldContainer[Quantity]
    quantity: str
    bodies: _containers.RepeatedCompositeFieldContainer[Body]
    sides: _containers.RepeatedCompositeFieldContainer[Side]
    reference: Reference
    expectations: _containers.RepeatedCompositeFieldContainer[Expectation]
    abilities: _containers.RepeatedCompositeFieldContainer[Ability]
    ranks: int
    folder: str
    probes: _containers.RepeatedCompositeFieldContainer[Probe]
    over: bool
    free_surface: bool
    sets: _containers.RepeatedCompositeFieldContainer[Set]
    surfaces: _containers.RepeatedCompositeFieldContainer[SurfaceQuantity]
    surface_colors: _containers.RepeatedScalarFieldContainer[str]
    parameters: _containers.RepeatedCompositeFieldContainer[SteeredParameter]
    toml: str
    def __init__(self, run: _Optional[str] = ..., title: _Optional[str] = ..., world: _Optional[str] = ..., dimensions: _Optional[int] = ..., lower: _Optional[_Iterable[float]] = ..., upper: _Optional[_Iterable[float]] = ..., spacing: _Optional[float] = ..., end: _Optional[float] = ..., time_unit: _Optional[str] = ..., quantities: _Optional[_Iterable[_Union[Quantity, _Mapping]]] = ..., quantity: _Optional[str] = ..., bodies: _Optional[_Iterable[_Union[Body, _Mapping]]] = ..., sides: _Optional[_Iterable[_Union[Side, _Mapping]]] = ..., reference: _Optional[_Union[Reference, _Mapping]] = ..., expectations: _Optional[_Iterable[_Union[Expectation, _Mapping]]] = ..., abilities: _Optional[_Iterable[_Union[Ability, _Mapping]]] = ..., ranks: _Optional[int] = ..., folder: _Optional[str] = ..., probes: _Optional[_Iterable[_Union[Probe, _Mapping]]] = ..., over: _Optional[bool] = ..., free_surface: _Optional[bool] = ..., sets: _Optional[_Iterable[_Union[Set, _Mapping]]] = ..., surfaces: _Optional[_Iterable[_Union[SurfaceQuantity, _Mapping]]] = ..., surface_colors: _Optional[_Iterable[str]] = ..., parameters: _Optional[_Iterable[_Union[SteeredParameter, _Mapping]]] = ..., toml: _Optional[str] = ...) -> None: ...

class SteeredParameter(_message.Message):
    __slots__ = ("name", "value", "unit", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    unit: str
    description: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., unit: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class SurfaceQuantity(_message.Message):
    __slots__ = ("name", "unit", "level")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    name: str
    unit: str
    level: float
    def __init__(self, name: _Optional[str] = ..., unit: _Optional[str] = ..., level: _Optional[float] = ...) -> None: ...

class Set(_message.Message):
    __slots__ = ("members", "points")
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    members: str
    points: bool
    def __init__(self, members: _Optional[str] = ..., points: _Optional[bool] = ...) -> None: ...

class Quantity(_message.Message):
    __slots__ = ("name", "unit", "diverging", "label", "starts_at_zero")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    DIVERGING_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_ZERO_FIELD_NUMBER: _ClassVar[int]
    name: str
    unit: str
    diverging: bool
    label: str
    starts_at_zero: bool
    def __init__(self, name: _Optional[str] = ..., unit: _Optional[str] = ..., diverging: _Optional[bool] = ..., label: _Optional[str] = ..., starts_at_zero: _Optional[bool] = ...) -> None: ...

class Body(_message.Message):
    __slots__ = ("name", "outlines", "moves", "center", "surface")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OUTLINES_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    CENTER_FIELD_NUMBER: _ClassVar[int]
    SURFACE_FIELD_NUMBER: _ClassVar[int]
    name: str
    outlines: _containers.RepeatedCompositeFieldContainer[Outline]
    moves: bool
    center: _containers.RepeatedScalarFieldContainer[float]
    surface: Surface
    def __init__(self, name: _Optional[str] = ..., outlines: _Optional[_Iterable[_Union[Outline, _Mapping]]] = ..., moves: _Optional[bool] = ..., center: _Optional[_Iterable[float]] = ..., surface: _Optional[_Union[Surface, _Mapping]] = ...) -> None: ...

class Outline(_message.Message):
    __slots__ = ("points",)
    POINTS_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, points: _Optional[_Iterable[float]] = ...) -> None: ...

class Surface(_message.Message):
    __slots__ = ("vertices", "triangles")
    VERTICES_FIELD_NUMBER: _ClassVar[int]
    TRIANGLES_FIELD_NUMBER: _ClassVar[int]
    vertices: _containers.RepeatedScalarFieldContainer[float]
    triangles: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, vertices: _Optional[_Iterable[float]] = ..., triangles: _Optional[_Iterable[int]] = ...) -> None: ...

class Side(_message.Message):
    __slots__ = ("name", "type", "slip")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SLIP_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    slip: bool
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., slip: _Optional[bool] = ...) -> None: ...

class Reference(_message.Message):
    __slots__ = ("velocity", "length", "coefficient_of_force", "reynolds")
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    COEFFICIENT_OF_FORCE_FIELD_NUMBER: _ClassVar[int]
    REYNOLDS_FIELD_NUMBER: _ClassVar[int]
    velocity: float
    length: float
    coefficient_of_force: float
    reynolds: float
    def __init__(self, velocity: _Optional[float] = ..., length: _Optional[float] = ..., coefficient_of_force: _Optional[float] = ..., reynolds: _Optional[float] = ...) -> None: ...

class Expectation(_message.Message):
    __slots__ = ("quantity", "low", "high", "source", "holds", "curve")
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    CURVE_FIELD_NUMBER: _ClassVar[int]
    quantity: str
    low: float
    high: float
    source: str
    holds: bool
    curve: str
    def __init__(self, quantity: _Optional[str] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., source: _Optional[str] = ..., holds: _Optional[bool] = ..., curve: _Optional[str] = ...) -> None: ...

class Ability(_message.Message):
    __slots__ = ("command", "refusal")
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    command: str
    refusal: str
    def __init__(self, command: _Optional[str] = ..., refusal: _Optional[str] = ...) -> None: ...

class Probe(_message.Message):
    __slots__ = ("name", "position")
    NAME_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    name: str
    position: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, name: _Optional[str] = ..., position: _Optional[_Iterable[float]] = ...) -> None: ...

class Codes(_message.Message):
    __slots__ = ("data", "width", "offset", "scale", "error")
    DATA_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    width: int
    offset: float
    scale: float
    error: float
    def __init__(self, data: _Optional[bytes] = ..., width: _Optional[int] = ..., offset: _Optional[float] = ..., scale: _Optional[float] = ..., error: _Optional[float] = ...) -> None: ...

class Frame(_message.Message):
    __slots__ = ("index", "step", "time", "rasters", "particles", "stored", "bodies", "surfaces", "made_at")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    RASTERS_FIELD_NUMBER: _ClassVar[int]
    PARTICLES_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    BODIES_FIELD_NUMBER: _ClassVar[int]
    SURFACES_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    index: int
    step: int
    time: float
    rasters: _containers.RepeatedCompositeFieldContainer[Raster]
    particles: Particles
    stored: bool
    bodies: Bodies
    surfaces: _containers.RepeatedCompositeFieldContainer[Isosurface]
    made_at: float
    def __init__(self, index: _Optional[int] = ..., step: _Optional[int] = ..., time: _Optional[float] = ..., rasters: _Optional[_Iterable[_Union[Raster, _Mapping]]] = ..., particles: _Optional[_Union[Particles, _Mapping]] = ..., stored: _Optional[bool] = ..., bodies: _Optional[_Union[Bodies, _Mapping]] = ..., surfaces: _Optional[_Iterable[_Union[Isosurface, _Mapping]]] = ..., made_at: _Optional[float] = ...) -> None: ...

class Isosurface(_message.Message):
    __slots__ = ("request", "data", "histogram", "refusal")
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    HISTOGRAM_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    request: SurfaceRequest
    data: bytes
    histogram: Histogram
    refusal: str
    def __init__(self, request: _Optional[_Union[SurfaceRequest, _Mapping]] = ..., data: _Optional[bytes] = ..., histogram: _Optional[_Union[Histogram, _Mapping]] = ..., refusal: _Optional[str] = ...) -> None: ...

class Histogram(_message.Message):
    __slots__ = ("low", "high", "counts")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    low: float
    high: float
    counts: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, low: _Optional[float] = ..., high: _Optional[float] = ..., counts: _Optional[_Iterable[int]] = ...) -> None: ...

class Raster(_message.Message):
    __slots__ = ("quantity", "unit", "rows", "columns", "lower", "upper", "values", "low", "high", "shade", "cover")
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    LOWER_FIELD_NUMBER: _ClassVar[int]
    UPPER_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    SHADE_FIELD_NUMBER: _ClassVar[int]
    COVER_FIELD_NUMBER: _ClassVar[int]
    quantity: str
    unit: str
    rows: int
    columns: int
    lower: _containers.RepeatedScalarFieldContainer[float]
    upper: _containers.RepeatedScalarFieldContainer[float]
    values: Codes
    low: float
    high: float
    shade: Codes
    cover: Codes
    def __init__(self, quantity: _Optional[str] = ..., unit: _Optional[str] = ..., rows: _Optional[int] = ..., columns: _Optional[int] = ..., lower: _Optional[_Iterable[float]] = ..., upper: _Optional[_Iterable[float]] = ..., values: _Optional[_Union[Codes, _Mapping]] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., shade: _Optional[_Union[Codes, _Mapping]] = ..., cover: _Optional[_Union[Codes, _Mapping]] = ...) -> None: ...

class Particles(_message.Message):
    __slots__ = ("count", "total", "position", "quantity", "unit", "values", "ids", "carried")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    CARRIED_FIELD_NUMBER: _ClassVar[int]
    count: int
    total: int
    position: _containers.RepeatedCompositeFieldContainer[Codes]
    quantity: str
    unit: str
    values: Codes
    ids: bytes
    carried: _containers.RepeatedCompositeFieldContainer[Carried]
    def __init__(self, count: _Optional[int] = ..., total: _Optional[int] = ..., position: _Optional[_Iterable[_Union[Codes, _Mapping]]] = ..., quantity: _Optional[str] = ..., unit: _Optional[str] = ..., values: _Optional[_Union[Codes, _Mapping]] = ..., ids: _Optional[bytes] = ..., carried: _Optional[_Iterable[_Union[Carried, _Mapping]]] = ...) -> None: ...

class Carried(_message.Message):
    __slots__ = ("quantity", "values")
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    quantity: str
    values: Codes
    def __init__(self, quantity: _Optional[str] = ..., values: _Optional[_Union[Codes, _Mapping]] = ...) -> None: ...

class SeriesRows(_message.Message):
    __slots__ = ("name", "first", "columns", "every")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    EVERY_FIELD_NUMBER: _ClassVar[int]
    name: str
    first: int
    columns: _containers.RepeatedCompositeFieldContainer[Column]
    every: int
    def __init__(self, name: _Optional[str] = ..., first: _Optional[int] = ..., columns: _Optional[_Iterable[_Union[Column, _Mapping]]] = ..., every: _Optional[int] = ...) -> None: ...

class Column(_message.Message):
    __slots__ = ("name", "unit", "values")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    name: str
    unit: str
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, name: _Optional[str] = ..., unit: _Optional[str] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("step", "time", "end", "time_step", "particles", "steps_per_second", "updates_per_second", "seconds_left", "paused", "outlook", "ranks", "wall_seconds", "phase", "counts", "work_unit")
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    TIME_STEP_FIELD_NUMBER: _ClassVar[int]
    PARTICLES_FIELD_NUMBER: _ClassVar[int]
    STEPS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    UPDATES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SECONDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    OUTLOOK_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    WALL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    WORK_UNIT_FIELD_NUMBER: _ClassVar[int]
    step: int
    time: float
    end: float
    time_step: float
    particles: int
    steps_per_second: float
    updates_per_second: float
    seconds_left: float
    paused: bool
    outlook: str
    ranks: _containers.RepeatedCompositeFieldContainer[Rank]
    wall_seconds: float
    phase: str
    counts: _containers.RepeatedCompositeFieldContainer[Count]
    work_unit: str
    def __init__(self, step: _Optional[int] = ..., time: _Optional[float] = ..., end: _Optional[float] = ..., time_step: _Optional[float] = ..., particles: _Optional[int] = ..., steps_per_second: _Optional[float] = ..., updates_per_second: _Optional[float] = ..., seconds_left: _Optional[float] = ..., paused: _Optional[bool] = ..., outlook: _Optional[str] = ..., ranks: _Optional[_Iterable[_Union[Rank, _Mapping]]] = ..., wall_seconds: _Optional[float] = ..., phase: _Optional[str] = ..., counts: _Optional[_Iterable[_Union[Count, _Mapping]]] = ..., work_unit: _Optional[str] = ...) -> None: ...

class Count(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...

class Rank(_message.Message):
    __slots__ = ("rank", "host", "particles", "updates_per_second", "compute", "exchange", "idle", "messages", "bytes", "memory")
    RANK_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    PARTICLES_FIELD_NUMBER: _ClassVar[int]
    UPDATES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    COMPUTE_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_FIELD_NUMBER: _ClassVar[int]
    IDLE_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    rank: int
    host: str
    particles: int
    updates_per_second: float
    compute: float
    exchange: float
    idle: float
    messages: int
    bytes: int
    memory: int
    def __init__(self, rank: _Optional[int] = ..., host: _Optional[str] = ..., particles: _Optional[int] = ..., updates_per_second: _Optional[float] = ..., compute: _Optional[float] = ..., exchange: _Optional[float] = ..., idle: _Optional[float] = ..., messages: _Optional[int] = ..., bytes: _Optional[int] = ..., memory: _Optional[int] = ...) -> None: ...

class Acknowledged(_message.Message):
    __slots__ = ("id", "step", "time", "refusal", "command")
    ID_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    id: str
    step: int
    time: float
    refusal: str
    command: str
    def __init__(self, id: _Optional[str] = ..., step: _Optional[int] = ..., time: _Optional[float] = ..., refusal: _Optional[str] = ..., command: _Optional[str] = ...) -> None: ...

class Marks(_message.Message):
    __slots__ = ("marks",)
    MARKS_FIELD_NUMBER: _ClassVar[int]
    marks: _containers.RepeatedCompositeFieldContainer[Mark]
    def __init__(self, marks: _Optional[_Iterable[_Union[Mark, _Mapping]]] = ...) -> None: ...

class Mark(_message.Message):
    __slots__ = ("step", "time", "command", "text", "changes_flow", "body", "parameter", "value", "observer")
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FLOW_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    OBSERVER_FIELD_NUMBER: _ClassVar[int]
    step: int
    time: float
    command: str
    text: str
    changes_flow: bool
    body: str
    parameter: str
    value: str
    observer: str
    def __init__(self, step: _Optional[int] = ..., time: _Optional[float] = ..., command: _Optional[str] = ..., text: _Optional[str] = ..., changes_flow: _Optional[bool] = ..., body: _Optional[str] = ..., parameter: _Optional[str] = ..., value: _Optional[str] = ..., observer: _Optional[str] = ...) -> None: ...

class Bodies(_message.Message):
    __slots__ = ("step", "time", "bodies", "removed")
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    BODIES_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    step: int
    time: float
    bodies: _containers.RepeatedCompositeFieldContainer[Body]
    removed: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, step: _Optional[int] = ..., time: _Optional[float] = ..., bodies: _Optional[_Iterable[_Union[Body, _Mapping]]] = ..., removed: _Optional[_Iterable[str]] = ...) -> None: ...

class Ended(_message.Message):
    __slots__ = ("outcome", "message", "fingerprint", "results", "step", "time")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    outcome: str
    message: str
    fingerprint: str
    results: str
    step: int
    time: float
    def __init__(self, outcome: _Optional[str] = ..., message: _Optional[str] = ..., fingerprint: _Optional[str] = ..., results: _Optional[str] = ..., step: _Optional[int] = ..., time: _Optional[float] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class Tick(_message.Message):
    __slots__ = ("clock",)
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    clock: float
    def __init__(self, clock: _Optional[float] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("sent", "received", "returned")
    SENT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    sent: float
    received: float
    returned: float
    def __init__(self, sent: _Optional[float] = ..., received: _Optional[float] = ..., returned: _Optional[float] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("quantities", "columns", "frames_per_second", "particles", "particle_quantity", "most_particles", "lower", "upper", "width", "ids", "tells", "velocities", "surfaces", "smooth")
    QUANTITIES_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    FRAMES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    PARTICLES_FIELD_NUMBER: _ClassVar[int]
    PARTICLE_QUANTITY_FIELD_NUMBER: _ClassVar[int]
    MOST_PARTICLES_FIELD_NUMBER: _ClassVar[int]
    LOWER_FIELD_NUMBER: _ClassVar[int]
    UPPER_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    TELLS_FIELD_NUMBER: _ClassVar[int]
    VELOCITIES_FIELD_NUMBER: _ClassVar[int]
    SURFACES_FIELD_NUMBER: _ClassVar[int]
    SMOOTH_FIELD_NUMBER: _ClassVar[int]
    quantities: _containers.RepeatedScalarFieldContainer[str]
    columns: int
    frames_per_second: float
    particles: bool
    particle_quantity: str
    most_particles: int
    lower: _containers.RepeatedScalarFieldContainer[float]
    upper: _containers.RepeatedScalarFieldContainer[float]
    width: int
    ids: bool
    tells: bool
    velocities: bool
    surfaces: _containers.RepeatedCompositeFieldContainer[SurfaceRequest]
    smooth: bool
    def __init__(self, quantities: _Optional[_Iterable[str]] = ..., columns: _Optional[int] = ..., frames_per_second: _Optional[float] = ..., particles: _Optional[bool] = ..., particle_quantity: _Optional[str] = ..., most_particles: _Optional[int] = ..., lower: _Optional[_Iterable[float]] = ..., upper: _Optional[_Iterable[float]] = ..., width: _Optional[int] = ..., ids: _Optional[bool] = ..., tells: _Optional[bool] = ..., velocities: _Optional[bool] = ..., surfaces: _Optional[_Iterable[_Union[SurfaceRequest, _Mapping]]] = ..., smooth: _Optional[bool] = ...) -> None: ...

class SurfaceRequest(_message.Message):
    __slots__ = ("quantity", "level", "color", "stride", "histogram")
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    COLOR_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    HISTOGRAM_FIELD_NUMBER: _ClassVar[int]
    quantity: str
    level: float
    color: str
    stride: int
    histogram: bool
    def __init__(self, quantity: _Optional[str] = ..., level: _Optional[float] = ..., color: _Optional[str] = ..., stride: _Optional[int] = ..., histogram: _Optional[bool] = ...) -> None: ...

class Seen(_message.Message):
    __slots__ = ("index",)
    INDEX_FIELD_NUMBER: _ClassVar[int]
    index: int
    def __init__(self, index: _Optional[int] = ...) -> None: ...

class Command(_message.Message):
    __slots__ = ("id", "pause", "resume", "step", "stop", "inflow", "viscosity", "gravity", "move_body", "add_body", "remove_body", "add_probe", "remove_probe", "parameter", "track", "untrack", "asked_at", "not_after")
    ID_FIELD_NUMBER: _ClassVar[int]
    PAUSE_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    INFLOW_FIELD_NUMBER: _ClassVar[int]
    VISCOSITY_FIELD_NUMBER: _ClassVar[int]
    GRAVITY_FIELD_NUMBER: _ClassVar[int]
    MOVE_BODY_FIELD_NUMBER: _ClassVar[int]
    ADD_BODY_FIELD_NUMBER: _ClassVar[int]
    REMOVE_BODY_FIELD_NUMBER: _ClassVar[int]
    ADD_PROBE_FIELD_NUMBER: _ClassVar[int]
    REMOVE_PROBE_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_FIELD_NUMBER: _ClassVar[int]
    TRACK_FIELD_NUMBER: _ClassVar[int]
    UNTRACK_FIELD_NUMBER: _ClassVar[int]
    ASKED_AT_FIELD_NUMBER: _ClassVar[int]
    NOT_AFTER_FIELD_NUMBER: _ClassVar[int]
    id: str
    pause: Pause
    resume: Resume
    step: Step
    stop: Stop
    inflow: Inflow
    viscosity: Viscosity
    gravity: Gravity
    move_body: MoveBody
    add_body: AddBody
    remove_body: RemoveBody
    add_probe: AddProbe
    remove_probe: RemoveProbe
    parameter: Parameter
    track: Track
    untrack: Untrack
    asked_at: float
    not_after: float
    def __init__(self, id: _Optional[str] = ..., pause: _Optional[_Union[Pause, _Mapping]] = ..., resume: _Optional[_Union[Resume, _Mapping]] = ..., step: _Optional[_Union[Step, _Mapping]] = ..., stop: _Optional[_Union[Stop, _Mapping]] = ..., inflow: _Optional[_Union[Inflow, _Mapping]] = ..., viscosity: _Optional[_Union[Viscosity, _Mapping]] = ..., gravity: _Optional[_Union[Gravity, _Mapping]] = ..., move_body: _Optional[_Union[MoveBody, _Mapping]] = ..., add_body: _Optional[_Union[AddBody, _Mapping]] = ..., remove_body: _Optional[_Union[RemoveBody, _Mapping]] = ..., add_probe: _Optional[_Union[AddProbe, _Mapping]] = ..., remove_probe: _Optional[_Union[RemoveProbe, _Mapping]] = ..., parameter: _Optional[_Union[Parameter, _Mapping]] = ..., track: _Optional[_Union[Track, _Mapping]] = ..., untrack: _Optional[_Union[Untrack, _Mapping]] = ..., asked_at: _Optional[float] = ..., not_after: _Optional[float] = ...) -> None: ...

class Pause(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Resume(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Step(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class Stop(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Inflow(_message.Message):
    __slots__ = ("opening", "velocity")
    OPENING_FIELD_NUMBER: _ClassVar[int]
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    opening: str
    velocity: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, opening: _Optional[str] = ..., velocity: _Optional[_Iterable[str]] = ...) -> None: ...

class Viscosity(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: str
    def __init__(self, value: _Optional[str] = ...) -> None: ...

class Parameter(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class Gravity(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, value: _Optional[_Iterable[str]] = ...) -> None: ...

class MoveBody(_message.Message):
    __slots__ = ("body", "by", "turn", "seconds")
    BODY_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    body: str
    by: _containers.RepeatedScalarFieldContainer[float]
    turn: float
    seconds: float
    def __init__(self, body: _Optional[str] = ..., by: _Optional[_Iterable[float]] = ..., turn: _Optional[float] = ..., seconds: _Optional[float] = ...) -> None: ...

class AddBody(_message.Message):
    __slots__ = ("name", "toml")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOML_FIELD_NUMBER: _ClassVar[int]
    name: str
    toml: str
    def __init__(self, name: _Optional[str] = ..., toml: _Optional[str] = ...) -> None: ...

class RemoveBody(_message.Message):
    __slots__ = ("body",)
    BODY_FIELD_NUMBER: _ClassVar[int]
    body: str
    def __init__(self, body: _Optional[str] = ...) -> None: ...

class AddProbe(_message.Message):
    __slots__ = ("name", "position")
    NAME_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    name: str
    position: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, name: _Optional[str] = ..., position: _Optional[_Iterable[float]] = ...) -> None: ...

class RemoveProbe(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class Track(_message.Message):
    __slots__ = ("name", "id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    id: int
    def __init__(self, name: _Optional[str] = ..., id: _Optional[int] = ...) -> None: ...

class Untrack(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...
