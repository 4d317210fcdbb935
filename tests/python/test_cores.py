"""Waiting of idle threads, and the cores that a process may use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eddyline import cores


@pytest.mark.parametrize(("count", "tries"), [(1, "200"), (3, "200"), (4, "2000"), (64, "2000")])
def test_threads_look_longer_for_work_where_there_are_many(
    monkeypatch: pytest.MonkeyPatch, count: int, tries: str
) -> None:
    monkeypatch.setattr(cores, "own_cores", lambda: list(range(count)))
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    cores.let_threads_wait()
    assert os.environ["GOMP_SPINCOUNT"] == tries


def test_settings_of_the_user_take_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    cores.let_threads_wait()
    assert os.environ["GOMP_SPINCOUNT"] == "7"


@pytest.mark.parametrize(("count", "most"), [(1, 64), (2, 64), (16, 64), (48, 192)])
def test_absurdly_many_are_refused(monkeypatch: pytest.MonkeyPatch, count: int, most: int) -> None:
    monkeypatch.setattr(cores, "own_cores", lambda: list(range(count)))
    assert cores.refusal("ranks", most) == ""
    words = "1 core" if count == 1 else f"{count} cores"
    assert cores.refusal("ranks", most + 1) == f"ranks = {most + 1}: must be <= {most} with {words}"


def test_many_processes_for_the_cores_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "own_cores", lambda: [0, 1])
    assert cores.crowding(4, 1) == cores.crowding(2, 2) == ""
    assert cores.crowding(5, 1) == "note: 5 ranks share 2 cores; the run is slow. Use fewer ranks or threads"
    assert "3 ranks of 2 threads each share 2 cores" in cores.crowding(3, 2)


def test_it_is_said_before_the_extension_module_is_loaded() -> None:
    program = "import os, sys, eddyline; print('eddyline._core' in sys.modules, os.environ['GOMP_SPINCOUNT'])"
    free = {name: value for name, value in os.environ.items() if name != "GOMP_SPINCOUNT"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=free, capture_output=True, text=True, check=True, timeout=60
    )
    loaded, tries = done.stdout.split()
    assert loaded == "False"
    assert int(tries) > 0


def system(folder: Path, groups: str, mounts: dict[str, str], limits: dict[str, str]) -> Path:
    """Writes the control groups of a process. mounts: kind and options of each place; limits: files."""
    lines = [
        f"30 23 0:{number} {root} {folder}/{place} rw - {kind} {kind} {options}"
        for number, (place, (root, kind, options)) in enumerate(
            (place, told.split()) for place, told in mounts.items()
        )
    ]
    (folder / "mountinfo").write_text("\n".join(lines) + "\n")
    (folder / "cgroup").write_text(groups)
    for name, text in limits.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n")
    return folder


V2 = {"all": "/ cgroup2 rw"}
V1 = {"cpu,cpuacct": "/ cgroup rw,cpu,cpuacct", "memory": "/ cgroup rw,memory", "unified": "/ cgroup2 rw"}


@pytest.mark.parametrize(
    ("groups", "mounts", "limits", "quota"),
    [
        ("0::/a/b\n", V2, {}, None),
        ("0::/a/b\n", V2, {"all/a/b/cpu.max": "max 100000"}, None),
        ("0::/a/b\n", V2, {"all/a/b/cpu.max": "150000 100000"}, 1.5),
        ("0::/a/b\n", V2, {"all/a/b/cpu.max": "max 100000", "all/a/cpu.max": "50000 100000"}, 0.5),
        ("0::/a/b\n", V2, {"all/a/b/cpu.max": "100000 50000", "all/a/cpu.max": "300000 100000"}, 2.0),
        ("0::/a\n", V2, {"all/a/b/cpu.max": "100000 100000"}, None),  # of a group within
        ("0::/\n", V2, {"all/cpu.max": "200000 100000"}, 2.0),  # in a container
        ("0::/docker/4f\n", {"all": "/docker/4f cgroup2 rw"}, {"all/cpu.max": "200000 100000"}, 2.0),
        (
            "4:cpu,cpuacct:/x/y\n3:memory:/z\n0::/\n",
            V1,
            {
                "cpu,cpuacct/x/y/cpu.cfs_quota_us": "-1",
                "cpu,cpuacct/x/y/cpu.cfs_period_us": "100000",
                "cpu,cpuacct/x/cpu.cfs_quota_us": "300000",
                "cpu,cpuacct/x/cpu.cfs_period_us": "100000",
                "memory/z/cpu.cfs_quota_us": "1",
                "memory/z/cpu.cfs_period_us": "1",
            },
            3.0,
        ),
        ("0::/a\n", {r"with\040space": "/ cgroup2 rw"}, {"with space/a/cpu.max": "400000 100000"}, 4.0),
        ("0::/a\n", V2, {"all/a/cpu.max": "nonsense"}, None),
    ],
)
def test_a_quota_is_read(
    tmp_path: Path, groups: str, mounts: dict[str, str], limits: dict[str, str], quota: float | None
) -> None:
    assert cores.cpu_quota(system(tmp_path, groups, mounts, limits)) == quota


@pytest.mark.parametrize(("quota", "count"), [(None, 8), (0.2, 1), (1.0, 1), (1.5, 2), (6.0, 6), (64.0, 8)])
def test_no_more_cores_are_used_than_a_quota_pays_for(
    monkeypatch: pytest.MonkeyPatch, quota: float | None, count: int
) -> None:
    monkeypatch.setattr(cores, "allowed_cores", lambda: list(range(8)))
    monkeypatch.setattr(cores, "cpu_quota", lambda: quota)
    assert len(cores.own_cores()) == count
