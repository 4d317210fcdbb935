"""/api/runs: what has been computed, what is being computed, what waits."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi import Path as PathPart
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.requests import HTTPConnection

from eddyline.live.frames import MOST_PARTICLES
from eddyline.run.folder import RunFolder
from eddyline.serve import past
from eddyline.serve.drafts import draft
from eddyline.serve.lab import OWN, Lab
from eddyline.serve.problems import Faults, Refusal, faults_of
from eddyline.serve.store import FINAL, RunRow
from eddyline.serve.tokens import Looks, Steers
from eddyline.serve.worlds import WorldRequest, WorldText
from eddyline.stream.damaged import DamagedError
from eddyline.stream.integrity import read_text
from eddyline.world import WorldError

_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Faults} for code in (400, 401, 403, 404, 409, 413, 422, 429, 507)
}
router = APIRouter(prefix="/api/runs", tags=["runs"], responses=_ERRORS)
PROTOBUF = "application/x-protobuf"
_KEPT = {"Cache-Control": "private, max-age=86400, immutable"}


def lab_of(connection: HTTPConnection) -> Lab:
    lab: Lab = connection.app.state.lab
    return lab


InLab = Annotated[Lab, Depends(lab_of)]
RunId = Annotated[str, PathPart(pattern=r"^[0-9a-f]{12}$", description="As the list gives it.")]
SeriesName = Annotated[str, PathPart(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]


class RunRequest(WorldRequest):
    """A world to run. ranks, threads: 1 rank, and cores as far as they pay, unless given."""

    ranks: int = Field(default=1, ge=1, le=4096)
    threads: int = Field(
        default=0, ge=0, le=1024, description="Of each rank; 0: all cores, as far as they pay."
    )
    name: str = Field(default="", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="Of its folder.")


class RunAnswer(BaseModel):
    """A run of the list."""

    id: str
    title: str
    world: str
    state: str = Field(description="waiting, running, finished, stopped by user, failed, lost.")
    origin: str = Field(description="lab: started here; joined: by hand; folder: found on the disk.")
    created: str
    started: str
    ended: str
    folder: str
    ranks: int
    threads: int
    particles: int
    predicted_seconds: float
    actual_seconds: float
    message: str
    fingerprint: str
    live: bool = Field(description="Whether its simulation is connected now.")
    viewers: int
    frames: int = Field(description="Stored ones.")


class SeriesAnswer(BaseModel):
    name: str
    columns: list[str]
    units: list[str]
    values: list[list[float | None]] = Field(description="A list for each column.")


class FrameMoment(BaseModel):
    index: int
    step: int
    time: float = Field(description="[s]")


class FramesAnswer(BaseModel):
    frames: list[FrameMoment]
    quantities: list[str]


class MomentsAnswer(BaseModel):
    moments: list[FrameMoment]


class PresentAnswer(BaseModel):
    """What steering has made of a run so far."""

    viscosity: str = Field(description="Kinematic [m^2/s].")
    gravity: str = Field(description="[m/s^2], an axis each.")
    inflows: dict[str, str] = Field(description="Velocities by name, as the world file has them [m/s].")
    reynolds: float | None


class JournalEntry(BaseModel):
    step: int
    time: float
    command: str
    text: str


def answer(lab: Lab, row: RunRow) -> RunAnswer:
    channel = lab.hub.channels.get(row.id)
    shown = {name: getattr(row, name) for name in RunAnswer.model_fields if hasattr(row, name)}
    return RunAnswer(
        **shown,
        live=lab.hub.is_connected(row.id),
        viewers=len(channel.viewers) if channel is not None else 0,
        frames=_frames_of(Path(row.folder)) if row.folder else 0,
    )


def _frames_of(folder: Path) -> int:
    """Stored frames; 0 if they are damaged: the list is of all runs."""
    try:
        return len(past.moments(folder))
    except DamagedError:
        return 0


@router.get("")
def list_runs(lab: InLab, may: Looks) -> list[RunAnswer]:
    """All runs, the newest first."""
    return [answer(lab, row) for row in lab.runs()]


@router.post("", status_code=201)
def start_run(request: RunRequest, lab: InLab, may: Steers) -> RunAnswer:
    """Puts a run into the queue; it starts when a place is free."""
    found = draft(request.toml, dict(request.sets), request.quality)
    if found.world is None:
        refusal = Refusal(422, "The world cannot be run.")
        refusal.faults = faults_of(WorldError(found.problems))
        raise refusal
    return answer(lab, lab.order(found.world, request.name, request.ranks, request.threads))


@router.get("/{id}")
def read_run(id: RunId, lab: InLab, may: Looks) -> RunAnswer:
    """One run."""
    return answer(lab, lab.run(id))


@router.post("/{id}/stop", status_code=202)
async def stop_run(id: RunId, lab: InLab, may: Steers) -> RunAnswer:
    """Asks a run to stop at a step; its folder will be complete. One that waits leaves the queue."""
    row = lab.run(id)
    lab.stop(row)
    return answer(lab, lab.run(id))


@router.delete("/{id}", status_code=204)
def delete_run(id: RunId, lab: InLab, may: Steers) -> None:
    """Deletes a run that has ended, with its folder."""
    row = lab.run(id)
    if row.state not in FINAL:
        raise Refusal(409, f"The run is {row.state}.", "Stop it first.")
    if lab.jobs.is_active(id):
        raise Refusal(409, "Its pictures are being painted.", "Wait a moment.")
    folder = Path(row.folder).resolve()
    if row.folder and folder.is_relative_to(lab.folder.resolve()) and (folder / "run.json").is_file():
        shutil.rmtree(folder)
    shutil.rmtree(lab.folder / OWN / "jobs" / row.id, ignore_errors=True)
    lab.store.remove(row.id)


@router.get("/{id}/world")
def read_world(id: RunId, lab: InLab, may: Looks) -> WorldText:
    """The world file as run."""
    row = lab.run(id)
    waiting = lab.folder / OWN / "jobs" / row.id / f"{row.world}.toml"
    kept = Path(row.folder) / "world.toml"
    path = kept if row.folder and kept.is_file() else waiting
    if not path.is_file():
        raise Refusal(409, "The world of this run is not here.")
    return WorldText(toml=read_text(path, RunFolder(path.parent).read_file))


@router.get("/{id}/results")
def read_results(id: RunId, lab: InLab, may: Looks) -> dict[str, Any]:
    """Values with windows and errors, and what they are held against: results.json; while it runs, so far."""
    return past.results(lab.folder_of(lab.run(id)))


@router.get("/{id}/series")
def list_series(id: RunId, lab: InLab, may: Looks) -> list[str]:
    """Names of the time series."""
    folder = RunFolder(lab.folder_of(lab.run(id)))
    return sorted(path.stem for path in folder.series.glob("*.csv"))


@router.get("/{id}/series/{name}.csv", response_class=FileResponse)
def read_series_file(id: RunId, name: SeriesName, lab: InLab, may: Looks) -> FileResponse:
    """A series as a table, units in its header."""
    return _file(_series(lab, id, name), "text/csv")


@router.get("/{id}/series/{name}")
def read_one_series(id: RunId, name: SeriesName, lab: InLab, may: Looks) -> SeriesAnswer:
    """A series as columns; what is not a number is null."""
    path = _series(lab, id, name)
    table = RunFolder(path.parent.parent).read_series(path.stem)
    columns = [[value if value == value else None for value in table[name]] for name in table.columns]
    units = table.attrs["units"]
    names = [str(column) for column in table.columns]
    return SeriesAnswer(name=name, columns=names, units=[units[each] for each in names], values=columns)


@router.get("/{id}/frames")
def list_frames(id: RunId, lab: InLab, may: Looks) -> FramesAnswer:
    """The stored frames so far, and what they can show."""
    folder = lab.folder_of(lab.run(id))
    frames = [
        FrameMoment(index=k, step=step, time=time) for k, (step, time) in enumerate(past.moments(folder))
    ]
    return FramesAnswer(frames=frames, quantities=past.quantities(folder))


@router.get("/{id}/frames/{index}", response_class=Response, responses={200: {"content": {PROTOBUF: {}}}})
def read_frame(
    id: RunId,
    index: Annotated[int, PathPart(ge=0, le=10_000_000)],
    lab: InLab,
    may: Looks,
    quantity: Annotated[str, Query(pattern=r"^[a-z_]{0,20}$", description="Default: the world's own.")] = "",
    width: Annotated[int, Query(ge=0, le=4096, description="Most columns; 0: all.")] = 0,
    bytes: Annotated[int, Query(ge=1, le=2, description="Of a code.")] = 2,
) -> Response:
    """A stored frame as one Message of the stream's schema."""
    folder = lab.folder_of(lab.run(id))
    named = quantity or str(RunFolder(folder).read_record()["quantity"])
    try:
        message = past.frame(folder, index, named, width, bytes)
    except IndexError as error:
        raise Refusal(404, f"frames/{index}: {error}.") from None
    except ValueError as error:
        raise Refusal(422, f"{error}.") from None
    return Response(message.SerializeToString(), media_type=PROTOBUF, headers=_KEPT)


