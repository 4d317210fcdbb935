"""Tables of a world file that its solver cannot honour, and those of other solvers."""

from __future__ import annotations

from .. import _core
from .problems import Found, Path, did_you_mean, dotted, listed, number, rounded, shown
from .schema import SIDES, Particle, Wall, WorldFile
from .shapes import Body
from .solver import solvers
from .sph_options import SphOptions
from .terms import refusals as term_refusals


def refusals(file: WorldFile) -> Found:
    """One line for each."""
    solver = file.solver
    if solver.name not in _core.solver_names():
        yield (
            ("method", "name"),
            f'method.name = "{solver.name}"; this build of Eddyline has only {listed(_core.solver_names())}. '
            "Install one that has it.",
        )
    for other in solvers().values():
        for key in other.tables:
            if key not in solver.tables and getattr(file, key) is not None:
                yield (
                    (key,),
                    f"[{key}] is a table of the solver {other.name}, and this world uses {solver.name}. "
                    f'Remove it, or write method.name = "{other.name}".',
                )
    known = solver.start_fields(file)
    for name, formula in file.start.fields.items():
        if name not in known:
            path: Path = ("start", "fields", name)
            hint = did_you_mean(name, known, "and") if known else "Remove it."
            yield (
                path,
                f"{dotted(path)} = {shown(formula.text)}; the solver {solver.name} has "
                f"{'no such field' if known else 'no fields of its own'}. {hint}",
            )
    quantity, pictured = file.output.quantity, solver.pictured(file)
    if quantity is not None and quantity not in pictured:
        yield (
            ("output", "quantity"),
            f"output.quantity = {shown(quantity)}; pictures of a {file.dimensions}D world show "
            f"{listed(pictured, 'or')}.",
        )
    yield from _tracked(file)
    yield from _friction(file)
    yield from term_refusals(file)
    yield from solver.refusals(file)


def _tracked(file: WorldFile) -> Found:
    """Tracked particles of worlds that have no particles."""
    for name, observer in file.observe.items():
        if isinstance(observer, Particle) and file.solver.members != "particles":
            yield (
                ("observe", name, "type"),
                f'observe.{name}.type = "particle"; the solver {file.solver.name} has {file.solver.members} '
                "and no particles. Write a probe, or remove this observer.",
            )


def _friction(file: WorldFile) -> Found:
    """Laws of friction at walls of worlds that have none."""
    tables: list[tuple[Path, Wall | Body]] = [
        (("boundaries", name), side)
        for name in SIDES[: 2 * file.dimensions]
        if isinstance(side := file.boundaries.side(name), Wall)
    ]
    tables += [(("bodies", name), body) for name, body in file.bodies.items()]
    is_classic = isinstance(file.method, SphOptions) and file.method.scheme == "classic"
    for path, table in tables:
        if table.friction is None:
            continue
        where = f"{dotted(path)}.friction = {shown(table.friction)}"
        if file.solver.name not in ("sph", "mps") or is_classic:
            other = 'method.scheme = "classic"' if is_classic else f"the solver {file.solver.name}"
            yield (*path, "friction"), f"{where}; {other} has no law of friction. Remove it."
        elif str(table.friction) == "log" and table.roughness is None and not file.fluid.nu > 0:
            yield (
                (*path, "friction"),
                f"{where}; the law of a smooth wall needs viscosity. Give the fluid a viscosity, or the wall "
                "a roughness.",
            )
        elif table.roughness is not None and table.roughness >= (width := _room(path, file)):
            yield (
                (*path, "roughness"),
                f"{dotted(path)}.roughness = {number(table.roughness)} m; must be less than the "
                f"{rounded(width)} m that the domain leaves for the flow. Reduce it.",
            )


def _room(path: Path, file: WorldFile) -> float:
    """The extent of the domain away from a wall [m]; for a body the smallest one."""
    if path[0] == "boundaries":
        return file.domain.size[SIDES.index(str(path[1])) // 2]
    return min(file.domain.size)
