"""How a robot and its twin agreed over a run, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import Floats


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
        self._tips: list[float] = []
        self._bases: list[tuple[float, float]] = []
        self._lags: list[float] = []
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
            self._lags.append(lag)
        if tip is not None:
            self._tips.append(tip)
        if base is not None:
            self._bases.append(base)

    def to_json(self) -> dict[str, Any] | None:
        """Figures in m, rad and s; what was not compared is null; None if nothing was."""
        if not (self._looks.any() or self._bases):
            return None
        return {
            "joints": self._of_joints(),
            "tip": _of(self._tips),
            "base": None
            if not self._bases
            else {
                "position": _of([d for d, _ in self._bases]),
                "heading": _of([a for _, a in self._bases]),
            },
            "lag": None
            if not self._lags
            else {
                "median": round(float(np.median(self._lags)), 6),
                "p95": round(float(np.percentile(self._lags, 95)), 6),
            },
            "deviates": [round(time, 3) for time in self.deviations],
        }

    def _of_joints(self) -> dict[str, Any] | None:
        if not self._looks.any():
            return None
        looks = np.maximum(self._looks, 1.0)
        rms = np.sqrt(self._squares / looks)
        return {
            "rms": round(float(np.sqrt(self._squares.sum() / self._looks.sum())), 7),
            "max": round(float(self._largest.max()), 7),
            "of": {
                name: {"rms": round(a, 7), "max": round(b, 7)}
                for name, a, b, seen in zip(
                    self._names,
                    rms.tolist(),
                    self._largest.tolist(),
                    self._looks.tolist(),
                    strict=True,
                )
                if seen
            },
        }


def _of(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    square = float(np.mean(np.square(values)))
    return {"rms": round(square**0.5, 7), "max": round(max(values), 7)}
