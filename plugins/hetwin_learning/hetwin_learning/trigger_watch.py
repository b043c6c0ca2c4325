"""Records the compared quantities of a trigger's condition whenever the trigger would wake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hetwin_learning.compared import Operand
from hetwin_learning.thresholds import lowest
from hetwin_suite.model import (
    ANNOUNCED,
    Evaluator,
    Event,
    EventKind,
    Expression,
    Snapshot,
    phase_of,
)
from hetwin_suite.runs import BetweenSteps, BoundTrigger, Evaluation, OnAction, OnEvent, Trigger


class TriggerWatch:
    """Observes one trigger without executing its effects.

    Args:
        trigger: the trigger without its thresholds.
        compared: comparisons with the thresholds.
        functions: functions that its expressions may call.
    """

    def __init__(
        self, trigger: Trigger, compared: Sequence[Operand], functions: Mapping[str, Evaluator]
    ) -> None:
        self._trigger, self._compared = trigger, compared
        self._what = [(Expression(one.what), Expression(one.to or "0")) for one in compared]
        self._scene: Snapshot | None = None
        self._evaluation = Evaluation(functions, self._now)
        self._operation: Event | None = None
        self._rows: list[list[float]] = []

    def observe(self, between: BetweenSteps) -> None:
        """See `Watch.look`."""
        woken = [event for event in between.events if self._wakes(event)]
        if self._operation is not None:
            woken.append(self._operation)
        if not woken:
            return
        self._scene = between.scene
        for event in woken:
            bound = self._evaluation.bind(self._trigger, event, between.time_ns)
            if bound.holds():
                self._rows.append(self._row(bound))

    def observations(self) -> list[list[float]]:
        """See `Watch.seen`."""
        return [list(row) for row in lowest(self._rows, len(self._compared)).tolist()]

    def _now(self) -> Snapshot:
        assert self._scene is not None  # expressions are evaluated only after `look`
        return self._scene

    def _row(self, bound: BoundTrigger) -> list[float]:
        row = []
        for one, (what, to) in zip(self._compared, self._what, strict=True):
            value = bound.value(what)
            if one.to:
                away = self._now().pose(value)[:3] - self._now().pose(bound.value(to))[:3]
                value = np.linalg.norm(away)
            row.append(-float(value) if one.least else float(value))
        return row

    def _wakes(self, event: Event) -> bool:
        """Whether an event wakes the trigger; remembers operations that last."""
        on = self._trigger.on
        if isinstance(on, OnEvent):
            kinds = (EventKind.MODEL, EventKind.TRIGGER)
            return event.kind in kinds and on.event in (event.name, f"{event.source}.{event.name}")
        if not isinstance(on, OnAction) or event.kind is not EventKind.ACTION:
            return False
        phase = phase_of(event)
        if on.action not in (event.name, "*") or phase == ANNOUNCED:
            return False
        if self._trigger.while_phase:
            self._operation = event if phase == "begin" else None
            return False
        return on.phase in ("any", phase)
