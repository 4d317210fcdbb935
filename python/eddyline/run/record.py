"""A stored run: its folder, results and series."""

from __future__ import annotations

import base64
import html
import os
from functools import cached_property
from pathlib import Path
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

from eddyline import argument_types, remote
from eddyline.option_names import NOT_CLOSED, command
from eddyline.run.errors import MissingFileError
from eddyline.run.folder import RunFolder
from eddyline.stream import snapshots
from eddyline.stream.corrupt import reading

if TYPE_CHECKING:
    import pandas as pd

    from eddyline.run.frames import Frames
    from eddyline.stream.series import Series
    from eddyline.stream.surfaces import Surfaces
    from eddyline.world import World


class Run:
    """Results of a run in its folder. `Run.open(path)` opens an existing run; this class never writes.

    outcome: "running", "finished", "stopped by user", "failed", "not closed" or "lost"; `message` gives the
    reason. Missing files and results raise MissingFileError, which names the command that makes them."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self.record: dict[str, Any] = folder.read_record()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """Opens the run in a folder; `runs/NAME` means its latest run. path: also a URL. Raises
        FileNotFoundError if there is none, and RemoteError."""
        argument_types.path(path=path)
        return cls(RunFolder.open(path))

    @classmethod
    def of(cls, run: Run | str | os.PathLike[str]) -> Run:
        """Returns a Run unchanged; opens the run of a folder, see open()."""
        if isinstance(run, cls):
            return run
        if not isinstance(run, (str, os.PathLike)):
            raise TypeError(f"run = {short(run)}: must be a Run or the folder of a run")
        return cls.open(run)

    @property
    def folder(self) -> Path:
        """Folder of the run; of a run at a URL, that of its copy."""
        return self._folder.path

    @property
    def url(self) -> str:
        """The URL of which `folder` is a copy; empty for a run on this machine."""
        return remote.origin(self.folder)

    @property
    def outcome(self) -> str:
        """ "running", "finished", "stopped by user", "failed", "lost" (killed, or the machine stopped, before
        it was computed) or "not closed" (killed later, before its results, pictures and report were
        written)."""
        unfinished = ("running", NOT_CLOSED)
        if self.record["outcome"] in unfinished:
            if self._folder.is_held():
                return "running"
            self.record = self._folder.read_record()  # it may have ended in the meantime
        said = str(self.record["outcome"])
        return "lost" if said == "running" else said

    @property
    def message(self) -> str:
        """The reason that the run stopped, failed, or was lost, and what to do; empty for a finished run."""
        from eddyline.run.advice import resuming

        outcome, said = self.outcome, str(self.record.get("message") or "")
        if outcome == "lost":
            return f"the run was killed, or its machine stopped; {resuming(self._folder, self.record)}"
        if outcome == NOT_CLOSED:
            why = said or "computed, but killed before its results, pictures and report were written"
            return f"{why}; {self._remedy()}"
        return said

    def _remedy(self) -> str:
        """Command that makes the missing files of a run."""
        from eddyline.run.advice import resuming

        outcome = self.outcome
        if outcome == "running":
            return "the run is being computed and writes them at its end"
        if outcome == NOT_CLOSED:
            return f"`{command('resume', self.folder)}` completes it"
        if "time" not in self.record:
            return resuming(self._folder, self.record)
        return f"`{command('export', self.folder)}` writes the missing files"

    def _made(self, path: Path, what: str) -> Path:
        """A file of the run. Raises MissingFileError if it is not there."""
        if path.is_file():
            return path
        raise MissingFileError(f"{path}: the run has no {what}; {self._remedy()}")

    @property
    def fingerprint(self) -> str:
        """Four words for the whole final state and the world; empty while there is no final state."""
        return str(self.record.get("fingerprint") or "")

    @property
    def name(self) -> str:
        """Name of the world file, without `.toml`."""
        return self._text("world")

    @property
    def title(self) -> str:
        """Title of the world."""
        return self._text("title")

    @property
    def quantity(self) -> str:
        """Quantity shown in its movie."""
        return self._text("quantity")

    def _text(self, key: str) -> str:
        with reading(self._folder.record):
            return str(self.record[key])

    @cached_property
    def world(self) -> World:
        """The world as it was run, with the name that it had then."""
        return self._folder.read_world()

    @property
    def spacing(self) -> float:
        """Spacing of the particles at the start [m]. `results["spacing"]` is the text beside values, such as
        D/20."""
        return float(self.world.core.spacing)

    @property
    def results(self) -> dict[str, Any]:
        """Content of results.json: values with windows and errors, expectations, and a summary of each
        series. MissingFileError if there is none."""
        self._made(self._folder.results, "results")
        return self._folder.read_results()

    @property
    def results_if_any(self) -> dict[str, Any]:
        """As `results`; empty if there are none."""
        return self._folder.read_results()

    def table(self) -> pd.DataFrame:
        """The values held against expectations, a row each: quantity, measured with its statistical_error (of
        a curve the RMS difference), expected, error (by how much it departs from that, relative), inside,
        what it is and its window [s], note, reason, source. Without expectations see `values`."""
        import pandas as pd

        columns = ["quantity", "measured", "statistical_error", "expected", "error", "inside"]
        columns += ["what", "window", "note", "reason", "source"]
        return pd.DataFrame(self.results.get("expectations", []), columns=columns)

    def values(self) -> pd.DataFrame:
        """Coefficients, forces on bodies, pressure drops and what lines carry, whether or not they were
        expected, a row each: quantity, value with its statistical error, unit, what it is and its window [s],
        and the note of those that there are not. All else is in series()."""
        import pandas as pd

        kept = ["name", "value", "error", "unit", "what", "window", "note"]
        names = {"name": "quantity", "error": "statistical_error"}
        return pd.DataFrame(self.results.get("values", []), columns=kept).rename(columns=names)

    @property
    def series_names(self) -> list[str]:
        """Names for `series`: "budget", "force.NAME" for each body and wall, and the world's observers."""
        return sorted(path.stem for path in self._folder.series.glob("*.csv"))

    def series(self, name: str) -> pd.DataFrame:
        """A time series: columns with plain names ("time" [s] first), units in `.attrs["units"]`."""
        return self.read_series(name).frame()

    def read_series(self, name: str) -> Series:
        """The same without pandas."""
        if name not in self.series_names:
            raise KeyError(
                f"{self.folder} has no series {name!r}; known: {', '.join(self.series_names) or 'none'}"
            )
        return self._folder.read_series(name)

    def profile(self, name: str) -> pd.DataFrame:
        """A profile as a table, a row for each time [s] (the index) and a column for each place, its distance
        from the start of the line [m]; NaN where there is no fluid. `.attrs` has its quantity and unit, and
        `places`, (columns, dimensions) m. KeyError if the run has no such profile."""
        from eddyline.world.profiles import column_names, coordinate
        from eddyline.world.schema import Profile

        observers = self.world.observers
        profile = observers.get(name)
        if not isinstance(profile, Profile):
            known = [other for other, observer in observers.items() if isinstance(observer, Profile)]
            raise KeyError(f"{self.folder} has no profile {name!r}; known: {', '.join(known) or 'none'}")
        frame = self.series(name).set_index("time")[column_names(profile)]
        frame.columns = coordinate(profile, "distance")
        frame.columns.name = "distance"
        places = [place[: self.world.dimensions] for place in profile.places]
        frame.attrs = {"name": name, "quantity": profile.quantity, "unit": profile.unit, "places": places}
        return frame

    @cached_property
    def surfaces(self) -> dict[str, Surfaces]:
        """The isosurfaces of each observer that has any: triangles at its times. Raises CorruptFileError."""
        return self._folder.read_surfaces()

    @property
    def snapshot_count(self) -> int:
        """Number of snapshots."""
        return snapshots.snapshot_count(self._folder.snapshots)

    def snapshot(self, k: int = -1) -> dict[str, Any]:
        """Snapshot `k` as arrays, see stream.snapshots.read_snapshot; negative: from the end. IndexError if
        there is no such one."""
        argument_types.whole(k=k)
        return snapshots.read_snapshot(self.folder, k)

    def frames(self, quantity: str | None = None) -> Frames:
        """A quantity as numbers on pixels at each moment of the film, see Frames: that of the world, unless
        another that was kept is asked for. KeyError, which names those, if this one was not."""
        from eddyline.run.frames import Frames

        name = self.quantity if quantity is None else quantity
        argument_types.text(quantity=name)
        return Frames(self._folder.read_frames(), name)

    @property
    def picture(self) -> Path:
        """The last moment as a PNG. MissingFileError if there is none, also below."""
        if self._has_ended() and not self._frame_count():
            raise MissingFileError(
                f"{self._folder.picture}: the run has no picture, because it stored no frames; set "
                "output.pictures in the world and run it again"
            )
        return self._made(self._folder.picture, "picture")

    @property
    def movie(self) -> Path:
        """All moments as an MP4, of a run of several pictures."""
        if self._has_ended() and self._frame_count() < 2:
            raise MissingFileError(
                f"{self._folder.movie}: the run has no movie: it stored {self._frame_count()} frames, a "
                "movie needs two; set output.pictures in the world and run it again"
            )
        return self._made(self._folder.movie, "movie")

    @property
    def report(self) -> Path:
        """The report as one HTML file."""
        return self._made(self._folder.report, "report")

    def _has_ended(self) -> bool:
        return self.outcome in ("finished", "stopped by user", "failed") and "time" in self.record

    def _frame_count(self) -> int:
        return len(self._folder.read_frames())

    def __repr__(self) -> str:
        words = f", {self.fingerprint}" if self.fingerprint else ""
        return f"<Run {self.folder}: {self.outcome}{words}>"

    def _repr_html_(self) -> str:
        parts = [f"<strong>{html.escape(self.title)}</strong> {html.escape(self.outcome)}"]
        if self.message:
            parts.append(f"<p>{html.escape(self.message)}</p>")
        if self._folder.picture.is_file():
            data = base64.b64encode(self._folder.picture.read_bytes()).decode()
            source = f"data:image/png;base64,{data}"
            parts.append(f'<br><img alt="Last picture of the run" style="max-width:100%" src="{source}">')
        if self.results_if_any.get("expectations"):
            parts.append(self._repr_table())
        parts.append(f"<p>fingerprint <code>{html.escape(self.fingerprint)}</code></p>")
        if self._folder.report.is_file():
            link = html.escape(self._folder.report.as_posix(), quote=True)
            folder = html.escape(str(self.folder))
            parts.append(f'<p><a href="{link}" target="_blank">report</a> in <code>{folder}</code></p>')
        return "<div>" + "".join(parts) + "</div>"

    def _repr_table(self) -> str:
        """The closing lines of the run as a table."""
        from eddyline.run.closing import expected_text, measured_text, short_names, verdict_text, window_text

        results = self.results
        items = results["expectations"]
        rows = [
            (
                name,
                measured_text(item),
                expected_text(item),
                verdict_text(item, results["spacing"]),
                window_text(item, results),
            )
            for name, item in zip(short_names([item["quantity"] for item in items]), items, strict=True)
        ]
        lines = ["".join(f"<td>{html.escape(cell).replace('+-', '±')}</td>" for cell in row) for row in rows]
        return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
