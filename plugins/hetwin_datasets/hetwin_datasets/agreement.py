"""Labels that a data set has already beside those of the twin: how often they agree, and where they do not."""

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
    """Return what a label says; None of one that is empty.

    Raises:
        BadInput: if it is neither true nor false.
    """
    text = str(said).strip().lower()
    if said is None or text in ("", "nan", "null", "none"):
        return None
    if text.removesuffix(".0") in (*_TRUE, *_FALSE):
        return text.removesuffix(".0") in _TRUE
    expected = f"one of {', '.join((*_TRUE, *_FALSE))}"
    raise BadInput("this label is none", file=file, where=where, found=said, expected=expected)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How labels that were there agree with the twin's.

    Attributes:
        key: key of the labels that were there.
        counts: (label that was there, label of the twin) -> how many.
        disagree: names whose two labels contradict each other.
    """

    key: str
    counts: Mapping[tuple[str, str], int]
    disagree: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The confusion table, shares with their intervals, and names."""
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
        """Which share of the recordings with this label the twin labels alike, of those of which it knows."""
        known = sum(self.counts.get((word, one), 0) for one in (SUCCESS, FAILURE))
        return probability(self.counts.get((word, word), 0), known)

    @property
    def lines(self) -> list[str]:
        """The confusion table in words, with intervals at 95 % (Wilson)."""
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
    """Compare labels that were there with the twin's; None if there are none.

    Args:
        key: key of the labels that were there.
        pairs: name -> what was there, and the twin's label.
    """
    words = {True: SUCCESS, False: FAILURE}
    known = {
        name: (words[own], twin.word) for name, (own, twin) in pairs.items() if own is not None
    }
    if not known:
        return None
    against = [name for name, (own, twin) in known.items() if twin not in (own, UNKNOWN)]
    return Agreement(key, Counter(known.values()), tuple(against))
