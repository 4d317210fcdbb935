"""Titles in any script: pictures show what a font here draws, and no warning of a library is printed."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from small_worlds import DAM

from eddyline.plot import fonts
from eddyline.plot.chart import Chart
from eddyline.plot.colors import Scale
from eddyline.plot.frame import FramePainter, fitting
from eddyline.plot.scene import Scene
from eddyline.world import World


def font(path: Path, characters: str) -> Path:
    """A font whose letters are black squares."""
    names = {ord(character): f"u{ord(character):x}" for character in characters}
    pen = TTGlyphPen(None)
    for k, corner in enumerate([(0, 0), (0, 1000), (1000, 1000), (1000, 0)]):
        (pen.lineTo if k else pen.moveTo)(corner)
    pen.closePath()
    square = pen.glyph()
    order = [".notdef", *names.values()]
    made = FontBuilder(1000, isTTF=True)
    made.setupGlyphOrder(order)
    made.setupCharacterMap(names)
    made.setupGlyf({name: square for name in order})
    made.setupHorizontalMetrics({name: (1000, 0) for name in order})
    made.setupHorizontalHeader(ascent=1000, descent=0)
    made.setupNameTable({"familyName": f"Squares {path.stem}", "styleName": "Regular"})
    made.setupOS2()
    made.setupPost()
    made.save(path)
    return path


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Fonts of the system: none but those that a test puts here."""
    paths: list[Path] = []
    monkeypatch.setattr(fonts, "_of_system", lambda: paths)
    fonts._font_with.cache_clear()
    yield paths
    fonts._font_with.cache_clear()


TITLES = ["水槽", "ダム dam", "댐 붕괴", "wave 🌊", "שלום", "بحر", "x\u0304 e\u0301", "नदी", "👩\u200d🔬 lab"]


def painter(title: str) -> FramePainter:
    world = World.from_text(DAM.replace("title  =", f'title = "{title}" #'))
    assert world.title == title
    return FramePainter(Scene.of(world), "speed", Scale(0.0, 1.0), width=640)


@pytest.mark.parametrize("title", TITLES)
def test_no_title_makes_a_library_warn(system: list[Path], title: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        painter(title)
        chart = Chart("c", title, "d", lambda axes: axes.plot([0, 1], label=title) and axes.legend())
        chart.image()
        assert title in chart.svg()  # for the fonts of a browser


def test_what_no_font_draws_is_left_out_and_told(system: list[Path]) -> None:
    assert fonts.drawable("Wasser 水 und 槽 Ñandú ±2") == "Wasser und Ñandú ±2"
    assert fonts.drawable("水槽, 🌊!") == ""  # no comma alone
    assert fonts.left_out(["Wasser 水槽水", "plain"]).startswith('note: no installed font has "水槽"; ')
    assert fonts.left_out(["Ñandú", "plain"]) == ""
    empty, plain = (painter(title)._background for title in ("水槽", "dam"))
    assert (empty[:40] == empty[0, 0]).all() and not np.array_equal(empty, plain)


def test_a_font_of_the_system_draws_what_the_own_one_lacks(system: list[Path], tmp_path: Path) -> None:
    system.append(font(tmp_path / "han.ttf", "水槽"))
    assert fonts.drawable("水槽 dam 崩") == "水槽 dam"
    assert fonts.families("水 dam") == [fonts.OWN, "Squares han"]
    drawn = painter("水水水")._background[:40] != painter("崩")._background[0, 0]
    assert drawn.sum() > 300  # squares
    assert fitting("水" * 200, 400)[0].endswith("…") and len(fitting("水" * 200, 400)[0]) < 40


def test_a_command_prints_one_line_about_such_a_title(tmp_path: Path) -> None:
    world = tmp_path / "tank.toml"
    world.write_text(DAM.replace("title  =", 'title = "水槽 tank" #'))
    script = (
        "import sys; from eddyline.plot import fonts; fonts._of_system = lambda: [];"
        "from eddyline.cli import main; sys.argv[0] = 'eddyline'; main()"
    )
    words = ["run", str(world), "--steps", "3", "--threads", "1", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=120, check=True
    )
    told = [line for line in (done.stdout + done.stderr).splitlines() if "水" in line]
    assert told == ['note: no installed font has "水槽"; pictures omit it, the report keeps it']
    assert "Warning" not in done.stderr and "Glyph" not in done.stderr
    assert "水槽 tank" in (tmp_path / "run" / "report.html").read_text()


def test_commands_keep_warnings_of_libraries_to_themselves() -> None:
    script = (
        "import logging, warnings; from eddyline.cli.errors import quiet_libraries; quiet_libraries();"
        "warnings.warn('raw'); logging.getLogger('matplotlib.font_manager').warning('raw');"
        "logging.getLogger('eddyline.serve').warning('ours')"
    )
    quiet = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert quiet.stderr == "ours\n"
    asked = subprocess.run(
        [sys.executable, "-W", "default", "-c", script], capture_output=True, text=True, check=True
    )
    assert "UserWarning: raw" in asked.stderr
