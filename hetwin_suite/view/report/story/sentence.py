"""Sentences that know the times of which they speak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.words import seconds

Piece: TypeAlias = str | int
"""Text, or a simulated time in ns."""


class Sentence(NamedTuple):
    """What is said about one thing.

    Attributes:
        about: the thing; the sentence begins with it.
        pieces: the rest, full stop included.
    """

    about: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        rest = "".join(piece if isinstance(piece, str) else seconds(piece) for piece in self.pieces)
        return f"{self.about}{rest}"


def listed(parts: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Parts as a list in a sentence: ``a, b and c``."""
    pieces: list[Piece] = []
    for i, part in enumerate(parts):
        if i:
            pieces.append(" and " if i == len(parts) - 1 else ", ")
        pieces += part
    return pieces


def length(metres: float) -> str:
    """A length as people read it, e.g. ``3.2 mm``, ``12 cm`` or ``2.31 m``."""
    size = abs(metres)
    if size < 0.01:
        return f"{1e3 * metres:.1f} mm"
    return f"{1e2 * metres:.1f} cm" if size < 1.0 else f"{metres:.2f} m"
