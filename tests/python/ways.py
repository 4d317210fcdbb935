"""Ways of computing a world on ranks, none of which may change a bit: the listed ones, always tested,
and the matrix, in which any three choices meet, and any exchange and any laziness any other choice."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from journeys import JOURNEYS
from test_law import reference

from eddyline import _core
from eddyline.ranks import RankError
from eddyline.ranks.launch import find_launcher, local_environment
from eddyline.ranks.session import plugin

PROGRAM = Path(__file__).with_name("rank_program.py")
PATIENCE = 240  # s


WITHOUT_MPI = "EDDYLINE_TEST_WITHOUT_MPI"
"""Set in the environment to test a build that has no message passing on purpose: then tests of ranks are
skipped. `make` builds one that has it, so that they fail without."""


def needs_no_ranks() -> bool:
    try:
        plugin()
    except RankError:
        return WITHOUT_MPI in os.environ
    return False


needs_ranks = pytest.mark.skipif(needs_no_ranks(), reason=f"no MPI in this build, and {WITHOUT_MPI} is set")


@dataclass(frozen=True)
class Way:
    """One way to compute a journey. resumed: number of ranks that continue it half way; 0: none.
    lazy: steps between exchanges."""

    journey: str
    ranks: int
    threads: int
    boxes: int
    decomposition: str
    exchange: str
    resumed: int = 0
    sites: int = 0  # at which ranks are in turn; what 2 have for each other is compressed, 3: combined, too
    lazy: int = 1
    device: str = "cpu"

    def __str__(self) -> str:
        return "-".join(str(value) for value in astuple(self))


LISTED = (
    Way("channel-2d", 2, 2, 1, "bisection", "shared"),
    Way("channel-2d", 3, 1, 2, "strips", "blocking", 2),
    Way("channel-3d", 2, 1, 2, "blocks", "onesided-fence"),
    Way("free-stream-2d", 3, 2, 1, "bisection", "nonblocking", 2),
    Way("moving-channel", 2, 2, 1, "blocks", "onesided-lock"),
    Way("moving-channel", 6, 1, 1, "bisection", "persistent"),
    Way("moving-2d", 4, 2, 2, "strips", "auto"),
    Way("stream-3d", 3, 1, 2, "curve", "threaded"),
    Way("dam-2d", 3, 1, 1, "bisection", "onesided-pscw"),
    Way("dam-3d", 8, 1, 1, "blocks", "nonblocking", sites=3),
    Way("classic-jets-2d", 4, 1, 1, "curve", "neighborhood", 2),
    Way("classic-dam-3d", 2, 2, 1, "strips", "alltoall"),
    Way("gas-2d", 6, 1, 2, "bisection", "nonblocking", sites=2),
    Way("jets-2d", 3, 1, 2, "bisection", "nonblocking", 2, lazy=3),
    Way("gas-2d", 2, 2, 1, "blocks", "shared", lazy=2),
    Way("moving-channel", 2, 1, 1, "bisection", "nonblocking", device="emulated"),
    Way("dam-3d", 3, 2, 2, "blocks", "shared", 2, device="emulated"),
    Way("jets-2d", 3, 2, 1, "curve", "threaded", 2, device="emulated"),
    Way("gas-2d", 3, 1, 2, "curve", "persistent", 2, device="emulated"),
)

CHOICES: dict[str, tuple[object, ...]] = {
    "journey": ("channel-2d", "dam-3d", "moving-channel"),
    "ranks": (1, 2, 3, 4, 6, 8),
    "threads": (1, 2),
    "boxes": (1, 2, 3),
    "decomposition": ("strips", "blocks", "bisection"),
    "exchange": (
        "nonblocking",
        "blocking",
        "persistent",
        "neighborhood",
        "alltoall",
        "onesided-fence",
        "onesided-pscw",
        "onesided-lock",
        "shared",
        "threaded",
        "auto",
    ),
    "resumed": (0, 2, 3),
    "sites": (0, 2, 3),
}


NOT_COMBINED = ("alltoall", "onesided-fence", "auto")
"""They concern the ranks of all sites."""
BUSY = {"onesided-fence": 4, "onesided-pscw": 4, "onesided-lock": 4}
"""MPI waits for others inside these without leaving them the cores: so many ranks at most."""
ALONE = ("exchange", "sites")
"""Factors whose choices meet any other one, and not any two: with three there would be too many ways."""
STAY = (Way("dam-3d", 1, 1, 3, "blocks", "blocking", 2),)
"""Blocks do not look at weights: here all fluid stays with one of two ranks, whatever the exchange."""
CELLS = {"channel-2d": 15, "dam-3d": 8, "moving-channel": 15}
"""Cells along the longest axis of a journey, the largest possible number of strips."""


@functools.cache
def possible_ways() -> tuple[Way, ...]:
    ways = (Way(*choice) for choice in itertools.product(*CHOICES.values()))  # type: ignore[arg-type]
    return tuple(way for way in ways if _is_possible(way))


def _is_possible(way: Way) -> bool:
    ranks = max(way.ranks, way.resumed)
    if ranks > BUSY.get(way.exchange, ranks):
        return False
    if way.sites > min(way.ranks, way.resumed or way.ranks) or (way.sites and way.exchange in NOT_COMBINED):
        return False
    return way.decomposition != "strips" or ranks * way.boxes <= CELLS[way.journey]


@functools.cache
def matrix() -> tuple[Way, ...]:
    """The listed ways, and as few more as a greedy search finds, so that any choices of three factors that
    can meet do. Exchanges, and sites, meet any other choice, and not any two. Lazy steps, and others, meet
    every choice, too."""
    numbers: dict[object, int] = {}  # of meetings: sets of them are bits of whole numbers

    def met_by(way: Way) -> int:
        return sum(1 << numbers.setdefault(each, len(numbers)) for each in set(_meetings(way)))

    candidates = [(way, met_by(way)) for way in possible_ways()]
    missing = (1 << len(numbers)) - 1
    found = list(LISTED)
    processors = [way for way in LISTED if way.device == "cpu"]
    for way in processors:
        missing &= ~met_by(replace(way, lazy=1))
    pace = {(choice, is_lazy) for choice in _choices() for is_lazy in (False, True)}
    for way in processors:
        pace -= _paces(way)
    while missing or pace:
        best, mask = max(candidates, key=lambda pair: (pair[1] & missing).bit_count())
        if not missing:  # what is left are paces
            wanted = min(pace, key=str)[0]
            best, mask = next(pair for pair in candidates if wanted in _choices_of(pair[0]))
        missing &= ~mask
        ways = (best, replace(best, lazy=2))[:: -1 if len(found) % 2 else 1]
        found.append(max(ways, key=lambda way: len(_paces(way) & pace)))
        pace -= _paces(found[-1])
    return tuple(found)


def _choices() -> Iterator[tuple[str, object]]:
    return ((name, choice) for name, choices in CHOICES.items() for choice in choices)


def _choices_of(way: Way) -> list[tuple[str, object]]:
    return [(name, getattr(way, name)) for name in CHOICES]


def _paces(way: Way) -> set[tuple[tuple[str, object], bool]]:
    return {(choice, way.lazy > 1) for choice in _choices_of(way)}


def _meetings(way: Way) -> Iterator[object]:
    choices = _choices_of(way)
    others = [choice for choice in choices if choice[0] not in ALONE]
    yield from itertools.combinations(others, 3)
    yield from (
        pair for pair in itertools.combinations(choices, 2) if pair[0][0] in ALONE or pair[1][0] in ALONE
    )


def covering(
    factors: Sequence[Sequence[object]], is_possible: Callable[[tuple[object, ...]], bool] = lambda _: True
) -> list[tuple[object, ...]]:
    """Combinations of one choice per factor, in which any two choices meet that can meet.

    A greedy search adds the combination with most new pairs, among those that are possible."""
    sizes = [range(len(choices)) for choices in factors]
    numbers = np.array(
        [
            each
            for each in itertools.product(*sizes)
            if is_possible(tuple(choices[k] for choices, k in zip(factors, each, strict=True)))
        ]
    )
    stride = max(map(len, factors)) ** 2
    pairs = [
        numbers[:, a] * len(factors[b]) + numbers[:, b] + stride * k
        for k, (a, b) in enumerate(itertools.combinations(range(len(factors)), 2))
    ]
    meetings = np.stack(pairs, axis=1)
    missing = np.zeros(stride * len(pairs), dtype=bool)
    missing[meetings.ravel()] = True
    found = []
    while missing.any():
        best = int(missing[meetings].sum(axis=1).argmax())
        missing[meetings[best]] = False
        found.append(tuple(choices[k] for choices, k in zip(factors, numbers[best], strict=True)))
    return found


@dataclass(frozen=True)
class Told:
    """The results that rank 0 of rank_program printed at its end."""

    ranks: int
    checksum: str
    migrants: int
    fluid: int
    ids: str
    series: dict[str, str]
    lazy: dict[str, int]
    device: str


def assert_the_law(way: Way, folder: Path) -> None:
    """Computes a journey that way, and holds state, series and particles' names against a run on one rank."""
    expected = reference(way.journey, _core.instruction_sets()[-1])
    steps = JOURNEYS[way.journey].steps
    before: dict[str, str] = {}
    migrants = 0
    if way.resumed:
        found = _computed(way, way.ranks, steps=steps // 2, save=folder)
        before, migrants = found.series, found.migrants
        found = _computed(way, way.resumed, steps=steps, restore=folder)
    else:
        found = _computed(way, way.ranks, steps=steps)
    migrants += found.migrants
    assert found.ranks == (way.resumed or way.ranks)
    assert way.device in ("cpu", found.device)
    assert found.checksum == f"{expected.checksum:032x}"
    alone = max(way.ranks, way.resumed) == 1 or replace(way, exchange="blocking", lazy=1) in STAY
    assert alone or migrants > 0
    assert found.fluid == len(expected.ids)
    assert found.ids == hashlib.sha256(expected.ids.tobytes()).hexdigest()
    assert found.series.keys() == expected.series.keys()
    for name, rows in expected.series.items():
        values = np.frombuffer(bytes.fromhex(before.get(name, "") + found.series[name]))
        assert np.array_equal(values, rows.ravel()), name


def _computed(way: Way, ranks: int, **more: object) -> Told:
    names = ("threads", "boxes", "decomposition", "exchange", "sites", "lazy", "device")
    words = [f"{name}={getattr(way, name)}" for name in names] + [
        f"{key}={value}" for key, value in more.items()
    ]
    done = started(ranks, str(PROGRAM), way.journey, *words)
    assert done.returncode == 0, done.stderr
    return Told(**json.loads(done.stdout.splitlines()[-1]))


def started(ranks: int, *words: str) -> subprocess.CompletedProcess[str]:
    """`python WORDS` on so many ranks."""
    command: Sequence[str] = [*find_launcher(), "-n", str(ranks), sys.executable, *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=local_environment()
    )
