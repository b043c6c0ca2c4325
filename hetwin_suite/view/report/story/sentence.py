"""Sentences that know the times of which they speak."""

from __future__ import annotations

from typing import NamedTuple

from hetwin_core.ensemble.sentences.catalogue import Piece, plain


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
        return f"{self.about}{plain(self.pieces)}"
