"""Forces between bodies, from the balance of momentum.

What acts on a body in a step is what its momentum changed by, less gravity and other known forces. A body that touches
a single other one thus has one force; so have all in a stack. Where bodies touch each other in a ring, as fingers and
what they hold, the balance leaves something open: what holds by squeezing does not show in any motion.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats

OUTSIDE = -1
"""In place of a body's number: not one of those whose forces are balanced."""
Pair = tuple[int, int]
_SMALL = 1e-9


class Balance:
    """Forces of pairs of bodies that add up to what acts on each body."""

    def __init__(self) -> None:
        self._pairs: tuple[Pair, ...] = ()
        self._bodies: list[int] = []
        self._sums: Floats = np.zeros((0, 0))
        self._inverse: Floats = np.zeros((0, 0))
        self._open = False

    def leaves_open(self, pairs: Sequence[Pair]) -> bool:
        """Whether other forces of these pairs than `forces` returns would add up to the same."""
        self._prepare(tuple(pairs))
        return self._open

    def forces(self, pairs: Sequence[Pair], totals: Floats, guess: Floats) -> Floats:
        """Return (n, 3) the forces on the first body of each pair that are nearest to a guess [N].

        Args:
            pairs: n of numbers of bodies, or `OUTSIDE`.
            totals: (m, 3) the force that acts on each body [N].
            guess: (n, 3) of the forces.
        """
        self._prepare(tuple(pairs))
        missing = totals[self._bodies] - self._sums @ guess
        found: Floats = guess + self._inverse @ missing
        return found

    def _prepare(self, pairs: tuple[Pair, ...]) -> None:
        if pairs == self._pairs:
            return
        self._pairs = pairs
        self._bodies = sorted({body for pair in pairs for body in pair} - {OUTSIDE})
        self._sums = np.zeros((len(self._bodies), len(pairs)))
        row = {body: i for i, body in enumerate(self._bodies)}
        for i, (one, other) in enumerate(pairs):
            if one != OUTSIDE:
                self._sums[row[one], i] += 1.0
            if other != OUTSIDE:
                self._sums[row[other], i] -= 1.0
        self._inverse = np.asarray(np.linalg.pinv(self._sums, rcond=_SMALL), np.float64)
        self._open = np.linalg.matrix_rank(self._sums) < len(pairs)
