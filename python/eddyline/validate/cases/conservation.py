"""The momentum of a box without walls: equal and opposite forces, to the precision of the pair sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, below, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
LIMITS = {"single": 1e-6, "double": 1e-13}
FLOWS: dict[str, dict[str, str | float]] = {
    "with viscosity": {"fluid.kinematic_viscosity": "U*L/500"},
    "without viscosity": {"fluid.kinematic_viscosity": "0", "method.artificial_viscosity": 0},
    "with shifting": {"fluid.kinematic_viscosity": "U*L/500", "method.shifting": True},
}


@dataclass(frozen=True)
class Box:
    """error: |sum m v - its start| over the sum of m |v| at the start, at `time`; steps: that were made."""

    name: str
    precision: str
    time: Floats
    error: Floats
    energy_lost: float
    steps: int


def run(setting: Setting) -> list[Figure]:
    boxes = [_box(flow, precision, setting) for flow in FLOWS for precision in LIMITS]
    figures: list[Figure] = []
    for box in boxes:
        name = f"change of momentum in {box.steps} steps, {box.precision} pairs, {box.name}"
        figures.append(below(name, float(box.error.max()), LIMITS[box.precision]))
        if box.precision == "double":
            figures.append(
                report(f"kinetic and elastic energy lost / initial energy, {box.name}", box.energy_lost)
            )
    _draw(setting, boxes)
    return figures


def _box(flow: str, precision: str, setting: Setting) -> Box:
    overrides: dict[str, str | float] = {
        "domain.spacing": "L/30" if setting.quick else "L/50",
        "method.precision": precision,
        **FLOWS[flow],
    }
    world = load_world("conservation/world", overrides)
    course = Course(world, setting.threads, 0.0)
    mass = np.array(course.simulation.mass)[:, None]
    velocity = np.array(course.simulation.velocity)
    start, scale = (
        (mass * velocity).sum(axis=0),
        float((mass * np.linalg.norm(velocity, axis=1)[:, None]).sum()),
    )
    end = world.end if not setting.quick else 0.5 * world.end
    times, errors = [], []
    for time in course.until(np.linspace(0.01, end, 60).tolist()):
        momentum = (np.array(course.simulation.mass)[:, None] * np.array(course.simulation.velocity)).sum(
            axis=0
        )
        times.append(time)
        errors.append(float(np.linalg.norm(momentum - start)) / scale)
    budget = course.series()["budget"]
    energy = budget["kinetic_energy"] + budget["elastic_energy"]
    lost = float(1 - energy[-1] / energy[0])
    return Box(flow, precision, np.array(times), np.array(errors), lost, course.simulation.step_count)


def _draw(setting: Setting, boxes: list[Box]) -> None:
    figure, (axes,) = panels(1, 6.2)
    for box in boxes:
        color, style = LINES[list(FLOWS).index(box.name)][0], "-" if box.precision == "single" else "--"
        label = f"{box.precision} pairs, {box.name}"
        axes.semilogy(box.time, np.maximum(box.error, 1e-18), style, color=color, lw=1.3, label=label)
    for limit in LIMITS.values():
        axes.axhline(limit, color=INK, lw=0.8, ls=":")
    axes.set(xlabel="t U/L", ylabel=r"change of momentum $/\ \Sigma\, m |v|$", ylim=(1e-18, 1e-4))
    axes.legend(framealpha=1, edgecolor="none", fontsize=8, ncols=3, loc="center", bbox_to_anchor=(0.5, 0.5))
    save(figure, setting.folder)


CASES = [Case("conservation", "Momentum of a box without walls", run)]
