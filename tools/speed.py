"""Compares the cost of a time step with the stored one, relative to the arithmetic of the machine: `make
test-speed`.

  python tools/speed.py            compares with tests/golden/speed.json
  python tools/speed.py --store    measures for longer and stores what this kind of machine has now

The cost of a flow is the time that a step takes for a pair of particles, times the pairs a second of the
core's arithmetic alone (`eddyline bench machine`). Both are measured in turn: the shortest time, by the clock
of the core, and the highest limit count, as other programs only ever make a step longer and the limit lower.
Exit code 0: not more than stored, or not known; 1: more.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from eddyline import _core
from eddyline.bench import step
from eddyline.stream import atomic

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "tests" / "golden" / "speed.json"
CASE, SIZE, SUMS = "box", 4000, "confined"
DIMENSIONS = (2, 3)
ALLOWED = 1.10  # times the stored cost
LEAST_ROUNDS = 3
SECONDS, LONG = 15.0, 60.0  # after which no round begins: to compare, to store
LIMITS = 40  # measurements of the limit in a round, while they do not agree
AGREE = ((2, 1.03), (5, 1.02))
"""(n, factor) for the shortest times and for the highest limits: the n best must lie within that factor.
Other programs disturb some measurements more than others: if several agree, the best is undisturbed."""
STORE = "`python tools/speed.py --store`"

Costs = dict[str, dict[str, float]]
"""Costs by kind of machine and by flow, "2D" or "3D"."""


@dataclass
class Found:
    """Measurements of one flow so far. kind: the kind of machine."""

    seconds: list[float] = field(default_factory=list)  # of a pair
    limits: list[float] = field(default_factory=list)  # pairs a second
    kind: str = ""

    @property
    def cost(self) -> float:
        return min(self.seconds) * max(self.limits)

    @property
    def limits_agree(self) -> bool:
        count, factor = AGREE[1]
        highest = sorted(self.limits, reverse=True)[:count]
        return len(highest) == count and highest[0] <= factor * highest[-1]

    @property
    def is_sound(self) -> bool:
        """True if other programs left enough time to measure."""
        count, factor = AGREE[0]
        shortest = sorted(self.seconds)[:count]
        return self.limits_agree and len(shortest) == count and shortest[-1] <= factor * shortest[0]


def take_round(dimensions: int, found: Found) -> None:
    """Measures once more."""
    (record,) = step.measure([CASE], [dimensions], [SIZE], [1])
    found.seconds.append(record.ns_per_pair * 1e-9)
    for _ in range(LIMITS):
        found.limits.append(_core.arithmetic_limit(dimensions, SUMS))
        if found.limits_agree:
            break
    found.kind = f"{record.instructions}, {record.processor}{_model()}"


def _model() -> str:
    """Family and model of the processor: virtual machines use the same name for several models."""
    about = Path("/proc/cpuinfo")
    text = about.read_text() if about.is_file() else ""
    found = [re.search(rf"^{key}\s*: (\d+)$", text, re.MULTILINE) for key in ("cpu family", "model")]
    family, model = (match[1] if match else "" for match in found)
    return f", family {family}, model {model}" if family and model else ""


Round = Callable[[int, Found], None]


def measured(
    seconds: float, is_enough: Callable[[dict[str, Found]], bool], take: Round = take_round
) -> dict[str, Found]:
    """Measurements by flow. Ends after so many seconds, or after LEAST_ROUNDS as soon as they suffice."""
    flows = {f"{dimensions}D": Found() for dimensions in DIMENSIONS}
    end, rounds = time.perf_counter() + seconds, 0
    while rounds == 0 or time.perf_counter() < end:
        for dimensions, found in zip(DIMENSIONS, flows.values(), strict=True):
            take(dimensions, found)
        rounds += 1
        if rounds >= LEAST_ROUNDS and is_enough(flows):
            break
    return flows


def check(stored: Costs, take: Round = take_round, seconds: float = SECONDS) -> int:
    """Compares the costs, prints the result, and returns the exit code."""

    def is_settled(flows: dict[str, Found]) -> bool:
        known = stored.get(flows["2D"].kind)
        return known is None or all(
            found.cost <= ALLOWED * known[name] and found.is_sound for name, found in flows.items()
        )

    flows = measured(seconds, is_settled, take)
    kind = flows["2D"].kind
    known = stored.get(kind)
    if known is None:
        costs = ", ".join(f"{name} {found.cost:.2f}" for name, found in flows.items())
        print(f"speed: not compared: nothing is stored for {kind}; it has {costs}. {STORE} stores it")
        return 0
    return int(any([_exceeds(name, found, known[name]) for name, found in flows.items()]))


def _exceeds(name: str, found: Found, known: float) -> bool:
    """Prints the comparison of a flow; true if it certainly costs too much."""
    ratio = found.cost / known
    said = f"speed: {name}: cost {found.cost:.2f}, {ratio - 1:+.0%} against {known:.2f}"
    if not found.is_sound:
        print(f"{said}; not compared: the machine is too busy to tell")
        return False
    if ratio <= ALLOWED:
        print(said)
        return False
    print(f"{said}; +{ALLOWED - 1:.0%} is allowed. If a step is meant to cost more: {STORE}")
    return True


def store(path: Path = STORED, take: Round = take_round, seconds: float = LONG) -> int:
    """Stores the costs of this kind of machine, unless the machine is too busy."""
    flows = measured(seconds, lambda _: False, take)
    costs = {name: round(found.cost, 3) for name, found in flows.items()}
    if not all(found.is_sound for found in flows.values()):
        print(f"speed: the machine is too busy ({costs}); nothing is stored")
        return 1
    kind = flows["2D"].kind
    atomic.write_json(path, dict(sorted({**read(path), kind: costs}.items())))
    print(f"speed: stored for {kind}: {costs}")
    return 0


def read(path: Path = STORED) -> Costs:
    if not path.is_file():
        return {}
    found: Costs = json.loads(path.read_text(encoding="utf-8"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", action="store_true", help="store what this machine has")
    return store() if parser.parse_args().store else check(read())


if __name__ == "__main__":
    sys.exit(main())
