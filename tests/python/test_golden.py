"""Golden values: this version computes to the bit what is stored in tests/golden."""

from __future__ import annotations

import copy
import importlib.util
import json
import math
import struct
from pathlib import Path
from types import ModuleType
from typing import Any

import law_worlds
import numpy as np
import pytest
from golden_worlds import WORLDS, GoldenWorld

import golden
from eddyline import _core
from eddyline.world import World

ROOT = Path(__file__).resolve().parents[2]
STORED = golden.stored()


def worlds() -> dict[str, World]:
    """Those of the gallery are not needed."""
    own = {name: each for name, each in WORLDS.items() if not name.startswith("gallery/")}
    return {name: World.from_text(each.text, overrides=dict(each.overrides)) for name, each in own.items()}


@pytest.mark.parametrize("name", WORLDS)
def test_the_bits_are_the_golden_ones(name: str):
    """Each world in one of several ways, as they are all the same."""
    way = golden.way_of(name)
    lines = golden.differences(STORED.get(name), golden.computed(WORLDS[name], way))
    assert not lines, golden.failure(name, lines, way)


def test_no_golden_value_is_left_over():
    assert sorted(STORED) == sorted(WORLDS)


@pytest.mark.parametrize("name", ["small-dam", "gas-2d-double", "gallery/couette"])
def test_the_bits_are_the_golden_ones_in_every_way(name: str):
    for way in [golden.Way(), *golden.ways()]:
        lines = golden.differences(STORED[name], golden.computed(WORLDS[name], way))
        assert not lines, golden.failure(name, lines, way)


def test_golden_worlds_cover_every_kind():
    found: set[object] = set()
    for name, world in worlds().items():
        file, dimensions = world.file, world.dimensions
        found |= {(file.method.name, dimensions)}
        if file.method.name != "sph":
            continue
        scheme = file.method.scheme, dimensions
        found |= {scheme, (file.method.scheme, file.method.precision), (scheme, world.has_free_surface)}
        found |= {side.kind for side in world.core.sides[: 2 * dimensions]}
        found |= {("opening", table.type) for table in file.openings.values()}
        found |= {table.type for table in file.observe.values()}
        found |= {file.fluid.state, ("start", file.start.arrangement)}
        moving = [body.motion for body in file.bodies.values() if body.motion is not None]
        found |= {("moves", dimensions) for motion in moving if motion.displacement is not None}
        found |= {("turns", dimensions) for motion in moving if motion.rotation is not None}
        found |= {"settled"} if file.start.settle else set()
        found |= {command.WhichOneof("action") for _, command in WORLDS[name].commands}
    wanted = {
        ("amr", 2), ("amr", 3), ("mps", 2), ("mps", 3), ("multiblock", 2),
        *((scheme, dimensions) for scheme in ("delta", "classic") for dimensions in (2, 3)),
        *((scheme, precision) for scheme in ("delta", "classic") for precision in ("single", "double")),
        *((("delta", dimensions), is_free) for dimensions in (2, 3) for is_free in (False, True)),
        "wall", "periodic", "open", "inflow", "outflow", ("opening", "inflow"), ("opening", "outflow"),
        "probe", "gauge", "front", "pressure_drop", "line", "liquid", "ideal_gas",
        *(("start", arrangement) for arrangement in ("fitted", "jittered", "lattice")),
        *((verb, dimensions) for verb in ("moves", "turns") for dimensions in (2, 3)), "settled",
        "viscosity", "gravity", "move_body", "add_body", "remove_body", "add_probe",
    }  # fmt: skip
    assert not wanted - found


def test_each_series_and_picture_of_a_golden_world_has_numbers():
    """A digest of nothing would never change."""
    for name, entry in STORED.items():
        assert entry.get("fluid", entry.get("cells", 0)) > 0 and entry["state"] != "0" * 32, name
        rows = {series: int(text.split()[0]) for series, text in entry["series"].items()}
        assert rows and min(rows.values()) > 0, (name, rows)
        assert len({*entry["rasters"].values()}) > (2 if "fluid" in entry else 1), name


# --- the comparison sees a bit ------------------------------------------------------------------------------


def flipped(text: str) -> str:
    """The same with another last digit."""
    return text[:-1] + f"{int(text[-1], 16) ^ 1:x}"


@pytest.mark.parametrize(
    ("key", "name", "said"),
    [
        ("state", "", "state"),
        ("fields", "walls", "fields walls"),
        ("series", "force.bottom", "series force.bottom"),
        ("series", "impact", "series impact"),
        ("rasters", "speed", "rasters speed"),
        ("frames", "cover", "frames cover"),
    ],
)
def test_a_bit_flipped_in_a_stored_value_is_reported(key: str, name: str, said: str):
    expected = copy.deepcopy(STORED["dam-2d"])
    if name:
        expected[key][name] = flipped(expected[key][name])
    else:
        expected[key] = flipped(expected[key])
    lines = golden.differences(expected, golden.computed(WORLDS["dam-2d"]))
    assert len(lines) == 1 and lines[0].startswith(f"{said}: ")
    text = golden.failure("dam-2d", lines, golden.Way())
    assert text.startswith("dam-2d: ") and said in text and "make golden" in text


