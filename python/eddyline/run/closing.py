"""Closing lines of a run on the terminal: values and expectations, folder, report, picture, fingerprint, next
command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.option_names import NOT_CLOSED, command
from eddyline.plot import references
from eddyline.run.advice import again, is_resumable
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import BREAKS
from eddyline.stream.corrupt import CorruptFileError
from eddyline.world.document import parse, parse_set
from eddyline.world.gallery import gallery
from eddyline.world.problems import WorldError, number_with_error, rounded
from eddyline.world.sph_options import SphOptions

if TYPE_CHECKING:
    from eddyline.run.record import Run
    from eddyline.world import World


TOO_FAST = 0.4
"""Mach number of a liquid above which a warning is printed; 0.1 is usual."""


TENSE = 0.005
"""Mean share of a liquid under tension above which a warning is printed."""


def closing_lines(run: Run, *, error_follows: bool = False) -> str:
    """The table, then one line each for folder, report, picture, fingerprint and the next command.
    error_follows: the reason of a failed run is printed elsewhere."""
    lines = table_lines(run)
    if run.outcome != "finished" and not error_follows:
        lines.append(run.message if run.outcome == "stopped by user" else f"{run.outcome}: {run.message}")
    lines += [f"warning      {words}" for words in warnings(run.world, run.results_if_any)]
    if run.world.effective_flow:
        lines.append(f"effective    {run.world.effective_flow}")
    if "history" in run.record:
        lines.append(f"last steps   {run.folder}/{run.record['history']}")
    folder = RunFolder(run.folder)
    picture = folder.movie if folder.movie.is_file() else folder.picture
    if BREAKS in run.record:
        lines.append(f"breaks the law: {run.record[BREAKS]}")
    lines += [
        f"folder       {run.folder}",
        f"report       {folder.report if folder.report.is_file() else 'none'}",
        f"picture      {picture if picture.is_file() else 'none'}",
        f"fingerprint  {run.fingerprint or 'none'}{_again(run)}",
        f"next         {next_command(run)}",
    ]
    return "\n".join(lines)


def warnings(world: World, results: Mapping[str, Any]) -> Iterator[str]:
    """Notes on a liquid that did not behave as one: its speed or its tension."""
    yield from _too_fast(world, results)
    yield from _tense(results)


def _tense(results: Mapping[str, Any]) -> Iterator[str]:
    """Note if much of a liquid with a free surface was under tension."""
    tension = results.get("series", {}).get("budget", {}).get("under_tension")
    if not tension or tension["mean"] is None or tension["mean"] <= TENSE:
        return
    yield (
        f"on average {100 * tension['mean']:.2g} % of the fluid was under tension, up to "
        f"{100 * tension['max']:.2g} %: the fluid sticks together where it should separate. Try a smaller "
        "domain.spacing; see budget.under_tension."
    )


def _too_fast(world: World, results: Mapping[str, Any]) -> Iterator[str]:
    """Note if a liquid came too close to its speed of sound."""
    speed = results.get("series", {}).get("budget", {}).get("max_speed")
    if (
        not speed
        or speed["max"] is None
        or world.file.is_gas
        or not isinstance(world.file.method, SphOptions)
    ):
        return
    mach = speed["max"] / world.core.fluid.sound_speed
    if mach > TOO_FAST:
        by_sound = world.file.fluid.sound_speed is not None
        key, value = ("sound_speed", 10 * speed["max"]) if by_sound else ("max_speed", speed["max"])
        yield (
            f"the fluid reached {rounded(speed['max'], 3)} m/s, Mach {mach:.2f}: its density "
            f"varies by {mach**2:.0%}. Try fluid.{key} = {rounded(value, 2)}."
        )


def _again(run: Run) -> str:
    """Result of a run that repeats another one: whether the bits are the same."""
    before = run.record.get("replay_of")
    same = before is not None and run.fingerprint == before["fingerprint"]
    return f", identical to {before['folder']}" if before and same else ""


def table_lines(run: Run) -> list[str]:
    """`Cd max  3.31 +- 0.02 | published 3.22 to 3.24 | OUTSIDE, +2.2 % at D/20 | maximum of 7 periods, 4.1 to
    6.4 s`, one line a comparison, and the likely reason below those outside."""
    results = run.results_if_any
    items = results.get("expectations", [])
    if not items:
        return _values_without_expectations(results)
    names = short_names([item["quantity"] for item in items])
    width = max(map(len, names))
    out = []
    for name, item in zip(names, items, strict=True):
        words = [
            measured_text(item),
            expected_text(item),
            verdict_text(item, results["spacing"]),
            window_text(item, results),
        ]
        out.append(f"{name:{width}}  {' | '.join(word for word in words if word)}")
        if item["reason"]:
            out.append(f"{'':{width}}  {item['reason']}")
    return out


def short_names(quantities: Sequence[str]) -> list[str]:
    """Short names, such as `Cd max` for `cylinder.drag_coefficient.max`; with the body in front if there are
    several bodies."""
    parts = [
        re.fullmatch(r"(\w+)\.(drag_coefficient|lift_coefficient|strouhal)(\.\w+)?", q) for q in quantities
    ]
    bodies = {part[1] for part in parts if part}
    letters = {"drag_coefficient": "Cd", "lift_coefficient": "Cl", "strouhal": "St"}
    out = []
    for quantity, part in zip(quantities, parts, strict=True):
        if part:
            body = f"{part[1]} " if len(bodies) > 1 else ""
            quantity = f"{body}{letters[part[2]]}{(part[3] or '').replace('.', ' ')}"
        out.append(quantity)
    return out


def measured_text(item: Mapping[str, Any]) -> str:
    """The value with its statistical error; for a curve the relative difference and the shift."""
    if item["measured"] is None:
        return str(item["note"])
    if _is_whole_curve(item):
        shifted = f", shifted by {item['shift']:.2g}" if item["shift"] else ""
        return f"RMS difference {100 * item['error']:.1f} %{shifted}"
    return number_with_error(item["measured"], item["statistical_error"])


def window_text(item: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    """Statistic and window, such as `maximum of 7 periods, 4.1 to 6.4 s`; empty if the value needs no
    explanation."""
    if not item.get("what") or _is_whole_curve(item):
        return ""
    span = span_text(item["window"], results)
    return str(item["what"]) + (f", {span}" if span else "")


def span_text(window: Sequence[float] | None, results: Mapping[str, Any]) -> str:
    """`4.1 to 6.4 s`; empty without a window."""
    return f"{window[0]:.3g} to {window[1]:.3g} {results.get('time_unit', 's')}" if window else ""


def _is_whole_curve(item: Mapping[str, Any]) -> bool:
    return item.get("kind") == "curve" and item["at"] is None


def expected_text(item: Mapping[str, Any]) -> str:
    """Text such as `published 3.22 to 3.24`, or the curve and its tolerance."""
    if _is_whole_curve(item):
        band = f" within {100 * item['allowed']:.3g} %" if item["allowed"] else ""
        return f"{references.short(item['source']) or 'curve'}{band}"
    known = references.known(item["source"])
    return f"{'published' if known else 'expected'} {item['expected']}"


def verdict_text(item: Mapping[str, Any], spacing: str) -> str:
    if item["inside"] is None:
        return ""
    word = "inside" if item["inside"] else "OUTSIDE"
    if _is_whole_curve(item) or not item["error"]:
        return f"{word} at {spacing}"
    off = _percent(item["error"]) if item.get("relative", True) else f"{item['error']:+.3g} off"
    if item.get("foreseen"):
        return f"{off} at {spacing}{foreseen_text(item)}"
    return f"{word}, {off} at {spacing}"


def foreseen_text(item: Mapping[str, Any]) -> str:
    """Expected value at this spacing, if the value is outside its band as earlier runs at this spacing were;
    else empty."""
    return f", expected at this spacing: {item['foreseen']}" if item.get("foreseen") else ""


def _percent(share: float) -> str:
    """Percentage such as `+2.2 %`; zero has no sign."""
    percent = round(100 * share, 1)
    return f"{percent:+.1f} %" if percent else "0.0 %"


def next_command(run: Run) -> str:
    """Proposal for the next command: that of the world file (`Try: ...` in its first comment), else another
    view of this run."""
    folder = RunFolder(run.folder)
    outcome = run.outcome
    if outcome == NOT_CLOSED or (outcome == "stopped by user" and is_resumable(folder, run.record)):
        return command("resume", folder.path)
    if outcome == "failed" and _can_leave_out_a_command(run):
        return command("resume", folder.path, "--without-last-command")
    source = folder.world.read_text(encoding="utf-8")
    if (changes := proposal(source)) and not has_values(source, changes):
        return f"{command('run', _world_of(run))}{_solver_of(run)} {changes}"
    if outcome == "stopped by user":
        return again(folder.world, run.record)
    if len(folder.read_frames()) < 2:
        return command("export", folder.path, "--csv")
    return command("export", folder.path, "--mp4", "--quantity", _another_quantity(run))


def _another_quantity(run: Run) -> str:
    """A quantity that the frames of a run can show besides that of its film, if there is one."""
    solver, file = run.world.solver, run.world.file
    kept = [name for name in solver.kept(file) if name != run.quantity]
    if "pressure" in kept or (not kept and "pressure" in solver.pictured(file)):
        return "pressure"
    return kept[0] if kept else run.quantity


def _world_of(run: Run) -> str | Path:
    """Argument for a run of the same world: its name in the gallery, its file, or the copy in the run's
    folder."""
    source = str(run.record.get("source") or "")
    name = {str(path): name for name, path in gallery().items()}.get(source)
    if name is not None:
        return name
    return Path(source) if source and Path(source).is_file() else RunFolder(run.folder).world


def _solver_of(run: Run) -> str:
    """The option that selects the solver of a run, unless the file of its world does."""
    import tomlkit

    world, name = _world_of(run), run.world.solver.name
    path = gallery()[world] if isinstance(world, str) else world
    try:
        method = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap().get("method", {})
    except (OSError, ValueError):
        return ""
    return "" if method.get("name", "sph") == name else f" --set method.name={name}"


def _can_leave_out_a_command(run: Run) -> bool:
    """True if a command came before the end, and a complete checkpoint before it."""
    from eddyline.live.steering import CONTROL
    from eddyline.stream.checkpoints import CheckpointError, find_checkpoint

    folder = RunFolder(run.folder)
    try:
        commands = [each for each in folder.read_journal() if each.name not in CONTROL]
        if not commands or commands[-1].step > run.record.get("steps", -1):
            return False
        find_checkpoint(folder.checkpoints, lambda text: None, commands[-1].step)
    except (CheckpointError, CorruptFileError):
        return False
    return True


def proposal(world: str) -> str:
    """The first `--set ...` after `Try:` in the first comment of a world file, as a shell takes it."""
    lines = takewhile(lambda line: line.startswith("#"), world.splitlines())
    comment = "\n".join(line.lstrip("# ") for line in lines)
    change = r"""--set +(?:'[^']*'|"[^"]*"|[^\s'"])+"""  # blanks between quotes belong to it
    found = re.search(rf"Try:\s*({change}(?: +{change})*)", comment)
    return found[1].rstrip(".,;") if found else ""


