"""The command line of `eddyline bench exchange`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from eddyline import _core
from eddyline.bench.exchange.record import Course, record
from eddyline.bench.exchange.replay import MOST_SPINNING, SPINNING, Wanted, chosen, replay
from eddyline.bench.exchange.tables import left_out, show_records, show_traffic
from eddyline.bench.exchange.traffic import Traffic
from eddyline.ranks import RankError, join, launch
from eddyline.ranks.session import TERMINAL, launched_ranks
from eddyline.stream import atomic
from eddyline.world import parse_set

WIDTH = 110
DEFAULT_STEPS = 200


def run(arguments: Sequence[str]) -> int:
    """Records or replays, on ranks that it starts or is one of; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    _check(parser, options)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    if options.record is not None:
        return _record(parser, options, console, arguments)
    return _replay(parser, options, console, arguments)


def _record(
    parser: argparse.ArgumentParser, options: argparse.Namespace, console: Console, arguments: Sequence[str]
) -> int:
    if options.world is None:
        parser.error("--record: requires a world, e.g. dam_break")
    course = Course(
        options.world, options.steps, parse_set(options.set), options.decomposition, options.boxes,
        options.rebalance,
    )  # fmt: skip
    if launched_ranks() == 1:
        if options.ranks < 2:
            parser.error("--ranks: must be at least 2")
        return launch(options.ranks, ["bench", "exchange", *_without(arguments, "--ranks")])
    traffic = record(course, options.record, join())
    show_traffic(console, traffic)
    console.print(f"{options.record}: {options.record.stat().st_size / 1000:.0f} kB", highlight=False)
    return 0


def _replay(
    parser: argparse.ArgumentParser, options: argparse.Namespace, console: Console, arguments: Sequence[str]
) -> int:
    if options.world is not None:
        parser.error(f"{options.world}: --replay takes no world; remove it")
    traffic = Traffic.read(options.replay)
    known = _core.replay_names()
    for name in options.exchange:
        if name not in (*known, "all"):
            parser.error(f"--exchange {name}: must be all or one of {', '.join(known)}")
    strategies = () if "all" in options.exchange else tuple(options.exchange)
    wanted = Wanted(
        strategies, tuple(options.halo), options.exchanges, options.seconds, options.counts, options.compute
    )
    chosen(traffic, wanted)  # which raises what is wrong with it
    if launched_ranks() == 1:
        return launch(traffic.ranks, ["bench", "exchange", *arguments])
    session = join()
    if session.size != traffic.ranks:
        raise RankError(
            f"{session.size} ranks were started, but {options.replay} was recorded on {traffic.ranks}; "
            f"start {traffic.ranks} ranks"
        )
    with _status(session.is_root) as tell:
        records = list(replay(traffic, wanted, session, tell))
    if not session.is_root:
        return 0
    if not options.quiet:
        show_traffic(console, traffic)
        console.print()
        show_records(console, records)
        if not strategies and session.size > MOST_SPINNING:
            console.print(left_out(SPINNING, session.size), highlight=False)
    if options.json is not None:
        atomic.write_text(options.json, json.dumps([each.as_json() for each in records], indent=2) + "\n")
    if options.picture is not None:
        from eddyline.bench.exchange.picture import draw

        with atomic.replacing(options.picture) as temporary:
            draw(temporary, records)
    return 0


@contextlib.contextmanager
def _status(shown: bool) -> Iterator[Callable[[str], None]]:
    """Says what is going on in a line of the terminal that the ranks were started from, if there is one."""
    path = os.environ.get(TERMINAL)
    if not shown or path is None:
        yield lambda _: None
        return
    with Path(path).open("w", encoding="utf-8") as stream, Console(file=stream).status("beginning") as status:
        yield status.update


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Finds at the beginning what would fail at the end."""
    for name, path, suffix in (
        ("record", options.record, ".npz"),
        ("picture", options.picture, ".png"),
        ("json", options.json, None),
    ):
        if path is None:
            continue
        if suffix is not None and path.suffix != suffix:
            parser.error(f"--{name} {path}: must end in {suffix}")
        if not path.parent.is_dir():
            parser.error(f"--{name} {path}: the folder {path.parent} does not exist. Create it first.")


def _without(arguments: Sequence[str], option: str) -> list[str]:
    """The arguments without an option and its value."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if not skip and argument != option and not argument.startswith(f"{option}="):
            kept.append(argument)
        skip = argument == option
    return kept


