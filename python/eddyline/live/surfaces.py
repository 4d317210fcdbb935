"""Isosurfaces of a running simulation, for viewers that request them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from eddyline.live import stream_pb2 as pb

if TYPE_CHECKING:
    from eddyline import _core

MOST_OF_VIEWER = 4  # surfaces that one viewer may request
MOST_OF_RUN = 8  # surfaces of one frame, for all viewers together
STRIDES = (1, 2, 4)
BINS = 64  # of a histogram
FLUID, FLUID_LEVEL = "fluid", 0.5
"""The quantity whose surface at this level is the surface of a liquid."""

Key = tuple[str, float, str, int]


def key(request: pb.SurfaceRequest) -> Key:
    """The identity of a surface: quantity, level, colour and stride."""
    return request.quantity, request.level, request.color, request.stride or 1


def is_valid(request: pb.SurfaceRequest) -> bool:
    names_fit = 0 < len(request.quantity) <= 32 and len(request.color) <= 32
    return names_fit and math.isfinite(request.level) and (request.stride or 1) in STRIDES


def merged(requests: Iterable[pb.SurfaceRequest]) -> list[pb.SurfaceRequest]:
    """Requests of all viewers without repetitions; a histogram is made if any viewer requests it."""
    found: dict[Key, pb.SurfaceRequest] = {}
    for request in requests:
        known = found.get(key(request))
        if known is not None:
            known.histogram |= request.histogram
            continue
        copy = found[key(request)] = pb.SurfaceRequest()
        copy.CopyFrom(request)
    return list(found.values())


def selected(surfaces: Iterable[pb.Isosurface], requests: Iterable[pb.SurfaceRequest]) -> list[pb.Isosurface]:
    """The surfaces of a frame that a viewer requests."""
    wanted = {key(request) for request in requests}
    return [surface for surface in surfaces if key(surface.request) in wanted]


def surface(simulation: _core.Simulation, request: pb.SurfaceRequest) -> pb.Isosurface:
    """A surface now, or the reason why there is none."""
    from eddyline import _core
    from eddyline.stream.surfaces import isosurface, quantities

    made = pb.Isosurface(request=request)
    known = quantities(simulation)
    for name in filter(None, (request.quantity, request.color)):
        if name not in known:  # formulas of viewers may take any time
            made.refusal = f"{name}: must be one of {', '.join(known)}."
            return made
    bins = BINS if request.histogram else 0
    stride = request.stride or 1
    try:
        found = isosurface(
            simulation, request.quantity, request.level, color=request.color, stride=stride, bins=bins
        )
    except _core.UserError as error:
        made.refusal = str(error)
        return made
    made.data = found.data
    if found.histogram is not None:
        made.histogram.low, made.histogram.high, counts = found.histogram
        made.histogram.counts.extend(counts.tolist())
    return made


def offer(hello: pb.Hello, quantities: Mapping[str, str]) -> None:
    """Adds the quantities of which surfaces can be made, and their units, to the first message of a run."""
    for name, unit in quantities.items():
        hello.surfaces.add(name=name, unit=unit, level=FLUID_LEVEL if name == FLUID else 0.0)
    hello.surface_colors.extend(name for name in quantities if name != FLUID)


def add_surfaces(frame: pb.Frame, simulation: _core.Simulation, view: pb.View) -> None:
    """Adds the requested surfaces to a frame."""
    for request in view.surfaces[:MOST_OF_RUN]:
        frame.surfaces.append(surface(simulation, request))
    for request in view.surfaces[MOST_OF_RUN:]:
        asked = len(view.surfaces)
        refusal = f"all viewers together request {asked} surfaces; a run makes at most {MOST_OF_RUN}."
        frame.surfaces.add(request=request, refusal=refusal)
