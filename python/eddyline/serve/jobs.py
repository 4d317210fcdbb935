"""Runs as jobs: on this machine, or through a site's scheduler, by PSI/J."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psij  # type: ignore[import-untyped,unused-ignore]

LOCAL = "local"


@dataclass(frozen=True)
class JobOrder:
    """arguments: of `eddyline`.  log: where its output goes.  cores: it may use.  seconds: longest wall
    time."""

    arguments: list[str]
    environment: Mapping[str, str]
    log: Path
    cores: int
    seconds: float


class Jobs:
    """Submits, watches and cancels jobs. `executor`: "local", or a scheduler's, e.g. "slurm". attributes: the
    scheduler's own, e.g. {"slurm.partition": "long"}.

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

    def submit(self, id_: str, order: JobOrder) -> str:
        """Starts a job for a run; gives its number at the executor. Raises OSError if that cannot be."""
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

    def cancel(self, id_: str) -> None:
        """Ends a job at once. Runs are asked to stop before."""
        job = self._jobs.get(id_)
        if job is not None and not job.status.final:
            job.cancel()

    def is_ours(self, id_: str) -> bool:
        return id_ in self._jobs

    def is_active(self, id_: str) -> bool:
        """Whether its job is not over: a run that has ended may still be painted."""
        job = self._jobs.get(id_)
        return job is not None and not job.status.final

    def _changed(self, id_: str, status: psij.JobStatus) -> None:
        if status.final:
            self._on_end(id_, status.message or "")
