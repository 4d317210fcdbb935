"""report.html: a run on one page that works offline, with player, charts, values, world and sources."""

from __future__ import annotations

import base64
import html
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.live.steering import CONTROL
from eddyline.plot import references
from eddyline.plot.chart import Chart
from eddyline.plot.charts import bodies_left_out
from eddyline.run.closing import (
    expected_text,
    measured_text,
    span_text,
    value_text,
    verdict_text,
    window_text,
    without_duplicates,
)
from eddyline.run.counts import counts_in_words, first_count, work_of
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import lazy_story
from eddyline.run.runaway_report import section
from eddyline.stream import atomic
from eddyline.stream.corrupt import reading
from eddyline.world.problems import duration, listed

if TYPE_CHECKING:
    from eddyline.run.record import Run

TEMPLATE = "report.html.jinja"
MEMBERS = "Particles"  # replaced by the name of what a run counts
RANK_COLUMNS = (
    "Rank", MEMBERS, "Neighbours", "Messages per step", "kB per step", "Migrants", "Idle", "Overlap",
)  # fmt: skip


def write_report(run: Run, target: Path, charts: Sequence[Chart]) -> None:
    """Writes the page of `run` with its movie (or last picture) and `charts` inside."""
    _ = run.world, run.results, _steered(run)  # each raises its own error if it is damaged
    with reading(RunFolder(run.folder).record):
        page = report_html(run, charts)
    atomic.write_text(target, page)


def report_html(run: Run, charts: Sequence[Chart]) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = PackageLoader("eddyline", "data")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    results = run.results_if_any
    bad = section(run)

    def drawn(chart: Chart) -> dict[str, Any]:
        return {"title": chart.title, "description": chart.description, "svg": Markup(chart.svg())}

    return environment.get_template(TEMPLATE).render(
        run=run,
        record=run.record,
        size=f"{first_count(run.record):,} {counts_in_words(run.record)[0].lower()}",
        started=str(run.record["started"]).replace("T", " ").replace("+00:00", " UTC"),
        movie=_embedded(RunFolder(run.folder).movie, "video/mp4"),
        picture=_embedded(RunFolder(run.folder).picture, "image/png"),
        caption=_caption(run),
        comparisons=[_comparison(item, results) for item in results.get("expectations", [])],
        values=[_value(item, results) for item in without_duplicates(results.get("values", []))],
        charts=[drawn(chart) for chart in charts],
        bodies_left_out=bodies_left_out(run.world, run.series_names),
        bad=bad and {**bad, "charts": [drawn(chart) for chart in bad["charts"]]},
        steered=_steered(run),
        world=Markup(highlight(run.world.source)),
        world_data=base64.b64encode(run.world.source.encode()).decode(),
        command=repeat_command(run),
        machine=_machine_rows(run),
        phases=_phase_rows(run),
        since=f" since step {_first_step(run):,}" if _first_step(run) else "",
        ranks=_rank_rows(run),
        rank_columns=[counts_in_words(run.record)[0] if name == MEMBERS else name for name in RANK_COLUMNS],
        balance=_balance(run),
        exchange=_exchange(run),
        lazy=lazy_story(run),
        busy=_busy(run),
        rank_charts=[drawn(chart) for chart in _rank_charts(run)],
        sources=references.cite(
            [item["source"] for item in results.get("expectations", []) if item["source"]]
        ),
    )


def _steered(run: Run) -> list[tuple[str, str, str]]:
    """(time, step, text) of all live commands of the run."""
    entries = RunFolder(run.folder).read_journal()
    return [
        (f"{entry.time:.4g} s", f"{entry.step:,}", entry.text)
        for entry in entries
        if entry.name not in CONTROL
    ]


def repeat_command(run: Run) -> str:
    """The command that repeats the run from its own folder."""
    if _steered(run):
        return "eddyline replay ."
    return f"eddyline run {shlex.quote('world.toml')} {run.record.get('options', '')}".strip()


