"""/api/runs: finished, running and waiting runs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi import Path as PathPart
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from pydantic_core import to_json

from eddyline.live.frames import MOST_PARTICLES
from eddyline.run.folder import RunFolder
from eddyline.serve import stored_runs
from eddyline.serve.foreign import read_plain
from eddyline.serve.lab import InLab, Lab, Order
from eddyline.serve.problems import ERRORS, Refusal
from eddyline.serve.store import FINAL, RunRow
from eddyline.serve.tasks import PROTOBUF
from eddyline.serve.tokens import Looks, Steers
from eddyline.serve.worlds import LONGEST, WorldRequest, WorldText
from eddyline.stream.integrity import read_text

router = APIRouter(prefix="/api/runs", tags=["runs"], responses=ERRORS)
_KEPT = {"Cache-Control": "private, max-age=86400, immutable"}


RunId = Annotated[str, PathPart(pattern=r"^[0-9a-f]{12}$", description="Id of a run, from the list of runs.")]
SeriesName = Annotated[str, PathPart(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]


class RunRequest(WorldRequest):
    """A world to run. Default: 1 rank, automatic number of threads."""

    ranks: int = Field(default=1, ge=1, le=4096)
    threads: int = Field(default=0, ge=0, le=1024, description="Threads per rank; 0: automatic.")
    name: str = Field(default="", pattern=r"^[A-Za-z0-9_-]{0,64}$", description="Name of its folder.")


class RunAnswer(BaseModel):
    """A run of the list."""

    id: str
    title: str
    world: str
    state: str = Field(description="waiting, running, finished, stopped by user, failed, lost.")
    origin: str = Field(
        description="lab: started by this server; joined: connected with --live; folder: found on the disk."
    )
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
    live: bool = Field(description="True while its simulation is connected.")
    viewers: int
    frames: int = Field(description="Number of stored frames.")


class SeriesAnswer(BaseModel):
    name: str
    columns: list[str]
    units: list[str]
    values: list[list[float | None]] = Field(description="One list per column.")


class FrameMoment(BaseModel):
    index: int
    step: int
    time: float = Field(description="[s]")


class FramesAnswer(BaseModel):
    frames: list[FrameMoment]
    quantities: list[str]


class MomentsAnswer(BaseModel):
    moments: list[FrameMoment]


class PresentParameterAnswer(BaseModel):
    """A parameter of a module or of terms."""

    name: str = Field(description="As the command `parameter` takes it.")
    value: str
    unit: str
    description: str


class PresentAnswer(BaseModel):
    """State of a run after the steering so far."""

    viscosity: str = Field(description="Kinematic viscosity [m^2/s]; empty without a fluid.")
    gravity: str = Field(description="Gravity [m/s^2], one number per axis.")
    inflows: dict[str, str] = Field(description="Velocities by name, as the world file has them [m/s].")
    reynolds: float | None
    parameters: list[PresentParameterAnswer]


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
        frames=stored_runs.frame_count(Path(row.folder)) if row.folder else 0,
    )


@router.get("", response_model=list[RunAnswer])
def list_runs(lab: InLab, may: Looks) -> Response:
    """All runs, the newest first."""
    found = [answer(lab, row) for row in lab.runs()]
    return Response(to_json(found), media_type="application/json")  # made here, in a thread


@router.post("", status_code=201)
def start_run(request: RunRequest, lab: InLab, may: Steers) -> RunAnswer:
    """Adds a run to the queue; it starts when a place is free."""
    reply = lab.workers.do(may, "order", **request.asked(lab))
    order = Order(**json.loads(reply.body))
    return answer(lab, lab.order(order, request.name, request.ranks, request.threads))


@router.get("/{id}")
def read_run(id: RunId, lab: InLab, may: Looks) -> RunAnswer:
    """One run."""
    return answer(lab, lab.run(id))


@router.post("/{id}/stop", status_code=202)
async def stop_run(id: RunId, lab: InLab, may: Steers) -> RunAnswer:
    """Asks a run to stop after a step; its folder will be complete. A waiting run is removed from the
    queue."""
    row = await asyncio.to_thread(lab.run, id)
    lab.stop(row)
    return answer(lab, await asyncio.to_thread(lab.run, id))


@router.delete("/{id}", status_code=204)
def delete_run(id: RunId, lab: InLab, may: Steers) -> None:
    """Deletes a run that has ended, with its folder."""
    row = lab.run(id)
    if row.state not in FINAL:
        raise Refusal(
            409, f"The run is {row.state}; only runs that have ended can be deleted.", "Stop it first."
        )
    if lab.jobs.is_active(id):
        raise Refusal(409, "The pictures of the run are being written.", "Try again in a moment.")
    lab.remove(row)


@router.get("/{id}/world")
def read_world(id: RunId, lab: InLab, may: Looks) -> WorldText:
    """The world file as run."""
    row = lab.run(id)
    has_own = row.folder and (Path(row.folder) / "world.toml").is_file()
    path = lab.folder_of(row) / "world.toml" if has_own else lab.waiting_world(row)
    if path is None:
        return _streamed_world(lab, row)
    try:
        read_plain(path, 4 * LONGEST)  # no link, no pipe, and not too long
        return WorldText(toml=read_text(path, RunFolder(path.parent).read_file))
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(409, f"The world of this run cannot be read: {error}.") from None


def _streamed_world(lab: Lab, row: RunRow) -> WorldText:
    """The world of a live run whose folder is elsewhere."""
    channel = lab.hub.channels.get(row.id)
    if channel is None or channel.hello is None or not channel.hello.toml:
        text = f"The files of this run are not in the folder {lab.folder}, and it does not run now."
        raise Refusal(409, text, "Serve the folder that holds them: eddyline serve --folder DIR.")
    return WorldText(toml=channel.hello.toml)


@router.get("/{id}/results", response_model=dict[str, Any])
def read_results(id: RunId, lab: InLab, may: Looks) -> Response:
    """Values with windows, errors and reference values (results.json); preliminary while the run computes."""
    return lab.answer(may, "results", folder=_folder(lab, id))


@router.get("/{id}/series")
def list_series(id: RunId, lab: InLab, may: Looks) -> list[str]:
    """Names of the time series."""
    folder = RunFolder(lab.folder_of(lab.run(id)))
    return sorted(path.stem for path in folder.series.glob("*.csv"))


@router.get("/{id}/series/{name}.csv", response_class=FileResponse)
def read_series_file(id: RunId, name: SeriesName, lab: InLab, may: Looks) -> FileResponse:
    """A series as a table, units in its header."""
    return _file(_series(lab, id, name), "text/csv")


@router.get("/{id}/series/{name}", response_model=SeriesAnswer)
def read_one_series(id: RunId, name: SeriesName, lab: InLab, may: Looks) -> Response:
    """A series as columns; what is not a number is null."""
    return lab.answer(may, "series", path=str(_series(lab, id, name)))


@router.get("/{id}/frames", response_model=FramesAnswer)
def list_frames(id: RunId, lab: InLab, may: Looks) -> Response:
    """The stored frames so far, and the quantities that they can show."""
    return lab.answer(may, "frames", folder=_folder(lab, id))


@router.get("/{id}/frames/{index}", response_class=Response, responses={200: {"content": {PROTOBUF: {}}}})
def read_frame(
    id: RunId,
    index: Annotated[int, PathPart(ge=0, le=10_000_000)],
    lab: InLab,
    may: Looks,
    quantity: Annotated[
        str, Query(pattern=r"^[a-z_]{0,20}$", description="Default: output.quantity of the world.")
    ] = "",
    width: Annotated[int, Query(ge=0, le=4096, description="Maximum number of columns; 0: all.")] = 0,
    bytes: Annotated[int, Query(ge=1, le=2, description="Bytes per value.")] = 2,
) -> Response:
    """A stored frame as one Message of the stream's schema."""
    how = {"index": index, "quantity": quantity, "width": width, "code_width": bytes}
    made = lab.answer(may, "frame", folder=_folder(lab, id), **how)
    made.headers.update(_KEPT)
    return made


