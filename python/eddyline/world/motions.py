"""Bodies that move by formula: their speeds and collisions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .openings import faces
from .problems import Found, Path, above, number, rounded
from .samples import IRREGULAR, Points, corners
from .schema import SIDES, Inflow, Outflow, Periodic, Stream, Wall, WorldFile
from .shapes import Body, Circle, Sphere
from .sph_options import SphOptions

Floats = NDArray[np.float64]

GAP = 2.0
"""Smallest distance in spacings of a moving body from solids that it does not touch at the start, as fluid
must escape from between."""
SLOWEST_SOUND = 5.0
"""Smallest allowed speed of sound, in multiples of the speed of a body."""
_FEWEST, _MOST = 1000, 8000  # times at which a motion is sampled
_STEP = 0.5  # largest way from one sample to the next, in spacings, as far as _MOST allows
_ROUNDS, _PARTS = 4, 32  # how often, and in how many, an interval is cut in which a body seems to jump
_POINTS = 2000  # of a surface
_PLACES = 2_000_000  # points times times


class _Course:
    """A moving body over the run.

    points: (n, 3) places on its surface at t = 0, m.  depth: by how much they lie below it, m.
    times: (m,) s.
    """

    def __init__(self, body: Body, file: WorldFile) -> None:
        motion = body.core_motion
        assert motion is not None
        self.motion: _core.Motion = motion
        self.points, self.depth = _surface(body, file)
        self.times = np.union1d(np.linspace(0.0, file.time.end, _FEWEST + 1), IRREGULAR * file.time.end)
        fastest = float(np.nan_to_num(self.speeds, nan=0.0, posinf=0.0).max())
        most = min(_MOST, _PLACES // len(self.points))
        steps = math.ceil(min(most, fastest * file.time.end / (_STEP * file.domain.spacing)))
        if steps > _FEWEST:
            self.times = np.union1d(np.linspace(0.0, file.time.end, steps + 1), IRREGULAR * file.time.end)
            del self.speeds
        for _ in range(_ROUNDS):
            if not self._look_closer(file):
                break

    def _look_closer(self, file: WorldFile) -> bool:
        """Adds times where the body seems to jump: it may have moved in less than a step. Whether it does."""
        found = self.jumps(file)[: _MOST // _PARTS]
        if len(found) == 0 or len(self.times) > 4 * _MOST:
            return False
        shares = np.arange(1, _PARTS) / _PARTS
        between = self.times[found, None] + shares * (self.times[found + 1] - self.times[found])[:, None]
        self.times = np.union1d(self.times, between.ravel())
        del self.speeds, self.accelerations, self.places
        return True

    def jumps(self, file: WorldFile) -> NDArray[np.intp]:
        """The intervals between times in which it goes farther than its speed says."""
        step = np.diff(self.times)
        moved = self.ways
        reach = step * np.maximum(self.speeds[1:], self.speeds[:-1])
        bend = step**2 * np.maximum(self.accelerations[1:], self.accelerations[:-1])
        return np.flatnonzero(moved > 1.01 * reach + bend + 1e-3 * file.domain.spacing)

    @property
    def ways(self) -> Floats:
        """(m - 1,) longest way of a point from each time to the next [m]."""
        ways: Floats = np.linalg.norm(np.diff(self.places, axis=0), axis=2).max(axis=1)
        return ways

    @cached_property
    def speeds(self) -> Floats:
        """(m,) highest speed of a point at each time [m/s]."""
        return np.array([_lengths(self.motion.velocity(self.points, t)).max() for t in self.times])

    @cached_property
    def accelerations(self) -> Floats:
        """(m,) highest acceleration of a point at each time [m/s^2]."""
        return np.array([_lengths(self.motion.acceleration(self.points, t)).max() for t in self.times])

    @cached_property
    def places(self) -> Floats:
        """(m, n, 3) the points at each time [m]."""
        return np.stack([self.motion.place(self.points, t) for t in self.times])


def top_speed(body: Body, file: WorldFile) -> float:
    """The highest speed that a point of the body's surface reaches in the run [m/s]."""
    return _top_speed(_Key(body, file))


