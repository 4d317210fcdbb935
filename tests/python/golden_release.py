"""A run that each release keeps in tests/golden/VERSION: what later versions read, or refuse in one line.

run.tar.xz       the folder of a run that went on from a checkpoint and was steered, with the checkpoint
                 at its end; without charts, which are made of its series
expected.json    what it holds, as digests, and how it goes on
"""

from __future__ import annotations

import json
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import small_worlds

import eddyline
from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.world import World
from golden import FOLDER, digest, stored

ARCHIVE, EXPECTED, RUN = "run.tar.xz", "expected.json", "run"
QUIETLY: dict[str, Any] = {"progress": False, "movie": False, "report": False, "threads": 1}
OVERRIDES = {"time.end": 0.03, "output.pictures": 4, "output.snapshots": 4, "output.series": 60}
BEGUN, KEPT = 0.01, 0.02
"""When the run is left first, and where it is kept [s]; it goes on to the end of its world."""
CHECKSUMS_EVERY = 5
COMMANDS = (
    (14, pb.Command(id="a", gravity=pb.Gravity(value=["0.5", "-9"]))),
    (15, pb.Command(id="b", add_probe=pb.AddProbe(name="later", position=[0.02, 0.01]))),
    (16, pb.Command(id="c", move_body=pb.MoveBody(body="post", by=[0.0, 0.004], seconds=0.02))),
    (18, pb.Command(id="d", viscosity=pb.Viscosity(value="2e-6"))),
)


def folder_of_this_version() -> Path:
    """tests/golden/0.1 for version 0.1.x."""
    return FOLDER / ".".join(eddyline.__version__.split(".")[:2])


def releases() -> list[Path]:
    return sorted(path.parent for path in FOLDER.glob(f"*/{EXPECTED}"))


def unpack(release: Path, target: Path) -> Path:
    """The folder of the run, in `target`."""
    with tarfile.open(release / ARCHIVE) as archive:
        archive.extractall(target, filter="data")
    return target / RUN


def expected(release: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((release / EXPECTED).read_text(encoding="utf-8"))
    return found


def make(folder: Path) -> None:
    """Computes the run and keeps it."""
    with tempfile.TemporaryDirectory() as place:
        run = _computed(Path(place))
        held = contents(run)
        for path in run.folder.glob("pictures/*.png"):
            if path != run.picture:
                path.unlink()
        again = shutil.copytree(run.folder, Path(place) / "again")
        resumed = contents(eddyline.resume(again, **QUIETLY))
        folder.mkdir(parents=True)
        with tarfile.open(folder / ARCHIVE, "w:xz") as archive:
            archive.add(run.folder, RUN, filter=_without_owner)
    about = {"version": eddyline.__version__, "golden": golden_values_of_its_kind()}
    text = json.dumps({**about, "run": held, "resumed": resumed}, indent=2)
    (folder / EXPECTED).write_text(f"{text}\n", encoding="utf-8")


def golden_values_of_its_kind() -> str:
    """A digest of the golden values of a small dam and of a steered flow. While they are as they were for a
    release, its run is computed to the same bits."""
    kept = stored()
    text = json.dumps([kept["small-dam"], kept["steered"]], sort_keys=True)
    return digest(np.frombuffer(text.encode(), dtype=np.uint8))


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _computed(place: Path) -> eddyline.Run:
    small_worlds.write(place)
    world = World.load(place / "small.toml", overrides=OVERRIDES)
    options = QUIETLY | {"checkpoint_every": 0, "checksums": CHECKSUMS_EVERY}
    run = eddyline.run(World.from_text(world.source, "small"), until=BEGUN, out=place / RUN, **options)
    for step, command in COMMANDS:
        entry = journal.Entry(step, run.record["time"], command, f"{command.WhichOneof('action')}, as told")
        journal.append(run.folder / journal.NAME, entry)
    run = eddyline.resume(run, until=KEPT, **options)
    kept = sorted((run.folder / "checkpoints").iterdir())
    shutil.rmtree(kept[0])
    return run


def contents(run: eddyline.Run) -> dict[str, Any]:
    """The parts of a run that are the same on every machine."""
    record = run.record
    return {
        "outcome": run.outcome,
        "fingerprint": run.fingerprint,
        "checksum": record["checksum"],
        "steps": record["steps"],
        "time": float(record["time"]).hex(),
        "particles": [record["fluid_particles"], record["wall_particles"]],
        "steered": len(record["steered"]),
        "series": {name: _digest_of_series(run, name) for name in run.series_names},
        "frames": [
            {"step": frame.step, "time": frame.time.hex(), "values": digest(frame.values)}
            for frame in run.frames()
        ],
        "snapshots": [_digest_of_snapshot(run.snapshot(k)) for k in range(run.snapshot_count)],
        "quantities": sorted(value["name"] for value in run.results["values"]),
    }


def _digest_of_series(run: eddyline.Run, name: str) -> str:
    table = run.series(name)
    heads = json.dumps([[column, table.attrs["units"][column]] for column in table.columns]).encode()
    return f"{len(table)} rows {digest(np.frombuffer(heads, dtype=np.uint8), table.to_numpy(dtype=float))}"


def _digest_of_snapshot(held: dict[str, Any]) -> dict[str, Any]:
    arrays = {name: values for name, values in held.items() if isinstance(values, np.ndarray)}
    return {
        "step": held["step"],
        "time": held["time"].hex(),
        **{name: digest(values) for name, values in sorted(arrays.items())},
    }
