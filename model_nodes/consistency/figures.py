"""How a robot and its twin agreed over a run, in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.consistency import UNKNOWN, Consistency
from hetwin_core.ensemble.scene.values import Floats

_BIN_S, _BINS = 0.001, 1000
"""Lags are counted in bins [s]; longer ones in the last."""


class Figures:
    """Collects differences.

    Args:
        joints: names of the n joints.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        self._names = tuple(joints)
        count = len(self._names)
        self._squares, self._largest = np.zeros(count), np.zeros(count)
        self._looks = np.zeros(count)
        self._tip, self._base, self._heading = _Size(), _Size(), _Size()
        self._lags = np.zeros(_BINS, np.int64)
        self.deviations: list[float] = []

    def add(
        self,
        joints: Floats,
        lag: float | None = None,
        tip: float | None = None,
        base: tuple[float, float] | None = None,
    ) -> None:
        """Add a look.

        Args:
            joints: (n,) differences [rad or m]; NaN: not known.
            lag: of the robot behind the twin [s].
            tip: distance of the tips [m].
            base: distance [m] and angle [rad] of the bases.
        """
        known = np.isfinite(joints)
        size = np.where(known, np.abs(joints), 0.0)
        self._squares += size * size
        np.maximum(self._largest, size, out=self._largest)
        self._looks += known
        if lag is not None:
            self._lags[min(int(lag / _BIN_S), _BINS - 1)] += 1
        if tip is not None:
            self._tip.add(tip)
        if base is not None:
            self._base.add(base[0])
            self._heading.add(base[1])

    def consistency(self) -> Consistency:
        """Return all figures so far."""
        looks = float(self._looks.sum())
        joints = (UNKNOWN, UNKNOWN)
        if looks:
            joints = float(np.sqrt(self._squares.sum() / looks)), float(self._largest.max())
        lags = (self._lag(0.5), self._lag(0.95)) if self._lags.any() else (UNKNOWN, UNKNOWN)
        return Consistency(*joints, *self._tip.pair, *self._base.pair, *self._heading.pair, *lags)

    def to_json(self) -> dict[str, Json] | None:
        """Return the figures as in a summary, with those of each joint and the deviations; None if there are none."""
        row = self.consistency().row()
        if row is None:
            return None
        rms = np.sqrt(self._squares / np.maximum(self._looks, 1.0))
        rows = zip(
            self._names,
            rms.tolist(),
            self._largest.tolist(),
            self._looks.tolist(),
            strict=True,
        )
        of: dict[str, Json] = {
            name: {"rms": round(a, 7), "max": round(b, 7)} for name, a, b, seen in rows if seen
        }
        joints = row["joints"]
        if isinstance(joints, dict):
            joints["of"] = of
        return {**row, "deviates": [round(time, 3) for time in self.deviations]}

    def _lag(self, share: float) -> float:
        count = np.cumsum(self._lags)
        return float(np.searchsorted(count, share * count[-1]) + 0.5) * _BIN_S


class _Size:
    """Root mean square and largest of sizes."""

    def __init__(self) -> None:
        self._squares, self._largest, self._count = 0.0, 0.0, 0

    def add(self, size: float) -> None:
        self._squares += size * size
        self._largest = max(self._largest, size)
        self._count += 1

    @property
    def pair(self) -> tuple[float, float]:
        if not self._count:
            return UNKNOWN, UNKNOWN
        return float((self._squares / self._count) ** 0.5), self._largest
