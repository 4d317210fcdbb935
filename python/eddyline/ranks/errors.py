from __future__ import annotations


class RankError(Exception):
    """Ranks that cannot start, do not agree, or are lost."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code
