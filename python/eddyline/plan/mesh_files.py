"""Plans of meshes without a world: blocks of a file, as Mapper assigns them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eddyline.mesh.blocks import Mesh
from eddyline.plan.advice import advice_for_blocks
from eddyline.plan.blocks import Pieces
from eddyline.plan.distribution import bringing_something
from eddyline.plan.forecast import HERE, Network, Work, forecast
from eddyline.plan.mapper import WORDS_PER_POINT
from eddyline.plan.planning import BASE_BYTES
from eddyline.plan.run_plan import RunPlan

CELL_VALUES = 5
"""Values that are sent for each ghost cell."""


def read_mesh(path: Path) -> Mesh:
    """The mesh in a PLOT3D or CGNS file."""
    from eddyline.mesh.files import read

    return read(path)


def plan_mesh(
    mesh: Mesh,
    ranks: Sequence[int],
    *,
    title: str = "mesh",
    network: Network = HERE,
    rate: float | None = None,
    exchanges: int = 1,
    split: bool = False,
    multiple: int = 4,
) -> RunPlan:
    """The plan of a mesh of blocks. rate: cells that a core updates in a second; None: times are relative.
    exchanges: of ghost cells in a step.  split: blocks may be divided, at multiples of `multiple` cells."""
    work = Work(
        point_seconds=1 / rate if rate else None,
        step_seconds=0.0,
        low=0.85,
        high=1.15,
        row_bytes=8.0 * CELL_VALUES * exchanges,
        exchanges=exchanges,
        point_bytes=8.0 * WORDS_PER_POINT,
        base_bytes=BASE_BYTES,
        origin="the rate given" if rate else "none: times relative to one rank",
    )
    pieces = Pieces.of(mesh, multiple)
    contacts = pieces.contacts()
    whole = [pieces.divide(count, contacts) for count in ranks]
    finer = [pieces.split_for(count) for count in ranks]
    halved = [each.divide(count) for each, count in zip(finer, ranks, strict=True)]
    all_rows, other = (
        forecast(each, work, network) for each in ((halved, whole) if split else (whole, halved))
    )
    shown = {each.nodes for each in bringing_something(halved if split else whole)}
    rows = [row for row in all_rows if row.nodes in shown]
    advice = advice_for_blocks(all_rows, other, finer, split=split)
    return RunPlan(title, "cells", rows, advice, network, work, steps=0, fixed_seconds=0.0, threads=1)
