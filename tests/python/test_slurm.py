"""The sample job of examples/slurm.sh under a Slurm of one node on loopback, where Slurm is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_worlds

import eddyline

ROOT = Path(__file__).resolve().parent.parent.parent
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "srun")
SBIN = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
MISSING = [name for name in NEEDED if shutil.which(name, path=SBIN) is None]
WAIT = 60.0  # s
CONF = """
ClusterName=eddyline
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
"""

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"Slurm is not installed: no {', '.join(MISSING)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="a Slurm of one's own needs root"),
]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of commands for a Slurm that has an idle node."""
    folder = tmp_path_factory.mktemp("slurm")
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    host = socket.gethostname().split(".")[0]
    ports = []
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            taken = stack.enter_context(socket.socket())
            taken.bind(("127.0.0.1", 0))
            ports.append(taken.getsockname()[1])
    (folder / "slurm.conf").write_text(CONF.format(folder=folder, host=host, ports=ports))
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n")
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    environment = {**os.environ, "PATH": SBIN, "SLURM_CONF": str(folder / "slurm.conf")}
    munge = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"]
    munge += [f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log"]
    munge += [f"--seed-file={folder}/munge.seed"]
    with contextlib.ExitStack() as stack:
        for command in (munge, ["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
            stack.enter_context(running(command, environment))
            time.sleep(0.5)
        limit = time.monotonic() + WAIT
        while (state := said(["sinfo", "-h", "-o", "%T"], environment)) != "idle":
            if time.monotonic() > limit:
                logs = "\n".join(path.read_text()[-1500:] for path in folder.glob("*.log"))
                pytest.fail(f"the node is not idle but {state!r}\n{logs}")
            time.sleep(0.3)
        yield environment


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, stdin=quiet)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def said(command: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    ).stdout.strip()


def test_the_sample_job_runs_on_two_ranks(slurm: dict[str, str], tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path, small_worlds.tank((0.3, 0.2), (0.1, 0.15), 0.01, 0.05))
    sizes = ["--nodes=1", "--ntasks-per-node=2", "--cpus-per-task=1", "--time=5"]
    path = f"{Path(sys.executable).parent}:{slurm['PATH']}"
    done = subprocess.run(
        ["sbatch", "--wait", "--export=ALL", *sizes, ROOT / "examples" / "slurm.sh", world, "--quiet"],
        cwd=tmp_path, env={**slurm, "PATH": path}, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    told = "".join(each.read_text() for each in tmp_path.glob("eddyline-*.out"))
    assert done.returncode == 0, done.stderr + told
    (folder,) = (tmp_path / "runs").glob(f"{Path(world).stem}-*")
    run = eddyline.Run.open(folder)
    alone = eddyline.run(world, out=tmp_path / "alone", threads=1, progress=False, movie=False, report=False)
    assert run.record["ranks"] == 2
    assert run.fingerprint == alone.fingerprint