def highlight(toml: str) -> str:
    """A world file as HTML: comments pale, tables bold."""
    lines = []
    for line in toml.splitlines():
        code, comment = _split_comment(line)
        shown = html.escape(code, quote=False)
        if re.match(r"\s*\[", code):
            shown = f'<span class="table">{shown}</span>'
        lines.append(
            shown + (f'<span class="comment">{html.escape(comment, quote=False)}</span>' if comment else "")
        )
    return "\n".join(lines)


def _split_comment(line: str) -> tuple[str, str]:
    quote = ""
    for k, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "#":
            return line[:k], line[k:]
    return line, ""


def _embedded(path: Path, kind: str) -> str:
    """A data URL; empty if there is no such file."""
    if not path.is_file():
        return ""
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _caption(run: Run) -> str:
    from eddyline.plot.colors import quantity_of
    from eddyline.plot.scene import Scene
    from eddyline.run.pictures import shows_levels
    from eddyline.run.surface_pictures import observer_of

    scene = Scene.of(run.world)
    quantity = quantity_of(run.record["quantity"], scene.density)
    what = f"{quantity.label[0].upper()}{quantity.label[1:]}"
    words = f"{what} from t = 0 to {run.record['time']:.4g} {run.world.time_unit}."
    if quantity.kind == "diverging":
        words += " Solid lines: positive values, dashed lines: negative ones."
    of_surfaces = observer_of(run.world) in run.surfaces
    if not of_surfaces and shows_levels(RunFolder(run.folder).read_frames(), quantity.name):
        words += " Dark lines beside light ones are the edges of finer cells."
    if RunFolder(run.folder).movie.is_file():
        words += " Colours mean the same values at all times."
    kinds = {"slip" if side.slip else side.kind for side in scene.sides if side.kind != "open"}
    told = [f"{line} lines are {what}" for kind, line, what in _SIDE_LINES if kind in kinds]
    return words + (f" {'; '.join(told).capitalize()}." if told else "")


_SIDE_LINES = (
    ("wall", "thick", "no-slip walls"),
    ("slip", "thin", "slip walls"),
    ("periodic", "dotted", "periodic sides"),
)
"""Kinds of sides, and how pictures show them."""


