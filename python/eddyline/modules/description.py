"""module.toml: what a module says of itself."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, Literal

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from tomlkit.exceptions import ParseError

FILE = "module.toml"
SYMBOLIC = "equations.py"
"""Equations in the notation of SymPy, see `eddyline.modules.symbolic`."""
NAME = re.compile(r"[a-z][a-z0-9_]*")
"""Names of modules and of parameters."""
LONGEST_NAME = 40
"""Characters of the name of a parameter."""
METHODS = ("patches", "particles", "blocks")
"""The methods that modules can be for: equations on cells in patches, a term of forces on particles, or
scalars that the flow on body-fitted blocks carries."""


RESERVED = frozenset(
    (
        *("name", "equations", "parameters", "library", "wave_speed", "order", "reconstruction"),
        *("amplitude", "width", "potential", "source", "signal", "coupling", "residual", "cycles"),
        *(
            "sound_speed",
            "cfl",
            "patch",
            "levels",
            "tolerance",
            "refine",
            "unit",
            "regrid_every",
            "body_layer",
        ),
    )
)
"""Names that parameters of equations cannot have: options of the method."""
RESERVED_ON_BLOCKS = frozenset(
    (
        *(
            "name",
            "library",
            "scalars",
            "parameters",
            "values",
            "steady",
            "tolerance",
            "time_step",
            "courant",
        ),
        *("coarse_start", "inner_cycles", "inner_tolerance", "cfl", "compressibility", "dissipation"),
        *("dissipation_kind", "shock_dissipation", "sweeps", "viscous", "cycle", "levels", "reference_speed"),
    )
)
"""The same for parameters of scalars."""


class ModuleError(ValueError):
    """A module that cannot be made, built or loaded; one line."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Parameter(_Table):
    """A number of the equations that a world may set in [method.parameters]."""

    default: float
    unit: str = ""
    description: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None

    def complaint(self, value: float) -> str | None:
        """The limit that a value breaks, as "must be ..."; None if it keeps all."""
        if self.above is not None and not value > self.above:
            return f"must be > {self.above:g}"
        if self.least is not None and not value >= self.least:
            return f"must be >= {self.least:g}"
        if self.most is not None and not value <= self.most:
            return f"must be <= {self.most:g}"
        return None

    @model_validator(mode="after")
    def _default_is_allowed(self) -> Parameter:
        if (complaint := self.complaint(self.default)) is not None:
            raise ValueError(f"default = {self.default:g} {complaint}")
        return self


class Picture(_Table):
    """The way in which pictures show a field."""

    label: str = ""
    diverging: bool = False
    starts_at_zero: bool = False


_Name = Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$", max_length=LONGEST_NAME)]


class Description(_Table):
    """The content of module.toml.

    title: the equations, the term or the scalars in a few words. dimensions: those that the model is
    compiled for. pictures: of patches and blocks. Of patches only: sides: kinds of sides that the equations
    have; cell_steps: cell steps a second on one core, for forecasts of run times.
    """

    name: _Name
    title: str
    method: Literal["patches", "particles", "blocks"] = Field(default="patches", alias="for")
    dimensions: tuple[Literal[2, 3], ...] = Field(default=(2, 3), min_length=1)
    sides: tuple[Literal["periodic", "wall", "open"], ...] = Field(
        default=("periodic", "wall", "open"), min_length=1
    )
    cell_steps: float = Field(default=8e6, gt=0)
    parameters: dict[_Name, Parameter] = {}
    pictures: dict[str, Picture] = {}
    source: str = ""
    """Hash of the files that the library was built from; set by the build."""

    @model_validator(mode="after")
    def _names_are_free(self) -> Description:
        if self.method == "particles":
            return self
        reserved = RESERVED if self.method == "patches" else RESERVED_ON_BLOCKS
        if taken := sorted(reserved & set(self.parameters)):
            raise ValueError(f"parameters.{taken[0]} has the name of an option of [method]")
        return self


_ONLY_ELSEWHERE: dict[str, set[str]] = {
    "patches": set(),
    "particles": {"sides", "cell_steps", "pictures"},
    "blocks": {"sides", "cell_steps"},
}
"""Keys that modules for a method cannot have."""


def is_name(name: str) -> bool:
    """True if a field may have this name."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None


def read(folder: Path) -> Description:
    """The description of the module in a folder. Raises ModuleError."""
    path = folder / FILE
    try:
        data = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
    except OSError as error:
        raise ModuleError(
            f"{path}: {error.strerror}; a module is a folder with {FILE}. Start one with "
            "`eddyline module new NAME`."
        ) from None
    except (ParseError, UnicodeDecodeError) as error:
        raise ModuleError(f"{path}: {error}") from None
    try:
        found = Description.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        text = first["msg"].removeprefix("Value error, ")
        raise ModuleError(f"{path}: {where}{': ' if where else ''}{text}.") from None
    of_others = _ONLY_ELSEWHERE[found.method] & found.model_fields_set
    if of_others:
        raise ModuleError(
            f'{path}: {min(of_others)} is for patches; remove it, as the module is "{found.method}".'
        )
    if found.method != "patches" and not (folder / f"{found.name}.hpp").is_file():
        raise ModuleError(
            f"{path}: the folder has no {found.name}.hpp, which a module for {found.method} needs."
        )
    if not has_sources(folder, found.name):
        raise ModuleError(
            f'{path}: name = "{found.name}", but the folder has no {found.name}.hpp and no {SYMBOLIC}.'
        )
    return found


def has_sources(folder: Path, name: str) -> bool:
    """True if a folder has the equations of a module of that name."""
    return (folder / FILE).is_file() and any((folder / each).is_file() for each in (f"{name}.hpp", SYMBOLIC))


def source_hash(folder: Path) -> str:
    """Hash of the files that a library is built from."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.hpp"), *folder.glob(SYMBOLIC), folder / FILE]):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
