"""Evaluates the expressions of triggers: variables, conditions and arguments of effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.evaluators import Evaluator, is_scene_only
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot, Table
from hetwin_core.ensemble.scene.values import POSE, Floats, Ints
from hetwin_core.ensemble.triggers.trigger import Trigger

_PROXIMITY = "proximity"


class Reads:
    """The parts of a scene that were read, with their exact values."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, int | None, int | None], bytes] = {}
        self._everything = False

    def record(self, scene: Snapshot, array: str, start: int | None, stop: int | None) -> None:
        """Record that a part of one of the scene's arrays was read; all of it for None."""
        key = (array, start, stop)
        if key not in self._contents:
            self._contents[key] = getattr(scene, array)[start:stop].tobytes()

    def record_everything(self) -> None:
        """Record that the reads are unknown."""
        self._everything = True

    @property
    def any(self) -> bool:
        """Whether anything was read."""
        return self._everything or bool(self._contents)

    def add(self, other: Reads) -> None:
        """Add other reads."""
        for key, content in other._contents.items():
            self._contents.setdefault(key, content)
        self._everything = self._everything or other._everything

    def unchanged(self, scene: Snapshot) -> bool:
        """Whether a scene has the same values in all these parts.

        Proximity is compared last, because computing it is costly.
        """
        if self._everything:
            return False
        distances = None
        for (array, start, stop), before in self._contents.items():
            if array == _PROXIMITY:
                distances = before
            elif getattr(scene, array)[start:stop].tobytes() != before:
                return False
        return distances is None or scene.proximity.tobytes() == distances


class ReadScene:
    """A scene that records reads; has the interface of a `Snapshot`.

    Args:
        scene: the scene to read.
        reads: receives the reads.
    """

    def __init__(self, scene: Snapshot, reads: Reads) -> None:
        self._scene = scene
        self._reads = reads
        self.layout: Layout = scene.layout
        self.models: tuple[str, ...] = scene.models

    def get(self, entity: str, attribute: str) -> Floats:
        """See `Snapshot.get`."""
        span = self.layout.range_of(entity, attribute)
        self._reads.record(self._scene, "values", span.start, span.stop)
        return self._scene.values[span]

    def pose(self, entity: str) -> Floats:
        """See `Snapshot.pose`."""
        return self.get(entity, POSE.name)

    def owner(self, entity: str, attribute: str) -> str:
        """See `Snapshot.owner`."""
        slot = self.layout.slot_id(entity, attribute)
        self._reads.record(self._scene, "owners", slot, slot + 1)
        return self._scene.owner(entity, attribute)

    def parent(self, entity: str) -> str:
        """See `Snapshot.parent`."""
        slot = self.layout.slot_id(entity, POSE.name)
        self._reads.record(self._scene, "parents", slot, slot + 1)
        return self._scene.parent(entity)

    @property
    def values(self) -> Floats:
        """See `Snapshot`."""
        self._record_whole("values")
        return self._scene.values

    @property
    def owners(self) -> Ints:
        """See `Snapshot`."""
        self._record_whole("owners")
        return self._scene.owners

    @property
    def parents(self) -> Ints:
        """See `Snapshot`."""
        self._record_whole("parents")
        return self._scene.parents

    @property
    def proximity(self) -> Floats:
        """See `Snapshot`."""
        self._record_whole(_PROXIMITY)
        return self._scene.proximity

    @property
    def time_ns(self) -> int:
        """See `Snapshot`; it changes at every step."""
        self._reads.record_everything()
        return self._scene.time_ns

    @property
    def tables(self) -> Mapping[str, Table]:
        """See `Snapshot`; they change at every step."""
        self._reads.record_everything()
        return self._scene.tables

    def _record_whole(self, array: str) -> None:
        self._reads.record(self._scene, array, None, None)


class _CachedValue(NamedTuple):
    """A value, and the reads that it depends on."""

    value: Any
    reads: Reads


class Evaluation:
    """Evaluates expressions on the scene at the time of the call.

    Args:
        evaluators: functions of a snapshot that expressions may call.
        snapshot: returns the current scene.
    """

    def __init__(
        self, evaluators: Mapping[str, Evaluator], snapshot: Callable[[], Snapshot]
    ) -> None:
        self.snapshot = snapshot
        self._functions = {
            name: partial(self._evaluator, function, is_scene_only(function))
            for name, function in evaluators.items()
        }
        self._reads = Reads()

    def bind(self, trigger: Trigger, event: Event, time_ns: int) -> BoundTrigger:
        """Return the trigger with its variables for an event."""
        facts = {"name": event.name, "source": event.source, "time": event.time_ns / 1e9}
        return BoundTrigger(self, trigger, {"event": {**facts, **event.arguments}}, time_ns)

    def value(
        self,
        trigger: Trigger,
        expression: Expression,
        variables: Mapping[str, Any],
        time_ns: int,
        reads: Reads,
    ) -> Any:
        """Evaluate an expression, after the scenario's evaluators that it uses.

        Raises:
            RunFailed: if the expression has no value.
        """
        known = dict(variables)
        for name in sorted(expression.variables & trigger.evaluators.keys() - variables.keys()):
            inner = trigger.evaluators[name]
            known[name] = self.value(trigger, inner, variables, time_ns, reads)
        self._reads = reads
        try:
            return expression.evaluate(known, self._functions)
        except EvaluationError as error:
            raise RunFailed(f"trigger {trigger.name}", "evaluate", time_ns, str(error)) from None

    def _evaluator(self, function: Evaluator, scene_only: bool, *arguments: Any) -> Any:
        """Call an evaluator; its reads are recorded."""
        if scene_only:
            return function(ReadScene(self.snapshot(), self._reads), *arguments)
        self._reads.record_everything()
        return function(self.snapshot(), *arguments)


