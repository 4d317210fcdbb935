"""Movies: MP4 (H.264), one colour scale from the first frame to the last."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eddyline.plot.metadata import Metadata, ffmetadata
from eddyline.stream import atomic

Image = NDArray[np.uint8]
SECONDS = 8.0  # length of a movie if its frames allow a natural rate
SLOWEST, FASTEST = 8, 30  # frames/s


def frame_rate(frames: int) -> int:
    """Frames a second that make a movie of about eight seconds."""
    return min(FASTEST, max(SLOWEST, round(frames / SECONDS)))


def write_movie(
    path: Path,
    images: Iterable[Image],
    metadata: Metadata,
    *,
    rate: int,
    after_frame: Callable[[int], None] = lambda count: None,
) -> int:
    """Encodes `images` ((rows, columns, 3) uint8, or 4 of which the last is not looked at, even sizes) and
    gives their number.

    The file appears when it is complete. `after_frame(count)` is called after each image.
    """
    from imageio_ffmpeg import get_ffmpeg_exe  # type: ignore[import-untyped]

    count = 0
    encoder: subprocess.Popen[bytes] | None = None
    with (
        atomic.replacing(path) as part,
        tempfile.TemporaryFile() as log,
        tempfile.NamedTemporaryFile("w") as words,
    ):
        words.write(ffmetadata(metadata))
        words.flush()
        try:
            for image in images:
                if encoder is None:
                    command = _command(get_ffmpeg_exe(), image.shape, rate, words.name, part)
                    encoder = subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
                    )
                assert encoder.stdin is not None
                encoder.stdin.write(np.ascontiguousarray(image).data)
                count += 1
                after_frame(count)
            if encoder is None:
                raise ValueError("a movie needs at least one frame")
            encoder.communicate()
        except BrokenPipeError:
            assert encoder is not None
            encoder.wait()
        except BaseException:
            if encoder is not None:
                encoder.kill()
                encoder.wait()
            raise
        if encoder.returncode != 0:
            log.seek(0)
            raise OSError(f"{path}: the movie could not be written: {_last_line(log.read())}")
    return count


def count_frames(path: Path) -> int:
    """Decodes a movie and counts its frames."""
    import imageio_ffmpeg

    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    return int(frames)


def _command(program: str, shape: tuple[int, ...], rate: int, words: str, target: Path) -> list[str]:
    source = [
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24" if shape[2] == 3 else "rgb0",
        "-s",
        f"{shape[1]}x{shape[0]}",
        "-r",
        str(rate),
        "-i",
        "-",
    ]
    coder = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-threads", "2"]
    labels = ["-i", words, "-map", "0:v", "-map_metadata", "1", "-movflags", "+faststart+use_metadata_tags"]
    return [program, "-v", "error", "-y", *source, *labels, *coder, "-f", "mp4", str(target.absolute())]


def _last_line(log: bytes) -> str:
    lines = log.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "the encoder gave no reason"
