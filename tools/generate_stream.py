"""Makes the Python side of the stream's schema: python tools/generate_stream.py [FOLDER].

From lab/schema/stream.proto to python/eddyline/live/stream_pb2.py and its stub, or into FOLDER; a test holds
the committed files against it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "lab" / "schema"
PACKAGE = ROOT / "python" / "eddyline" / "live"


def generate(folder: Path) -> None:
    """Writes stream_pb2.py and stream_pb2.pyi into `folder`."""
    code = protoc.main(
        ["protoc", f"-I{SCHEMA}", f"--python_out={folder}", f"--pyi_out={folder}", "stream.proto"]
    )
    if code != 0:
        raise SystemExit(f"{SCHEMA / 'stream.proto'}: protoc ended with {code}")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
