"""Runs on several processes: starting them, and being one of them."""

from .errors import RankError
from .launch import launch, tell_outcome, tell_run
from .session import PATIENCE, Session, cores_per_rank, is_follower, join

__all__ = [
    "PATIENCE",
    "RankError",
    "Session",
    "cores_per_rank",
    "is_follower",
    "join",
    "launch",
    "tell_outcome",
    "tell_run",
]