def has_values(source: str, changes: str) -> bool:
    """True if a world has the values that a proposal sets."""
    values = parse_set([word for word in shlex.split(changes) if word != "--set"])
    try:
        return parse(source, "world.toml", values).data == parse(source, "world.toml").data
    except WorldError:
        return False


def _values_without_expectations(results: Mapping[str, Any]) -> list[str]:
    """The values of a world without expectations; the highest speed if it has no values."""
    values = without_duplicates(results.get("values", []))
    if not values:
        budget = results.get("series", {}).get("budget", {})
        if speed := budget.get("max_speed"):
            return [f"highest speed {speed['max']:.4g} m/s; this world has no [[expect]]"]
        return ["this world has no [[expect]]"] if budget else []
    names = short_names([value["name"] for value in values])
    width = max(map(len, names))
    lines = []
    for name, value in zip(names, values, strict=True):
        words = (value_text(value), window_text(value, results))
        lines.append(f"{name:{width}}  {' | '.join(word for word in words if word)}")
    return lines


def without_duplicates(values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Existing values. A quantity without a value appears once, without its statistics, with the reason; for
    a force the reason is that of its coefficients."""
    out: dict[str, dict[str, Any]] = {}
    there = {_quantity_of(value["name"]) for value in values if value["value"] is not None}
    for value in values:
        quantity = _quantity_of(value["name"])
        if value["value"] is not None:
            out[value["name"]] = dict(value)
        elif quantity not in there and f"{_body_of(quantity)}.drag_coefficient" not in out:
            out.setdefault(quantity, {**value, "name": quantity})
    return list(out.values())


def value_text(value: Mapping[str, Any]) -> str:
    """Value such as `3.31 +- 0.02 N/m`, or the reason why there is none."""
    if value["value"] is None:
        return str(value["note"])
    unit = "" if value["unit"] in ("", "1") else f" {value['unit']}"
    return number_with_error(value["value"], value["error"]) + unit


def _body_of(quantity: str) -> str:
    """Body of a force, such as `cylinder` for `force.cylinder.total_x`; else empty."""
    return quantity.split(".")[1] if quantity.startswith("force.") else ""


def _quantity_of(name: str) -> str:
    """A name without its statistic, such as `cylinder.drag_coefficient`; `cylinder.strouhal` has no
    statistic."""
    return name if name.endswith(".strouhal") else name.rpartition(".")[0]