class BoundTrigger:
    """A trigger for one event; variables are evaluated on first use, at the latest for the effects.

    The condition may be evaluated repeatedly: parts whose reads are unchanged keep their values.

    Attributes:
        event: the variable `event` with its value.
        time_ns: time of the last evaluation [ns].
    """

    def __init__(
        self, evaluation: Evaluation, trigger: Trigger, event: dict[str, Any], time_ns: int
    ) -> None:
        self._evaluation = evaluation
        self._trigger = trigger
        self.event = event
        self.time_ns = time_ns
        self._cache: dict[tuple[Expression, int | None], _CachedValue] = {}
        self._variables: dict[str, _CachedValue] = {}
        self._reads = Reads()

    @property
    def is_final(self) -> bool:
        """Whether the precondition was evaluated without reading the scene, so that its value cannot change."""
        return bool(self._cache) and not self._reads.any

    def value(self, expression: Expression) -> Any:
        """Value of an expression, which may use the variables, in the current scene.

        Raises:
            RunFailed: if it, or a variable that it needs, has no value.
        """
        return self._evaluate(expression, None).value

    def holds(self) -> bool:
        """Whether the trigger's precondition holds; all variables are then evaluated.

        Raises:
            RunFailed: if it is neither true nor false, or a variable has no value.
        """
        if not self._condition_holds():
            return False
        for number, (name, _) in enumerate(self._trigger.let):
            self._variable(name, number)
        return True

    def holds_again(self, time_ns: int) -> bool | None:
        """Whether the precondition holds at a later time; None if nothing that it has read has changed.

        Raises:
            RunFailed: as `holds`.
        """
        if self._cache and self._reads.unchanged(self._evaluation.snapshot()):
            return None
        self.time_ns = time_ns
        self._variables.clear()
        self._reads = Reads()
        return self.holds()

    def _cached_value(self, expression: Expression, before: int | None) -> _CachedValue:
        """The value of a part of the condition, or of a variable, with only the first `before` variables visible."""
        known = self._cache.get((expression, before))
        if known is None or not known.reads.unchanged(self._evaluation.snapshot()):
            known = self._cache[expression, before] = self._evaluate(expression, before)
        self._reads.add(known.reads)
        return known

    def _evaluate(self, expression: Expression, before: int | None) -> _CachedValue:
        trigger, reads = self._trigger, Reads()
        needed = trigger.needs.get(expression)  # None: not an expression of the trigger itself
        variables = dict(self.event)
        for number, (name, _) in enumerate(trigger.let[:before]):
            if needed is None or name in needed:
                variable = self._variable(name, number)
                reads.add(variable.reads)
                variables[name] = variable.value
        value = self._evaluation.value(trigger, expression, variables, self.time_ns, reads)
        return _CachedValue(value, reads)

    def _variable(self, name: str, number: int) -> _CachedValue:
        """A variable, which keeps its value until the next evaluation of the condition."""
        found = self._variables.get(name)
        if found is None:
            found = self._variables[name] = self._cached_value(self._trigger.let[number][1], number)
        return found

    def _condition_holds(self) -> bool:
        """Evaluate the parts of the condition in order, up to the first that is false."""
        condition = self._trigger.condition
        if condition is None:
            return True
        try:
            for part in condition.parts:
                value = self._cached_value(part, None).value
                if value is False:
                    return False
                if value is not True:
                    break
            else:
                return True
        except RunFailed:
            if len(condition.parts) == 1:
                raise
        return self._evaluate_whole(condition)

    def _evaluate_whole(self, condition: Expression) -> bool:
        """Evaluate the whole condition: it may have a value although a part has none; otherwise the error names it."""
        value = self._cached_value(condition, None).value
        if not isinstance(value, bool):
            reason = f"{condition.text}: must be true or false, not {value!r}"
            raise self._failed("if", reason)
        return value

    def fill_in(self, data: Any) -> Any:
        """Arguments of an effect, with every text that begins with $ replaced by its value."""
        if isinstance(data, str) and data.startswith("$"):
            return self._evaluate(self._trigger.arguments[data[1:]], None).value
        if isinstance(data, dict):
            return {key: self.fill_in(value) for key, value in data.items()}
        if isinstance(data, list):
            return [self.fill_in(value) for value in data]
        return data

    def name(self, data: str, key: str) -> str:
        """A name in an effect's arguments.

        Raises:
            RunFailed: if its value is not text.
        """
        value = self.fill_in(data) if data.startswith("$") else data
        if not isinstance(value, str):
            raise self._failed(key, f"{data} is {value!r}; expected a name")
        return value

    def _failed(self, call: str, reason: str) -> RunFailed:
        return RunFailed(f"trigger {self._trigger.name}", call, self.time_ns, reason)
