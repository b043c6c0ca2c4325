"""A list of remarks for the user, each said once."""

from __future__ import annotations


class Notes:
    """Collects remarks in order, without repeating any."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def add(self, text: str) -> None:
        """Remember a remark."""
        self._texts[text] = None

    def all(self) -> tuple[str, ...]:
        """All remarks so far."""
        return tuple(self._texts)
