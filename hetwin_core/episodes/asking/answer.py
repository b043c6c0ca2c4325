"""Answers to questions in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.asking.evidence import Evidence
from hetwin_core.episodes.asking.intervals import NEVER, Intervals


class NotKnown(EvaluationError):
    """The log does not tell; what is not known is neither true nor false."""


def reason(why: Iterable[str]) -> str:
    """Why something is not known, in words."""
    return "; ".join(why) or say("question.not_said")


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether something holds.

    Attributes:
        truth: None if it is not known: because it lies later than a log that still grows, or nothing was recorded.
        intervals: when it holds; of a moment the whole intervals around it, of an interval what lies in it.
        bindings: the entities for which it holds, one mapping from variables for each; empty without variables.
        evidence: the rows that say so.
        why: why it is not known, each reason once; empty if it is.
    """

    truth: bool | None
    intervals: Intervals = NEVER
    bindings: tuple[Mapping[str, str], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    why: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return the truth.

        Raises:
            NotKnown: if it is not known.
        """
        if self.truth is None:
            raise NotKnown(f"{reason(self.why)}; compare `truth` with None")
        return self.truth

    @property
    def seconds(self) -> list[tuple[float, float]]:
        """The intervals in s of simulated time."""
        return [(part.from_ns / 1e9, part.to_ns / 1e9) for part in self.intervals]
