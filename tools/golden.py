"""Golden values, computed again: `make golden`.

  make golden                              says which of the golden values are others now; writes nothing
  make golden REASON="why they change"     and writes them, with the reason, into tests/golden
  python tools/golden.py --release         keeps a run of this version in tests/golden/VERSION, once

Exit code 0: nothing differs, or it was written; 1: not written; 2: bad arguments.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

import golden_release  # noqa: E402
from golden_worlds import WORLDS  # noqa: E402

import golden  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--reason",
        default=os.environ.get("REASON", ""),
        metavar="TEXT",
        help="one line for tests/golden/CHANGES.md; default: the environment variable REASON",
    )
    parser.add_argument("--release", action="store_true", help="keep a run of this version")
    wanted = parser.parse_args()
    if len(wanted.reason.splitlines()) > 1:
        parser.error("--reason: must be one line")
    return release() if wanted.release else values(wanted.reason.strip())


def values(reason: str) -> int:
    try:
        new = {name: golden.computed_in_two_ways(name) for name in WORLDS}
    except golden.LawBrokenError as error:
        print(f"{error}\nThe law is broken, so that no value can be golden. Nothing is written.")
        return 1
    except golden.NotComputedError as error:
        print(f"{error}\nNothing is written.")
        return 1
    changed = golden.changes(golden.stored(), new)
    for name, lines in changed.items():
        print(name, *(f"    {line}" for line in lines), sep="\n")
    if not changed:
        print(f"All {len(new)} worlds have their golden values. Nothing is written.")
        return 0
    print(f"{len(changed)} of {len(new)} worlds differ from their golden values.")
    if not reason:
        print(f"Nothing is written. If results are meant to change, say why: {golden.COMMAND}")
        return 1
    golden.write(new, reason, today=f"{datetime.now(timezone.utc):%Y-%m-%d}")
    print(f"Written: {_named(golden.VALUES)}; reason and list: {_named(golden.CHANGES)}")
    return 0


def release() -> int:
    folder = golden_release.folder_of_this_version()
    if folder.exists():
        print(f"{_named(folder)} is there already, and a release is never made again. Nothing is written.")
        return 1
    golden_release.make(folder)
    print(f"Written: {_named(folder)}")
    return 0


def _named(path: Path) -> Path:
    return path.relative_to(ROOT)


if __name__ == "__main__":
    sys.exit(main())
