"""What would have had to be different for a run to succeed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_suite._study.counting.wilson import Probability
from hetwin_suite._study.explaining.change import Change
from hetwin_suite._study.runs.run_result import RunResult

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Explanation:
    """The smallest change with which a run would have succeeded.

    Attributes:
        change: the change; None if none was found, or none was needed.
        p: the share of futures that succeed with it.
        text: the explanation in words.
        made: how many futures were made.
        finished: how many of them are over.
        futures: those that show that the change mends.
        at_s: from which moment of the run on they went [s].
    """

    change: Change | None
    p: Probability
    text: str
    made: int = 0
    finished: int = 0
    futures: Sequence[RunResult] = ()
    at_s: float = 0.0

    @property
    def found(self) -> bool:
        """Whether there is such a change."""
        return self.change is not None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        made, over = self.made, self.finished
        return {
            "found": self.found,
            "change": None if self.change is None else self._change(self.change),
            "text": self.text,
            "futures": {"asked": made, "finished": over, "failed": made - over},
        }

    def to_file(self) -> dict[str, Any]:
        """Return what is kept beside the run: the JSON, and the paths of things in the futures that succeed."""
        names = {name for one in self.futures for name in one.paths}
        paths = {
            name: [one.paths[name].round(4).tolist() for one in self.futures if name in one.paths]
            for name in sorted(names)
        }
        return {**self.to_json(), "paths": paths}

    def _change(self, change: Change) -> dict[str, Any]:
        of_number = bool(change.parameter)
        return {
            "entity": change.entity or None,
            "shift": None if of_number else [round(x, _DIGITS) for x in change.shift],
            "parameter": change.parameter or None,
            "from": change.before,
            "to": change.after,
            "p": round(self.p.p, _DIGITS),
            "low": round(self.p.low, _DIGITS),
            "high": round(self.p.high, _DIGITS),
        }
