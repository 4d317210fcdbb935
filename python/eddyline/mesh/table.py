"""Stopgap."""
from __future__ import annotations
from typing import Annotated
from pydantic import Field
from eddyline.mesh.blocks import Mesh
from eddyline.mesh.box import box
from eddyline.mesh.frames import Sizes, channel
from eddyline.mesh.curves import Curve
from eddyline.mesh.spacing import uniform
from eddyline.world.shapes import Table, Circle
from eddyline.world.values import Positive
class MeshTable(Table):
    """The mesh."""
    first_cell: Positive | None = Field(default=None, description="x")
def make(file) -> Mesh:
    d = file.domain
    o = d.origin if getattr(d, "origin", None) else (0.0,) * file.dimensions
    periodic = [k for k in range(file.dimensions) if file.boundaries.side(("left","bottom","front")[k]).type == "periodic"]
    if not file.bodies:
        return box(o, d.size, [uniform(8 * max(1, round(L / d.spacing / 8))) for L in d.size], periodic)
    curves = {}
    for name, b in file.bodies.items():
        import numpy as np
        (c, r) = (b.center, b.diameter / 2)
        t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
        curves[name] = Curve.of(np.stack([c[0] + r * np.cos(t), c[1] + r * np.sin(t)], -1), (c[0], c[1], r))
    t = getattr(file, "mesh", None)
    h = d.spacing
    first = t.first_cell if t and t.first_cell else 0.3 * h
    return channel(o, d.size, curves, Sizes(h, first, (2*h, 2*h, h, h), 4 * h, 1.2), periodic)