def test_the_last_bit_of_a_constant_in_a_formula_is_seen():
    plain = WORLDS["dam-2d"]
    other = GoldenWorld(plain.text, plain.steps, {"let.g": math.nextafter(9.81, 10)})
    lines = golden.differences(STORED["dam-2d"], golden.computed(other))
    seen = {line.partition(":")[0] for line in lines}
    assert {"state", "fields fluid", "series budget"} <= seen


def test_the_last_bit_of_a_velocity_is_seen():
    """The test changes the velocity of one particle in a checkpoint."""
    world = World.from_text(law_worlds.VORTICES)

    def gone_on(part: bytes) -> golden.Entry:
        simulation = _core.Simulation(world.core, threads=1, series_interval=1e9)
        simulation.restore(iter([part]))
        before = simulation.take_series()
        simulation.advance(math.inf, 21, math.inf)
        return golden.entry_of(world, simulation, [before, simulation.take_series()])

    simulation = _core.Simulation(world.core, threads=1, series_interval=1e9)
    simulation.advance(math.inf, 20, math.inf)
    part = simulation.save()
    speed = float(simulation.velocity[17, 0])
    bits = struct.pack("<d", speed)
    assert part.count(bits) == 1
    changed = part.replace(bits, struct.pack("<d", math.nextafter(speed, math.inf)))
    assert golden.differences(gone_on(part), gone_on(part)) == []
    lines = golden.differences(gone_on(part), gone_on(changed))
    assert "state" in {line.partition(":")[0] for line in lines}


@pytest.mark.parametrize("which", ["columns", "rows", "values"])
def test_a_series_is_compared_with_its_names_and_its_length(which: str):
    rows = np.arange(6.0).reshape(3, 2)
    plain: Any = {"front": (["time", "position"], ["s", "m"], rows)}
    other: Any = {
        "columns": {"front": (["time", "place"], ["s", "m"], rows)},
        "rows": {"front": (["time", "position"], ["s", "m"], rows[:2])},
        "values": {"front": (["time", "position"], ["s", "m"], np.nextafter(rows, 9))},
    }[which]
    assert golden.series_digests([plain], []) != golden.series_digests([other], [])


# --- make golden --------------------------------------------------------------------------------------------


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """tools/golden.py; stored values, of two worlds, in a folder of their own."""
    spec = importlib.util.spec_from_file_location("golden_tool", ROOT / "tools" / "golden.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    values = {name: STORED[name] for name in ("small-dam", "vortices")}
    golden.write(values, "they are new", tmp_path, "2000-01-01")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "WORLDS", values)
    for name in ("VALUES", "CHANGES"):
        monkeypatch.setattr(golden, name, tmp_path / getattr(golden, name).name)
    monkeypatch.setattr(golden, "stored", lambda path=None, read=golden.stored: read(path or golden.VALUES))
    monkeypatch.setattr(golden.write, "__defaults__", (tmp_path, ""))
    return module


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_make_golden_without_differences_writes_nothing(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = contents(tmp_path)
    assert tool.values("because") == 0
    assert "All 2 worlds have their golden values. Nothing is written." in capsys.readouterr().out
    assert contents(tmp_path) == before


def test_make_golden_writes_with_a_reason_only(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    before = contents(tmp_path)

    def computed(name: str) -> golden.Entry:
        entry = copy.deepcopy(STORED[name])
        if name == "vortices":
            entry["series"]["budget"] = flipped(entry["series"]["budget"])
        return entry

    monkeypatch.setattr(golden, "computed_in_two_ways", computed)
    assert tool.values("") == 1
    said = capsys.readouterr().out
    assert "vortices\n    series budget: " in said and "small-dam" not in said
    assert "Nothing is written" in said and golden.COMMAND in said
    assert contents(tmp_path) == before
    assert tool.values("A better kernel") == 0
    assert golden.stored()["vortices"] == computed("vortices")
    log = golden.CHANGES.read_text()
    assert log.startswith(before["CHANGES.md"].decode())
    assert log.splitlines()[-3].endswith(": A better kernel")
    assert log.splitlines()[-1] == "- vortices: series budget"


def test_make_golden_refuses_values_that_break_the_law(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    before, count = contents(tmp_path), iter(range(10))
    monkeypatch.setattr(golden, "computed", lambda *_: STORED["small-dam"] | {"fluid": next(count)})
    assert tool.values("because") == 1
    assert "The law is broken" in capsys.readouterr().out
    assert contents(tmp_path) == before


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines"])
def test_values_are_not_written_without_one_line_of_reason(reason: str, tmp_path: Path):
    with pytest.raises(ValueError, match="must be one line"):
        golden.write({}, reason, tmp_path)
    assert not list(tmp_path.iterdir())


def test_changes_tell_of_every_stored_value():
    """A change of values by hand is detected because no entry names its worlds."""
    log = golden.CHANGES.read_text(encoding="utf-8")
    assert json.loads(golden.VALUES.read_text(encoding="utf-8"))["format"] == 1
    assert all(f"- {name}: " in log for name in STORED)
