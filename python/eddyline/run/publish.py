"""Files made at the end of a run: pictures, film, charts and report."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eddyline.run.record import Run

VARIABLE = "EDDYLINE_PICTURES"
"""If this environment variable is "none", runs end without these files; `eddyline export RUN` makes them."""


def wants_pictures() -> bool:
    """True if a run makes these files at its end."""
    return os.environ.get(VARIABLE) != "none"


def publish(
    run: Run,
    *,
    movie: bool,
    report: bool,
    say: Callable[[str], None] = lambda words: None,
    warn: Callable[[str], None] = lambda words: None,
) -> None:
    """Makes them in the folder of the run. say: gets a word about each; warn: a line about what pictures
    leave out."""
    from eddyline.plot.fonts import left_out
    from eddyline.run.folder import RunFolder
    from eddyline.run.pictures import charts, save_charts
    from eddyline.run.report import write_report
    from eddyline.run.surface_pictures import observer_of, pictures_of

    kept = RunFolder(run.folder)
    folder = kept.pictures
    has_any = len(kept.read_frames()) > 0 or observer_of(run.world) in run.surfaces
    if has_any:  # not if it broke down at the start
        pictures = pictures_of(run)
        count = len(pictures)
        say("Painting")
        if words := left_out([run.title]):
            warn(words)
        pictures.save_picture(kept.picture)
        if movie and count > 1:
            pictures.save_movie(kept.movie, lambda done: say(f"Movie, frame {done} of {count}"))
    say("Charts")
    made = charts(run)
    save_charts(run, folder, made)
    if report:
        say("Report")
        write_report(run, kept.report, made)
