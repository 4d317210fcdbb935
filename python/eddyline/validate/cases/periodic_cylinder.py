"""A row of cylinders in a channel: once the stream is steady, solids carry exactly what drives the fluid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, relative, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
SOLIDS = ("cylinder", "bottom", "top")


@dataclass(frozen=True)
class Stream:
    """Forces along x over time, by the force that drives the fluid; momentum's rate of change by the same.

    drag: of the cylinder [N/m]; speed: of the fluid, mean over its mass [m/s]; both late means.
    """

    across: int
    time: Floats
    forces: dict[str, Floats]
    balance: float
    inertia: float
    drag: float
    speed: float
    course: Course


def run(setting: Setting) -> list[Figure]:
    counts = [10] if setting.quick else [10, 20]
    streams = [_stream(n, setting) for n in counts]
    figures: list[Figure] = []
    for stream in streams:
        label = f", D/dx = {stream.across}"
        world = stream.course.world
        coefficient = stream.drag / (0.5 * world.file.fluid.density * stream.speed**2 * world.let["D"])
        if setting.quick:
            # Too short to be steady: what still accelerates the fluid is part of the balance.
            figures.append(
                relative(
                    f"force on solids + inertia / driving force{label}",
                    stream.balance + stream.inertia,
                    1.0,
                    0.01,
                )
            )
        else:
            figures.append(relative(f"force on solids / driving force{label}", stream.balance, 1.0, 0.01))
            figures.append(
                report(
                    f"the same, including the inertia of the fluid{label}",
                    stream.balance + stream.inertia,
                    1.0,
                )
            )
        figures += [
            report(f"drag of the cylinder [N/m]{label}", stream.drag),
            report(f"mean speed [m/s]{label}", stream.speed),
            report(f"drag coefficient with the mean speed{label}", coefficient),
            report(
                f"Reynolds number with the mean speed{label}", stream.speed * world.let["D"] / world.let["nu"]
            ),
        ]
        figures += stream.course.no_particle_behind_walls(label)
    if len(streams) == 2:
        figures.append(report("drag, ratio of coarse to fine", streams[0].drag / streams[1].drag, 1.0))
    _draw(setting, streams)
    return figures


def _stream(across: int, setting: Setting) -> Stream:
    world = load_world("periodic_cylinder", {"domain.spacing": f"D/{across}"})
    end, late = (1.5, 1.0) if setting.quick else (6.0, 4.5)
    course = Course(world, setting.threads, 0.005)
    course.to(end)
    series = course.series()
    budget = series["budget"]
    time, mass = budget["time"], float(budget["mass"][0])
    driving = world.let["f"] * mass
    forces = {name: series[f"force.{name}"]["total_x"] / driving for name in SOLIDS}
    part = time >= late
    momentum = budget["momentum_x"]
    return Stream(
        across, time, forces,
        balance=float(sum(force[part].mean() for force in forces.values())),
        inertia=float(np.polyfit(time[part], momentum[part], 1)[0]) / driving,
        drag=float(forces["cylinder"][part].mean()) * driving,
        speed=float(momentum[part].mean()) / mass,
        course=course,
    )  # fmt: skip


def _draw(setting: Setting, streams: list[Stream]) -> None:
    figure, (left, right) = panels(2, 5.2)
    stream = streams[-1]
    total = sum(stream.forces.values(), np.zeros_like(stream.time))
    left.axhline(1, color=INK, lw=0.8)
    window = 21
    for (name, force), (color, style) in zip(
        {"cylinder and plates": total, **stream.forces}.items(), LINES, strict=True
    ):
        smooth = np.convolve(force, np.full(window, 1 / window), mode="valid")
        left.plot(stream.time[window // 2 : -(window // 2)], smooth, style, color=color, lw=1.2, label=name)
    left.set(xlabel="time [s]", ylabel="force / force that drives the fluid", ylim=(0, 1.6))
    caption(left, f"means over 0.1 s, D/dx = {stream.across}")
    left.legend(frameon=False, fontsize=8)
    _draw_speed(right, stream)
    save(figure, setting.folder)


def _draw_speed(axes: Axes, stream: Stream) -> None:
    core = stream.course.world.core
    low, size = core.origin, core.size
    high = (low[0] + size[0], low[1] + size[1], 0.0)
    speed = stream.course.simulation.rasters(["speed"], (160, 320), (low[0], low[1], 0.0), high)[0]
    picture = axes.imshow(speed, origin="lower", extent=(low[0], high[0], low[1], high[1]), cmap="viridis")
    for line in core.bodies[0].shape.outline(1e-4):
        axes.fill(*np.asarray(line)[:, :2].T, color=INK, lw=0)
    axes.grid(False)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    caption(axes, "speed at the end [m/s]")
    axes.figure.colorbar(picture, ax=axes, shrink=0.6)


CASES = [Case("periodic_cylinder", "Balance of forces of a stream around a cylinder", run)]
