"""What triggers do to the ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hetwin_core.ensemble.events import Json


class Effects(Protocol):
    """Effects of triggers, which the conductor carries out at the barrier."""

    def hand_over(self, entity: str, attribute: str, to: str, cause: str) -> None:
        """Move a responsibility."""

    def command(self, model: str, name: str, arguments: Mapping[str, Json], cause: str) -> None:
        """Give a model a command of its own."""

    def stop(self, reason: str) -> None:
        """End the run."""
