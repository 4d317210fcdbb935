"""Experiments still run, and a short one finds what the long one found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ways import needs_ranks

ROOT = Path(__file__).resolve().parents[2]


def quick(name: str, folder: Path, *parts: str) -> tuple[dict[str, Any], str]:
    """Results and output of a short version of an experiment."""
    script = ROOT / "experiments" / name / "run.py"
    done = subprocess.run(
        [sys.executable, str(script), *parts, "--quick", "--out", str(folder)],
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "results.json").read_text()), done.stdout


@pytest.mark.matrix
@needs_ranks
def test_processes_do_not_change_the_result(tmp_path: Path) -> None:
    kept, printed = quick("vertanen-1999", tmp_path, "table3")
    found = kept["table3"]
    assert found["same"] and len(found["steps"]) == 8
    assert 0 < max(found["apart"].values()) < 1e-12
    assert (tmp_path / "table3.png").stat().st_size > 10_000
    assert printed.count("0, bit-identical") == 16


@pytest.mark.matrix
@needs_ranks
def test_exact_lazy_steps_change_nothing_and_inexact_ones_do(tmp_path: Path) -> None:
    kept, _ = quick("vertanen-1999", tmp_path, "table4")
    found = kept["table4"]
    assert found["same"] and set(found["errors"]) == {"2", "4", "8"}
    assert all(error > 0 for moments in found["errors"].values() for error, _ in moments.values())
    effective = {name: way["effective"] for name, way in found["ways"].items()}
    assert (
        effective["every step"] == 1 < effective["every 2, exact"] <= 2 < effective["every 8, inexact"] <= 8
    )
    assert found["ways"]["every 2, exact"]["messages"] < found["ways"]["every step"]["messages"]
    assert (tmp_path / "table4.png").stat().st_size > 10_000


@pytest.mark.matrix
def test_versions_of_the_search_find_the_same_pairs(tmp_path: Path) -> None:
    """Versions find the same pairs, which the script itself asserts; prices of so few steps say nothing."""
    kept, printed = quick("vertanen-1999/serial", tmp_path, "versions")
    found = kept["versions"]
    assert {"all pairs, every step", "cells, every step"} <= set(found["fits"])
    assert "141.7 days" in printed
    assert (tmp_path / "versions.png").stat().st_size > 10_000


@pytest.mark.matrix
@needs_ranks
def test_counts_travel_in_all_ways(tmp_path: Path) -> None:
    found, _ = quick("abe", tmp_path)
    by_way = found["counts"]["ranks"]["4"]
    assert {"alltoall-blocks", "onesided-fence", "onesided-lock", "sparse"} <= set(by_way)
    assert len({record["bytes"] for record in by_way.values()}) == 1
    adjacent = found["adjacency"]["ranks"]["4"]
    assert 1 <= adjacent["min"] <= adjacent["median"] <= adjacent["max"] <= 3
    for name in ("counts.png", "adjacency.png"):
        assert (tmp_path / name).stat().st_size > 5_000


@pytest.mark.matrix
@needs_ranks
def test_a_chain_is_exchanged_in_both_ways(tmp_path: Path) -> None:
    found, _ = quick("hammond-1997", tmp_path)
    assert set(found["chain"]["ranks"]) == {"2", "4"}
    for by_way in found["chain"]["ranks"].values():
        assert by_way["blocking"]["bytes"] == by_way["nonblocking"]["bytes"] > 0
    assert 0 < found["waiting"]["ranks"]["2"]["blocking"]["exchanging"] < 1
    for name in ("synchronous.png", "asynchronous.png", "chain.png"):
        assert (tmp_path / name).stat().st_size > 5_000


def test_the_tables_of_mapper_are_explained(tmp_path: Path) -> None:
    """All printed rows are equal; loads, a serial share and messages give both measured tables."""
    found, printed = quick("hammond-1997", tmp_path, "mapper", "model")
    assert found["mapper"]["rows"] == found["mapper"]["equal"] == 48 and "48 of 48" in printed
    told = found["model"]
    assert told["synchronous"]["worst"] < 0.023 and told["asynchronous"]["worst"] < 0.018
    assert told["both"]["worst"] < 0.083 and told["both"]["message"] == pytest.approx(1.47, abs=0.01)
    assert (tmp_path / "model.png").stat().st_size > 5_000


@pytest.mark.matrix
@needs_ranks
def test_threads_exchange_with_and_without_a_core_to_spare(tmp_path: Path) -> None:
    found, _ = quick("ramanathan", tmp_path)
    for part in ("steps", "overlap"):
        places = found[part]["places"]
        assert set(places) == {"own", "spare"} and all(set(each) == {"1", "2"} for each in places.values())
    for by_boxes in found["overlap"]["places"].values():
        assert all(
            value[way]["alone"] > 0 for value in by_boxes.values() for way in ("nonblocking", "threaded")
        )
    assert (tmp_path / "overlap.png").stat().st_size > 5_000
