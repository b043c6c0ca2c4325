"""Records the compared quantities of a trigger's condition whenever the trigger would wake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hetwin_learning.comparisons import Operand
from hetwin_learning.thresholds import pareto_front
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
        operands: comparisons with the thresholds.
        functions: functions that its expressions may call.
    """

    def __init__(
        self, trigger: Trigger, operands: Sequence[Operand], functions: Mapping[str, Evaluator]
    ) -> None:
        self._trigger, self._operands = trigger, operands
        self._quantities = [
            (Expression(operand.quantity), Expression(operand.origin or "0"))
            for operand in operands
        ]
        self._scene: Snapshot | None = None
        self._evaluation = Evaluation(functions, self._current_scene)
        self._operation: Event | None = None
        self._rows: list[list[float]] = []

    def observe(self, between: BetweenSteps) -> None:
        """See `hetwin_suite.study.Watch.observe`."""
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
        """See `hetwin_suite.study.Watch.observations`."""
        return [list(row) for row in pareto_front(self._rows, len(self._operands)).tolist()]

    def _current_scene(self) -> Snapshot:
        assert self._scene is not None  # expressions are evaluated only after `observe`
        return self._scene

    def _row(self, bound: BoundTrigger) -> list[float]:
        row = []
        for operand, (quantity, origin) in zip(self._operands, self._quantities, strict=True):
            value = bound.value(quantity)
            if operand.origin:
                offset = (
                    self._current_scene().pose(value)[:3]
                    - self._current_scene().pose(bound.value(origin))[:3]
                )
                value = np.linalg.norm(offset)
            row.append(-float(value) if operand.is_lower_bound else float(value))
        return row

    def _wakes(self, event: Event) -> bool:
        """Whether an event wakes the trigger; remembers operations that last."""
        waking = self._trigger.on
        if isinstance(waking, OnEvent):
            kinds = (EventKind.MODEL, EventKind.TRIGGER)
            return event.kind in kinds and waking.event in (
                event.name,
                f"{event.source}.{event.name}",
            )
        if not isinstance(waking, OnAction) or event.kind is not EventKind.ACTION:
            return False
        phase = phase_of(event)
        if waking.action not in (event.name, "*") or phase == ANNOUNCED:
            return False
        if self._trigger.while_phase:
            self._operation = event if phase == "begin" else None
            return False
        return waking.phase in ("any", phase)
