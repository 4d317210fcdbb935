"""Steering: changes of the world by live commands, and the reasons for refusing them.

A command is first applied to the text of the world file and checked by the rules for every world; its changes
are then passed to the core. The text is kept, so that each command builds on the earlier ones."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from eddyline.live import stream_pb2 as pb
from eddyline.live.effects import Effects, Violation
from eddyline.live.hello import body
from eddyline.live.journal import Entry
from eddyline.world import World, WorldError
from eddyline.world.editing import Edit, EditError, edited
from eddyline.world.parameters import steered_parameters
from eddyline.world.problems import above, below, number, rounded
from eddyline.world.samples import lattice
from eddyline.world.schema import Particle, Probe, WorldFile
from eddyline.world.shapes import Body, vec3
from eddyline.world.solver import FLOW_COMMANDS
from eddyline.world.sph_options import SphOptions

if TYPE_CHECKING:
    from eddyline import _core

FLOW = FLOW_COMMANDS
"""Commands that change the flow: published values no longer apply afterwards."""
CONTROL = ("pause", "resume", "step", "stop")
"""Commands that do not change the flow."""
OBSERVERS = ("add_probe", "remove_probe", "track", "untrack")
"""Commands that begin or end a series."""
_AGAIN = "Otherwise stop the run, edit the world and run it again."
LONGEST_FORMULA = 2047
"""Characters of a formula in a change, as in core/world/change.hpp."""
_PEAK = 15 / 8  # highest slope of the ramp
_SAMPLES = 10_000  # maximum number of points at which two bodies are tested for overlap
_WAY = re.compile(r"bodies\.(\w+)\.motion takes it ")
_SHORTER = re.compile(r"Make it smaller, or [a-z ]+\.$")
_RAMP = "{s}^3*(10-{s}*(15-6*{s}))"


Largest = Callable[[World, float], str]
"""Function that describes the accepted values, from the world and `Violation.factor`."""


class RefusedError(ValueError):
    """A command that is refused; the message gives the reason and an alternative."""


@dataclass(frozen=True)
class Change:
    """One call of `_core.Simulation.change`, or of `track` and `untrack`."""

    kind: str
    name: str = ""
    value: tuple[float, float, float] = (0.0, 0.0, 0.0)
    formulas: tuple[str, ...] = ()
    shape: str = ""
    numbers: tuple[float, ...] = ()
    slip: bool = False
    id: int = 0  # of a particle to track


@dataclass(frozen=True)
class PlannedChange:
    """The effect of a command: the world afterwards, the changes in the core, and a description."""

    world: World
    changes: tuple[Change, ...]
    text: str

    @property
    def change(self) -> Change:
        """The first change; of most commands the only one."""
        return self.changes[0] if self.changes else Change("")


@dataclass(frozen=True)
class PresentParameter:
    """A parameter of a module or of terms. name: in commands."""

    name: str
    value: str
    unit: str
    description: str


@dataclass(frozen=True)
class Present:
    """Values that can be steered, in the units of commands. viscosity: kinematic [m^2/s]. gravity: [m/s^2],
    an axis each.
    inflows: velocities by name, as the world file has them [m/s]. reynolds: None without [reference]."""

    viscosity: str
    gravity: str
    inflows: dict[str, str]
    reynolds: float | None
    parameters: tuple[PresentParameter, ...] = ()


class Steering:
    """The current world of a run after all live commands so far."""

    def __init__(self, world: World) -> None:
        self.world = world  # as it is now
        self.added: dict[str, float] = {}  # added bodies and their times [s]
        self.removed: dict[str, tuple[_core.Body, float]] = {}  # removed bodies and their times [s]
        self._ended: set[str] = set()  # names of removed probes and particles: not used again
        self._first = world
        self._repeats = False  # the current command is repeated from a journal
        self._tables = dict(world.file.bodies)  # tables of all bodies of the run, including removed ones
        self._effects = Effects(world)

    def copy(self) -> Steering:
        """A copy that commands can change independently."""
        made = copy(self)
        made.added, made.removed = dict(self.added), dict(self.removed)
        made._ended, made._tables = set(self._ended), dict(self._tables)
        return made

    def abilities(self) -> dict[str, str]:
        """The reason why each command is refused in this run; empty if it is not."""
        file = self.world.file
        can = dict.fromkeys((*CONTROL, *FLOW, *OBSERVERS), "")
        if not any(True for _ in self._inflows()):
            can["inflow"] = "this world has no inflow."
        if not steered_parameters(self.world):
            can["parameter"] = (
                "this world has no parameters: it has no module, and [[terms]] use no value of [let] that "
                "nothing else uses."
            )
        solver = self.world.solver
        if solver.members != "particles":
            can |= dict.fromkeys(("track", "untrack"), f"the solver {solver.name} has no particles.")
        others = [name for name in FLOW if name not in solver.steered]
        if "parameter" in others and can["parameter"]:
            others.remove("parameter")
        if others:
            return can | dict.fromkeys(others, solver.not_steered)
        if isinstance(file.method, SphOptions) and file.method.scheme == "classic":
            for name in ("move_body", "add_body", "remove_body"):
                can[name] = f'bodies cannot be changed with method.scheme = "classic". {_AGAIN}'
        return can

    def plan(self, command: pb.Command, time: float, *, repeats: bool = False) -> PlannedChange:
        """Plans a command at `time` [s]. Raises RefusedError; nothing has changed then.

        repeats: the command comes from a journal and is applied again without checks of its effects."""
        self._repeats = repeats
        name = command.WhichOneof("action") or ""
        refusal = self.abilities().get(name, "unknown command.")
        if refusal:
            raise RefusedError(f"{name or 'an empty command'}: {refusal}")
        make: Callable[[Any, float], PlannedChange] = getattr(self, f"_{name}")
        try:
            return make(getattr(command, name), time)
        except WorldError as error:
            raise RefusedError(f"{name}: {_plainly(error)}") from None
        except EditError as error:
            raise RefusedError(f"{name}: {error}") from None

    def apply(self, planned: PlannedChange, simulation: _core.Simulation) -> str:
        """Applies a planned change to the simulation between two steps, after its rows have been taken.
        Returns a description."""
        made, displaced = planned.change, 0.0
        for each in planned.changes:
            if each.kind == "track":
                simulation.track(each.name, each.id)
            elif each.kind == "untrack":
                simulation.untrack(each.name)
            else:
                displaced = simulation.change(
                    each.kind, each.name, each.value, each.formulas, each.shape, each.numbers, each.slip
                )
        self.remember(planned, simulation.time)
        if made.kind != "add_body":
            return planned.text
        unit = "kg/m" if self.world.dimensions == 2 else "kg"
        return f"{planned.text}; {rounded(displaced)} {unit} of fluid was displaced"

    def check_now(self, planned: PlannedChange, time: float) -> None:
        """Raises RefusedError if a body cannot be added at `time` [s], later than it was planned for."""
        name = planned.change.name
        if planned.change.kind == "add_body":
            self._check_room(name, planned.world.file.bodies[name], time)

    def remember(self, turn: PlannedChange, time: float) -> None:
        """Stores the world after a command at `time` [s]."""
        name = turn.change.name
        if turn.change.kind == "add_body":
            self.added[name] = time
        elif turn.change.kind == "remove_body":
            self.removed[name] = self._core_body(name), time
        elif turn.change.kind in ("remove_probe", "untrack"):
            self._ended.add(name)
        self.world = turn.world
        self._tables |= turn.world.file.bodies

    def present(self) -> Present:
        """Present values of all that can be steered."""
        file = self.world.file
        document = tomlkit.parse(self.world.source).unwrap()
        inflows = {}
        for name, (part, key) in self._inflows():
            written = document[part][key]["velocity"]
            inflows[name] = ", ".join(map(str, written)) if isinstance(written, list) else str(written)
        gravity = ", ".join(map(rounded, file.domain.gravity or (0.0,) * self.world.dimensions))
        viscosity = "" if file.given_fluid is None else rounded(file.fluid.nu)
        parameters = tuple(
            PresentParameter(each.name, rounded(each.value), each.unit, each.description)
            for each in steered_parameters(self.world).values()
        )
        return Present(viscosity, gravity, inflows, self.world.reynolds, parameters)

    @property
    def bodies_change(self) -> bool:
        """True if any body differs in shape or place from the start of the run."""
        moved = any(each.motion is not None for each in self.world.file.bodies.values())
        return bool(self.added or self.removed) or moved

    def bodies(self, step: int, time: float, *, obeyed: bool = True) -> pb.Bodies | None:
        """All bodies that differ from the start of the run at `time` [s], now or earlier; None if there is
        none. obeyed: state after the commands at exactly this time, not before them."""

        def is_past(moment: float) -> bool:
            return moment < time or (obeyed and moment == time)

        removed = [name for name, (_, end) in self.removed.items() if is_past(end)]
        listed = [
            name
            for name, each in self.world.file.bodies.items()
            if each.motion is not None or name in self.added
        ]
        listed += [name for name in self.removed if name not in removed]
        there = [name for name in listed if is_past(self.added.get(name, -math.inf))]
        if not there and not removed:
            return None
        found = [body(name, self._tables[name], self.world.core.spacing, time) for name in there]
        return pb.Bodies(step=step, time=time, bodies=found, removed=removed)

    # --- commands -----------------------------------------------------------------------------------------

    def _viscosity(self, command: pb.Viscosity, time: float) -> PlannedChange:
        value = _value(command.value)
        edits = [Edit("set", ["fluid", "kinematic_viscosity"], value)]
        if self.world.file.fluid.dynamic_viscosity is not None:
            edits.insert(0, Edit("remove", ["fluid", "dynamic_viscosity"]))
        world = self._edited(
            edits, lambda made, factor: f"Up to {below(made.file.fluid.nu * factor)} m^2/s is accepted."
        )
        # The viscosity of the core refers to zero pressure, that of the file to the background pressure; nu
        # rho is equal.
        nu = world.file.fluid.nu * world.file.fluid.density / self._first.core.fluid.density
        text = f"viscosity {rounded(world.file.fluid.nu)} m^2/s"
        return PlannedChange(world, (Change("viscosity", value=(nu, 0.0, 0.0)),), text)

    def _gravity(self, command: pb.Gravity, time: float) -> PlannedChange:
        values = [_value(item) for item in command.value]
        world = self._edited(
            [Edit("set", ["domain", "gravity"], values)],
            lambda made, factor: (
                f"Up to {below(math.hypot(*(made.file.domain.gravity or ())) * factor)} m/s^2 is accepted."
            ),
        )
        gravity = world.file.domain.gravity or ()
        text = f"gravity ({', '.join(map(rounded, gravity))}) m/s^2"
        return PlannedChange(world, (Change("gravity", value=vec3(gravity)),), text)

    def _parameter(self, command: pb.Parameter, time: float) -> PlannedChange:
        known = steered_parameters(self.world)
        if command.name not in known:
            raise RefusedError(
                f"parameter: {command.name!r} is not a parameter that can change; known: {', '.join(known)}."
            )
        edit = Edit("set", known[command.name].path, _value(command.value))
        text = edited(self.world.source, [edit])
        world = World.from_text(text, self._first.name, path=self._first.path)
        changed = steered_parameters(world)[command.name]
        made = _changed_options(self.world.core, world.core, known[command.name].path)
        if any(len(text) > LONGEST_FORMULA for each in made for text in each.formulas):
            raise RefusedError(
                f"parameter: a formula of terms is longer than {LONGEST_FORMULA} characters. Shorten it, or "
                "stop the run and edit the world."
            )
        unit = f" {changed.unit}" if changed.unit else ""
        text = f"{changed.name} {rounded(changed.value)}{unit}"
        return PlannedChange(world, tuple(made), text)

    def _inflow(self, command: pb.Inflow, time: float) -> PlannedChange:
        places = dict(self._inflows())
        if command.opening not in places:
            raise RefusedError(f"inflow: {command.opening!r} is not an inflow; known: {', '.join(places)}.")
        values = [_value(item) for item in command.velocity]
        written = values[0] if len(values) == 1 else values

        def largest(made: World, factor: float) -> str:
            if isinstance(written, float):
                return f"Up to {below(abs(written) * factor)} m/s is accepted."
            return f"Up to {below(factor)} times this velocity is accepted."

        world = self._edited([Edit("set", [*places[command.opening], "velocity"], written)], largest)
        opening = next(each for each in world.core.openings if each.name == command.opening)
        formulas = tuple(formula.text for formula in opening.velocity)
        text = f"inflow {command.opening} {', '.join(command.velocity)}"
        return PlannedChange(world, (Change("inflow", command.opening, formulas=formulas),), text)

    def _move_body(self, command: pb.MoveBody, time: float) -> PlannedChange:
        file, dimensions = self.world.file, self.world.dimensions
        self._check_known("move_body", command.body)
        if len(command.by) != dimensions or not all(map(math.isfinite, [*command.by, command.turn])):
            raise RefusedError(f"move_body: by = {list(command.by)}; must be {dimensions} numbers [m].")
        if command.turn and dimensions == 3:
            raise RefusedError("move_body: turn is allowed in 2D only; set it to 0.")
        table = file.bodies[command.body]
        begin = max(time, 0.0)
        seconds = command.seconds or self._seconds(command, table)
        if not (math.isfinite(seconds) and seconds > 0):
            raise RefusedError(f"move_body: seconds = {number(command.seconds)}; must be > 0.")
        motion = _ramped(table, command, begin, seconds, dimensions)

        def least(made: World, factor: float) -> str:
            return f"Set seconds to at least {above(seconds / factor)} s."

        # A short movement may lie between the times at which a world checks its motions.
        speed = _PEAK * self._way(command, table) / seconds
        most = self.world.file.fluid.max_speed or math.inf
        reason = f"{command.body} moves at {rounded(speed)} m/s"
        self._check_effects(
            self.world, list(self._effects.speed_violations(command.body, speed, reason, most)), least
        )
        world = self._edited([Edit("set", ["bodies", command.body, "motion"], motion)], least)
        core = next(each for each in world.core.bodies if each.name == command.body)
        assert core.motion is not None
        formulas = (*(formula.text for formula in core.motion.displacement), core.motion.rotation.text)
        by = ", ".join(map(rounded, command.by))
        turned = f" and turned by {rounded(command.turn)} rad" if command.turn else ""
        text = f"{command.body} moved by ({by}) m{turned} in {rounded(seconds)} s"
        return PlannedChange(world, (Change("motion", command.body, core.motion.pivot, formulas),), text)

    def _add_body(self, command: pb.AddBody, time: float) -> PlannedChange:
        if command.name in (*self._first.file.bodies, *self.added):
            raise RefusedError(
                f"add_body: the name {command.name} was already used in this run. Choose another name."
            )
        try:
            table = tomlkit.parse(command.toml).unwrap()
        except TOMLKitError as error:
            raise RefusedError(f"add_body: not TOML: {error}") from None
        if "motion" in table:
            raise RefusedError(
                "add_body: motion is not allowed, as a new body is at rest. Remove motion, and use "
                "move_body afterwards."
            )
        world = self._edited([Edit("add", ["bodies", command.name], table)])
        made = world.file.bodies[command.name]
        self._check_room(command.name, made, time)
        change = Change("add_body", command.name, shape=made.core_name, numbers=made.measures, slip=made.slip)
        return PlannedChange(world, (change,), f"{made.shape} {command.name} added")

    def _remove_body(self, command: pb.RemoveBody, time: float) -> PlannedChange:
        self._check_known("remove_body", command.body)
        of_it = re.compile(rf"\b(force\.)?{re.escape(command.body)}\.")
        held = [
            number
            for number, expect in enumerate(self.world.file.expect)
            if of_it.search(expect.quantity) or of_it.search(expect.against or "")
        ]
        edits = [Edit("remove", ["expect", number]) for number in reversed(held)]
        world = self._edited([*edits, Edit("remove", ["bodies", command.body])])
        return PlannedChange(world, (Change("remove_body", command.body),), f"{command.body} removed")

    def _add_probe(self, command: pb.AddProbe, time: float) -> PlannedChange:
        self._check_unused("add_probe", command.name)
        table = {"type": "probe", "position": list(command.position)}
        world = self._edited([Edit("add", ["observe", command.name], table)])
        place = vec3(command.position)
        text = f"probe {command.name} at ({', '.join(map(rounded, command.position))}) m"
        return PlannedChange(world, (Change("add_probe", command.name, place),), text)

    def _track(self, command: pb.Track, time: float) -> PlannedChange:
        self._check_unused("track", command.name)
        table = {"type": "particle", "id": command.id}
        world = self._edited([Edit("add", ["observe", command.name], table)])
        text = f"particle {command.id} tracked as {command.name}"
        return PlannedChange(world, (Change("track", command.name, id=command.id),), text)

    def _untrack(self, command: pb.Untrack, time: float) -> PlannedChange:
        if not isinstance(self.world.file.observe.get(command.name), Particle):
            raise RefusedError(f"untrack: there is no tracked particle {command.name!r}.")
        world = self._edited([Edit("remove", ["observe", command.name])])
        return PlannedChange(
            world, (Change("untrack", command.name),), f"particle {command.name} not tracked"
        )

    def _check_unused(self, action: str, name: str) -> None:
        """Raises RefusedError if an observer has or had this name."""
        if name in (*self.world.file.observe, *self._ended):
            raise RefusedError(
                f"{action}: the name {name} was already used in this run. Choose another name."
            )

    def _remove_probe(self, command: pb.RemoveProbe, time: float) -> PlannedChange:
        if not isinstance(self.world.file.observe.get(command.name), Probe):
            raise RefusedError(f"remove_probe: there is no probe {command.name!r}.")
        world = self._edited([Edit("remove", ["observe", command.name])])
        return PlannedChange(world, (Change("remove_probe", command.name),), f"probe {command.name} removed")

    def _core_body(self, name: str) -> _core.Body:
        return next(each for each in self.world.core.bodies if each.name == name)

    # --- checks -------------------------------------------------------------------------------------------

    def _check_known(self, command: str, name: str) -> None:
        known = self.world.file.bodies
        if name not in known:
            raise RefusedError(
                f"{command}: there is no body {name!r}; known: {', '.join(known) or 'there are none'}."
            )

    def _check_room(self, name: str, made: Body, time: float) -> None:
        """Raises RefusedError if a body that has moved occupies the place. The rules for worlds test only the
        initial positions."""
        points = lattice(*made.core_shape.bounds, self.world.dimensions, _SAMPLES)
        points = points[made.core_shape.signed_distance(points) < 0]
        for other in self.world.core.bodies:
            if (
                other.motion is not None
                and (other.shape_at(max(time, 0.0)).signed_distance(points) < 0).any()
            ):
                raise RefusedError(f"add_body: {name} would overlap {other.name}. Choose another position.")

    def _edited(self, edits: list[Edit], largest: Largest | None = None) -> World:
        """The world after edits of its text, checked like any world and against the limits of this run."""
        text, name, path = edited(self.world.source, edits), self._first.name, self._first.path
        try:
            world = World.from_text(text, name, path=path)
        except WorldError as error:
            self._check_without_speeds(text, largest)
            raise error
        self._check_effects(world, list(self._effects.violations(world)), largest)
        return world

    def _check_without_speeds(self, text: str, largest: Largest | None) -> None:
        """Refuses a world by its effects if it passes all checks except those of the speeds in its file."""
        fluid = tomlkit.parse(text).unwrap().get("fluid", {})
        edits = [Edit("remove", ["fluid", key]) for key in ("max_speed", "sound_speed") if key in fluid]
        try:
            world = World.from_text(edited(text, edits), self._first.name, path=self._first.path)
        except WorldError:
            return
        self._check_effects(world, list(self._effects.violations(world)), largest)

    def _check_effects(self, world: World, violations: Sequence[Violation], largest: Largest | None) -> None:
        if not violations or self._repeats:
            return
        factor = min(each.factor for each in violations)
        accepted = f" {largest(world, factor)}" if largest is not None and factor > 0 else ""
        raise RefusedError(f"{violations[0].text}.{accepted} {_AGAIN}")

    def _inflows(self) -> list[tuple[str, list[str]]]:
        """Inflows by name, with their keys in the file."""
        file: WorldFile = self.world.file
        sides = [name for name, kind in self.world.sides.items() if kind == "inflow"]
        patches = [name for name, table in file.openings.items() if table.type == "inflow"]
        return [(name, ["boundaries", name]) for name in sides] + [
            (name, ["openings", name]) for name in patches
        ]

    def _seconds(self, command: pb.MoveBody, table: Body) -> float:
        """Duration of a movement whose fastest point moves at half the highest speed of the world."""
        return _PEAK * self._way(command, table) / (0.5 * self._first.scales.max_speed)

    def _way(self, command: pb.MoveBody, table: Body) -> float:
        """Largest distance that any point of a body moves [m]."""
        low, high = table.core_shape.bounds
        return math.hypot(*command.by) + abs(command.turn) * 0.5 * math.dist(low, high)


def replayed(world: World, entries: Iterable[Entry]) -> Steering:
    """The world after all entries of a journal. Raises RefusedError if an entry cannot be applied."""
    steering = Steering(world)
    for entry in entries:
        if entry.name not in CONTROL:
            steering.remember(steering.plan(entry.command, entry.time, repeats=True), entry.time)
    return steering


def mark(entry: Entry) -> pb.Mark:
    """Message to viewers about a line of the journal."""
    command = entry.command
    named = {"add_body": command.add_body.name, "remove_body": command.remove_body.body}
    observer = getattr(command, entry.name).name if entry.name in OBSERVERS else ""
    return pb.Mark(
        step=entry.step,
        time=entry.time,
        command=entry.name,
        text=entry.text,
        changes_flow=entry.name in FLOW,
        body=named.get(entry.name, ""),
        parameter=command.parameter.name,
        value=str(command.track.id) if entry.name == "track" else command.parameter.value,
        observer=observer,
    )


def _plainly(error: WorldError) -> str:
    """Text of the problem that a command would cause, without line and key, as the user edited no file. If a
    body would hit several obstacles, only the first is named."""
    texts = [problem.text for problem in error.problems]
    ways = [_WAY.sub(r"\1 would move ", text) for text in texts if _WAY.match(text)]
    if not ways:
        return " ".join(dict.fromkeys(texts))
    return _SHORTER.sub("Move it a shorter distance.", ways[0])


def _changed_options(before: _core.World, now: _core.World, path: Sequence[str | int]) -> list[Change]:
    """The options of the core that a new value at a path of the world file changes."""
    formulas = [key for key in now.options if key.startswith("terms.") and key[-1].isdigit()]
    if path[0] == "let":
        terms = {key.rsplit(".", 1)[0] for key in formulas if now.options[key] != before.options[key]}
        numbers = [key for key, value in now.options.items() if value != before.options[key]]
    else:
        terms = set()
        first = f"terms.{path[1]:02d}." if path[0] == "terms" else ""
        numbers = [f"{first}parameters.{path[-1]}" if first else str(path[-1])]
    made = []
    for term in sorted(terms):
        axes = tuple(str(now.options.get(f"{term}.{axis}", "0")) for axis in range(3))
        made.append(Change("term", term, formulas=axes))
    for key in numbers:
        if isinstance(value := now.options[key], float):
            made.append(Change("parameter", key, value=(value, 0.0, 0.0)))
    return made


def _value(text: str) -> float | str:
    """A number, or a formula."""
    try:
        parsed = tomlkit.value(text).unwrap()
    except Exception:
        return text
    if not isinstance(parsed, (int, float)) or isinstance(parsed, bool):
        return text
    try:
        return float(parsed)
    except OverflowError:
        raise RefusedError(f"{text[:12]}... is too large; must be a finite number.") from None


def _ramped(
    table: Body, command: pb.MoveBody, begin: float, seconds: float, dimensions: int
) -> dict[str, Any]:
    """The motion so far and, from `begin` on, a smooth path to the new position: at rest at both ends, with
    continuous acceleration."""
    share = f"min(max((t-{begin!r})/{seconds!r},0),1)"
    ramp = _RAMP.format(s=share)
    before = table.motion
    old = [formula.text for formula in (before.displacement or ())] if before is not None else []
    old += ["0"] * (dimensions - len(old))
    motion: dict[str, Any] = {
        "displacement": [f"{text} + {by!r}*{ramp}" for text, by in zip(old, command.by, strict=True)]
    }
    if command.turn or (before is not None and before.rotation is not None):
        turned = before.rotation.text if before is not None and before.rotation is not None else "0"
        motion["rotation"] = f"{turned} + {command.turn!r}*{ramp}"
        if before is not None and before.pivot is not None:
            motion["pivot"] = list(before.pivot)
        if before is not None and before.axis is not None:
            motion["axis"] = list(before.axis)
    return motion
