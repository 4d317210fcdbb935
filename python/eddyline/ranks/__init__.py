"""Runs on several processes: starting them, and being one of them."""

from .errors import RankError
from .launch import launch, tell_listening, tell_outcome, tell_run
from .session import Session, is_follower, join

__all__ = [
    "RankError",
    "Session",
    "is_follower",
    "join",
    "launch",
    "tell_listening",
    "tell_outcome",
    "tell_run",
]
