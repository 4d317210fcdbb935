"""Benger et al. 1999, once more: one run across two sites, and what the link between them costs.

python experiments/cactus-1999/run.py            everything, about 20 minutes on two cores; Linux, as root
python experiments/cactus-1999/run.py near       a part: near, far, square or four
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from two_sites import Link, NotAllowedError, TwoSites, describe  # noqa: E402
from workbench import Bench, main, table  # noqa: E402

from eddyline.plot.chart import LINES, QUIET  # noqa: E402
from eddyline.ranks.launch import find_launcher, local_environment  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

RANK = HERE / "rank.py"
NEAR = Link(3.75e-3, 24e6)
"""Link between Argonne and NCSA, from section 4.2 of the paper. A latency is half a round trip."""
FAR = Link(42.5e-3, 4.2e6)
"""Link between Berlin and Garching."""
THEN = {NEAR: (48, 100), FAR: (79, 133)}
"""Time that a step of Cactus took more across that link than on one machine [%]."""
ROUNDS = 5
COLORS = (*(color for color, _ in LINES), "#c9a227")
"""Colours of the exchanges in which a step waits."""


@dataclass(frozen=True)
class Way:
    """One way to compute a run: at one site or at two linked ones, with options of the simulation."""

    name: str
    across: bool
    options: Mapping[str, str] = field(default_factory=dict)


ONE_SITE = Way("one site", False)
TWO_SITES = (
    Way("two sites, blocking", True, {"exchange": "blocking"}),
    Way("two sites, nonblocking", True),
)
LAZY = Way("two sites, lazy 4", True, {"lazy": "4"})
COMPRESSED = Way("two sites, compressed", True, {"compress": "site"})
COMBINED = Way("two sites, combined", True, {"combine": "site"})
BOTH = Way("two sites, combined and compressed", True, {"combine": "site", "compress": "site"})


# --- the parts ------------------------------------------------------------------------------------


def near(bench: Bench) -> None:
    ways = ONE_SITE, *TWO_SITES, COMPRESSED, LAZY
    compare(bench, "near", NEAR, "tank.toml", (1, 1), ways, steps=100, rounds=9)


def far(bench: Bench) -> None:
    ways = ONE_SITE, *TWO_SITES, COMPRESSED, LAZY
    compare(bench, "far", FAR, "tank.toml", (1, 1), ways, steps=60, rounds=3)


def square(bench: Bench) -> None:
    compare(bench, "square", NEAR, "square.toml", (1, 1), (ONE_SITE, *TWO_SITES, COMPRESSED), steps=100)


def four(bench: Bench) -> None:
    compare(bench, "four", NEAR, "square.toml", (2, 2), (ONE_SITE, *TWO_SITES, COMBINED, BOTH), steps=100)


def compare(
    bench: Bench,
    part: str,
    link: Link,
    world: str,
    ranks: Sequence[int],
    ways: Sequence[Way],
    steps: int,
    rounds: int = ROUNDS,
) -> None:
    """Runs a world in all ways in turn, several times round, and tells what each added."""
    steps = max(40, steps // 5) if bench.quick else steps
    rounds = 1 if bench.quick else rounds
    found: dict[str, list[dict[str, Any]]] = {way.name: [] for way in ways}
    with TwoSites(link) as sites:
        measured = sites.measure()
        for _ in range(rounds):
            for way in ways:
                command, environment = sites.launcher(ranks) if way.across else here(sum(ranks))
                words = [f"{key}={value}" for key, value in way.options.items()]
                if sum(ranks) > 2:
                    words.append("sites=" + ",".join(map(str, ranks)))
                run = [*command, sys.executable, str(RANK), str(HERE / world), str(steps), *words]
                done = subprocess.run(
                    run,
                    env=environment,
                    capture_output=True,
                    text=True,
                    stdin=subprocess.DEVNULL,
                    check=False,
                )
                if done.returncode != 0:
                    raise SystemExit(f"{' '.join(run)}: ended with {done.returncode}\n{done.stderr}")
                found[way.name].append(json.loads(done.stdout.splitlines()[-1]))
    tell(bench, part, link, measured, found)


def here(ranks: int) -> tuple[list[str], dict[str, str]]:
    return [*find_launcher(), "-n", str(ranks)], local_environment()


# --- what is told ---------------------------------------------------------------------------------


def tell(
    bench: Bench, part: str, link: Link, measured: tuple[float, float, float],
    found: Mapping[str, Sequence[dict[str, Any]]],
) -> None:  # fmt: skip
    """The table of a part: times of runs of one round are compared with each other, and medians taken."""
    times = {name: [statistics.median(run["windows"]) for run in runs] for name, runs in found.items()}
    base = times[ONE_SITE.name]
    values: dict[str, Any] = {}
    rows = []
    for name, runs in found.items():
        added = sorted(100 * (own / alone - 1) for own, alone in zip(times[name], base, strict=True))
        waits = {"messages while packing": middle(run["phases"]["pack"] for run in runs)}
        waits |= {what: middle(run["waits"][what] for run in runs) for what in runs[0]["waits"]}
        rebuilding = middle(
            sum(run["phases"][phase] for phase in ("sort", "migrate", "lists")) for run in runs
        )
        each = runs[0]["each step"]
        values[name] = {
            "seconds": statistics.median(times[name]), "added": statistics.median(added),
            "range": (added[0], added[-1]), "waits": waits, "rebuilding": rebuilding, "each step": each,
        }  # fmt: skip
        across = name != ONE_SITE.name
        rows.append([
            name, f"{1e3 * values[name]['seconds']:.1f}",
            f"{statistics.median(added):+.0f} % ({added[0]:+.0f} to {added[-1]:+.0f})" if across else "",
            *(f"{1e3 * seconds:.1f}" for seconds in waits.values()), f"{1e3 * rebuilding:.1f}",
            f"{each['messages_between_sites']:.1f}" if across else "",
            f"{each['bytes_between_sites'] / 2000:.1f}" if across else "",
        ])  # fmt: skip
    head = [
        "", "step [ms]", "added", *(f"waits for {what} [ms]" for what in values[name]["waits"]),
        "rebuilds [ms]", "messages between sites, a step", "kB a step, each way",
    ]  # fmt: skip
    checksums = {run["checksum"] for runs in found.values() for run in runs}
    verdict = "bit-identical in all runs" if len(checksums) == 1 else "**not bit-identical**"
    first = found[ONE_SITE.name][0]
    low, high = THEN[link]
    lines = [
        f"![Where the time of a step goes, and what the link adds]({part}.png)", "",
        *table(head, rows), "",
        f"{first['particles']:,} particles; {verdict}. Then: +{low} to +{high} %. "
        f"The {describe(link, *measured)}. A rebuild every "
        f"{1 / max(1e-9, first['each step']['rebuilds']):.0f} steps.",
    ]  # fmt: skip
    outcome = {
        "asked": {"latency": link.latency, "bandwidth": link.bandwidth},
        "found": {"round_trip": measured[0], "there": measured[1], "back": measured[2]},
        "ways": values, "same": len(checksums) == 1, "then": [low, high],
    }  # fmt: skip
    bench.tell(part, outcome, lines)
    draw(bench, part, values, (low, high))


def middle(values: Any) -> float:
    return float(statistics.median(values))


def draw(bench: Bench, part: str, values: Mapping[str, Mapping[str, Any]], then: tuple[int, int]) -> None:
    """Draws the parts of a step's time, one bar for each way, and the added time, in the paper and here."""
    figure, (left, right) = panels(2, 4.8, 3.0)
    names = list(values)
    bottom = [0.0] * len(names)
    waits = list(values[names[0]]["waits"])
    rest = [1e3 * (values[name]["seconds"] - sum(values[name]["waits"].values())) for name in names]
    for number, (label, heights) in enumerate(
        [("computing, rebuilding", rest)]
        + [(f"waiting for {what}", [1e3 * values[name]["waits"][what] for name in names]) for what in waits]
    ):
        color = QUIET if number == 0 else COLORS[number - 1]
        left.barh(names, heights, 0.6, left=bottom, color=color, label=label)
        bottom = [a + b for a, b in zip(bottom, heights, strict=True)]
    left.invert_yaxis()
    left.legend(frameon=False, fontsize=7, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    caption(left, "a step [ms]")
    across = [name for name in names if name != ONE_SITE.name]
    right.barh(["1999, lowest", "1999, highest"], then, 0.6, color=QUIET)
    right.barh(across, [values[name]["added"] for name in across], 0.6, color=LINES[0][0])
    right.invert_yaxis()
    caption(right, "added to a step [%]")
    for axes in (left, right):
        axes.tick_params(labelsize=8)
        axes.grid(False, axis="y")
    save(figure, bench.results, f"{part}.png")


if __name__ == "__main__":
    try:
        main(HERE, {"near": near, "far": far, "square": square, "four": four})
    except NotAllowedError as error:
        raise SystemExit(str(error)) from None
