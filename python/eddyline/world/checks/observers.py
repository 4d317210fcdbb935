"""Checks of [observe]."""

from __future__ import annotations

import numpy as np

from ..patches import normal_of, places_of, rim_of
from ..problems import Found, Path, did_you_mean, dotted, shown
from ..samples import corners, shown_place
from ..schema import Gauge, Line, Patch, Profile, Torque, WorldFile
from ..shapes import vec3


def observer_problems(file: WorldFile) -> Found:
    """Observers have names of their own, and lie in the fluid."""
    origin, end = corners(file)
    for name, observer in file.observe.items():
        path: Path = ("observe", name)
        if name in file.bodies or name in _TAKEN:
            taken = f"bodies.{name} has" if name in file.bodies else _TAKEN[name]
            yield path, f"observe.{name}: {taken} this name already. Choose another name."
        if isinstance(observer, Torque):
            if observer.body not in file.bodies:
                text = (
                    f"observe.{name}.body = {shown(observer.body)}; the world has no such body. "
                    f"{did_you_mean(observer.body, list(file.bodies), 'and')}".strip()
                )
                yield (*path, "body"), text
            continue
        for key, mark in observer.marks.items():
            place = vec3(mark)
            if any(not origin[k] <= place[k] <= end[k] for k in range(file.dimensions)):
                text = (
                    f"observe.{name}.{key} = {shown(place[: file.dimensions])} is outside the domain from "
                    f"{shown_place(origin, file)} to {shown_place(end, file)} m. Move it."
                )
                yield (*path, key), text
            for body_name, body in file.bodies.items():
                depth = -body.core_shape.signed_distance(np.array([place]))[0]
                if not isinstance(observer, Gauge) and depth > _ON_SURFACE * file.domain.spacing:
                    text = (
                        f"observe.{name}.{key} = {shown(place[: file.dimensions])} is inside "
                        f"bodies.{body_name}; must be in the fluid. Move it."
                    )
                    yield (*path, key), text
        if isinstance(observer, Line | Profile):
            yield from _crossed_bodies(observer, path, file)
        if isinstance(observer, Patch):
            yield from _patch(observer, path, file)
        weightless = file.domain.gravity is None or not any(file.domain.gravity)
        if isinstance(observer, Gauge) and observer.axis is None and weightless:
            text = f'observe.{name}.axis is missing; a gauge without gravity requires it. Add axis = "y".'
            yield path, text
        axis = getattr(observer, "axis", None)
        if axis == "z" and file.dimensions == 2:
            yield (*path, "axis"), f'observe.{name}.axis = "z"; must be x or y, as this world is 2D.'


_TAKEN = dict.fromkeys(("budget", "force", "time"), "a series of every run has") | dict.fromkeys(
    ("values", "expectations"), "a table of every export has"
)
_ON_SURFACE = 1e-6  # of a spacing: what is less deep inside a body lies on its surface


def _patch(patch: Patch, path: Path, file: WorldFile) -> Found:
    """A patch needs a direction, and room for all of it beside its centre, of which `_observers` tells."""
    if normal_of(patch, file) is None:
        text = (
            f"{dotted(path)}.normal is missing; position = {shown(patch.position)} does not lie on exactly "
            f"one side of the domain. Add normal = {shown((1, 0, 0)[: file.dimensions])}, the direction "
            "across it."
        )
        yield path, text
        return
    origin, end = corners(file)
    slack = _ON_SURFACE * file.domain.spacing
    rim, places = rim_of(patch, file), places_of(patch, file)
    outside = [
        any(not origin[k] - slack <= p[k] <= end[k] + slack for k in range(file.dimensions)) for p in rim
    ]
    if any(outside):
        place = rim[outside.index(True)]
        text = (
            f"{dotted(path)}.diameter = {shown(patch.diameter)}; the patch extends beyond the domain, to "
            f"{shown_place(place, file)} m. Make it smaller or move it."
        )
        yield (*path, "diameter"), text
    for name, body in file.bodies.items():
        depth = -body.core_shape.signed_distance(places)
        at_centre = -body.core_shape.signed_distance(np.array([vec3(patch.position)]))[0]
        if (depth > slack).any() and at_centre <= slack:
            where = shown_place(places[int(np.argmax(depth))], file)
            text = (
                f"{dotted(path)}.diameter = {shown(patch.diameter)}; the patch extends into bodies.{name} "
                f"at {where} m; must stay in the fluid. Make it smaller, or change normal."
            )
            yield (*path, "diameter"), text


def _crossed_bodies(line: Line | Profile, path: Path, file: WorldFile) -> Found:
    """A line must stay in the fluid between its ends, too; what lies inside at an end is said of the end."""
    places = np.array(line.places)
    for name, body in file.bodies.items():
        depth = -body.core_shape.signed_distance(places)
        inside = depth > _ON_SURFACE * file.domain.spacing
        if inside[1:-1].any() and not inside[[0, -1]].any():
            where = shown_place(places[int(np.argmax(depth))], file)
            yield (
                path,
                f"{dotted(path)} passes through bodies.{name} at {where} m; must stay in the fluid. Move it.",
            )