@router.get("/{id}/particles", response_model=MomentsAnswer)
def list_particles(id: RunId, lab: InLab, may: Looks) -> Response:
    """The times at which all particles are stored."""
    return lab.answer(may, "particle_moments", folder=_folder(lab, id))


@router.get("/{id}/particles/{index}", response_class=Response, responses={200: {"content": {PROTOBUF: {}}}})
def read_particles(
    id: RunId,
    index: Annotated[int, PathPart(ge=0, le=10_000_000)],
    lab: InLab,
    may: Looks,
    quantity: Annotated[str, Query(pattern=r"^[a-z_]{1,20}$")] = "speed",
    most: Annotated[
        int,
        Query(
            ge=0, le=MOST_PARTICLES, description="Maximum number of particles; 0: no limit of the request."
        ),
    ] = 0,
) -> Response:
    """The fluid particles at one of these times as one Message of the stream schema."""
    how = {"index": index, "quantity": quantity, "most": most or MOST_PARTICLES}
    made = lab.answer(may, "particles", folder=_folder(lab, id), **how)
    made.headers.update(_KEPT)
    return made


@router.get("/{id}/surfaces", response_model=MomentsAnswer)
def list_surfaces(id: RunId, lab: InLab, may: Looks) -> Response:
    """The times at which isosurfaces are stored."""
    return lab.answer(may, "surface_moments", folder=_folder(lab, id))


@router.get("/{id}/surfaces/{index}", response_class=Response, responses={200: {"content": {PROTOBUF: {}}}})
def read_surfaces(
    id: RunId, index: Annotated[int, PathPart(ge=0, le=10_000_000)], lab: InLab, may: Looks
) -> Response:
    """The isosurfaces at one of these times as one Message of the stream schema."""
    made = lab.answer(may, "surfaces", folder=_folder(lab, id), index=index)
    made.headers.update(_KEPT)
    return made


@router.get("/{id}/journal", response_model=list[JournalEntry])
def read_journal(id: RunId, lab: InLab, may: Looks) -> Response:
    """Commands that changed the run while it ran."""
    return lab.answer(may, "read_journal", folder=_folder(lab, id))


@router.get("/{id}/present", response_model=PresentAnswer)
def read_present(id: RunId, lab: InLab, may: Looks) -> Response:
    """Current values that can be steered; of a finished run the final ones."""
    return lab.answer(may, "present", folder=_folder(lab, id))


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


def _folder(lab: Lab, id_: str) -> str:
    return str(lab.folder_of(lab.run(id_)))


def _series(lab: Lab, id_: str, name: str) -> Path:
    """The file of a series; its name is looked up in the folder, never joined to a path."""
    folder = RunFolder(lab.folder_of(lab.run(id_)))
    for path in folder.series.glob("*.csv"):
        if path.stem == name:
            return path
    raise Refusal(404, f"The run has no series {name!r}.")


def _file(path: Path, kind: str) -> FileResponse:
    if not path.is_file():
        raise Refusal(404, f"This run has no {path.name} yet.")
    return FileResponse(path, media_type=kind, filename=path.name, content_disposition_type="inline")
