"""The command line. Everything heavy is imported inside the commands, so that help is there at once."""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib import import_module

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import EXIT_INTERRUPTED, EXIT_LOST

__all__ = ["app", "main"]

_FAMILIES = (
    "runs",
    "lab",
    "worlds",
    "planning",
    "results",
    "measure",
    "modules",
)  # in the order in which help lists them

for _family in _FAMILIES:
    import_module(f"eddyline.cli.{_family}")


def main() -> None:
    """The entry point of the command line."""
    try:
        _main()
    except KeyboardInterrupt:  # another Ctrl-C, while the first one is being answered
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.write(2, b"stopped\n")
        raise SystemExit(EXIT_INTERRUPTED) from None
    finally:  # nothing is left to be stopped, and the interpreter would answer with a traceback
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _open_streams() -> None:
    """Opens the null device for each standard stream that is closed, as under some schedulers. Otherwise the
    first file that is opened would take its number, and messages would be written into it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def _main() -> None:
    _open_streams()
    if "EDDYLINE_STARTER" in os.environ:
        from eddyline.ranks.starter import watch_starter

        watch_starter()
    _start_quickly()
    try:
        app()
    except SystemExit as end:
        from eddyline.ranks.launch import tell_outcome
        from eddyline.ranks.session import is_follower

        code = end.code if isinstance(end.code, int) else 0
        if not is_follower() and tell_outcome(code):
            raise SystemExit(0) from None  # launchers make a fuss about ranks that end with anything else
        raise
    except Exception as error:
        _give_up(error)
        raise


def _start_quickly() -> None:
    """Imported modules stay: searching them for garbage again and again takes time, and so do NumPy's
    threads for large matrices, of which there are none here. Without both a command takes a tenth less."""
    gc.set_threshold(50_000)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _give_up(error: Exception) -> None:
    """A rank that fails for a reason of its own takes the others along: they would wait for it for ever."""
    from eddyline.ranks.session import join

    if join.cache_info().currsize == 0:
        return
    communicator = join().communicator
    if communicator is not None:
        import traceback

        from eddyline import _core
        from eddyline.ranks.starter import end_without_starter

        if isinstance(error, _core.UnresponsiveError):
            typer.echo(str(error), err=True)
        else:
            traceback.print_exception(error)
        sys.stderr.flush()
        end_without_starter(EXIT_LOST)
        communicator.abort(EXIT_LOST)
