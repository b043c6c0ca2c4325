"""How episodes are replayed: the same for all approaches."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_bauer2022.evaluation.approaches import Contacts
from hetwin_bauer2022.mismatch import Mismatch


@dataclass(frozen=True, slots=True)
class Replay:
    """How episodes are replayed.

    Attributes:
        contacts: the physics engine's contact settings.
        engine: the main model's physics engine; None: the scenarios'.
        mismatches: between the episodes and what the twin is given.
    """

    contacts: Contacts = Contacts.MANIPULATION
    engine: str | None = None
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def levels(self) -> dict[str, float]:
        """Axis -> level of all mismatches."""
        return {one.axis.name: one.level for one in self.mismatches}


AS_RECORDED = Replay()
"""hetwin's contacts, the scenarios' engine, no mismatch."""
