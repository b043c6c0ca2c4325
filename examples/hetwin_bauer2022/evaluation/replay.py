"""Settings of the replay of episodes, the same for all approaches."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_bauer2022.evaluation.approaches import Contacts
from hetwin_bauer2022.mismatch import Mismatch


@dataclass(frozen=True, slots=True)
class Replay:
    """Settings of the replay of episodes.

    Attributes:
        contacts: contact settings of the physics engine.
        engine: physics engine of the main model; None: the scenarios'.
        mismatches: mismatches between the episodes and the twin's input.
    """

    contacts: Contacts = Contacts.MANIPULATION
    engine: str | None = None
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def levels(self) -> dict[str, float]:
        """Axis -> level of all mismatches."""
        return {mismatch.axis.name: mismatch.level for mismatch in self.mismatches}


AS_RECORDED = Replay()
"""hetwin's contacts, the scenarios' engine, no mismatch."""
