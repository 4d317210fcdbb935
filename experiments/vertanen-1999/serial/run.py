"""Vertanen's serial versions, once more: all pairs, cells,
and his target of 10,000 particles for 100,000 steps.

  python experiments/vertanen-1999/serial/run.py            everything, about 10 minutes of one core
  python experiments/vertanen-1999/serial/run.py versions   a part: versions or target
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from workbench import Bench, main, table  # noqa: E402

from eddyline import _core  # noqa: E402
from eddyline.plot.chart import INK, LINES, QUIET  # noqa: E402
from eddyline.run.machine import processor_name  # noqa: E402
from eddyline.validate.drawing import panels, save  # noqa: E402
from eddyline.world import World  # noqa: E402

WORLD = HERE / "stream.toml"
TOLD_STEPS = 12_500  # what his fits are for
TARGET_STEPS, TARGET = 100_000, 10_000
HOUR, DAY = 3600.0, 86400.0
THEN = {"all pairs": (0.0153, 2), "all pairs, optimised": (0.0093, 2), "cells": (0.694, 1)}
"""Published versions and their fits: seconds of 12,500 steps on a Sparc-20 are coefficient n^power."""

ALL_PAIRS = (20, 30, 42, 60, 84)  # spacings along a side
"""Sizes for all pairs. Beyond 86, fixed-point positions repeat in the domain; cells do not look that far."""
CELLS = (42, 60, 84, 119, 168, 237)
ROUNDS = 5
NO_SKIN = 1e-3  # spacings: lists are searched for anew at every step, as he did


# --- the versions ---------------------------------------------------------------------------------


def versions(bench: Bench) -> None:
    ways: dict[str, tuple[Literal["cells", "all_pairs"], Sequence[int], float | None]] = {
        "all pairs, every step": ("all_pairs", ALL_PAIRS, NO_SKIN),
        "cells, every step": ("cells", CELLS, NO_SKIN),
        "cells, lists kept": ("cells", CELLS, None),
    }
    found = {
        name: timings(bench, neighbors, sides[:3] if bench.quick else sides, skin)
        for name, (neighbors, sides, skin) in ways.items()
    }
    for side in sorted({*ALL_PAIRS} & {*CELLS}):
        pairs = [simulation(side, way, None).statistics()["pairs"] for way in ("all_pairs", "cells")]
        assert pairs[0] == pairs[1] > 0, f"{side}: all pairs are not those that cells find: {pairs}"
    fits = {name: fit(points, "pairs" in name) for name, points in found.items()}
    all_pairs, cells, kept = fits.values()
    rows = [
        row("all pairs, version 1", THEN["all pairs"], all_pairs),
        row("all pairs, optimised", THEN["all pairs, optimised"], all_pairs),
        row("cells", THEN["cells"], cells),
        row("cells, lists kept for some steps", None, kept),
    ]
    head = [
        "", "then [s]", "now [s]", "then: 10,000 x 100,000", "the same now, extrapolated", "then / now",
    ]  # fmt: skip
    crossing = (cells[1] - all_pairs[1]) / all_pairs[0]
    then_crossing = THEN["cells"][0] / THEN["all pairs, optimised"][0]
    pair, particle, with_lists = (
        value / TOLD_STEPS for value in (all_pairs[0] * 1e9, cells[1] * 1e6, kept[1] * 1e6)
    )
    lines = [
        *table(head, rows),
        "",
        f"Seconds of {TOLD_STEPS:,} steps with n particles, on one core. Testing a pair costs "
        f"{pair:.2f} ns (then 1,224; optimised 744), a particle of the cells {particle:.2f} µs a step, "
        f"{with_lists:.2f} µs if lists are kept (then 55.5). "
        + (
            f"Both methods cost the same at {crossing:.0f} particles (then {then_crossing:.0f})."
            if crossing > 0
            else f"Cells cost less with any number of particles (then with more than {then_crossing:.0f})."
        ),
    ]
    bench.tell("versions", {"seconds_a_step": found, "fits": fits, "crossing": crossing}, lines)
    draw(bench, found, fits)


def timings(
    bench: Bench, neighbors: Literal["cells", "all_pairs"], sides: Sequence[int], skin: float | None
) -> list[tuple[int, float]]:
    """Particles, and seconds of a step on the core: medians of some rounds, in which all sizes take turns."""
    runs = [simulation(side, neighbors, skin) for side in sides]
    rounds: list[list[float]] = [[] for _ in runs]
    for _ in range(2 if bench.quick else ROUNDS):
        for run, seconds in zip(runs, rounds, strict=True):
            work = run.fluid_count ** (2 if neighbors == "all_pairs" else 1)
            steps = int(np.clip((1e8 if neighbors == "all_pairs" else 2e5) / work, 10, 200))
            seconds.append(advance(run, steps) / steps)
    return [(run.fluid_count, float(np.median(seconds))) for run, seconds in zip(runs, rounds, strict=True)]


def simulation(side: int, neighbors: Literal["cells", "all_pairs"], skin: float | None) -> _core.Simulation:
    """A simulation with `side` spacings along a side, after its first steps."""
    world = World.load(WORLD, {"let.n": side, **({} if skin is None else {"method.skin": skin})})
    made = _core.Simulation(world.core, threads=1, neighbors=neighbors, series_interval=1e9)
    made.advance(float("inf"), 3, float("inf"))
    return made


def advance(simulation: _core.Simulation, steps: int) -> float:
    """Seconds on the core: another program's share of it does not count."""
    start = time.thread_time()
    simulation.advance(float("inf"), simulation.step_count + steps, float("inf"))
    return time.thread_time() - start


