"""Recorded traffic once more, by any strategy: real messages of the recorded sizes, nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.bench.exchange.traffic import COUNT_BYTES, MIGRANTS, Traffic, five_numbers
from eddyline.bench.origin import commit
from eddyline.cores import own_cores
from eddyline.ranks import RankError, Session
from eddyline.run.errors import RequestError
from eddyline.run.machine import processor_name

ROUNDS = 3  # in which all strategies take turns
SPINNING = ("onesided-fence", "onesided-lock")
"""Strategies that wait inside MPI and keep a core busy that another rank may need; skipped for more ranks."""
MOST_SPINNING = 4  # ranks


@dataclass(frozen=True)
class Wanted:
    """Options of a replay.

    exchanges: how many of the recorded ones at most, at equal distances. seconds: for each strategy at most.
    halos: names of the halos; empty: all but the migrants.
    as_counts: each message is one number of four bytes, to and from each neighbour, of the busiest halo
    alone.
    compute: core time for which each rank computes while messages travel [s].
    """

    strategies: tuple[str, ...] = ()
    halos: tuple[str, ...] = ()
    exchanges: int = 300
    seconds: float = 20.0
    as_counts: bool = False
    compute: float = 0.0

    def names(self, ranks: int) -> list[str]:
        """Those asked for, or all that make sense."""
        if self.strategies:
            return list(dict.fromkeys(self.strategies))
        spinning = SPINNING if ranks > MOST_SPINNING else ()
        extra = () if self.as_counts else ("alltoall-blocks",)
        return [name for name in _core.replay_names() if name not in ("auto", *spinning, *extra)]


@dataclass(frozen=True)
class Record:
    """Times of one strategy.

    seconds: duration of an exchange, from the first rank that begins to the last that has received
    everything; all together (on several machines, whose clocks differ: the longest of any rank). min, q1,
    median, q3, max.
    by_halo: the same for each of them. by_rank: median for each rank, from its own beginning [s].
    waiting: median share of that in which a rank waits, after it has computed.
    prepared: median seconds that preparing for other neighbours or sizes took, on the slowest rank.
    exchanges: how many were made; wanted: how many were to be made in the time allowed.
    messages, bytes: mean of an exchange, of all ranks together.
    oversubscribed: more ranks than cores, so that times say as much about the system as about the exchange.
    """

    strategy: str
    ranks: int
    seconds: dict[str, float]
    by_halo: dict[str, dict[str, float]]
    by_rank: list[float]
    waiting: float
    prepared: float
    exchanges: int
    wanted: int
    messages: float
    bytes: float
    as_counts: bool
    compute: float
    oversubscribed: bool
    world: str
    library: str
    commit: str | None
    processor: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def chosen(traffic: Traffic, wanted: Wanted) -> NDArray[np.int64]:
    """Numbers of the exchanges that are replayed."""
    halos = wanted.halos or tuple(name for name in traffic.halos if name != MIGRANTS)
    if wanted.as_counts:
        halos = (traffic.busiest,)
    if MIGRANTS in halos:
        raise RequestError(f"{MIGRANTS} cannot be replayed: they know no neighbours; choose another halo")
    possible = np.flatnonzero(traffic.of_halo(*halos))
    if len(possible) == 0:
        raise RequestError(
            f"no exchange of {' or '.join(halos)} was recorded; recorded are {', '.join(traffic.halos)}"
        )
    places = np.linspace(0, len(possible) - 1, min(wanted.exchanges, len(possible)))
    return possible[np.unique(places.round().astype(np.int64))]


def replay(
    traffic: Traffic, wanted: Wanted, session: Session, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Record]:
    """Records by strategy, on the root; nothing on others. Collective.

    Each round takes some of the exchanges, spread over the whole run, and every strategy makes them before
    the next round begins. Raises RankError for a byte that came otherwise than it was sent.
    """
    communicator = session.communicator
    assert communicator is not None
    exchanges = chosen(traffic, wanted)
    names = wanted.names(session.size)
    made: dict[str, list[_Part]] = {name: [] for name in names}
    for turn in range(ROUNDS):
        part = exchanges[turn::ROUNDS]
        if len(part) == 0:
            continue
        script = traffic.script(session.rank, part, as_counts=wanted.as_counts)
        for name in names:
            tell(f"{name}, round {turn + 1} of {ROUNDS}")
            done = _core.replay(
                communicator, name, *script, compute=wanted.compute, most_seconds=wanted.seconds / ROUNDS
            )
            moments, prepared, wrong = done["moments"], done["prepared"], done["wrong"]
            told = json.dumps([moments.tolist(), prepared.tolist(), wrong])
            everybody = [json.loads(each) for each in communicator.gather(told.encode())]
            if session.is_root:
                made[name].append(_Part.of(part, everybody))
    crowded = _is_oversubscribed(session)
    if not session.is_root:
        return
    for name, parts in made.items():
        yield _record(traffic, wanted, name, parts, len(exchanges), session, crowded)


@dataclass(frozen=True)
class _Part:
    """Result of one strategy in one round: numbers of the exchanges (n,), moments (ranks, n, 3), preparing
    (p,); number of wrong bytes, by rank."""

    exchanges: NDArray[np.int64]
    moments: NDArray[np.float64]
    prepared: NDArray[np.float64]
    wrong: NDArray[np.int64]

    @classmethod
    def of(cls, exchanges: NDArray[np.int64], everybody: Sequence[Any]) -> _Part:
        moments, prepared, wrong = zip(*everybody, strict=True)
        table = np.array(moments, dtype=np.float64).reshape(len(wrong), -1, 3)
        return cls(exchanges[: table.shape[1]], table, np.array(prepared).max(axis=0), np.array(wrong))


def _record(
    traffic: Traffic,
    wanted: Wanted,
    name: str,
    parts: Sequence[_Part],
    count: int,
    session: Session,
    crowded: bool,
) -> Record:
    for part in parts:
        for rank in np.flatnonzero(part.wrong):
            raise RankError(
                f"{name}: {part.wrong[rank]} bytes received by rank {rank} differ from those sent"
            )
    numbers = np.concatenate([part.exchanges for part in parts])
    moments = np.concatenate([part.moments for part in parts], axis=1)
    if len(numbers) == 0:
        raise RankError(f"{name}: no exchange finished within {wanted.seconds:g} s; increase --seconds")
    begin, end, waiting = moments.transpose(2, 0, 1)
    one_clock = len(set(session.hosts)) == 1
    seconds = end.max(axis=0) - begin.min(axis=0) if one_clock else (end - begin).max(axis=0)
    halos = traffic.exchanges[numbers, 1]
    messages, size = traffic.counts()
    if wanted.as_counts:
        neighbors = dict(zip(*_by_rebuild(traffic), strict=True))
        messages = np.array([neighbors.get(rebuild, 0) for rebuild in traffic.exchanges[:, 2].tolist()])
        size = COUNT_BYTES * messages
    communicator = session.communicator
    assert communicator is not None
    return Record(
        strategy=name,
        ranks=session.size,
        seconds=five_numbers(seconds),
        by_halo={traffic.halos[halo]: five_numbers(seconds[halos == halo]) for halo in np.unique(halos)},
        by_rank=np.median(end - begin, axis=1).tolist(),
        waiting=float(np.median(waiting / (end - begin))),
        prepared=float(np.median(np.concatenate([part.prepared for part in parts]))),
        exchanges=len(numbers),
        wanted=count,
        messages=float(messages[numbers].mean()),
        bytes=float(size[numbers].mean()),
        as_counts=wanted.as_counts,
        compute=wanted.compute,
        oversubscribed=crowded,
        world=traffic.about["world"],
        library=" ".join(communicator.library.split()),
        commit=commit(),
        processor=processor_name(),
    )


def _by_rebuild(traffic: Traffic) -> tuple[list[int], list[int]]:
    """Rebuilds of the busiest halo, and the numbers that travel in an exchange of counts."""
    rebuilds = np.unique(traffic.exchanges[traffic.of_halo(traffic.busiest), 2])
    return rebuilds.tolist(), traffic.neighbors().sum(axis=1).tolist()


def _is_oversubscribed(session: Session) -> bool:
    """True if a machine has more ranks than cores that they may use. Collective."""
    communicator = session.communicator
    assert communicator is not None
    told = communicator.gather(json.dumps(own_cores()).encode())
    if not session.is_root:
        return False
    cores: dict[str, set[int]] = {}
    for host, each in zip(session.hosts, told, strict=True):
        cores.setdefault(host, set()).update(json.loads(each))
    return any(count > len(cores[host]) for host, count in Counter(session.hosts).items())
