"""Exchanges of ranks alone: the traffic of a run is recorded, and repeated without its physics.

eddyline bench exchange --record traffic.npz dam_break_3d --ranks 4 --steps 100
eddyline bench exchange --replay traffic.npz                  by every strategy
"""

from .replay import Record, Wanted
from .traffic import Traffic

__all__ = ["Record", "Traffic", "Wanted"]
