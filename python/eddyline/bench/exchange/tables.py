"""Tables that `eddyline bench exchange` prints, in ASCII, as not every launcher passes on other
characters."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from eddyline.bench.exchange.replay import Record
from eddyline.bench.exchange.traffic import Traffic, five_numbers
from eddyline.run.counts import counts_in_words


def show_traffic(console: Console, traffic: Traffic) -> None:
    """Bytes that each rank sent, and the number of its neighbours."""
    about = traffic.about
    members, numbers = counts_in_words(about)
    console.print(
        f"{about['world']} on {traffic.ranks} ranks ({about['decomposition']}), {numbers} {members.lower()} "
        f"in {about['dimensions']}D, {about['steps']:,} steps",
        highlight=False,
    )
    table = _table("")
    table.add_column("halo")
    for name in ("exchanges", "messages per rank", "kB each", "bytes per message"):
        table.add_column(name, justify="right")
    messages, size = traffic.counts()
    for halo in traffic.halos:
        which = traffic.of_halo(halo)
        sent = max(1, int(messages[which].sum()))
        table.add_row(
            halo,
            f"{which.sum():,}",
            f"{messages[which].mean():.1f}",
            f"{size[which].mean() / 1000:.1f}",
            f"{size[which].sum() / sent:,.0f}",
        )
    console.print(table)
    neighbors = traffic.neighbors()
    if neighbors.size:
        five = five_numbers(neighbors)
        console.print(
            f"neighbours of a rank, {len(neighbors)} rebuilds: least {five['min']:.0f}, quartiles "
            f"{five['q1']:.0f}, {five['median']:.0f}, {five['q3']:.0f}, most {five['max']:.0f}",
            highlight=False,
        )


def show_records(console: Console, records: Sequence[Record]) -> None:
    first = records[0]
    what = "numbers of 4 bytes" if first.as_counts else "the recorded messages"
    table = _table(f"An exchange of {what} between {first.ranks} ranks, in us")
    table.add_column("exchange")
    for name in ("median", "quartiles", "least", "most", "ratio", "preparing", "exchanges"):
        table.add_column(name, justify="right")
    for record in records:
        micro = {name: 1e6 * value for name, value in record.seconds.items()}
        table.add_row(
            record.strategy,
            f"[bold]{_micro(micro['median'])}[/]",
            f"{_micro(micro['q1'])} - {_micro(micro['q3'])}",
            _micro(micro["min"]),
            _micro(micro["max"]),
            f"{record.seconds['median'] / first.seconds['median']:.2f}",
            f"{1e6 * record.prepared:,.0f}",
            f"{record.exchanges:,}" + (f" of {record.wanted:,}" if record.exchanges < record.wanted else ""),
        )
    console.print(table)
    console.print(
        f"An exchange: {first.messages:.1f} messages, {first.bytes / 1000:.1f} kB, {first.library}; "
        f"ratio: to {first.strategy}; preparing: after a rebuild, for other neighbours or sizes. "
        f"Every byte was checked. {first.processor}, commit {first.commit or 'unknown'}",
        highlight=False,
    )
    if first.compute > 0:
        console.print(
            f"Each rank computed for {1e6 * first.compute:,.0f} us during an exchange.", highlight=False
        )
    if first.oversubscribed:
        console.print(
            "Oversubscribed: more ranks than cores, so the times also depend on the scheduler of the "
            "operating system.",
            highlight=False,
        )


def _micro(time: float) -> str:
    """Microseconds as text, with a decimal where a whole number would say little."""
    return f"{time:,.0f}" if time >= 100 else f"{time:.1f}"


def left_out(strategies: Sequence[str], ranks: int) -> str:
    """A line about strategies that are not replayed unless asked for."""
    return (
        f"Skipped with {ranks} ranks, because they busy-wait inside MPI: {', '.join(strategies)}. Select "
        "them with --exchange to measure them."
    )


def _table(title: str) -> Table:
    return Table(title=title or None, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
