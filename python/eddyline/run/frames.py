"""The frames of a run as numbers: what its film was painted from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eddyline.stream.frames import Frame, FrameStore


class Frames:
    """One quantity at all moments that a run has painted, in SI units; each frame is read when it is asked
    for.

        frames = run.frames("speed")
        plt.imshow(frames[-1].values, origin="lower", extent=frames.extent)

    quantity: its name. times: (n,) s. steps: (n,). `frames[k]` is a Frame: its time, its values, (rows,
    columns) float32, row 0 at the bottom, NaN where there is no fluid, and its corners, lower and upper [m].
    In 3D a frame is a view of the run, as in its film.
    """

    def __init__(self, store: FrameStore, quantity: str) -> None:
        self._store = store
        self.quantity = quantity
        self.times: NDArray[np.float64] = self._store.index["time"].astype(np.float64)
        self.steps: NDArray[np.int64] = self._store.index["step"].astype(np.int64)
        if quantity not in self._store.quantities:
            known = ", ".join(self._store.quantities) or "none"
            raise KeyError(f"{store.path.parent}: has no frames of {quantity!r}; it has: {known}")

    def __len__(self) -> int:
        return len(self._store)

    def __getitem__(self, k: int) -> Frame:
        """Frame `k`; negative: from the end. IndexError if there is no such one."""
        return self._store.read(k, self.quantity)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """left, right, bottom and top [m], as matplotlib's imshow takes them."""
        frame = self[-1]
        return frame.lower[0], frame.upper[0], frame.lower[1], frame.upper[1]

    def values(self) -> NDArray[np.float32]:
        """(n, rows, columns) float32: all at once."""
        return np.stack([frame.values for frame in self])

    def __repr__(self) -> str:
        span = f", {self.times[0]:.4g} to {self.times[-1]:.4g} s" if len(self) else ""
        return f"<Frames of {self.quantity}: {len(self)}{span}>"
