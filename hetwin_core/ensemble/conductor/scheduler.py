"""Which models step when, and how far a twin of a live robot is behind it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Container, Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.transport.port import ModelPort

MOST_STRETCH = 8
STEPS_TO_CHANGE = 50
"""Steps of the main model between two changes of the rates."""
KEPT_LAGS = 200_000


class Pace:
    """Tells which models are due; while the main model is late, they step up to eight times less often.

    Models beside the main one keep their rates: they set out before it is known how late it is.

    Args:
        ports: the models that the conductor waits for, without the main one.
    """

    def __init__(self, ports: Sequence[ModelPort]) -> None:
        self._ports = tuple(ports)
        self._last = {port.plan.name: 0 for port in ports}
        self._changed = -STEPS_TO_CHANGE
        self.stretch = 1
        self.missed: Counter[str] = Counter()

    def drop(self, models: Container[int]) -> None:
        """Forget models that were given up, by their indices."""
        self._ports = tuple(p for p in self._ports if p.plan.index not in models)

    def due(self, step: int) -> list[ModelPort]:
        """Who steps together with this step of the main model."""
        due = [port for port in self._ports if step % port.plan.every == 0]
        if self.stretch == 1:
            return due
        chosen = [
            port for port in due if port.plan.beside or step % (port.plan.every * self.stretch) == 0
        ]
        self.missed.update(port.plan.name for port in due if port not in chosen)
        return chosen

    def next_due(self, step: int) -> int:
        """The first step of the main model, from this one on, together with which anyone else steps."""
        nexts = [-(-step // port.plan.every) * port.plan.every for port in self._ports]
        return min(nexts, default=sys.maxsize)

    def steps_since(self, port: ModelPort, step: int) -> int:
        """Steps of the main model since this model's last; remembers that it steps now."""
        since = step - self._last[port.plan.name]
        self._last[port.plan.name] = step
        return since

    def adapt(self, step: int, late: bool) -> bool:
        """Step less often while the twin is late, and as often as before afterwards; answers whether that changed."""
        wanted = min(2 * self.stretch, MOST_STRETCH) if late else max(self.stretch // 2, 1)
        if wanted == self.stretch or step - self._changed < STEPS_TO_CHANGE:
            return False
        self._changed = step
        self.stretch = wanted
        return True


class LagMeter:
    """How old the newest joint sample is in what is published."""

    def __init__(self) -> None:
        self._lags: list[int] = []

    def published(self, input_ns: int | None) -> None:
        """A state was published just now, with an input that was measured at this system time."""
        if input_ns is not None and len(self._lags) < KEPT_LAGS:
            self._lags.append(time.time_ns() - input_ns)

    def summary(self) -> Mapping[str, Json]:
        """Median, 95th percentile and most in ms, and of how many states; empty if the robot was not live."""
        if not self._lags:
            return {}
        lags = np.array(self._lags, np.float64) / 1e6
        median, high = np.percentile(lags, (50, 95)).tolist()
        return {
            "states": len(lags),
            "lag_median_ms": round(median, 3),
            "lag_p95_ms": round(high, 3),
            "lag_max_ms": round(float(lags.max()), 3),
        }
