"""Contents of run.json and results.json, checked when they are read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

from eddyline.option_names import NOT_CLOSED
from eddyline.stream.corrupt import CorruptFileError

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def check_record(path: Path, value: dict[str, Any]) -> dict[str, Any]:
    """Content of run.json, unchanged. Raises CorruptFileError."""
    if "outcome" not in value:
        raise CorruptFileError(path, "it holds no record of a run")
    if value["outcome"] == NOT_CLOSED:
        needed = {"ending", "makes", *(("steps", "time") if value.get("fingerprint") else ())}
        if missing := sorted(needed - value.keys()):
            raise CorruptFileError(path, f"it has no {missing[0]}")
    return _checked(path, value, _record())


def check_results(path: Path, value: dict[str, Any]) -> dict[str, Any]:
    """Content of results.json, unchanged. Raises CorruptFileError."""
    return _checked(path, value, _results())


def _checked(path: Path, value: dict[str, Any], adapter: TypeAdapter[Any]) -> dict[str, Any]:
    from pydantic import ValidationError

    try:
        adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise CorruptFileError(path, f"{place}: {first['msg']}") from None
    return value


@cache
def _record() -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter, with_config
    from typing_extensions import TypedDict

    @with_config(ConfigDict(strict=True))
    class Ending(TypedDict):
        outcome: str
        message: str

    @with_config(ConfigDict(strict=True))
    class Makes(TypedDict):
        movie: bool
        report: bool

    @with_config(ConfigDict(strict=True))
    class Requested(TypedDict):
        steps: Optional[int]  # noqa: UP045
        until: Optional[float]  # noqa: UP045

    @with_config(ConfigDict(strict=True))
    class Work(TypedDict):
        unit: str
        per_second: float

    @with_config(ConfigDict(strict=True, extra="allow"))
    class Record(TypedDict, total=False):
        """Those of which more than a text is made."""

        world: str
        title: str
        source: str
        quantity: str
        outcome: str
        message: str
        fingerprint: str
        started: str
        options: str
        exchange: str
        checksum: str
        end: Optional[float]  # noqa: UP045
        time: float
        wall_seconds: float
        particle_updates_per_second: float
        steps: int
        ranks: int
        threads: int
        boxes: int
        fluid_particles: int
        wall_particles: int
        counts: dict[str, int]
        work: Work
        versions: dict[str, Any]
        machine: dict[str, Any]
        statistics: dict[str, Any]
        files: dict[str, str]
        resumed: list[dict[str, Any]]
        shares: list[dict[str, Any]]
        sites: list[int]
        replay_of: dict[str, Any]
        ending: Ending
        makes: Makes
        asked: Requested

    return TypeAdapter(Record)


@cache
def _results() -> TypeAdapter[Any]:
    from pydantic import ConfigDict, Field, TypeAdapter, with_config
    from typing_extensions import TypedDict

    _number = Optional[float]  # noqa: UP045
    _window = Optional[Annotated[list[float], Field(min_length=2, max_length=2)]]  # noqa: UP045

    @with_config(ConfigDict(strict=True, extra="allow"))
    class Value(TypedDict):
        name: str
        value: _number
        unit: str
        error: _number
        window: _window
        what: str
        note: str

    @with_config(ConfigDict(strict=True, extra="allow"))
    class Expectation(TypedDict):
        quantity: str
        kind: str
        measured: _number
        expected: str
        error: _number
        allowed: _number
        source: str
        inside: Optional[bool]  # noqa: UP045
        note: str
        shift: _number
        points: int
        band: _window
        at: _number
        statistical_error: _number
        window: _window
        what: str
        reason: str

    @with_config(ConfigDict(strict=True, extra="allow"))
    class Results(TypedDict, total=False):
        spacing: str
        flows: dict[str, dict[str, Any]]
        values: list[Value]
        expectations: list[Expectation]
        series: dict[str, dict[str, dict[str, _number]]]

    return TypeAdapter(Results)