@router.get("/{id}/particles")
def list_particles(id: RunId, lab: InLab, may: Looks) -> MomentsAnswer:
    """The moments of which all particles are kept."""
    moments = past.particle_moments(lab.folder_of(lab.run(id)))
    return MomentsAnswer(
        moments=[FrameMoment(index=k, step=step, time=time) for k, (step, time) in enumerate(moments)]
    )


@router.get("/{id}/particles/{index}", response_class=Response, responses={200: {"content": {PROTOBUF: {}}}})
def read_particles(
    id: RunId,
    index: Annotated[int, PathPart(ge=0, le=10_000_000)],
    lab: InLab,
    may: Looks,
    quantity: Annotated[str, Query(pattern=r"^[a-z_]{1,20}$")] = "speed",
    most: Annotated[int, Query(ge=0, le=MOST_PARTICLES, description="Particles; 0: as many.")] = 0,
) -> Response:
    """The fluid at one of them as one Message of the stream's schema."""
    folder = lab.folder_of(lab.run(id))
    try:
        message = past.particles(folder, index, quantity, most or MOST_PARTICLES)
    except IndexError as error:
        raise Refusal(404, f"particles/{index}: {error}.") from None
    except ValueError as error:
        raise Refusal(422, f"{error}.") from None
    return Response(message.SerializeToString(), media_type=PROTOBUF, headers=_KEPT)