def fit(points: Sequence[tuple[int, float]], square: bool) -> tuple[float, float]:
    """(a, b) of y = a n^2 + b n [s] for 12,500 steps, of least relative squares; a = 0 unless `square`."""
    n, seconds = np.array(points).T
    y = seconds * TOLD_STEPS
    columns = [n**2 / y, n / y] if square else [n / y]
    found = np.linalg.lstsq(np.column_stack(columns), np.ones(len(n)))[0]
    return (float(found[0]), float(found[1])) if square else (0.0, float(found[0]))


def row(name: str, then: tuple[float, int] | None, now: tuple[float, float]) -> list[str]:
    a, b = now
    formula = f"{a:.3g} n² + {b:.3g} n" if a else f"{b:.3g} n"
    scale = TARGET_STEPS / TOLD_STEPS
    target = (a * TARGET**2 + b * TARGET) * scale
    if then is None:
        return [name, "", formula, "", duration(target), ""]
    before = then[0] * TARGET ** then[1] * scale
    was = f"{then[0]:.3g} {'n²' if then[1] == 2 else 'n'}"
    return [name, was, formula, duration(before), duration(target), f"{before / target:,.0f}"]


def duration(seconds: float) -> str:
    for unit, length in (("days", DAY), ("hours", HOUR), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def draw(
    bench: Bench, found: dict[str, list[tuple[int, float]]], fits: dict[str, tuple[float, float]]
) -> None:
    figure, (axes,) = panels(1, 7.2, 4.2)
    n = np.geomspace(50, 60_000, 50)
    for (name, (coefficient, power)), style in zip(THEN.items(), ("-", "--", "-."), strict=True):
        axes.plot(n, coefficient * n**power, style, color=QUIET, lw=1.4, label=f"1999: {name}")
    for (name, points), (color, style) in zip(found.items(), LINES, strict=False):
        size, seconds = np.array(points).T
        a, b = fits[name]
        axes.plot(size, seconds * TOLD_STEPS, "o", ms=5, color=color, label=f"now: {name}")
        axes.plot(n, a * n**2 + b * n, style, color=color, lw=1.2)
    for seconds, name in ((HOUR, "an hour"), (DAY, "a day"), (30 * DAY, "a month")):
        axes.axhline(seconds, color=QUIET, lw=0.6, ls=":")
        axes.text(1.05e3, seconds * 1.15, name, color=INK, fontsize=8)
    axes.set(xscale="log", yscale="log", xlabel="particles", ylabel="12,500 steps on one core [s]")
    axes.set(xlim=(50, 60_000), ylim=(0.1, 2e8))
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    save(figure, bench.results, "versions.png")


# --- the target -----------------------------------------------------------------------------------


def target(bench: Bench) -> None:
    steps = bench.steps(TARGET_STEPS)
    before = used()
    run = bench.run("serial/target", str(WORLD), "--steps", steps, "--threads", 1)
    seconds = used() - before
    then = THEN["cells"][0] * TARGET * steps / TOLD_STEPS
    particles = run.record["fluid_particles"]
    done = run.record["statistics"]["steps"]
    head = ["", "particles", "steps", "machine", "time"]
    rows = [
        ["then, cells", f"{TARGET:,}", f"{steps:,}", "Sparc-20", f"{duration(then)}, from the published fit"],
        ["now", f"{particles:,}", f"{done:,}", processor_name(), f"{duration(seconds)}, measured"],
    ]
    each = seconds / (particles * done)
    lines = [
        *table(head, rows),
        "",
        f"{each * 1e6:.2f} µs a particle and step with film, series, snapshots and report, against 55.5: "
        f"{then / TARGET / steps / each:.0f} times less. {run.record['time']:.1f} s of flow; fingerprint "
        f"`{run.fingerprint}`.",
    ]
    bench.tell("target", {"particles": particles, "steps": done, "seconds": seconds, "then": then}, lines)


def used() -> float:
    """Seconds of cores that programs started from here have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(HERE, {"versions": versions, "target": target})