def _number(least: float, kind: type[int] | type[float]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text}: must be a number") from None
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text}: must be at least {least}")
        return value

    return parse


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eddyline bench exchange",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="""Record the messages between the ranks of a run, and replay them without the
physics, with each exchange strategy.

  eddyline bench exchange --record traffic.npz dam_break_3d --ranks 4 --steps 100
  eddyline bench exchange --replay traffic.npz
  eddyline bench exchange --replay traffic.npz --exchange shared --exchange nonblocking --picture boxes.png

A replay starts as many ranks as were recorded. All ranks begin each exchange together; its time is
measured from the first rank that begins to the last that has received everything. Strategies are measured
in turn, and every received byte is checked. Two strategies exist for replays only: alltoall-blocks (a
block for every rank, as long as the longest message) and sparse (the receivers are found out each time,
as for particles that migrate).""",
    )  # fmt: skip
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--record", type=Path, metavar="FILE", help="run WORLD and record its messages to FILE (.npz)"
    )
    what.add_argument("--replay", type=Path, metavar="FILE", help="replay the messages of FILE")
    parser.add_argument(
        "world", nargs="?", metavar="WORLD", help="a world file, or the name of a gallery world"
    )
    recording = parser.add_argument_group("recording")
    recording.add_argument("--ranks", type=_number(1, int), default=2, metavar="N", help="default 2")
    recording.add_argument(
        "--steps", type=_number(1, int), default=DEFAULT_STEPS, metavar="N", help=f"default {DEFAULT_STEPS}"
    )
    recording.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="override a value of the world; repeatable"
    )
    recording.add_argument(
        "--decomposition", default="bisection", metavar="NAME", help="bisection (default), blocks or strips"
    )
    recording.add_argument(
        "--boxes", type=_number(1, int), default=1, metavar="B", help="boxes per rank; default 1"
    )
    recording.add_argument(
        "--rebalance", action="store_true",
        help="rebalance the load during the run; recordings then differ from run to run",
    )  # fmt: skip
    replaying = parser.add_argument_group("replaying")
    replaying.add_argument(
        "--exchange", action="append", default=[], metavar="NAME",
        help=
            f"exchange strategy; repeatable. Default all but auto, and with more than {MOST_SPINNING} "
            f"ranks without {' and '.join(SPINNING)}",
    )  # fmt: skip
    replaying.add_argument(
        "--halo", action="append", default=[], metavar="NAME",
        help="only halos with these names, as the recording prints them; repeatable. Default all",
    )  # fmt: skip
    replaying.add_argument(
        "--counts", action="store_true",
        help="replace the recorded messages by 4-byte messages to and from each neighbour",
    )  # fmt: skip
    replaying.add_argument(
        "--exchanges", type=_number(1, int), default=Wanted.exchanges, metavar="N",
        help=f"largest number of recorded exchanges, evenly spread; default {Wanted.exchanges}",
    )  # fmt: skip
    replaying.add_argument(
        "--seconds", type=_number(0.1, float), default=Wanted.seconds, metavar="S",
        help=f"time limit per strategy [s]; default {Wanted.seconds:g}",
    )  # fmt: skip
    replaying.add_argument(
        "--compute", type=_number(0, float), default=0.0, metavar="S",
        help="core time [s] that each rank computes during an exchange; default 0",
    )  # fmt: skip
    replaying.add_argument("--json", type=Path, metavar="FILE", help="write the records to FILE")
    replaying.add_argument("--picture", type=Path, metavar="FILE", help="draw box plots to FILE (.png)")
    replaying.add_argument("--quiet", "-q", action="store_true", help="print no tables")
    return parser
