"""Execution options of a run: ranks, threads, decomposition, exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.argument_types import number, text, whole, wholes
from eddyline.cores import refusal
from eddyline.execution_arguments import ExecutionArguments, options
from eddyline.ranks import Session, join
from eddyline.run.device import check_device, library_of
from eddyline.run.errors import RequestError
from eddyline.run.lazy import check_lazy, lazy_record

if TYPE_CHECKING:
    from eddyline import _core


DECOMPOSITIONS = ("bisection", "blocks", "curve", "strips", "strips-x", "strips-y", "strips-z")
"""Names of decompositions, as in `core/decompose`. Only solvers of particles use them."""
MOST_BOXES = 10_000
"""Maximum number of boxes of a rank; no domain has so many useful boxes."""


@dataclass(frozen=True, kw_only=True)
class ExecutionOptions(ExecutionArguments):
    """Execution options of a run."""

    def of_core(self) -> dict[str, Any]:
        """Arguments of `_core.Simulation`."""
        own = {name: getattr(self, name) for name, each in options().items() if each.metadata["core"]}
        return own | {"device_library": library_of(self.device), "lazy_exact": not self.lazy_inexact}

    def record(self, ranks: Session, simulation: _core.Simulation) -> dict[str, Any]:
        """Entry of run.json."""
        kept: dict[str, Any] = {"ranks": ranks.size, "threads": simulation.threads, "boxes": self.boxes}
        if self.device != "cpu":
            kept["device"] = self.device
        if ranks.communicator is not None:
            of_ranks = [name for name, each in options().items() if each.metadata["of_ranks"]]
            kept |= {name: getattr(self, name) for name in of_ranks}
            kept |= {"sites": ranks.sites(self.sites), "message_passing": ranks.communicator.library}
        return kept | (lazy_record(self.lazy, exact=not self.lazy_inexact) if ranks.size > 1 else {})

    def options(self, ranks: Session) -> str:
        """Options that change the result, as they are given on the command line."""
        if ranks.size == 1 or not self.lazy_inexact:
            return ""
        return (
            f" --lazy {self.lazy} --lazy-inexact --ranks {ranks.size} --boxes {self.boxes}"
            f" --decomposition {self.decomposition}"
        )

    def check(self) -> None:
        """Raises RequestError, RankError, or TypeError."""
        whole(threads=self.threads, boxes=self.boxes, lazy=self.lazy, replicated_cells=self.replicated_cells)
        wholes(sites=self.sites)
        number(patience=self.patience)
        text(decomposition=self.decomposition, exchange=self.exchange, device=self.device)
        text(combine=self.combine, compress=self.compress)
        if self.threads < 0:
            raise RequestError(f"threads = {self.threads}: must be >= 0 (0: automatic)")
        if too_many := refusal("threads", self.threads):
            raise RequestError(too_many)
        if not self.patience >= 0:
            raise RequestError(f"patience = {self.patience}: must be >= 0 s (0: no limit)")
        if not 1 <= self.boxes <= MOST_BOXES:
            raise RequestError(f"boxes = {self.boxes}: must be from 1 to {MOST_BOXES:,}")
        if self.replicated_cells < 0:
            raise RequestError(f"replicated_cells = {self.replicated_cells}: must be >= 0 (0: none)")
        check_device(self.device)
        self._check_names()
        self._check_sites()
        check_lazy(self.lazy, exact=not self.lazy_inexact)

    def _check_names(self) -> None:
        from eddyline import _core
        from eddyline.world.problems import listed, nearest

        for option, name, known in (
            ("exchange", self.exchange, _core.exchange_strategies()),
            ("decomposition", self.decomposition, DECOMPOSITIONS),
        ):
            if name not in known:
                near = nearest(name, known)
                remedy = f'Did you mean "{near}"?' if near else ""
                text = f'{option} = "{name}": must be {listed(known, "or")}. {remedy}'
                raise RequestError(text.strip())

    def _check_sites(self) -> None:
        from eddyline import _core

        for name, wanted in (("combine", self.combine), ("compress", self.compress)):
            if wanted not in ("none", "site"):
                raise RequestError(f'{name} = "{wanted}": must be "none" or "site"')
            if wanted == "site" and (refusal := _core.inside_refusal(self.exchange)):
                raise RequestError(refusal.rstrip("."))
        join().sites(self.sites)
