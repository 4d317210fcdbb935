"""Helpers that all parts of this experiment use."""

from __future__ import annotations

from typing import Any

from eddyline.run import Run


def world_file(name: str) -> str:
    return f"worlds/vertanen/{name}.toml"


def wall_time(run: Run) -> float:
    """Wall time of the steps [s]."""
    return float(run.record["wall_seconds"])


def idle_share(share: dict[str, Any]) -> float:
    """1 - Tc / T of a process: T all of its time, Tc without the waiting for others."""
    seconds = share["seconds"]
    return float(seconds["wait"] / sum(seconds.values()))
