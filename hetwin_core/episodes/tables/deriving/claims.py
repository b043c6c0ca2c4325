"""Numbers what beliefs say."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.episodes.tables.belief_list import Claim


class Claims:
    """Gives each claim a number.

    Attributes:
        said: all claims so far; the numbers count in it.
    """

    def __init__(self) -> None:
        self.said: list[Claim] = []
        self._kinds: dict[Claim, int] = {}

    def kind(self, fluent: str, arguments: Sequence[str], holds: bool, origin: str) -> int:
        """Return the number of a claim.

        Args:
            fluent: e.g. ``held``.
            arguments: one or two entities.
            holds: whether it holds, as the robot believes.
            origin: what the belief came from.
        """
        a, b = (*arguments, "")[:2]
        claim = Claim(fluent, a, b, holds, origin)
        kind = self._kinds.setdefault(claim, len(self.said))
        if kind == len(self.said):
            self.said.append(claim)
        return kind
