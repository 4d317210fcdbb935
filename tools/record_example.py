"""Records the stored run of the lab's home screen: python tools/record_example.py [FILE].

The cylinder of the gallery at Re 100, once it sheds periodically, for as many whole periods as make a loop.
Messages of lab/schema/stream.proto, each after its length (uint32, little-endian), all in one gzip stream.
Takes some minutes.
"""

from __future__ import annotations

import gzip
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eddyline.live import stream_pb2 as pb
from eddyline.plot.colors import QUANTITIES
from eddyline.run.derived import derive
from eddyline.simulation import Simulation
from eddyline.world import World

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "lab" / "public" / "vortex_street.stream"
SHEDDING = 4.6  # s: periodic from here on
SECONDS = 1.4  # recorded, of which whole periods are kept
RATE = 50  # frames for a second of the flow
PERIODS = 2
SHAPES = {"vorticity": (102, 550), "speed": (62, 330), "velocity_x": (41, 220), "velocity_y": (41, 220)}
LEAST, MOST = 13, 21  # frames in a period
SPREAD = 99.7  # percentile of the values that codes reach; what lies beyond gets the last code

Array = NDArray[np.float64]


@dataclass
class Recording:
    """Results of a run: rasters by quantity, one for each frame, and series with their columns and units."""

    times: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    rasters: dict[str, list[NDArray[np.float32]]] = field(default_factory=dict)
    series: dict[str, tuple[list[str], list[str], list[Array]]] = field(default_factory=dict)


def record(world: World) -> Recording:
    simulation, found = Simulation(world), Recording()
    for number in range(round(SECONDS * RATE) + 1):
        simulation.advance_to(SHEDDING + number / RATE)
        for name, (columns, units, rows) in derive(world, simulation._core.take_series()).items():
            entry = found.series.setdefault(name, (list(columns), list(units), []))
            entry[2].append(np.array(rows))
        found.times.append(simulation.time)
        found.steps.append(simulation.steps)
        for name, shape in SHAPES.items():
            found.rasters.setdefault(name, []).append(simulation.raster(name, shape))
    return found


def loop(found: Recording) -> tuple[int, int]:
    """(first, count) of frames such that the one after the last looks like the first."""
    flow = np.nan_to_num(np.array(found.rasters["velocity_y"]))
    lengths = range(PERIODS * LEAST, min(PERIODS * MOST, len(flow) - 1))
    pairs = [(k, length) for length in lengths for k in range(len(flow) - length)]
    return min(pairs, key=lambda pair: float(((flow[pair[0]] - flow[sum(pair)]) ** 2).mean()))


def messages(world: World, found: Recording) -> list[pb.Message]:
    first, count = loop(found)
    out = [_message(hello=_hello(world))]
    start, end = found.times[first], found.times[first + count - 1]
    for name in ("force.cylinder", "budget"):
        columns, units, parts = found.series[name]
        rows = np.concatenate(parts)
        rows = rows[(rows[:, 0] >= start) & (rows[:, 0] <= end)]
        out.append(_message(series=_rows(name, columns, units, rows)))
    for number in range(first, first + count):
        rasters = [_raster(world, name, found.rasters[name], number) for name in SHAPES]
        frame = pb.Frame(
            index=number - first,
            step=found.steps[number],
            time=found.times[number],
            rasters=rasters,
            stored=True,
        )
        out.append(_message(frame=frame))
    return out


def _message(**body: object) -> pb.Message:
    return pb.Message(version=pb.VERSION_CURRENT, **body)  # type: ignore[arg-type]


def _hello(world: World) -> pb.Hello:
    domain, reference = world.file.domain, world.file.reference
    assert reference is not None
    outline = world.file.bodies["cylinder"].core_shape.outline(0.02 * domain.spacing)[0][:, :2]
    density = world.file.fluid.density
    return pb.Hello(
        run="",
        title=world.title,
        world=world.name,
        dimensions=2,
        lower=[0.0, 0.0],
        upper=list(domain.size),
        spacing=domain.spacing,
        end=world.end,
        quantities=[
            pb.Quantity(name=name, unit=QUANTITIES[name].unit, diverging=QUANTITIES[name].kind == "diverging")
            for name in SHAPES
        ],
        quantity="vorticity",
        bodies=[pb.Body(name="cylinder", outlines=[pb.Outline(points=outline.ravel())], center=[0.2, 0.2])],
        sides=[pb.Side(name=name, type=kind) for name, kind in world.sides.items()],
        reference=pb.Reference(
            velocity=reference.velocity,
            length=reference.length,
            coefficient_of_force=2 / (density * reference.velocity**2 * reference.length),
            reynolds=world.reynolds or 0.0,
        ),
        expectations=[
            pb.Expectation(
                quantity=expect.quantity,
                low=expect.range[0],
                high=expect.range[1],
                source=expect.source,
                holds=True,
            )
            for expect in world.expectations
            if expect.range is not None
        ],
    )


def _rows(name: str, columns: list[str], units: list[str], rows: Array) -> pb.SeriesRows:
    return pb.SeriesRows(
        name=name,
        first=0,
        columns=[
            pb.Column(name=column, unit=unit, values=rows[:, k])
            for k, (column, unit) in enumerate(zip(columns, units, strict=True))
        ],
    )


def _raster(world: World, name: str, frames: list[NDArray[np.float32]], number: int) -> pb.Raster:
    known = np.concatenate([frame[np.isfinite(frame)] for frame in frames[::10]])
    low, high = (float(edge) for edge in np.percentile(known, (100 - SPREAD, SPREAD)))
    scale = (high - low) / 253
    values = frames[number]
    codes = np.full(values.shape, 255, np.uint8)
    fluid = np.isfinite(values)
    codes[fluid] = np.clip(np.rint((values[fluid] - low) / scale), 0, 253).astype(np.uint8)
    error = float(np.abs(low + scale * codes[fluid] - values[fluid]).max())
    return pb.Raster(
        quantity=name,
        unit=QUANTITIES[name].unit,
        rows=values.shape[0],
        columns=values.shape[1],
        lower=[0.0, 0.0],
        upper=list(world.file.domain.size),
        values=pb.Codes(data=codes.tobytes(), width=1, offset=low, scale=scale, error=error),
        low=low,
        high=high,
    )


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    world = World.load(ROOT / "worlds" / "cylinder.toml")
    parts = [message.SerializeToString() for message in messages(world, record(world))]
    data = b"".join(struct.pack("<I", len(part)) + part for part in parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{path}: {len(parts)} messages, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
