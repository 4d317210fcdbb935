"""A world: what a world file says, checked, and as the core takes it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short

from .. import _core, argument_types
from . import checks, extents, sense
from .build import build
from .document import Document, check_name, parse, read
from .formulas import Names, names_in, resolve_let
from .gallery import gallery
from .openings import faces
from .problems import Problem, WorldError, dotted, number, rounded
from .quantities import check_curve
from .samples import Samples
from .scales import Scales, find_scales
from .schema import SIDES, Expect, ObserverTable, Outflow, Reference, WorldFile
from .validate import validate


@dataclass(frozen=True)
class Output:
    """Outputs of a run: their number, and the interval in seconds (0: none)."""

    pictures: int
    picture_interval: float
    snapshots: int
    snapshot_interval: float
    series: int
    series_interval: float
    quantity: str


class World:
    """A checked world.

    title, name: texts; name is that of the file without `.toml`.
    path: the file, or None for a world made from a text.
    source: the world file with its overrides, with comments, order and formulas as written.
    file: the checked tables, with formulas of [let] evaluated.
    let: the values of [let].
    core: the world for the compiled core.
    scales: highest speed and speed of sound [m/s], and why.
    end: the end of the run [s].
    notes: what runs, but not quite as the file reads.
    warnings: those of them that may well spoil a run.
    """

    def __init__(self, document: Document, name: str, path: Path | None) -> None:
        """Checks a parsed file, or raises WorldError with all that is wrong. Use load() or from_text()."""
        self.path = path
        self.name = name
        self.source = document.text
        self.file, names, samples, self.scales = _check(document, path)
        self.title = self.file.title or name
        self.let: dict[str, float] = names.values
        self.core: _core.World = build(self.file, self.scales)
        self.warnings = (*checks.warnings(self.file, self.let), *self._numerical_viscosity())
        self.notes = (
            *self.warnings,
            *self._open_ends(),
            *checks.notes(self.file, samples),
            *sense.notes(self.file, samples, self.scales),
            *_unused(self.file, names),
        )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        overrides: Mapping[str, str | float] | None = None,
        *,
        name: str | None = None,
    ) -> World:
        """Reads and checks a world file, or a world of the gallery by its name ("dam_break").

        overrides: values by dotted path ({"let.a": 0.1, "domain.spacing": "a/80"}), checked in the same way.
        name: if not that of the file. Raises WorldError, one line for each problem.
        """
        argument_types.path(path=path)
        file = Path(path)
        check_name(file)
        if not file.suffix and not file.exists():
            file = gallery().get(file.as_posix(), file)
        return cls(parse(read(file), str(file), overrides), name or file.stem, file)

    @classmethod
    def of(
        cls, world: World | str | os.PathLike[str], overrides: Mapping[str, str | float] | None = None
    ) -> World:
        """A world as it is, or that of a world file, see load()."""
        if isinstance(world, (str, os.PathLike)):
            return cls.load(world, overrides)
        if not isinstance(world, cls):
            raise TypeError(f"world = {short(world)}: must be a World, or the path of a world file")
        return world

    @classmethod
    def from_text(
        cls,
        text: str,
        name: str = "world",
        overrides: Mapping[str, str | float] | None = None,
        path: Path | None = None,
    ) -> World:
        """Checks the text of a world file. path: the file that it could stand in, beside which curves are."""
        argument_types.text(text=text, name=name)
        return cls(parse(text, f"{name}.toml", overrides), name, path)

    def check_until(self, end: float) -> None:
        """Raises WorldError with all that is wrong if the flow goes on until then [s]: bodies and openings
        may do later what they must not."""
        file = str(self.path or f"{self.name}.toml")
        World(parse(self.source, file, {"time.end": end}), self.name, self.path)

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self.file.dimensions

    @property
    def end(self) -> float:
        """The end of the run [s]."""
        return self.file.time.end

    @property
    def reference(self) -> Reference | None:
        """Reference velocity [m/s] and length [m]."""
        return self.file.reference

    @property
    def reynolds(self) -> float | None:
        """The Reynolds number of the reference velocity and length."""
        if self.reference is None or self.file.fluid.nu == 0:
            return None
        return self.reference.velocity * self.reference.length / self.file.fluid.nu

    @property
    def effective_viscosity(self) -> float:
        """Kinematic viscosity between particles [m^2/s]: the fluid's, or more of it so that nearly inviscid
        flow keeps in order; see method.artificial_viscosity. Of the scheme classic the fluid's alone."""
        classic = self.file.method.scheme == "classic"
        return self.file.fluid.nu if classic else _core.effective_viscosity(self.core)

    @property
    def effective_reynolds(self) -> float | None:
        """The Reynolds number with what particles feel of each other, where that is more than 2 % above the
        viscosity of the fluid; None where it is not, and without [reference]."""
        effective = self.effective_viscosity
        if self.reference is None or effective <= 1.02 * self.file.fluid.nu:
            return None
        return self.reference.velocity * self.reference.length / effective

    @property
    def effective_flow(self) -> str:
        """`Reynolds number 48.1, asked for: 100`, or the viscosity without [reference]; empty where particles
        feel that of the fluid."""
        nu, effective = self.file.fluid.nu, self.effective_viscosity
        if effective <= 1.02 * nu:
            return ""
        alpha = f"method.artificial_viscosity = {rounded(self.core.method.artificial_viscosity)}"
        reynolds = self.effective_reynolds
        if reynolds is None:
            return f"viscosity {rounded(effective, 3)} m^2/s instead of {rounded(nu)} ({alpha})"
        asked = "an inviscid fluid" if self.reynolds is None else f"{rounded(self.reynolds)}"
        return f"Reynolds number {rounded(reynolds, 3)}, requested: {asked} ({alpha})"

    def _numerical_viscosity(self) -> Iterator[str]:
        """True if that is more than the file sets in a flow that may depend on it: waves and impacts hardly
        do."""
        nu, effective = self.file.fluid.nu, self.effective_viscosity
        if self.reference is None or self.has_free_surface or effective <= 1.02 * nu:
            return
        reynolds = self.reference.velocity * self.reference.length / effective
        asked = f" of {rounded(self.reynolds)}" if self.reynolds is not None else ""
        alpha = rounded(self.core.method.artificial_viscosity)
        yield (
            f"the effective viscosity is {rounded(effective, 3)} m^2/s (method.artificial_viscosity = "
            f"{alpha}) instead of {rounded(nu)}, so the Reynolds number is {rounded(reynolds, 3)} "
            f"instead{asked}. Reduce domain.spacing to lower it."
        )

    def _open_ends(self) -> Iterator[str]:
        """Outflows that keep no level of the water."""
        gravity = self.file.domain.gravity or ()
        for face in faces(self.file) if self.has_free_surface else ():
            falls = any(
                g != 0 and high > low for g, low, high in zip(gravity, face.low, face.high, strict=False)
            )
            if isinstance(face.table, Outflow) and face.table.pressure is None and falls:
                yield (
                    f"{dotted(face.path)} has no pressure, so water leaves as over an edge. To keep a water "
                    'level H, write pressure = "max(0, density*g*(H - y))", with numbers for density and g.'
                )

    @property
    def coefficient_of_force(self) -> float | None:
        """Drag and lift coefficients over forces, with the density of the world file: 2 / (rho U^2 L) in 2D
        [m/N], 2 / (rho U^2 A) in 3D [1/N]; None without [reference], in 3D without its area."""
        if self.reference is None:
            return None
        scale = self.reference.length if self.dimensions == 2 else self.reference.area
        return None if scale is None else 2 / (self.file.fluid.density * self.reference.velocity**2 * scale)

    @property
    def expectations(self) -> tuple[Expect, ...]:
        """The [[expect]] entries with a `when` that holds."""
        return tuple(expect for expect in self.file.expect if expect.when)

    @property
    def observers(self) -> dict[str, ObserverTable]:
        """Observers, by name."""
        return dict(self.file.observe)

    @property
    def sides(self) -> dict[str, str]:
        """ "wall", "periodic", "open", "inflow", "outflow" or "stream" for each side of the domain."""
        return {name: self.file.boundaries.side(name).type for name in SIDES[: 2 * self.dimensions]}

    @property
    def has_free_surface(self) -> bool:
        """True if the fluid need not fill the domain, so that it may have a surface."""
        return self.file.has_free_surface

    @property
    def output(self) -> Output:
        """Outputs of a run."""
        output = self.file.output

        def interval(count: int) -> float:
            return self.end / count if count else 0.0

        return Output(
            pictures=output.pictures,
            picture_interval=interval(output.pictures),
            snapshots=output.snapshots,
            snapshot_interval=interval(output.snapshots),
            series=output.series,
            series_interval=interval(output.series),
            quantity=output.quantity,
        )

    def __repr__(self) -> str:
        size = " x ".join(number(round(length, 6)) for length in self.file.domain.size)
        parts = [f"{size} m", f"spacing {self.file.domain.spacing:.4g} m", f"end {self.end:.4g} s"]
        for count, word in ((len(self.file.bodies), "bodies"), (len(self.file.regions), "regions")):
            if count:
                parts.append(
                    f"{count} {word if count > 1 else {'bodies': 'body', 'regions': 'region'}[word]}"
                )
        return f"<World {self.name}: {self.dimensions}D, {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from .notebook import to_html

        return to_html(self)


