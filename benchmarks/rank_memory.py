"""What a rank holds while world and ranks grow together and its own share stays the same.

  python benchmarks/rank_memory.py                  4, 16 and 64 ranks of 2,500 particles
  python benchmarks/rank_memory.py --ranks 2 8      others

A square stream with inflow and outflow past a cylinder, snapshots, a picture and a checkpoint included. Columns:
particles of all ranks and of the fullest; memory of the fullest rank's arrays and lists, as the core counts
it; the most memory that the system has given to rank 0, and to the greediest of the others, Python and its
libraries included; and the latter for ranks that only greet each other.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from eddyline.ranks.launch import find_launcher, local_environment

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "vertanen" / "one_cylinder.toml"
SHARE = 2_500  # particles of a rank
STEPS = 60
NOTES = "EDDYLINE_MEMORY_NOTES"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, nargs="+", default=[4, 16, 64], metavar="N")
    wanted = parser.parse_args()
    print("ranks  particles  of a rank  core [MB]  rank 0 [MB]  others [MB]  greeting [MB]", flush=True)
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
    peaks, greeting = peaks_of(ranks, folder, words), peaks_of(ranks, folder, [])
    shares = json.loads((folder / "run" / "run.json").read_text())["shares"]
    assert len(peaks) == len(shares) == ranks
    particles = [share["fluid_particles"] for share in shares]
    return (
        f"{ranks:5} {sum(particles):10,} {max(particles):10,} "
        f"{max(share['memory_bytes'] for share in shares) / 1e6:10.2f} {peaks[0]:12.1f} "
        f"{max((peak for rank, peak in peaks.items() if rank), default=0):12.1f} "
        f"{max((peak for rank, peak in greeting.items() if rank), default=0):14.1f}"
    )


def peaks_of(ranks: int, folder: Path, words: list[str]) -> dict[int, float]:
    """The most memory of each rank of `eddyline WORDS` [MB]."""
    command = [*find_launcher(), "-n", str(ranks), sys.executable, __file__, "--rank", *words]
    environment = local_environment() | {NOTES: str(folder)}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return {int(note.suffix[1:]): int(note.read_text()) / 1e3 for note in folder.glob("peak.*")}


def be_a_rank() -> None:
    """Runs `eddyline` as it is named in the arguments, or greets all ranks if nothing is, and notes the most
    memory that this took [kB]."""
    from eddyline.cli import main as run
    from eddyline.ranks import join

    session = join()
    rank = session.rank
    note = Path(os.environ[NOTES]) / f"peak.{rank}"
    atexit.register(lambda: note.write_text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)))
    sys.argv = ["eddyline", *sys.argv[2:]]
    if len(sys.argv) > 1:
        run()
    else:
        session.agree(lambda: "good day", str)


if __name__ == "__main__":
    be_a_rank() if sys.argv[1:2] == ["--rank"] else main()
