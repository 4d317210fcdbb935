"""Damaged input of every kind that is read: reading it gives a result, or a line that says why not.

Each kind makes an input from a `random.Random`, so that a seed repeats it, and hypothesis can stand in for
the generator. `make fuzz` goes on for as long as one likes (tools/fuzz.py).
"""

from __future__ import annotations

import contextlib
import json
import random
import resource
import signal
import string
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import law_worlds

from eddyline.world import World, WorldError, describe, parse_set

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 2.0
"""CPU time that reading an input may take."""
BYTES = 600_000_000
"""Growth of the process's memory that one input may cause."""
LONGEST_LINE = 1100
"""Letters of a line of a message, its place included."""
FEW = 1500
"""Particles, at most, of a world that is advanced."""

EXTREMES = (
    "1e308", "-1e308", "1e-308", "5e-324", "-0.0", "0", "nan", "inf", "-inf", "9" * 400, "4e-9",
    "1e89", "1e-89",
    "1e19", "1e9", "-1", "9223372036854775807", "9223372036854775808", "1e400", "0x10", "1_000", "true",
    '"a"', '"1/0"', '""', "[]", "{}", "1979-05-27", "0.1", "1", "2", "3", "1e3", "1e6",
)  # fmt: skip
_NUMBER = r"-?\d+\.?\d*(?:e-?\d+)?"
_WORDS = (
    "é",
    "\u0000",
    "\u202e",
    "\ud7ff",
    "name.with.dots",
    '"',
    "'",
    "#",
    "a" * 300,
    "水",
    "\\u0041",
    "=",
    "\r",
    "[[",
)


class TooSlowError(AssertionError):
    """Reading took longer than it may."""


