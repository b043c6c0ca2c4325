"""The ways in which a copy of a run goes on as a future."""

from __future__ import annotations

from typing import Protocol, TypeVar

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_suite.futures.predicting.future import Future

Told_co = TypeVar("Told_co", covariant=True)


class Way(Protocol[Told_co]):
    """How a copy of a run goes on, once it has what was drawn for it; in the copy itself."""

    def begin(self, run: BetweenSteps) -> None:
        """Prepare it.

        Raises:
            Refused: if it cannot go on in this way.
        """

    def end(self, future: Future, summary: RunSummary, scene: Snapshot) -> Told_co:
        """Return what is told of it.

        Args:
            future: what came of it.
            summary: of the whole run.
            scene: at its end.
        """


class AsItIs:
    """As the ensemble that it is."""

    def begin(self, run: BetweenSteps) -> None:
        """Do nothing."""

    def end(self, future: Future, summary: RunSummary, scene: Snapshot) -> Future:
        """Tell what came of it."""
        return future
