"""Runs as jobs of PSI/J: on this machine, or through the scheduler of a site."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psij  # type: ignore[import-untyped,unused-ignore]

from eddyline.serve.prewarmed_process import Pipe

LOCAL = "local"


@dataclass(frozen=True)
class JobOrder:
    """arguments: of `eddyline`. log: output file. cores: number of cores. seconds: limit of the wall time."""

    arguments: list[str]
    environment: Mapping[str, str]
    log: Path
    cores: int
    seconds: float


class Jobs:
    """Submits, watches and cancels jobs. executor: "local", or that of a scheduler, e.g. "slurm". attributes:
    options of the scheduler, e.g. {"slurm.partition": "long"}.

    `on_end(id, message)` is called, in a thread of PSI/J's, when a job is over.
    """

    def __init__(
        self, executor: str, attributes: Mapping[str, str], on_end: Callable[[str, str], None]
    ) -> None:
        self.name = executor
        self._executor = psij.JobExecutor.get_instance(executor)
        self._attributes: dict[str, object] = dict(attributes)
        self._on_end = on_end
        self._jobs: dict[str, psij.Job] = {}
        self._lock = threading.Lock()  # of the prewarmed process
        self._spare: tuple[psij.Job, Pipe, list[str]] | None = None  # the list holds the run that it becomes

    def keep_spare(self) -> None:
        """Starts a prewarmed process for the next run, with all imports done; on this machine only. Does
        nothing if one exists or cannot be started."""
        with self._lock:
            if self.name != LOCAL or (self._spare is not None and not self._spare[0].status.final):
                return
            self._drop_spare()
            with contextlib.suppress(OSError, psij.SubmitException):
                pipe, becomes = Pipe(), list[str]()
                job = psij.Job(psij.JobSpec(executable=sys.executable, arguments=pipe.arguments))
                job.set_job_status_callback(
                    lambda job, status: self._changed(becomes[0], status) if becomes else None
                )
                self._spare = job, pipe, becomes
                self._executor.submit(job)

    def submit(self, id_: str, order: JobOrder) -> str:
        """Starts a job for a run; returns its id at the executor. Raises OSError if that fails."""
        return self._submit_to_spare(id_, order) or self._submit_anew(id_, order)

    def _submit_to_spare(self, id_: str, order: JobOrder) -> str:
        """The number of the prewarmed process if it accepts the order; else empty."""
        with self._lock:
            if self._spare is None or self._spare[0].status.final or self._spare[0].native_id is None:
                return ""
            job, pipe, becomes = self._spare
            becomes.append(id_)
            self._jobs[id_] = job
            try:
                pipe.tell(order.arguments, order.environment, order.log, order.log.with_suffix(".errors"))
            except OSError:
                becomes.clear()
                return ""
            finally:
                self._drop_spare()
            return str(job.native_id)

    def _drop_spare(self) -> None:
        if self._spare is not None:
            self._spare[1].close()
            self._spare = None

    def close(self) -> None:
        """Ends the prewarmed process."""
        with self._lock:
            self._drop_spare()

    def _submit_anew(self, id_: str, order: JobOrder) -> str:
        spec = psij.JobSpec(
            executable=sys.executable,
            arguments=["-m", "eddyline", *order.arguments],
            environment=dict(order.environment),
            stdout_path=order.log,
            stderr_path=order.log.with_suffix(".errors"),
            resources=psij.ResourceSpecV1(process_count=1, cpu_cores_per_process=order.cores),
            attributes=psij.JobAttributes(
                duration=timedelta(seconds=order.seconds), custom_attributes=self._attributes or None
            ),
        )
        job = psij.Job(spec)
        job.set_job_status_callback(lambda job, status: self._changed(id_, status))
        try:
            self._executor.submit(job)
        except psij.SubmitException as error:
            raise OSError(f"the executor {self.name} refused the job: {error}") from error
        self._jobs[id_] = job
        return str(job.native_id)

    def watch(self, id_: str, number: str) -> bool:
        """Watches a job that an earlier server has submitted to a scheduler. False if the executor differs or
        does not support this."""
        if self.name == LOCAL or not number:
            return False
        job = psij.Job()
        job.set_job_status_callback(lambda job, status: self._changed(id_, status))
        try:
            self._executor.attach(job, number)
        except psij.InvalidJobException:
            return False
        self._jobs[id_] = job
        return True

    def cancel(self, id_: str) -> None:
        """Ends a job at once; runs are asked to stop first."""
        job = self._jobs.get(id_)
        if job is not None and not job.status.final:
            job.cancel()

    def is_ours(self, id_: str) -> bool:
        return id_ in self._jobs

    def is_active(self, id_: str) -> bool:
        """True until its job is over: pictures of a run that has ended may still be drawn."""
        job = self._jobs.get(id_)
        return job is not None and not job.status.final

    def _changed(self, id_: str, status: psij.JobStatus) -> None:
        if status.final:
            self._on_end(id_, status.message or "")