def _comparison(item: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    inside = item["inside"]
    notes = [item["note"] if item["measured"] is not None else "", item["reason"]]
    return {
        "quantity": item["quantity"],
        "measured": measured_text(item).replace("+-", "±"),
        "window": window_text(item, results),
        "expected": expected_text(item)
        .removeprefix("published ")
        .removeprefix("expected ")
        .replace("+-", "±"),
        "mark": "open" if item.get("foreseen") else {True: "inside", False: "outside", None: "open"}[inside],
        "verdict": verdict_text(item, results["spacing"]).replace("OUTSIDE", "outside") or "not judged",
        "notes": "; ".join(note for note in notes if note),
        "source": item["source"],
        "short": references.short(item["source"]),
        "cited": references.known(item["source"]),
    }


def _value(item: dict[str, Any], results: dict[str, Any]) -> dict[str, str]:
    return {
        "name": item["name"],
        "value": value_text(item).replace("+-", "±"),
        "window": span_text(item["window"], results),
        "what": item["what"],
    }


def _machine_rows(run: Run) -> list[tuple[str, str]]:
    record = run.record
    machine, versions = record["machine"], record["versions"]
    steps, wall = record["steps"], record["wall_seconds"]
    unit, speed = work_of(record)
    rows = [
        ("Processor", f"{machine['processor']} ({machine['architecture']}), {machine['cores']} cores"),
        ("System", f"{machine['system']}, Python {versions['python']}"),
        ("Ranks, threads, boxes", f"{record.get('ranks', 1)}, {record['threads']}, {record['boxes']}"),
        counts_in_words(record),
        ("Steps", f"{steps:,}, time step {record['time'] / steps:.3g} s on average" if steps else "0"),
        *_resumed_row(run),
        ("Wall time", duration(wall) + _estimated(run)),
        *_cycle_row(run),
        *_traffic_row(run),
        ("Speed", f"{speed / 1e6:.2f} million {unit} per second"),
    ]
    memory = record["statistics"].get("memory_bytes")
    if memory:
        rows.append(("Memory", f"{memory / 1e6:.0f} MB"))
    return rows


def _estimated(run: Run) -> str:
    """The wall time of the computed steps and their outputs that `eddyline check` estimates, as words."""
    from eddyline.world.describe import plan

    record = run.record
    steps = record["steps"] - _first_step(run)
    if _is_steady(run):  # steps after the last cycle compute nothing
        steps = min(steps, record["statistics"].get("cycles", steps))
    found = plan(run.world, cores=record["threads"] * record.get("ranks", 1))
    share = steps / found.steps
    seconds = duration((found.cost.steps + found.cost.outputs) * share)
    if run.world.solver.name == "amr":
        from eddyline.solvers.amr.cells import has_fixed_levels
        from eddyline.solvers.amr.options import options_of

        if options_of(run.world.file).levels > 1 and not has_fixed_levels(run.world.file):
            return f"; estimate before the run, if everything were refined: {seconds}"
    return f"; estimate before the run: {seconds}"


def _is_steady(run: Run) -> bool:
    return bool(getattr(run.world.file.method, "steady", False))


def _cycle_row(run: Run) -> list[tuple[str, str]]:
    """Number and time of the cycles of multigrid, as they were and as estimated; of multiblock only. A
    resumed run has none: its cycles count from the start, its seconds do not."""
    from eddyline.world.describe import plan

    record, statistics = run.record, run.record["statistics"]
    steps, cycles = record["steps"], statistics.get("cycles", 0)
    if run.world.solver.name != "multiblock" or not (steps and cycles) or record.get("resumed"):
        return []
    from eddyline.solvers.multiblock import CYCLES_A_STEP

    steady = _is_steady(run)
    foreseen = 1 if steady else CYCLES_A_STEP
    found = plan(run.world, cores=record["threads"] * record.get("ranks", 1))
    expected = 1e3 * found.estimate.step_seconds / found.cores / foreseen
    seconds = sum(float(each) for name, each in statistics["seconds"].items() if name != "observe")
    times = f"{1e3 * seconds / cycles:.3g} ms each; estimate before the run: {expected:.3g} ms"
    if steady:
        end = "" if statistics.get("converged") else ", and the tolerance was not reached"
        return [("Cycles", f"{cycles:,}, {times}; their number is not known before{end}")]
    return [("Cycles", f"{cycles:,}, {cycles / steps:.3g} a step, {times}, {foreseen} a step")]


def _traffic_row(run: Run) -> list[tuple[str, str]]:
    """Messages of the busiest rank as they were and as planned; of runs on ranks that were not divided anew
    by boxes. A resumed run has none: its cycles count from the start, its messages do not."""
    from eddyline.plan.traffic import planned_traffic

    record, shares = run.record, run.record.get("shares", [])
    steps, statistics = record["steps"], record["statistics"]
    if len(shares) < 2 or not steps or record.get("resumed") or record.get("boxes", 1) > 1:
        return []
    counts = {name: statistics[name] / steps for name in ("cycles", "iterations") if name in statistics}
    sent = [max(share[name] for share in shares) / steps for name in ("messages", "bytes")]
    told = f"{sent[0]:,.1f} and {sent[1] / 1e3:,.1f} kB a step on the busiest rank"
    planned = planned_traffic(run.world, len(shares), counts)
    if planned is not None:
        told += (
            f"; plan, without series and pictures: {planned.messages:,.1f} and {planned.bytes / 1e3:,.1f} kB"
        )
        told += "".join(f", with {counts[name]:.3g} {name}" for name in counts)
    return [("Messages", told)]


def _resumed_row(run: Run) -> list[tuple[str, str]]:
    starts = [f"{part['step']:,}" for part in run.record.get("resumed", [])]
    words = f"at step{'s' * (len(starts) > 1)} {listed(starts)}; times and speed count from there"
    return [("Resumed", words)] if starts else []


def _rank_rows(run: Run) -> list[tuple[str, ...]]:
    """RANK_COLUMNS of each rank."""
    shares = run.record.get("shares", [])
    steps = max(1, run.record["steps"] - _first_step(run))
    rows: list[tuple[str, ...]] = []
    for rank, share in enumerate(shares):
        seconds = share["seconds"]
        total = sum(seconds.values()) or 1.0
        hidden = seconds["rates"] + seconds["forces"]
        open_ = hidden + seconds["wait"]
        rows.append(
            (
                str(rank),
                f"{next(iter(share.values())):,}",
                str(share["neighbors"]),
                f"{share['messages'] / steps:.1f}",
                f"{share['bytes'] / steps / 1000:.1f}",
                f"{share['migrants']:,}",
                f"{100 * seconds['wait'] / total:.0f} %",
                f"{100 * hidden / open_:.0f} %" if open_ > 0 else "",
            )
        )
    return rows


def _balance(run: Run) -> str:
    statistics = run.record["statistics"]
    times = statistics.get("rebalances", 0)
    if not times:
        return "The load was never rebalanced: it would not have saved time."
    return (
        f"The load was rebalanced {times} times, which took {statistics['rebalance_seconds']:.2g} s. At "
        f"the last check the busiest rank had {100 * (statistics['imbalance'] - 1):.0f} % more work than "
        "the mean."
    )


def _exchange(run: Run) -> str:
    """Text about the exchange strategy; for `auto` with its measurements and its choice."""
    told = run.record.get("exchange", "")
    trials = run.record["statistics"].get("exchange")
    if not trials:
        return f"Halo exchange: {told}.{_between_sites(run)}" if told else ""
    if not trials["taken"]:
        return "Halo exchange: auto. The run was too short to choose a strategy."
    measured = sorted(trials["measured"].items(), key=lambda item: item[1])
    times = ", ".join(f"{name} {1e6 * seconds:.3g}" for name, seconds in measured)
    return (
        f"Halo exchange: auto, which chose {trials['taken']}. Time of one exchange on rank 0, in "
        f"microseconds: {times}."
    )


def _between_sites(run: Run) -> str:
    """Share of the traffic between sites."""
    sites = run.record.get("sites", [])
    number = max(sites, default=0) + 1
    if number == 1:
        return ""
    steps = max(1, run.record["steps"] - _first_step(run))
    statistics = run.record["statistics"]
    messages, size = statistics["messages_between_sites"], statistics["bytes_between_sites"]
    also = ", one message per pair of sites" if run.record.get("combine") == "site" else ""
    also += ", compressed" if run.record.get("compress") == "site" else ""
    places = " + ".join(str(sites.count(site)) for site in range(number))
    return (
        f" Ranks were at {number} sites ({places}){also}: {messages / steps:.1f} messages and "
        f"{size / steps / 1000:.1f} kB per step went from site to site."
    )


def _busy(run: Run) -> str:
    """Text about the share of the time of all ranks that was not spent waiting."""
    shares = run.record.get("shares", [])
    total = sum(sum(share["seconds"].values()) for share in shares)
    if not total:
        return ""
    busy = 1 - sum(share["seconds"]["wait"] for share in shares) / total
    return (
        f"All ranks together spent {100 * busy:.0f} % of their time without waiting, equal to "
        f"{busy * len(shares):.2f} fully busy ranks. For speedup and efficiency compare with a run on "
        "fewer ranks: eddyline compare."
    )


def _rank_charts(run: Run) -> list[Chart]:
    from eddyline.plot.ranks import message_chart, share_chart

    shares = run.record.get("shares", [])
    return [share_chart(shares, run.record["wall_seconds"]), message_chart(shares)] if shares else []


def _first_step(run: Run) -> int:
    """First step of the current processes; earlier steps were computed before a resume."""
    parts = run.record.get("resumed", [])
    return int(parts[-1]["step"]) if parts else 0


def _phase_rows(run: Run) -> list[tuple[str, str, str]]:
    """(phase, seconds, share of them) of the steps, largest first, without those that the solver lacks."""
    phases = run.record["statistics"].get("seconds")
    if not isinstance(phases, dict):
        return []
    total = sum(float(seconds) for seconds in phases.values()) or 1.0
    ordered = sorted(phases.items(), key=lambda item: -float(item[1]))
    return [
        (name.replace("_", " "), f"{float(seconds):.2f} s", f"{100 * float(seconds) / total:.0f} %")
        for name, seconds in ordered
        if float(seconds) >= 0.0005 * total
    ]
