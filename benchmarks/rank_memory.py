"""Memory of a rank in weak scaling: world and ranks grow together, the particles of each rank do not.

  python benchmarks/rank_memory.py                  4, 16 and 64 ranks of 2,500 particles
  python benchmarks/rank_memory.py --ranks 2 8      others

A square stream past a cylinder, with snapshots, a picture and a checkpoint. Columns: particles of all ranks
and of the fullest; its arrays and lists, as the core counts them; and at the end, of rank 0 and of the
greediest of the others, what the system counts as their own memory, and as memory shared with other ranks, in
which the MPI library exchanges messages.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from eddyline.ranks.launch import find_launcher, local_environment

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "vertanen" / "one_cylinder.toml"
SHARE = 2_500  # particles of a rank
STEPS = 60
NOTES = "EDDYLINE_MEMORY_NOTES"
COUNTED = ("RssAnon", "RssShmem")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, nargs="+", default=[4, 16, 64], metavar="N")
    wanted = parser.parse_args()
    print(
        "ranks particles of a rank  core [MB]  rank 0: own, shared [MB]  others: own, shared [MB]", flush=True
    )
    for ranks in wanted.ranks:
        with tempfile.TemporaryDirectory() as folder:
            print(measured(ranks, Path(folder)), flush=True)


def measured(ranks: int, folder: Path) -> str:
    spacing = 1 / round((SHARE * ranks) ** 0.5)
    words = [
        "run",
        str(WORLD),
        "--out",
        str(folder / "run"),
        "--quiet",
        "--threads",
        "1",
        "--steps",
        str(STEPS),
    ]
    words += ["--set", f"domain.spacing={spacing!r}", "--set", "output.pictures=1"]
    command = [*find_launcher(), "-n", str(ranks), sys.executable, __file__, "--rank", *words]
    environment = local_environment() | {NOTES: str(folder)}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    shares = json.loads((folder / "run" / "run.json").read_text())["shares"]
    held = {int(note.suffix[1:]): json.loads(note.read_text()) for note in folder.glob("held.*")}
    assert len(held) == len(shares) == ranks
    particles = [share["fluid_particles"] for share in shares]
    most = [max(held[rank][k] for rank in range(1, ranks)) / 1e3 for k in range(len(COUNTED))]
    return (
        f"{ranks:5} {sum(particles):9,} {max(particles):9,} "
        f"{max(share['memory_bytes'] for share in shares) / 1e6:10.2f} "
        f"{held[0][0] / 1e3:17.1f} {held[0][1] / 1e3:8.1f} {most[0]:17.1f} {most[1]:8.1f}"
    )


def be_a_rank() -> None:
    """Runs `eddyline` as it is named in the arguments, and notes what this process holds at its end [kB]."""
    from eddyline.cli import main as run
    from eddyline.ranks import join

    folder, rank = Path(os.environ[NOTES]), join().rank

    def note() -> None:
        lines = Path("/proc/self/status").read_text().splitlines()
        values = {
            name: int(rest.split()[0])
            for name, _, rest in (line.partition(":") for line in lines)
            if "kB" in rest
        }
        (folder / f"held.{rank}").write_text(json.dumps([values[name] for name in COUNTED]))

    atexit.register(note)
    sys.argv = ["eddyline", *sys.argv[2:]]
    run()


if __name__ == "__main__":
    be_a_rank() if sys.argv[1:2] == ["--rank"] else main()
