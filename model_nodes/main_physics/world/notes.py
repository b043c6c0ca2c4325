"""A list of notes for the user, without duplicates."""

from __future__ import annotations


class Notes:
    """Collects notes in order, without duplicates."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def add(self, text: str) -> None:
        """Add a note."""
        self._texts[text] = None

    def all(self) -> tuple[str, ...]:
        """Return all notes so far."""
        return tuple(self._texts)