class _Key:
    """A body of a file, which do not change: equal if both are the same objects."""

    def __init__(self, body: Body, file: WorldFile) -> None:
        self.body, self.file = body, file

    def __hash__(self) -> int:
        return hash((id(self.body), id(self.file)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.body is other.body and self.file is other.file


@lru_cache(maxsize=16)  # asked for several times while a world is checked
def _top_speed(key: _Key) -> float:
    body, file = key.body, key.file
    motion = body.core_motion
    assert motion is not None
    points, _ = _surface(body, file)
    times = np.linspace(0.0, file.time.end, _FEWEST + 1)
    fastest = max(float(_lengths(motion.velocity(points, t)).max()) for t in times)
    irregular = max(float(_lengths(motion.velocity(points, t)).max()) for t in IRREGULAR * file.time.end)
    if irregular > 1.01 * fastest:  # it swings as often as equal times come; else these tell it well enough
        fastest = irregular
    far = max(float(_lengths(motion.place(points, t) - points).max()) for t in times)
    if far > file.domain.spacing and fastest * file.time.end < far:  # it has moved between these times
        fastest = max(fastest, float(np.nan_to_num(_Course(body, file).speeds, posinf=0.0).max()))
    return fastest


def problems(file: WorldFile) -> Found:
    """Errors in the motions of bodies, as (path, text of the line)."""
    courses: dict[str, _Course] = {}
    moving = [name for name, body in file.bodies.items() if body.motion is not None]
    if moving and isinstance(file.method, SphOptions) and file.sph.scheme != "delta":
        yield (
            ("method", "scheme"),
            f'method.scheme = "{file.sph.scheme}", but bodies.{moving[0]} moves; moving bodies require '
            'scheme "delta". Use it, or remove the motion.',
        )
        return
    for name, body in file.bodies.items():
        if body.motion is None:
            continue
        course = _Course(body, file)
        found = list(_formulas(name, body, course, file)) or list(_path(name, body, course, file))
        yield from found
        if not found:
            courses[name] = course
            yield from _speed(name, body, file)
            yield from _sides(name, course, file)
            yield from _openings(name, course, file)
    yield from _pairs(courses, file)


def _formulas(name: str, body: Body, course: _Course, file: WorldFile) -> Found:
    """Formulas that start elsewhere, or are not finite with their derivatives."""
    assert body.motion is not None
    path: Path = ("bodies", name, "motion")
    formulas: list[tuple[Path, _core.Formula]] = [
        (("displacement", k), formula) for k, formula in enumerate(body.motion.displacement or ())
    ]
    if body.motion.rotation is not None:
        formulas.append((("rotation",), body.motion.rotation))
    scale = 1e-9 * max(file.domain.size)
    for key, formula in formulas:
        start = float(np.asarray(formula.evaluate({"t": 0.0})))
        label = f"bodies.{name}.motion.{key[0]}" + (f"[{key[1]}]" if len(key) > 1 else "")
        if math.isfinite(start) and abs(start) > (scale if len(key) > 1 else 1e-9):
            change = f"{'Subtract' if start > 0 else 'Add'} {rounded(abs(start))}."
            text = f"{label} gives {rounded(start)} at t = 0; must be 0, as the shape says where the body"
            yield (*path, *key), f"{text} starts. {change}"
        for time in course.times:
            values = formula.differentiate((0.0, 0.0, 0.0, float(time)), "t")
            if not all(map(math.isfinite, values)):
                words = ("value", "velocity", "acceleration")
                wrong = [word for word, value in zip(words, values, strict=True) if not math.isfinite(value)]
                yield (
                    (*path, *key),
                    f"{label} has no finite {wrong[0]} at t = {rounded(time)} s; must be finite at all "
                    "times. Start the motion smoothly.",
                )
                break


def _path(name: str, body: Body, course: _Course, file: WorldFile) -> Found:
    """Bodies that jump, and bodies with a motion too small to matter."""
    assert body.motion is not None
    path: Path = ("bodies", name, "motion")
    jumps = course.jumps(file)
    if len(jumps):
        k = int(jumps[0])
        far, when = rounded(float(course.ways[k])), rounded(float(course.times[k + 1]))
        yield (
            path,
            f"bodies.{name}.motion jumps by {far} m at t = {when} s; must be continuous. Spread the "
            "movement over some time.",
        )
    low, high = body.core_shape.bounds
    middle = np.array([(a + b) / 2 for a, b in zip(low, high, strict=True)])
    centred = isinstance(body, Circle | Sphere) and np.allclose(
        course.motion.pivot, middle, rtol=0, atol=1e-9 * max(file.domain.size)
    )
    if body.slip and body.motion.displacement is None and centred:
        yield (
            path,
            f"bodies.{name}.motion turns a {body.shape} about its centre with slip = true, which has no "
            "effect on the fluid. Remove slip or the motion.",
        )


def _speed(name: str, body: Body, file: WorldFile) -> Found:
    fastest = top_speed(body, file)
    given, sound = file.fluid.max_speed, file.fluid.sound_speed
    moves = f"bodies.{name} moves at {rounded(fastest)} m/s"
    if given is not None and given < 0.999 * fastest:
        yield (
            ("fluid", "max_speed"),
            f"fluid.max_speed = {number(given)}, but {moves}; must be no less. Try {above(fastest)}.",
        )
    if sound is not None and sound < SLOWEST_SOUND * fastest:
        yield (
            ("fluid", "sound_speed"),
            f"fluid.sound_speed = {number(sound)}, but {moves}; must be at least {SLOWEST_SOUND:.0f} times "
            f"that, 10 times is usual. Try {above(10 * fastest)}.",
        )


def _sides(name: str, course: _Course, file: WorldFile) -> Found:
    """A body may slide along a wall that it touches or leave it, but not run into one; it must not cross a
    periodic side, nor go out of the domain."""
    origin, end = corners(file)
    path: Path = ("bodies", name, "motion")
    change = "Make it smaller, or move the body."
    inside = np.ones(course.places.shape[:2], dtype=bool)
    for index, side_name in enumerate(SIDES[: 2 * file.dimensions]):
        side, axis = file.boundaries.side(side_name), index // 2
        across = course.places[:, :, axis]
        distances = across - origin[axis] if index % 2 == 0 else end[axis] - across
        inside &= distances > 0
        gaps = distances.min(axis=1) - course.depth
        if isinstance(side, Periodic):
            crossed = np.flatnonzero(gaps < 0)
            if len(crossed):
                when = rounded(float(course.times[crossed[0]]))
                yield (
                    path,
                    f"bodies.{name}.motion takes it across the periodic side {side_name} at t = {when} s; "
                    f"bodies must not cross it. {change}",
                )
        elif isinstance(side, Wall | Inflow | Outflow | Stream):
            near = _too_near(gaps, course, file)
            if near is not None:
                yield path, f"bodies.{name}.motion takes it {near(f'the {side.type} {side_name}')} {change}"
    gone = np.flatnonzero(~inside.any(axis=1))
    if len(gone):
        when = rounded(float(course.times[gone[0]]))
        text = f"bodies.{name}.motion takes it out of the domain at t = {when} s."
        yield path, f"{text} Make it smaller, or end sooner."


def _openings(name: str, course: _Course, file: WorldFile) -> Found:
    """It must not come in front of an opening in a wall or a body either, as fluid enters there."""
    body, spacing = file.bodies[name], file.domain.spacing
    for opening in faces(file):
        if opening.path[0] == "boundaries":
            continue  # a whole side, see _sides()
        points = opening.points(file.dimensions, -spacing)
        low, high = course.places.min(axis=(0, 1)), course.places.max(axis=(0, 1))
        if np.maximum(points.min(axis=0) - high, low - points.max(axis=0)).max() > 0:
            continue
        for time in course.times:
            if _at(body, float(time)).signed_distance(points).min() < 0:
                yield (
                    ("bodies", name, "motion"),
                    f"bodies.{name}.motion takes it before the {opening.kind} {opening.name} at t = "
                    f"{rounded(float(time))} s; the opening must stay free. Make it smaller, or move the "
                    "body.",
                )
                break


def _pairs(courses: dict[str, _Course], file: WorldFile) -> Found:
    """Two bodies that do not touch at the start must not come near each other."""
    reach = (GAP + 1) * file.domain.spacing
    said: set[frozenset[str]] = set()
    for name, course in courses.items():
        for other, body in file.bodies.items():
            pair = frozenset((name, other))
            if other == name or pair in said or _stay_apart(course, courses.get(other), body, reach):
                continue
            gaps = np.empty(len(course.times))
            for k, (time, places) in enumerate(zip(course.times, course.places, strict=True)):
                distances = _at(body, float(time)).signed_distance(np.ascontiguousarray(places))
                gaps[k] = distances.min() - course.depth
            near = _too_near(gaps, course, file)
            if near is not None:
                said.add(pair)
                text = f"bodies.{name}.motion takes it {near(f'bodies.{other}')}"
                yield ("bodies", name, "motion"), f"{text} Make it smaller, or move one of them."


def _too_near(gaps: Floats, course: _Course, file: WorldFile) -> Callable[[str], str] | None:
    """Problem of a body that comes too close to something, or None; solids that it touches at the start may
    stay close.

    gaps: (m,) distances at the times of the course, m.
    """
    spacing = file.domain.spacing
    least = GAP * spacing
    nearest = int(np.argmin(gaps))
    if gaps[0] <= 0.5 * spacing or gaps[nearest] >= min(least, gaps[0]) - 1e-6 * spacing:
        return None
    into = np.flatnonzero(gaps < 0)
    when = rounded(float(course.times[into[0] if len(into) else nearest]))
    where = "into" if len(into) else f"to {rounded(float(gaps[nearest]))} m from"
    return lambda what: f"{where} {what} at t = {when} s; must leave {GAP:.0f} spacings, {rounded(least)} m."


def _stay_apart(course: _Course, theirs: _Course | None, body: Body, reach: float) -> bool:
    """True if along some axis all places of a path are beyond `reach` [m] of all places of a body."""
    low, high = course.places.min(axis=(0, 1)), course.places.max(axis=(0, 1))
    if theirs is None:
        their_low, their_high = (np.array(corner) for corner in body.core_shape.bounds)
    else:
        their_low, their_high = theirs.places.min(axis=(0, 1)), theirs.places.max(axis=(0, 1))
    return bool(np.maximum(their_low - high, low - their_high).max() > reach)


def _at(body: Body, time: float) -> _core.Shape:
    """The shape of a body where it is at `time` [s]."""
    core = _core.Body()
    core.shape, core.motion = body.core_shape, body.core_motion
    return core.shape_at(time)


def _surface(body: Body, file: WorldFile) -> tuple[Points, float]:
    """(n, 3) points of the surface at t = 0, about a spacing apart, and their depth below it [m]: in 2D none,
    in 3D that of the outermost layer of particles."""
    spacing = file.domain.spacing
    if file.dimensions == 2:
        pieces = []
        for line in body.core_shape.outline(0.01 * spacing):
            for start, end in zip(line, np.roll(line, -1, axis=0), strict=True):
                count = max(1, math.ceil(float(np.linalg.norm(end - start)) / spacing))
                pieces.append(start + (end - start) * np.arange(count)[:, None] / count)
        points, depth = np.concatenate(pieces), 0.0
    else:
        points, depth = body.core_shape.layers(spacing, 1)[0], spacing / 2
    return np.ascontiguousarray(points[:: 1 + len(points) // _POINTS]), depth


def _lengths(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=1)
    return lengths
