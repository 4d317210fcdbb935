"""Traffic of a run is recorded as it was, and replayed by any strategy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from ways import needs_ranks

from eddyline import _core
from eddyline.bench import main
from eddyline.bench.exchange import Traffic, Wanted
from eddyline.bench.exchange.replay import chosen
from eddyline.run.errors import RequestError
from eddyline.world import World

STEPS = 80


def eddyline(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eddyline", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traffic") / "dam.npz"
    done = eddyline("bench", "exchange", "--record", path, "dam_break", "--ranks", 3, "--steps", STEPS)
    assert done.returncode == 0, done.stderr
    assert "neighbours of a rank" in done.stdout and "migrants" in done.stdout
    return path


def small() -> Traffic:
    """Two rebuilds of three ranks in a row; exchanges 0, 1 and 3 of the fluid, 2 of walls, 4 of migrants."""
    exchanges = [(0, 0, 0, 0), (0, 0, 0, 1), (0, 1, 1, 2), (1, 0, 2, 3), (1, 2, 3, 4)]
    messages = [
        (3, 1, 2, 120),
        (0, 0, 1, 240),
        (0, 1, 0, 264),
        (1, 0, 1, 400),
        (1, 1, 0, 440),
        (2, 1, 2, 160),
        (3, 0, 1, 72),
        (3, 2, 0, 144),
        (4, 0, 2, 100),
    ]
    about = {"ranks": 3, "world": "small"}
    return Traffic.of(about, ("fluid", "walls", "migrants"), np.array(exchanges), np.array(messages))


def test_messages_bytes_and_neighbours_of_each_exchange() -> None:
    traffic = small()
    assert traffic.halos == ("fluid", "walls", "migrants") and traffic.busiest == "fluid"
    messages, size = traffic.counts()
    assert messages.tolist() == [2, 2, 1, 3, 1]
    assert size.tolist() == [21 * 24, 21 * 40, 4 * 40, 14 * 24, 100]
    assert traffic.neighbors().tolist() == [[1, 1, 0], [2, 2, 2]]
    assert traffic.neighbors("walls").tolist() == [[0, 1, 1]]


def test_a_script_has_what_goes_to_each_neighbour_and_comes_from_it() -> None:
    traffic = small()
    exchanges, groups = traffic.script(0, np.array([0, 3]), as_counts=False)
    assert exchanges.tolist() == [[0, 0, 0], [0, 1, 1]]
    assert [group.tolist() for group in groups] == [[[1, 240, 264]], [[1, 72, 0], [2, 0, 144]]]
    exchanges, groups = traffic.script(1, np.array([0, 1]), as_counts=False)
    assert exchanges.tolist() == [[0, 0, 0], [0, 0, 1]]  # two sizes of messages after one rebuild
    assert [group.tolist() for group in groups] == [[[0, 264, 240]], [[0, 440, 400]]]
    exchanges, groups = traffic.script(2, np.array([1, 3]), as_counts=True)
    assert [group.tolist() for group in groups] == [[], [[0, 4, 4], [1, 4, 4]]]


def test_exchanges_are_chosen_over_the_whole_run() -> None:
    traffic = small()
    assert chosen(traffic, Wanted()).tolist() == [0, 1, 2, 3]
    assert chosen(traffic, Wanted(exchanges=2)).tolist() == [0, 3]
    assert chosen(traffic, Wanted(as_counts=True)).tolist() == [0, 1, 3]
    assert chosen(traffic, Wanted(halos=("walls",))).tolist() == [2]
    with pytest.raises(RequestError, match="no exchange of cells was recorded; recorded are fluid, walls"):
        chosen(traffic, Wanted(halos=("cells",)))


def test_waiting_inside_mpi_is_left_out_on_many_ranks() -> None:
    assert "onesided-fence" in Wanted().names(4) and "onesided-fence" not in Wanted().names(5)
    assert "auto" not in Wanted().names(2) and Wanted(("auto", "auto")).names(9) == ["auto"]
    assert "alltoall-blocks" in Wanted(as_counts=True).names(9)


def test_a_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    traffic, path = small(), tmp_path / "small.npz"
    traffic.write(path)
    back = Traffic.read(path)
    assert back.about == traffic.about and back.halos == traffic.halos
    assert (back.exchanges == traffic.exchanges).all() and (back.messages == traffic.messages).all()


@needs_ranks
def test_recording_changes_no_bit_and_misses_nothing(recorded: Path) -> None:
    traffic = Traffic.read(recorded)
    alone = _core.Simulation(World.load("dam_break").core, threads=1, series_interval=1e9)
    alone.advance(np.inf, STEPS, np.inf)
    assert traffic.about["checksum"] == f"{alone.checksum():032x}"
    assert traffic.ranks == 3 and set(traffic.halos) >= {"fluid", "walls", "cells", "migrants"}
    fluid = traffic.of_halo("fluid")
    assert np.unique(traffic.exchanges[fluid, 0]).tolist() == list(range(STEPS))
    assert 2 * STEPS <= fluid.sum() < 4 * STEPS
    messages, size = traffic.counts()
    assert (messages[fluid] == traffic.neighbors()[0].sum()).mean() > 0.5
    assert (size[fluid] > 0).all()


@needs_ranks
def test_every_strategy_replays_what_was_recorded(recorded: Path, tmp_path: Path) -> None:
    told, picture = tmp_path / "told.json", tmp_path / "boxes.png"
    done = eddyline(
        "bench", "exchange", "--replay", recorded, "--exchanges", 12, "--json", told, "--picture", picture
    )
    assert done.returncode == 0, done.stderr
    records = json.loads(told.read_text())
    assert [record["strategy"] for record in records] == Wanted().names(3)
    for record in records:
        assert record["exchanges"] == record["wanted"] == 12 and record["ranks"] == 3
        five = record["seconds"]
        assert 0 < five["min"] <= five["q1"] <= five["median"] <= five["q3"] <= five["max"] < 1
        assert record["bytes"] == records[0]["bytes"] > 0 and record["messages"] > 2
        assert len(record["by_rank"]) == 3 and 0 < record["waiting"] <= 1
    assert "onesided-lock" in done.stdout and "Every byte was checked" in done.stdout
    with Image.open(picture) as image:
        assert image.width > 600


@needs_ranks
@pytest.mark.matrix
def test_counts_are_four_bytes_to_each_neighbour(recorded: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    words = [
        "--counts",
        "--exchange",
        "sparse",
        "--exchange",
        "alltoall-blocks",
        "--exchanges",
        6,
        "--json",
        told,
    ]
    done = eddyline("bench", "exchange", "--replay", recorded, *words, "--quiet")
    assert done.returncode == 0 and done.stdout == "", done.stderr
    for record in json.loads(told.read_text()):
        assert record["bytes"] == 4 * record["messages"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--record", "a.txt", "dam_break"], "must end in .npz"),
        (["--record", "nowhere/a.npz", "dam_break"], "the folder nowhere does not exist"),
        (["--record", "a.npz"], "requires a world"),
        (["--record", "a.npz", "dam_break", "--ranks", "1"], "must be at least 2"),
        (["--record", "a.npz", "dam_break", "--steps", "0"], "must be at least 1"),
        (["--replay", "small.npz", "dam_break"], "takes no world"),
        (["--replay", "small.npz", "--exchange", "pigeons"], "must be all or one of nonblocking"),
        (["--replay", "small.npz", "--picture", "boxes.svg"], "must end in .png"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    small().write(Path("small.npz"))
    with pytest.raises(SystemExit):
        main(["exchange", *words])
    assert message in capsys.readouterr().err


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    path.write_text("not traffic")
    with pytest.raises(RequestError, match="contains no recorded traffic"):
        Traffic.read(path)
    np.savez(path, about="{}")
    with pytest.raises(RequestError, match="contains no recorded traffic"):
        main(["exchange", "--replay", str(path)])
