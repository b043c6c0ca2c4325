"""Runs the triggers at each barrier, in the scenario's order; each sees the effects of the earlier ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import ANNOUNCED, Event, EventKind, Json, phase_of
from hetwin_core.ensemble.expressions.evaluators import Evaluator
from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.triggers.evaluation import BoundTrigger, Evaluation
from hetwin_core.ensemble.triggers.schema import (
    DoCommand,
    DoHandOver,
    DoRaise,
    DoStop,
    OnAction,
    OnAttribute,
    OnEvent,
    OnTopic,
)
from hetwin_core.ensemble.triggers.trigger import Trigger


class Effects(Protocol):
    """Effects of triggers, which the conductor carries out at the barrier."""

    def hand_over(self, entity: str, attribute: str, to: str, cause: str) -> None:
        """Move a responsibility."""

    def command(self, model: str, name: str, arguments: Mapping[str, Json], cause: str) -> None:
        """Send a command to a model."""

    def stop(self, reason: str) -> None:
        """End the run."""


MAX_DEPTH = 16
"""Maximum length of a chain of triggers that wake each other in one step."""


@dataclass(slots=True)
class _QueuedEvent:
    """An event to be handled, and the chain of triggers that raised it."""

    event: Event
    chain: tuple[str, ...] = ()


class TriggerRunner:
    """Wakes triggers on events and values.

    Args:
        triggers: in the scenario's order.
        evaluators: functions of a snapshot that expressions may call.
        effects: carries out the effects.
        snapshot: returns the current scene, including effects of earlier triggers.
        handle: called with every event that is handled, in order; returns it with its sequence number.

    Attributes:
        on_value: the triggers that compare a value at every barrier.
        operations: the triggers that are evaluated at every step of an operation in progress, by name. Without
            both, `run` does nothing at a barrier without events.
    """

    def __init__(
        self,
        triggers: Iterable[Trigger],
        evaluators: Mapping[str, Evaluator],
        effects: Effects,
        snapshot: Callable[[], Snapshot],
        handle: Callable[[Event], Event],
    ) -> None:
        self._triggers = tuple(triggers)
        for trigger in self._triggers:
            for expression in (*trigger.needs, *trigger.evaluators.values()):
                expression.prepare()  # so that no step of the run waits for it
        self._effects = effects
        self._snapshot = snapshot
        self._evaluation = Evaluation(evaluators, snapshot)
        self._handle = handle
        self.on_value = [t for t in self._triggers if isinstance(t.on, OnAttribute)]
        self._on_topic = [t for t in self._triggers if isinstance(t.on, OnTopic)]
        self._was_true: dict[str, bool] = {}
        self.operations: dict[str, BoundTrigger] = {}

    @property
    def waits_for_events(self) -> bool:
        """Whether no trigger can act without an event."""
        return not self.on_value and all(bound.is_final for bound in self.operations.values())

    def run(self, events: Sequence[Event], time_ns: int) -> None:
        """Handle the events of a barrier, then the triggers on values and on operations in progress.

        Raises:
            RunFailed: if an expression has no value, or triggers wake each other endlessly.
        """
        if events:
            self._drain(deque(map(_QueuedEvent, events)), time_ns)
        for trigger in self.on_value:
            self._run_on_value(trigger, time_ns)
        for trigger in self._triggers if self.operations else ():
            if trigger.while_phase and trigger.name in self.operations:
                self._run_while_phase(trigger, time_ns)

    def save(self) -> Plain:
        """Return the last results of comparisons, and the operations in progress.

        Reads of their conditions are not saved: the conditions are evaluated again, with the same result.
        """
        operations = {
            n: {"event": b.event, "time_ns": b.time_ns} for n, b in self.operations.items()
        }
        return record({"was_true": self._was_true, "operations": operations}, name="triggers")

    def restore(self, saved: Plain) -> None:
        """Restore the saved state of the same triggers.

        Raises:
            StateError: if it belongs to other triggers.
        """
        content = rebuild(saved, name="triggers")
        named = {trigger.name: trigger for trigger in self._triggers}
        unknown = [n for part in content.values() for n in part if n not in named]
        if unknown:
            raise StateError(f"there is no trigger {unknown[0]!r}")
        self._was_true = dict(content["was_true"])
        self.operations = {
            name: BoundTrigger(self._evaluation, named[name], state["event"], state["time_ns"])
            for name, state in content["operations"].items()
        }

    def _drain(self, queue: deque[_QueuedEvent], time_ns: int) -> None:
        while queue:
            queued = queue.popleft()
            event = self._handle(queued.event)
            if len(queued.chain) > MAX_DEPTH:
                reason = f"triggers wake each other: {' -> '.join(queued.chain)}"
                raise RunFailed("triggers", "raise", time_ns, reason)
            for trigger in self._triggers:
                if not self._wakes(trigger, event, time_ns):
                    continue
                chain = (*queued.chain, trigger.name)
                raised = self._run_trigger(trigger, event, time_ns)
                queue.extendleft(_QueuedEvent(e, chain) for e in reversed(raised))

    def _wakes(self, trigger: Trigger, event: Event, time_ns: int) -> bool:
        on = trigger.on
        if isinstance(on, OnAction):
            return self._action_wakes(trigger, on, event)
        if isinstance(on, OnEvent):
            named = on.event in (event.name, f"{event.source}.{event.name}")
            return named and event.kind in (EventKind.MODEL, EventKind.TRIGGER)
        if isinstance(on, OnTopic):
            return event.kind is EventKind.TOPIC and self._topic_wakes(trigger, on, event, time_ns)
        return False

    def _action_wakes(self, trigger: Trigger, on: OnAction, event: Event) -> bool:
        if event.kind is not EventKind.ACTION or on.action not in (event.name, "*"):
            return False
        phase = phase_of(event)
        if phase == ANNOUNCED:
            return False
        if trigger.while_phase:
            if phase == "begin":
                self.operations[trigger.name] = self._evaluation.bind(trigger, event, event.time_ns)
                self._was_true[trigger.name] = False
            else:
                self.operations.pop(trigger.name, None)
            return False
        return on.phase in ("any", phase)

    def _topic_wakes(self, trigger: Trigger, on: OnTopic, event: Event, time_ns: int) -> bool:
        if event.name != on.topic:
            return False
        if on.above is None and on.below is None and on.equals is None:
            return True
        value: Any = event.arguments
        for part in on.field.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return self._rises(trigger, _compare(trigger, on, value, time_ns))

    def _run_on_value(self, trigger: Trigger, time_ns: int) -> None:
        on = trigger.on
        assert isinstance(on, OnAttribute)
        scene = self._snapshot()
        value = float(scene.get(on.entity, on.attribute)[on.index])
        if self._rises(trigger, _compare(trigger, on, value, time_ns)):
            event = Event(
                trigger.name,
                time_ns,
                EventKind.TRIGGER,
                trigger.name,
                arguments={"entity": on.entity, "attribute": on.attribute, "value": value},
            )
            raised = self._run_trigger(trigger, event, time_ns)
            self._drain(deque(_QueuedEvent(e, (trigger.name,)) for e in raised), time_ns)

    def _run_while_phase(self, trigger: Trigger, time_ns: int) -> None:
        """Evaluate the condition again, unless its reads have not changed since the last evaluation."""
        bound = self.operations[trigger.name]
        holds = bound.holds_again(time_ns)
        if holds is not None and self._rises(trigger, holds):
            raised = self._apply(trigger, bound, time_ns)
            self._drain(deque(_QueuedEvent(e, (trigger.name,)) for e in raised), time_ns)

    def _rises(self, trigger: Trigger, holds: bool) -> bool:
        before = self._was_true.get(trigger.name, False)
        self._was_true[trigger.name] = holds
        return holds and not before

    def _run_trigger(self, trigger: Trigger, event: Event, time_ns: int) -> list[Event]:
        bound = self._evaluation.bind(trigger, event, time_ns)
        return self._apply(trigger, bound, time_ns) if bound.holds() else []

    def _apply(self, trigger: Trigger, bound: BoundTrigger, time_ns: int) -> list[Event]:
        """Carry out the effects; return the events that they raise."""
        raised: list[Event] = []
        for effect in trigger.effects:
            if isinstance(effect, DoRaise):
                raised_event = effect.raise_
                arguments = bound.fill_in(raised_event.arguments)
                kind = EventKind.TRIGGER
                raised.append(
                    Event(raised_event.event, time_ns, kind, trigger.name, arguments=arguments)
                )
            else:
                self._carry_out(effect, trigger.name, bound)
        return raised

    def _carry_out(
        self, effect: DoHandOver | DoCommand | DoStop, cause: str, bound: BoundTrigger
    ) -> None:
        match effect:
            case DoHandOver(hand_over=move):
                self._effects.hand_over(
                    bound.name(move.entity, "hand_over.entity"),
                    bound.name(move.attribute, "hand_over.attribute"),
                    bound.name(move.to, "hand_over.to"),
                    cause,
                )
            case DoCommand(command=command):
                model = bound.name(command.model, "command.model")
                arguments = bound.fill_in(command.arguments)
                self._effects.command(model, command.name, arguments, cause)
            case DoStop(stop=reason):
                self._effects.stop(str(bound.fill_in(reason)))


def _compare(trigger: Trigger, on: OnAttribute | OnTopic, value: Any, time_ns: int) -> bool:
    """Whether the comparison in the trigger's `on` holds for this value."""
    if value is None:
        return False
    if on.above is None and on.below is None:
        return bool(value == on.equals)
    if isinstance(value, bool) or not isinstance(value, int | float):
        where = f"{on.topic}.{on.field}" if isinstance(on, OnTopic) else on.attribute
        reason = f"{where} is {value!r}; expected a number to compare"
        raise RunFailed(f"trigger {trigger.name}", "on", time_ns, reason)
    if on.above is not None:
        return value > on.above
    return on.below is not None and value < on.below
