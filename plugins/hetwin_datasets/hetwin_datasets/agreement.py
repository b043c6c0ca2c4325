"""Compares labels that a data set already has with those of the twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_datasets.labels import FAILURE, SUCCESS, UNKNOWN, Pairs
from hetwin_suite.command import table
from hetwin_suite.model import BadInput
from hetwin_suite.study import probability

_TRUE, _FALSE = ("1", "true", "yes", "success", "good"), ("0", "false", "no", "failure", "bad")
_SHOWN = 20


def truth_of(said: Any, file: Path, where: str) -> bool | None:
    """Parse a label as true or false; None if it is empty.

    Raises:
        BadInput: if it is neither true nor false.
    """
    text = str(said).strip().lower()
    if said is None or text in ("", "nan", "null", "none"):
        return None
    if text.removesuffix(".0") in (*_TRUE, *_FALSE):
        return text.removesuffix(".0") in _TRUE
    expected = f"one of {', '.join((*_TRUE, *_FALSE))}"
    raise BadInput("this label is invalid", file=file, where=where, found=said, expected=expected)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of existing labels with those of the twin.

    Attributes:
        key: key of the existing labels.
        counts: (existing label, label of the twin) -> number of recordings.
        disagree: names of recordings whose two labels contradict each other.
    """

    key: str
    counts: Mapping[tuple[str, str], int]
    disagree: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the confusion table, shares with their intervals, and names."""
        shares = {
            what: share._asdict()
            for what, share in (
                ("sensitivity", self._share(FAILURE)),
                ("specificity", self._share(SUCCESS)),
            )
        }
        rows = [{"label": a, "twin": b, "count": n} for (a, b), n in sorted(self.counts.items())]
        return {"key": self.key, "table": rows, **shares, "disagree": list(self.disagree)}

    def _share(self, word: str) -> Any:
        """Return the share of the recordings with this label that the twin labels alike, unknown ones excluded."""
        known = sum(self.counts.get((word, one), 0) for one in (SUCCESS, FAILURE))
        return probability(self.counts.get((word, word), 0), known)

    @property
    def lines(self) -> list[str]:
        """The confusion table as lines of text, with 95 % intervals (Wilson)."""
        words = (SUCCESS, FAILURE, UNKNOWN)
        rows = [
            [word, *(str(self.counts.get((word, one), 0)) for one in words)]
            for word in (SUCCESS, FAILURE)
        ]
        said = table([f"{self.key} \\ twin", *words], rows)
        for word, what in ((FAILURE, "failures"), (SUCCESS, "successes")):
            share = self._share(word)
            if share.of:
                of = f"{what} that the twin knows, labelled alike"
                said.append(
                    f"{of}: {share.p:.0%} of {share.of} ({share.low:.0%} to {share.high:.0%})"
                )
        said += [f"disagrees: {name}" for name in self.disagree[:_SHOWN]]
        more = len(self.disagree) - _SHOWN
        return [*said, f"and {more} more"] if more > 0 else said


def agreement(key: str, pairs: Pairs) -> Agreement | None:
    """Compare existing labels with those of the twin; None if there are none.

    Args:
        key: key of the existing labels.
        pairs: name -> (existing label, label of the twin).
    """
    words = {True: SUCCESS, False: FAILURE}
    known = {
        name: (words[own], twin.word) for name, (own, twin) in pairs.items() if own is not None
    }
    if not known:
        return None
    against = [name for name, (own, twin) in known.items() if twin not in (own, UNKNOWN)]
    return Agreement(key, Counter(known.values()), tuple(against))
