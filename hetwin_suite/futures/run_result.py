"""What came of one run of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_core.ensemble.events import Json


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of one run.

    Attributes:
        index: of the run in its batch.
        folder: where it is kept; None if it is not, or is not known yet.
        digest: of the run; empty if it failed before it had one.
        outcomes: name -> whether it came about; None if the episode does not say.
        flaws: their kinds, each once, in the order in which they came about.
        inputs: what was drawn, by name.
        error: why the run failed; None if it did not.
    """

    index: int
    folder: str | None
    digest: str
    outcomes: Mapping[str, bool | None]
    flaws: Sequence[str]
    inputs: Mapping[str, Json]
    error: str | None = None

    @property
    def succeeded(self) -> bool:
        """Whether all outcomes came about."""
        return self.error is None and all(value is True for value in self.outcomes.values())

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "index": self.index,
            "folder": self.folder,
            "digest": self.digest,
            "outcomes": dict(self.outcomes),
            "flaws": list(self.flaws),
            "inputs": dict(self.inputs),
            "error": self.error,
        }