def _check(document: Document, path: Path | None) -> tuple[WorldFile, Names, Samples, Scales]:
    """Every check, in the order in which one needs another; WorldError with all problems found."""
    problems: list[Problem] = []
    table = document.data.get("let", {})
    names, wrong_names = resolve_let(table if isinstance(table, dict) else {})
    if not isinstance(table, dict):
        problems.append(document.problem(("let",), "let must be a table. Write [let] on a line of its own."))
    problems += [document.problem(("let", name), f"let.{name} {text}") for name, text in wrong_names]
    file, wrong = validate(document.data, names)
    problems += [document.problem(where, text) for where, text in wrong]
    if problems or file is None:
        raise WorldError(problems)

    problems += [document.problem(where, text) for where, text in extents.problems(file)]
    if problems:
        raise WorldError(problems)
    samples = Samples(file)
    problems += [
        document.problem(where, text) for where, text in checks.problems(file, samples, names.values)
    ]
    folders = [str(path.parent)] if path is not None else []
    for index, expect in enumerate(file.expect):
        names.used.update(
            name for text in (expect.quantity, expect.against) if text for name in names_in(text)
        )
        for key, text in check_curve(expect, folders):
            problems.append(document.problem(("expect", index, key), f"expect[{index}].{text}"))
    if problems:
        raise WorldError(problems)
    scales = find_scales(file, samples)
    if scales is None and file.fluid.is_gas:
        text = "start: the gas has no pressure and no velocity. Add start.pressure [Pa]."
        raise WorldError([document.problem(("start",), text)])
    if scales is None:
        text = (
            "fluid.max_speed is missing and cannot be estimated, as nothing sets the fluid in motion. Add "
            "max_speed = 1.0, the highest expected speed [m/s]."
        )
        raise WorldError([document.problem(("fluid",), text)])
    problems += [document.problem(where, text) for where, text in extents.step_problems(file, scales)]
    if problems:
        raise WorldError(problems)
    return file, names, samples, scales


def _unused(file: WorldFile, names: Names) -> list[str]:
    idle = [name for name in file.let if name not in names.used]
    return [f"let.{name} is not used." for name in idle]
