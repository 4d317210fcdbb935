"""The lab of one folder of runs: its list, its queue, its hub."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import secrets
import shutil
import threading
import time as clock
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Response
from starlette.requests import HTTPConnection

from eddyline.live import address
from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.option_names import NOT_CLOSED
from eddyline.run.folder import RunFolder
from eddyline.serve import found
from eddyline.serve.foreign import check_folder, cleaned
from eddyline.serve.hub import Hub
from eddyline.serve.jobs import JobOrder, Jobs
from eddyline.serve.limits import Limits
from eddyline.serve.problems import Refusal
from eddyline.serve.store import FINAL, RunRow, Store, hashed
from eddyline.serve.tokens import Permission
from eddyline.serve.workers import Workers
from eddyline.stream import atomic
from eddyline.world import World
from eddyline.world.describe import plan

_log = logging.getLogger(__name__)

OWN = ".lab"
"""Subfolder of the runs with the files of the server."""
GRACE = 20.0  # s that a run may take to stop in order
_DEVICE = "device"  # file with the device of a run
_UPLOADS = 4  # files that are opened at the same time
_HANDED_OVER = 1.0  # s until a run that is being passed to the executor is checked again
_LOOK_EVERY = 3.0  # s between searches for runs that other processes have started


@dataclass(frozen=True)
class Order:
    """A world to run. source: its text. particles: of fluid and walls. seconds: estimated wall time on the
    processor. device: that computes it."""

    title: str
    source: str
    particles: int
    seconds: float
    device: str = "cpu"

    @classmethod
    def of(cls, world: World) -> Order:
        needs = plan(world)
        particles = sum(needs.estimate.counts.values())
        return cls(world.title, world.source, particles, needs.seconds)


class Lab:
    """The server of the lab. url: address of this server for runs. workers: None to create its own."""

    def __init__(
        self,
        folder: Path,
        limits: Limits | None = None,
        executor: str = "local",
        attributes: Mapping[str, str] | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self.limits = limits or Limits()
        self.url = ""
        self.store = Store(self.folder / OWN / "lab.sqlite")
        self.jobs = Jobs(executor, attributes or {}, self._job_ended)
        self.hub = Hub(self.limits, self._heard, self._lost)
        self.workers = workers or Workers()
        self.uploads = asyncio.Semaphore(_UPLOADS)
        self._owns_workers = workers is None
        self._lock = threading.RLock()  # of the queue: requests are served by several threads
        self._looked = 0.0
        self._closed = False
        self._spares = False
        self._recover()

    # --- runs ---------------------------------------------------------------------------------------------

    def runs(self) -> list[RunRow]:
        """All runs, newest first, including those that other processes have put into the folder."""
        if clock.monotonic() > self._looked + _LOOK_EVERY:
            self._looked = clock.monotonic()
            with _as_far_as_can_be("found"):
                self._look_around()
        return self.store.all()

    def _look_around(self) -> None:
        known = self.store.folders()
        new = list(found.runs(self.folder, OWN, known))
        if new:
            self.store.add_all(new)
        for row in self.store.in_state("running", "lost", NOT_CLOSED):
            if not row.job and row.folder:  # not a job of this server: its folder tells its state
                self._follow_folder(row)
            elif row.state == "running" and not self.jobs.is_ours(row.id) and not found.is_alive(row.job):
                self._job_ended(row.id, "")  # of a server before this one

    def run(self, id_: str) -> RunRow:
        """The run with this id. Raises Refusal if there is none."""
        row = self.store.get(id_)
        if row is None:
            self.runs()
            row = self.store.get(id_)
        if row is None:
            raise Refusal(404, f"Run {id_!r} does not exist.", "GET /api/runs lists them.")
        return row

    def folder_of(self, row: RunRow) -> Path:
        """Folder of the run. Raises Refusal if it has none here, or none yet, or one with links in it."""
        path = Path(row.folder)
        if not row.folder or not (path / "run.json").is_file():
            raise Refusal(
                409, f"Run {row.id} has no files on this server: it has not begun, or is stored elsewhere."
            )
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise Refusal(409, f"Run {row.id} is outside the folder {self.folder}.")
        try:
            check_folder(path)
        except OSError as error:
            raise Refusal(409, f"Run {row.id} cannot be shown: {cleaned(error, 500)}.") from None
        return path

    def answer(self, may: Permission, task: str, **arguments: Any) -> Response:
        """Answer of a worker, unchanged. Raises Refusal."""
        reply = self.workers.do(may, task, **arguments)
        return Response(reply.body, reply.status, media_type=reply.kind)

    def order(self, order: Order, name: str, ranks: int, threads: int) -> RunRow:
        """Puts a run into the queue. Raises Refusal."""
        limits = self.limits
        if order.particles > limits.particles:
            text = f"{order.particles:,} particles; this server allows at most {limits.particles:,}."
            raise Refusal(422, text, "Increase domain.spacing.")
        cores = ranks * max(threads, 1)
        if cores > limits.cores:
            text = f"{ranks} ranks with {max(threads, 1)} threads; this server has {limits.cores} cores."
            raise Refusal(422, text, "Use fewer ranks or threads.")
        with self._lock:
            if len(self.store.in_state("waiting")) >= limits.waiting:
                raise Refusal(
                    429,
                    f"{limits.waiting} runs are already waiting, the maximum.",
                    "Wait, or remove waiting runs.",
                )
            row = RunRow(
                id=secrets.token_hex(6),
                title=order.title,
                world=name or slug(order.title),
                state="waiting",
                origin="lab",
                created=now(),
                ranks=ranks,
                threads=threads,
                particles=order.particles,
                predicted_seconds=order.seconds,
            )
            place = self._own(row.id)
            try:
                place.mkdir(parents=True)
                atomic.write_text(place / f"{row.world}.toml", order.source)
                atomic.write_text(place / _DEVICE, order.device)
                self.store.add(row)
            except OSError as error:
                shutil.rmtree(place, ignore_errors=True)
                text = f"The server cannot store this run: {error}."
                raise Refusal(507, text, f"Free space on the disk of {self.folder}.") from None
        self.start_waiting()
        return self.run(row.id)

    def start_waiting(self) -> None:
        """Starts waiting runs while places are free."""
        with self._lock:
            running = [row for row in self.store.in_state("running") if row.origin == "lab"]
            free = self.limits.at_once - len(running)
            for row in self.store.in_state("waiting"):
                if free > 0 and not self._closed:
                    free -= self._start(row)

    def _start(self, row: RunRow) -> bool:
        """Starts a waiting run; False if it was removed from the queue in the meantime or could not start."""
        folder: Path | None = None
        try:
            folder = RunFolder.claim(row.world, self.folder)
            token = secrets.token_urlsafe(18)
            begun = {"started": now(), "folder": str(folder), "token": hashed(token)}
            if not self.store.change_if("waiting", row.id, state="running", **begun):
                folder.rmdir()
                return False
            job = self.jobs.submit(row.id, self._order(row, folder, token))
        except OSError as error:
            with _as_far_as_can_be(row.id):
                self.store.change(row.id, state="failed", ended=now(), folder="", message=str(error))
            if folder is not None:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            return False
        with _as_far_as_can_be(row.id):
            self.store.change(row.id, job=job)
        return True

    def _order(self, row: RunRow, folder: Path, token: str) -> JobOrder:
        place = self._own(row.id)
        arguments = ["run", str(place / f"{row.world}.toml"), "--out", str(folder), "--quiet"]
        arguments += ["--threads", str(row.threads)]
        arguments += ["--ranks", str(row.ranks)] if row.ranks > 1 else []
        device = place / _DEVICE
        arguments += ["--device", device.read_text()] if device.exists() else []
        environment = {address.URL: self.url, address.TOKEN: token, address.RUN: row.id}
        cores = row.ranks * max(row.threads, 1)
        return JobOrder(arguments, environment, place / "output.txt", cores, self.limits.seconds)

    def keep_spare(self) -> None:
        """Starts a prewarmed process for the next run, so that this run begins at once."""
        self._spares = True
        self.jobs.keep_spare()

    def stop(self, row: RunRow) -> None:
        """Asks a run to stop after a step; removes a waiting run from the queue. Call in the event loop."""
        taken = {"state": "stopped by user", "ended": now(), "message": "removed from the queue"}
        if row.state == "waiting" and self.store.change_if("waiting", row.id, **taken):
            return
        current = self.store.get(row.id)  # it may have started in the meantime
        if current is not None and current.state == "running":
            command = pb.Command(id=f"stop-{secrets.token_hex(4)}", stop=pb.Stop())
            told = self.hub.channel(row.id).command(packed(command=command))
            if current.origin == "lab":
                self._end_later(row.id, GRACE if told else 0.0)

    def _end_later(self, id_: str, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self._end_now, id_)

    def _end_now(self, id_: str) -> None:
        row = self.store.get(id_)
        if row is None or row.state != "running" or self.hub.is_connected(id_):
            return
        if row.job or self.jobs.is_ours(id_):
            self.jobs.cancel(id_)
        else:  # it is being passed to the executor
            self._end_later(id_, _HANDED_OVER)

    def may_join(self, id_: str, token: str) -> bool:
        """True if a token is the one that this server gave to a run."""
        row = self.store.get(id_)
        return row is not None and bool(row.token) and secrets.compare_digest(row.token, hashed(token))

    # --- what happens -------------------------------------------------------------------------------------

    def _heard(self, id_: str, message: pb.Message) -> None:
        """Updates the list of runs from a message of a simulation."""
        with _as_far_as_can_be(id_):
            self._note(id_, message)

    def _note(self, id_: str, message: pb.Message) -> None:
        kind = message.WhichOneof("body")
        row = self.store.get(id_)
        if kind == "hello":
            said = message.hello
            title = cleaned(said.title, 500)
            values: dict[str, Any] = {"state": "running", "title": title, "ranks": said.ranks or 1}
            folder = self._inside(said.folder)
            if folder:
                values["folder"] = folder
            if row is not None:
                self.store.change(id_, **values)
            else:  # at once, as it may have viewers
                self.store.add(
                    RunRow(
                        id_, world=slug(said.world), origin="joined", created=now(), started=now(), **values
                    )
                )
        elif kind == "ended" and row is not None:
            ended = message.ended
            self._close(row, ended.outcome, cleaned(ended.message, 500), cleaned(ended.fingerprint, 500))
        elif kind == "progress" and row is not None and not row.particles:
            self.store.change(id_, particles=max(message.progress.particles, 0))

    def _close(self, row: RunRow, outcome: str, message: str, fingerprint: str) -> None:
        state = outcome if outcome in FINAL else "failed"
        try:
            seconds = (datetime.now(timezone.utc) - datetime.fromisoformat(row.started)).total_seconds()
        except (TypeError, ValueError):  # the time is missing or unreadable
            seconds = 0.0
        self.store.change(
            row.id,
            state=state,
            ended=now(),
            message=message,
            fingerprint=fingerprint,
            actual_seconds=seconds,
        )

    def _lost(self, id_: str) -> None:
        """Handles a lost connection to a simulation. Jobs of this server are watched; other runs are marked
        as lost."""
        row = self.store.get(id_)
        watched = self.jobs.is_ours(id_) or (row is not None and found.is_alive(row.job))
        if row is not None and row.state == "running" and not watched:
            with _as_far_as_can_be(id_):
                self.store.change(
                    id_, state="lost", ended=now(), message="the connection to the run was lost"
                )

    def _take_end_from_folder(self, row: RunRow) -> bool:
        """True if the run has ended, by its run.json."""
        place = Path(row.folder)
        said = found.record(place) if row.folder else None
        state = found.state_of(place, said) if said is not None else "running"
        if said is None or state in ("running", "lost"):
            return False
        self._close_by(row, said | {"outcome": state, "message": found.words_of(place, said)})
        return True

    def _close_by(self, row: RunRow, said: Mapping[str, Any]) -> None:
        """State of a run by its run.json."""
        outcome, message, mark = (cleaned(said[key], 500) for key in ("outcome", "message", "fingerprint"))
        self._close(row, outcome, message, mark)

    def _follow_folder(self, row: RunRow) -> None:
        """State of a run that another process computes: it ends, is killed, or continues later."""
        if self._take_end_from_folder(row):
            return
        state = "running" if RunFolder(Path(row.folder)).is_held() else "lost"
        if state != row.state:
            self.store.change(row.id, state=state)

    def _job_ended(self, id_: str, message: str) -> None:
        """Handles the end of a job; called in a thread of the executor. The run's own record takes
        precedence."""
        with _as_far_as_can_be(id_):
            self._take_end(id_, message)
        self.start_waiting()
        if self._spares and not self._closed:
            self.jobs.keep_spare()

    def _take_end(self, id_: str, message: str) -> None:
        row = self.store.get(id_)
        if row is None:
            return
        said = found.record(Path(row.folder)) if row.folder else None
        is_unclosed = said is not None and said["outcome"] == NOT_CLOSED  # killed after it has told its end
        if row.state != "running" and not is_unclosed:
            return
        if said is not None and is_unclosed:
            said = said | {"message": found.words_of(Path(row.folder), said)}
        if said is None or said["outcome"] == "running":
            outcome = {"outcome": "failed", "message": self._last_words(id_) or message, "fingerprint": ""}
            said = (said or {}) | outcome
            with _as_far_as_can_be(id_):  # else the list alone says it
                found.close_record(Path(row.folder), outcome)
        self._close_by(row, said)

    def _last_words(self, id_: str) -> str:
        """Last output of a job that failed."""
        log = self._own(id_) / "output.errors"
        lines = log.read_text(errors="replace").strip().splitlines() if log.is_file() else []
        return lines[-1][:500] if lines else "the run ended without a message; it was probably killed"

    # --- places -------------------------------------------------------------------------------------------

    def _own(self, id_: str) -> Path:
        return self.folder / OWN / "jobs" / id_

    def _inside(self, folder: str) -> str:
        """The folder that a run names, if it is inside the folder of this lab; other folders are never
        read."""
        if "\0" in folder:
            return ""
        path, ours = Path(folder).resolve(), self.folder.resolve()
        inside = ours in path.parents and path.relative_to(ours).parts[0] != OWN
        return str(path) if inside and (path / "run.json").is_file() else ""

    def waiting_world(self, row: RunRow) -> Path | None:
        """The world file of a run that was started on this server."""
        path = self._own(row.id) / f"{row.world}.toml"
        return path if row.origin == "lab" and path.is_file() else None

    def remove(self, row: RunRow) -> None:
        """Deletes a run with its folder."""
        folder = self._inside(row.folder) if row.folder else ""
        if folder:
            shutil.rmtree(folder)
        shutil.rmtree(self._own(row.id), ignore_errors=True)
        self.store.remove(row.id)

    def _recover(self) -> None:
        """Updates running runs after a restart of the server: they continue and reconnect, or have ended."""
        for row in self.store.in_state("running"):
            if (
                not self._take_end_from_folder(row)
                and not self.jobs.watch(row.id, row.job)
                and not found.is_alive(row.job)
            ):
                self.store.change(
                    row.id,
                    state="lost",
                    ended=now(),
                    message="it was no longer running when the server restarted",
                )

    def close(self) -> None:
        self._closed = True
        self.hub.close()
        self.jobs.close()
        if self._owns_workers:
            self.workers.close()


@contextlib.contextmanager
def _as_far_as_can_be(run: str) -> Iterator[None]:
    """Logs write errors, e.g. of a full disk, instead of raising them."""
    try:
        yield
    except OSError as error:
        _log.warning("run %s: %s", run, error)


def lab_of(connection: HTTPConnection) -> Lab:
    lab: Lab = connection.app.state.lab
    return lab


InLab = Annotated[Lab, Depends(lab_of)]


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def slug(title: str) -> str:
    """A file name made from a title."""
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:40] or "world"
