"""A world: what a world file says, checked, and as the core takes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from reprlib import repr as short

from .. import _core, argument_types, remote
from . import extents
from .document import Document, check_name, parse, read
from .formulas import Names, names_in, resolve_let
from .gallery import gallery
from .isosurfaces import names_used
from .problems import Problem, WorldError, number, rounded
from .quantities import check_curve
from .refusals import refusals
from .samples import Samples
from .scales import Scales
from .schema import SIDES, Expect, ObserverTable, Reference, WorldFile
from .solver import Solver
from .sph_options import SphOptions
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
    warnings: those of its notes that may well spoil a run.
    """

    def __init__(self, document: Document, name: str, path: Path | None) -> None:
        """Checks a parsed file, or raises WorldError with all that is wrong. Use load() or from_text()."""
        self.path = path
        self.name = name
        self.source = document.text
        self.file, names, self._samples, self.scales = _check(document, path)
        self._names = names
        self.title = self.file.title or name
        self.let: dict[str, float] = names.values
        self.core: _core.World = self.solver.build(self.file, self.scales)
        self.warnings = tuple(self.solver.warnings(self))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What runs, but not quite as the file reads."""
        return (
            *self.warnings,
            *self.solver.notes(self, self._samples),
            *_unused(self.file, self._names),
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

        path: also a URL; files that the world names are then looked for beside it.
        overrides: values by dotted path ({"let.a": 0.1, "domain.spacing": "a/80"}), checked in the same way.
        name: if not that of the file. Raises WorldError, one line for each problem, and RemoteError.
        """
        argument_types.path(path=path)
        if remote.is_url(path):
            url = str(path)
            file = remote.file(url)
            return cls(parse(read(file), remote.shown(url), overrides), name or file.stem, file)
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
        file = self.place or f"{self.name}.toml"
        World(parse(self.source, file, {"time.end": end}), self.name, self.path)

    @property
    def place(self) -> str:
        """The file or URL that this world was loaded from; empty for a world made from a text."""
        return "" if self.path is None else remote.origin(self.path) or str(self.path)

    @property
    def solver(self) -> Solver:
        """The solver that advances this world."""
        return self.file.solver

    @property
    def code(self) -> dict[str, str]:
        """Versions of code outside the package that computes this world: of a module its sources, as a
        hash."""
        of_solver = getattr(self.solver, "code", None)
        return dict(of_solver(self.file)) if of_solver is not None else {}

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self.file.dimensions

    @property
    def end(self) -> float:
        """The end of the run [time_unit]."""
        return self.file.time.end

    @property
    def time_unit(self) -> str:
        """The unit of time in a run: s, or cycles of a run that seeks a steady flow."""
        return self.file.method.time_unit

    @property
    def reference(self) -> Reference | None:
        """Reference velocity [m/s] and length [m]."""
        return self.file.reference

    @property
    def reynolds(self) -> float | None:
        """The Reynolds number of the reference velocity and length."""
        if self.reference is None or self.file.given_fluid is None or self.file.fluid.nu == 0:
            return None
        return self.reference.velocity * self.reference.length / self.file.fluid.nu

    @property
    def effective_viscosity(self) -> float:
        """Kinematic viscosity between particles [m^2/s]: the fluid's, or more of it so that nearly inviscid
        flow keeps in order; see method.artificial_viscosity. Of the scheme classic and of other solvers the
        fluid's alone; 0 without a fluid."""
        options = self.file.method
        if isinstance(options, SphOptions) and options.scheme == "delta":
            return _core.effective_viscosity(self.core)
        return 0.0 if self.file.given_fluid is None else self.file.fluid.nu

    @property
    def effective_reynolds(self) -> float | None:
        """The Reynolds number with what particles feel of each other, where that is more than 2 % above the
        viscosity of the fluid; None where it is not, and without [reference]."""
        effective = self.effective_viscosity
        if self.reference is None or effective == 0 or effective <= 1.02 * self.file.fluid.nu:
            return None
        return self.reference.velocity * self.reference.length / effective

    @property
    def effective_flow(self) -> str:
        """`Reynolds number 48.1, asked for: 100`, or the viscosity without [reference]; empty where particles
        feel that of the fluid."""
        effective = self.effective_viscosity
        nu = self.file.fluid.nu if effective > 0 else 0.0
        if effective <= 1.02 * nu:
            return ""
        alpha = f"method.artificial_viscosity = {rounded(self.core.method.artificial_viscosity)}"
        reynolds = self.effective_reynolds
        if reynolds is None:
            return f"viscosity {rounded(effective, 3)} m^2/s instead of {rounded(nu)} ({alpha})"
        asked = "an inviscid fluid" if self.reynolds is None else f"{rounded(self.reynolds)}"
        return f"Reynolds number {rounded(reynolds, 3)}, requested: {asked} ({alpha})"

    @property
    def coefficient_of_force(self) -> float | None:
        """Drag and lift coefficients over forces, with the density of the world file: 2 / (rho U^2 L) in 2D
        [m/N], 2 / (rho U^2 A) in 3D [1/N]; None without [reference], in 3D without its area."""
        if self.reference is None or self.file.given_fluid is None:
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
            quantity=self.file.pictured,
        )

    def __repr__(self) -> str:
        size = " x ".join(number(round(length, 6)) for length in self.file.domain.size)
        parts = [
            f"{size} m",
            f"spacing {self.file.domain.spacing:.4g} m",
            f"end {self.end:.4g} {self.time_unit}",
        ]
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
    folders = [str(path.parent)] if path is not None else []
    file, wrong = validate(document.data, names, folders)
    problems += [document.problem(where, text) for where, text in wrong]
    if file is not None:
        problems += [document.problem(where, text) for where, text in refusals(file)]
    if problems or file is None:
        raise WorldError(problems)

    problems += [document.problem(where, text) for where, text in extents.problems(file)]
    if problems:
        raise WorldError(problems)
    samples, solver = Samples(file), file.solver
    problems += [
        document.problem(where, text) for where, text in solver.problems(file, samples, names.values)
    ]
    for index, expect in enumerate(file.expect):
        names.used.update(
            name for text in (expect.quantity, expect.against) if text for name in names_in(text)
        )
        for key, text in check_curve(expect, folders):
            problems.append(document.problem(("expect", index, key), f"expect[{index}].{text}"))
    names.used |= names_used(file)
    if problems:
        raise WorldError(problems)
    scales = solver.scales(file, samples)
    if not isinstance(scales, Scales):
        raise WorldError([document.problem(*scales)])
    problems += [document.problem(where, text) for where, text in solver.step_problems(file, scales)]
    if problems:
        raise WorldError(problems)
    return file, names, samples, scales


def _unused(file: WorldFile, names: Names) -> list[str]:
    idle = [name for name in file.let if name not in names.used]
    return [f"let.{name} is not used." for name in idle]