@router.get("/{id}/journal")
def read_journal(id: RunId, lab: InLab, may: Looks) -> list[JournalEntry]:
    """What was done to the run while it ran."""
    entries = RunFolder(lab.folder_of(lab.run(id))).read_journal()
    return [
        JournalEntry(step=entry.step, time=entry.time, command=entry.name, text=entry.text)
        for entry in entries
    ]


@router.get("/{id}/present")
def read_present(id: RunId, lab: InLab, may: Looks) -> PresentAnswer:
    """What can be steered, as it is now, or was at the end."""
    return PresentAnswer(**asdict(past.present(lab.folder_of(lab.run(id)))))


@router.get("/{id}/report", response_class=FileResponse)
def read_report(id: RunId, lab: InLab, may: Looks) -> FileResponse:
    """report.html."""
    return _file(lab.folder_of(lab.run(id)) / "report.html", "text/html")


@router.get("/{id}/movie", response_class=FileResponse)
def read_movie(id: RunId, lab: InLab, may: Looks) -> FileResponse:
    """The movie, MP4."""
    return _file(lab.folder_of(lab.run(id)) / "pictures" / "movie.mp4", "video/mp4")


@router.get("/{id}/picture", response_class=FileResponse)
def read_picture(id: RunId, lab: InLab, may: Looks) -> FileResponse:
    """The last picture, PNG."""
    return _file(lab.folder_of(lab.run(id)) / "pictures" / "final.png", "image/png")


def _series(lab: Lab, id_: str, name: str) -> Path:
    """The file of a series; its name is looked up, never joined."""
    folder = RunFolder(lab.folder_of(lab.run(id_)))
    for path in folder.series.glob("*.csv"):
        if path.stem == name:
            return path
    raise Refusal(404, f"There is no series {name!r}.")


def _file(path: Path, kind: str) -> FileResponse:
    if not path.is_file():
        raise Refusal(404, f"This run has no {path.name}, or not yet.")
    return FileResponse(path, media_type=kind, filename=path.name, content_disposition_type="inline")