@contextlib.contextmanager
def limits(seconds: float = SECONDS) -> Iterator[None]:
    """Fails if what is inside takes more CPU time or memory than reading may."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds} s")

    begun, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    old = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    taken = time.process_time() - begun
    assert taken <= seconds, f"{taken:.1f} s of CPU time"
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert grown <= BYTES, f"{grown / 1e6:.0f} MB of memory"


def check_lines(text: str) -> None:
    """Every line of a message is short and can be printed."""
    for line in text.split("\n"):
        assert 0 < len(line) <= LONGEST_LINE, f"a line of {len(line)} letters: {line[:200]}"
        assert line.isprintable(), f"not printable: {line[:200]!r}"
        line.encode()


# --- worlds -------------------------------------------------------------------------------------------------


@cache
def worlds() -> tuple[str, ...]:
    gallery = [path.read_text() for path in sorted((ROOT / "worlds").glob("*.toml"))]
    small = [
        text for name, text in sorted(vars(law_worlds).items()) if name.isupper() and isinstance(text, str)
    ]
    return (*small, *gallery)


def world(rng: random.Random) -> str:
    """A world file that is wrong in up to six ways, or none."""
    lines = rng.choice(worlds()).split("\n")
    for _ in range(rng.randrange(1, 7)):
        rng.choice(_MUTATORS)(lines, rng)
    return "\n".join(lines)


def _replace_number(lines: list[str], rng: random.Random) -> None:
    import re

    places = [(k, found) for k, line in enumerate(lines) for found in re.finditer(_NUMBER, line)]
    if places:
        k, found = rng.choice(places)
        scaled = f"{float(found[0]) * 10.0 ** rng.randrange(-12, 13):g}"
        new = rng.choice(EXTREMES) if rng.random() < 0.6 else scaled
        lines[k] = lines[k][: found.start()] + new + lines[k][found.end() :]


def _replace_value(lines: list[str], rng: random.Random) -> None:
    k = rng.randrange(len(lines))
    key, equals, _ = lines[k].partition("=")
    if equals:
        lines[k] = f"{key}= {rng.choice((rng.choice(EXTREMES), json.dumps(formula(rng)), _list(rng)))}"


def _list(rng: random.Random) -> str:
    count = rng.choice((0, 1, 2, 3, 4, 1000, 30_000))
    return f"[{', '.join([rng.choice(EXTREMES)] * count)}]"


def _remove(lines: list[str], rng: random.Random) -> None:
    if len(lines) > 1:
        del lines[rng.randrange(len(lines))]


def _repeat(lines: list[str], rng: random.Random) -> None:
    line = rng.choice(lines)
    lines.insert(rng.randrange(len(lines) + 1), line)


def _swap(lines: list[str], rng: random.Random) -> None:
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def _foreign_table(lines: list[str], rng: random.Random) -> None:
    others = rng.choice(worlds()).split("\n")
    heads = [k for k, line in enumerate(others) if line.startswith("[")] or [0]
    first = rng.choice(heads)
    last = next((k for k in heads if k > first), len(others))
    own = [k for k, line in enumerate(lines) if line.startswith("[")] or [0]
    place = rng.choice(own)
    lines[place:place] = others[first:last]


def _insert_letters(lines: list[str], rng: random.Random) -> None:
    k = rng.randrange(len(lines))
    at = rng.randrange(len(lines[k]) + 1)
    letters = rng.choice((rng.choice(_WORDS), rng.choice(string.punctuation), "x" * 5000))
    lines[k] = lines[k][:at] + letters + lines[k][at:]


def _cut(lines: list[str], rng: random.Random) -> None:
    k = rng.randrange(len(lines))
    lines[k] = lines[k][: rng.randrange(len(lines[k]) + 1)]


def _nest(lines: list[str], rng: random.Random) -> None:
    depth = rng.choice((2, 20, 30, 3000))
    opening, closing = rng.choice((("[", "]"), ("{a=", "}"), ("[{a=", "}]")))
    inside = opening * depth + "1" + closing * depth
    lines.insert(
        rng.randrange(len(lines) + 1), rng.choice((f"deep = {inside}", ".".join(["a"] * depth) + " = 1"))
    )


def _add_table(lines: list[str], rng: random.Random) -> None:
    number = [rng.choice(EXTREMES) for _ in range(8)]
    name = rng.choice(("new", "x", "left", "a" * 300, '"quoted name"', "水"))
    lines.append(
        rng.choice(
            (
                f'[bodies.{name}]\nshape = "circle"\ncenter = [0.1, {number[0]}]\ndiameter = {number[1]}\n'
                f"motion = {{ rotation = {json.dumps(formula(rng, 't'))} }}",
                f'[observe.{name}]\ntype = "line"\nfrom = [{number[0]}, 0]\nto = [{number[1]}, 0.1]\n'
                f"count = {number[2]}",
                f'[openings.{name}]\ntype = "inflow"\nside = "left"\nfrom = {number[0]}\nto = {number[1]}\n'
                f"velocity = {json.dumps(formula(rng, 'yt'))}",
                f"[[expect]]\nquantity = {json.dumps(formula(rng))}\nvalue = {number[0]}\n"
                f"within = {number[1]}",
                f'[[expect]]\nquantity = "front"\nagainst = "time"\ncurve = "{name}.csv"\nband = {number[0]}',
                "[let]\n" + "\n".join(f'a{k} = "a{k + 1}"' for k in range(rng.choice((3, 500)))),
                f'[regions.{name}]\nshape = "polygon"\n'
                f"points = [[0, 0], [{number[0]}, 0], [0.1, {number[1]}]]",
                f'[method]\nscheme = "classic"\ncfl = {number[0]}\nskin = {number[1]}',
            )
        )
    )


_MUTATORS: tuple[Callable[[list[str], random.Random], None], ...] = (
    _replace_number, _replace_number, _replace_number, _replace_number, _replace_value, _remove, _repeat,
    _swap, _foreign_table, _insert_letters, _cut, _nest, _add_table,
)  # fmt: skip


def read_world(text: str) -> None:
    """A world, which can be described and, if it is small, made and advanced; or problems."""
    from eddyline import Simulation, _core

    with limits():
        try:
            made = World.from_text(text)
            described = describe(made)
        except WorldError as error:
            check_problems(error)
            return
    check_lines(described.replace("\n\n", "\n"))
    estimate = _core.estimate(made.core)
    if estimate.fluid_particles + estimate.wall_particles > FEW or estimate.memory_bytes > BYTES / 4:
        return
    with limits(10 * SECONDS):
        try:
            simulation = Simulation(made, threads=1)
            simulation._core.advance(float("inf"), 2, SECONDS)
        except (_core.UserError, _core.StepError) as error:
            check_lines(str(error))


def check_problems(error: WorldError) -> None:
    assert error.problems
    for problem in error.problems:
        assert problem.line >= 0
        check_lines(str(problem))
    check_lines(str(error))


# --- formulas -----------------------------------------------------------------------------------------------


def formula(rng: random.Random, names: str = "xyzt", depth: int = 0) -> str:
    """A formula of the grammar, now and then with something that is not in it."""
    kind = rng.randrange(12) if depth < 5 else rng.randrange(3)
    if kind < 2:
        return rng.choice(("0", "1", "2.5", "1e308", "1e-300", "-1", "0.1"))
    if kind == 2:
        return rng.choice((*names, "pi", "a", "unknown", "水"))
    inner = [formula(rng, names, depth + 1) for _ in range(3)]
    if kind < 8:
        sign = rng.choice(("+", "-", "*", "/", "^", "<", "==", "and", "**", "="))
        return f"({inner[0]}) {sign} ({inner[1]})"
    if kind < 10:
        name = rng.choice(("sin", "sqrt", "log", "exp", "floor", "step", "tan", "abs", "nope"))
        return f"{name}({inner[0]})"
    if kind == 10:
        name = rng.choice(("min", "max", "pow", "mod", "atan2", "if"))
        return f"{name}({', '.join(inner[: rng.randrange(4)])})"
    letters = list(inner[0])
    letters.insert(rng.randrange(len(letters) + 1), rng.choice("()+-*/^.,e_ \u0000é`" + "x"))
    return "".join(letters)


def read_formula(text: str) -> None:
    import numpy as np

    from eddyline.world.formulas import FormulaError, Names

    names = Names({"a": 2.0, "b": -1.0})
    for use in (names.number, names.field):
        with limits():
            try:
                made = use(text)
                if not isinstance(made, float):
                    made.evaluate({"x": np.linspace(-1, 1, 3), "y": 0.0, "z": 0.0, "t": 1.0})
                    made.differentiate((0.1, 0.2, 0.3, 0.4), "t")
            except FormulaError as error:
                check_lines(str(error) or "broken")


# --- overrides and the command line -------------------------------------------------------------------------


def settings(rng: random.Random) -> str:
    """Options --set, a line each."""
    paths = (
        "domain.spacing",
        "let.a",
        "time.end",
        "bodies.post.min.0",
        "domain.size",
        "fluid",
        "expect.0.value",
        "a.b.c",
        "domain..x",
        "observe.front.type",
        "regions.column.max.7",
        "let",
        "title",
        "boundaries.left.type",
    )
    items = []
    for _ in range(rng.randrange(1, 4)):
        value = rng.choice((rng.choice(EXTREMES), formula(rng), _list(rng)[:2000], rng.choice(_WORDS)))
        item = f"{rng.choice(paths)}{rng.choice(('=', '=', '=', '', '=='))}{value}"
        items.append(item.replace("\n", " "))
    return "\n".join(items)


def read_settings(text: str) -> None:
    with limits():
        try:
            World.from_text(law_worlds.DAM_2D, overrides=parse_set(text.split("\n")))
        except WorldError as error:
            check_problems(error)


def command(rng: random.Random) -> str:
    """Words of a command line, a line each."""
    words = [rng.choice(("check", "run", "export", "resume", "replay", "compare", "sweep", "nope"))]
    options = (
        "--set",
        "--steps",
        "--until",
        "--threads",
        "--boxes",
        "--out",
        "--ranks",
        "--picture",
        "--quantity",
        "--checkpoint-every",
        "--checksums",
        "--width",
        "--frames",
        "--live",
        "--unknown",
        "--mp4",
    )
    values = (
        "dam_break",
        "nothing",
        "",
        "a" * 300,
        "x\u202ey",
        "/dev/null",
        "domain.spacing=nan",
        "let.a=1e400",
        "--",
        "水",
        "..",
        "/proc/self/mem",
        *EXTREMES,
    )
    for _ in range(rng.randrange(5)):
        words.append(rng.choice(options) if rng.random() < 0.5 else rng.choice(values))
    if words[0] in ("run", "sweep"):
        words += ["--steps", "-1"]  # never computes
    return "\n".join(words)


def read_command(text: str) -> None:
    import tempfile

    from typer.testing import CliRunner

    from eddyline.cli.app import app

    words = text.split("\n")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), limits(3 * SECONDS):
        done = CliRunner().invoke(app, words)
        left = [str(path) for path in Path(folder).rglob("*")]
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 2, 3, 4, 5, 130), done.exit_code
    assert "Traceback" not in done.output
    assert done.exit_code == 0 or not left, f"left behind: {left[:3]}"


# --- bytes --------------------------------------------------------------------------------------------------


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, removed, repeated or cut off in up to four places."""
    made = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        at, way = rng.randrange(len(made) + 1), rng.randrange(6)
        if way == 0 and made:
            made[at % len(made)] = rng.randrange(256)
        elif way == 1:
            made[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
        elif way == 2:
            del made[at : at + rng.randrange(1, 40)]
        elif way == 3:
            del made[at:]
        elif way == 4:
            made[at:at] = made[at : at + rng.randrange(1, 200)]
        else:
            made[at : at + 4] = rng.choice(
                (b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\x7f\xff\xff\xff", b"1e400")
            )
    return bytes(made)


@cache
def _journal() -> bytes:
    import tempfile

    from eddyline.live import journal
    from eddyline.live import stream_pb2 as pb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / journal.NAME
        for step in (3, 7):
            asked = pb.Command(id=str(step), step=pb.Step(count=step))
            journal.append(path, journal.Entry(step, 0.1 * step, asked, "a change"))
        return path.read_bytes()


def journal_bytes(rng: random.Random) -> bytes:
    return damaged(_journal(), rng)


def _read_file(data: bytes, name: str, read: Callable[[Path], Any], expected: type[Exception]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        with limits():
            try:
                read(path)
            except expected as error:
                check_lines(str(error))


def read_journal(data: bytes) -> None:
    from eddyline.live import journal

    _read_file(data, journal.NAME, journal.read, journal.JournalError)


@cache
def _picture() -> bytes:
    import io

    import numpy as np
    from PIL import Image

    from eddyline.plot import metadata

    out = io.BytesIO()
    made = metadata.Metadata(world=law_worlds.DAM_2D, version="0", fingerprint="a b c d", title="Dam")
    image = Image.fromarray(np.zeros((8, 8, 3), dtype=np.uint8))
    image.save(out, format="PNG", pnginfo=metadata.png_info(made))
    return out.getvalue()


def picture(rng: random.Random) -> bytes:
    return damaged(_picture(), rng)


def read_picture(data: bytes) -> None:
    from eddyline.plot import metadata

    _read_file(data, "a.png", metadata.read, ValueError)


@cache
def _film() -> bytes:
    import subprocess
    import tempfile

    import imageio_ffmpeg  # type: ignore[import-untyped]

    from eddyline.plot import metadata

    made = metadata.Metadata(world=law_worlds.DAM_2D, version="0", fingerprint="a b c d", title="Dam")
    with tempfile.TemporaryDirectory() as folder:
        texts, film = Path(folder) / "texts", Path(folder) / "a.mp4"
        texts.write_text(metadata.ffmetadata(made))
        subprocess.run(
            [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", "color=s=16x16:d=0.2", "-i",
             str(texts), "-map_metadata", "1", "-movflags", "use_metadata_tags", str(film)],
            check=True,
        )  # fmt: skip
        return film.read_bytes()


def film(rng: random.Random) -> bytes:
    return damaged(_film(), rng)


def read_film(data: bytes) -> None:
    from eddyline.plot import metadata

    _read_file(data, "a.mp4", metadata.read, ValueError)


def curve(rng: random.Random) -> bytes:
    rows = "".join(f"{0.1 * k},{rng.choice(('1', '2', *EXTREMES))}\n" for k in range(rng.randrange(2, 8)))
    return damaged(f"# made\ntime,front\n{rows}".encode(), rng)


def read_curve(data: bytes) -> None:
    from eddyline.world.curves import find_curve

    _read_file(data, "a.csv", lambda path: find_curve(path.name, [path.parent]), ValueError)


# --- the lab ------------------------------------------------------------------------------------------------


def request(rng: random.Random) -> str:
    """A request of the page to check a world."""
    sets = dict(item.partition("=")[::2] for item in settings(rng).split("\n"))
    return json.dumps(
        {
            "toml": world(rng),
            "sets": sets if rng.random() < 0.3 else {},
            "quality": rng.choice(("preview", "study", "publish")),
        }
    )


def read_request(text: str) -> None:
    from eddyline.serve.checking import check

    told = json.loads(text)
    with limits():
        answer = check.__wrapped__(told["toml"], tuple(sorted(told["sets"].items())), told["quality"])
    for fault in answer.problems:
        check_lines(fault.message)
    json.loads(answer.model_dump_json())


def message(rng: random.Random) -> bytes:
    """A message of a client."""
    from eddyline.live import stream_pb2 as pb

    made = pb.Message(version=pb.VERSION_CURRENT)
    fields = made.DESCRIPTOR.oneofs[0].fields
    _fill(getattr(made, rng.choice(fields).name), rng, 0)
    data: bytes = made.SerializeToString()
    return damaged(data, rng) if rng.random() < 0.5 else data


def _fill(made: Any, rng: random.Random, depth: int) -> None:
    made.SetInParent()
    numbers = (0.0, -1.0, 1e308, float("nan"), float("inf"), 0.5)
    for field in made.DESCRIPTOR.fields:
        if rng.random() < 0.4:
            continue
        with contextlib.suppress(TypeError, ValueError, AttributeError):
            target = getattr(made, field.name)
            if field.message_type is not None and depth < 3 and hasattr(target, "SetInParent"):
                _fill(target, rng, depth + 1)
            elif field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
                value = rng.choice(numbers)
                target.append(value) if hasattr(target, "append") else setattr(made, field.name, value)
            elif field.cpp_type == field.CPPTYPE_STRING:
                value_ = rng.choice((*_WORDS, "domain.gravity", "speed"))
                target.append(value_) if hasattr(target, "append") else setattr(made, field.name, value_)
            else:
                setattr(made, field.name, rng.choice((0, 1, 2, 2**31 - 1, True)))


def read_message(data: bytes) -> None:
    from eddyline.serve.viewer import checked, parsed

    with limits():
        try:
            found = parsed(data)
            if found.WhichOneof(found.DESCRIPTOR.oneofs[0].name) == "view":
                checked(found.view)
        except ValueError as error:
            check_lines(str(error))


KINDS: dict[str, tuple[Callable[[random.Random], Any], Callable[[Any], None]]] = {
    "world": (world, read_world),
    "formula": (formula, read_formula),
    "set": (settings, read_settings),
    "command": (command, read_command),
    "journal": (journal_bytes, read_journal),
    "png": (picture, read_picture),
    "mp4": (film, read_film),
    "curve": (curve, read_curve),
    "request": (request, read_request),
    "message": (message, read_message),
}
"""Maker and reader of each kind of input: an exception means that a rule is broken."""
