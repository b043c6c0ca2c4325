"""Values of the expressions of triggers: variables, conditions and arguments of effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.expressions.evaluators import Evaluator
from hetwin_core.ensemble.expressions.expression import EvaluationError, Expression
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.triggers.trigger import Trigger


class Evaluation:
    """Evaluates expressions on the scene as it is at the time of the call.

    Args:
        evaluators: functions of a snapshot that expressions may call.
        snapshot: gives the scene as it is now.
    """

    def __init__(
        self, evaluators: Mapping[str, Evaluator], snapshot: Callable[[], Snapshot]
    ) -> None:
        self._snapshot = snapshot
        self._functions = {
            name: partial(self._evaluator, function) for name, function in evaluators.items()
        }
        self._cause: Exception | None = None

    def bind(self, trigger: Trigger, event: Event, time_ns: int) -> Bound:
        """The trigger's variables for an event.

        Raises:
            RunFailed: if an expression has no value.
        """
        facts = {"name": event.name, "source": event.source, "time": event.time_ns / 1e9}
        variables: dict[str, Any] = {"event": {**facts, **event.arguments}}
        bound = Bound(self, trigger, variables, time_ns)
        for name, expression in trigger.let:
            variables[name] = bound.value(expression)
        return bound

    def value(
        self, trigger: Trigger, expression: Expression, variables: dict[str, Any], time_ns: int
    ) -> Any:
        """Evaluate, with the scenario's evaluators that the expression names bound first."""
        inner = {
            name: self.value(trigger, trigger.evaluators[name], variables, time_ns)
            for name in sorted(expression.variables & trigger.evaluators.keys())
            if name not in variables
        }
        self._cause = None
        try:
            return expression.evaluate({**variables, **inner}, self._functions)
        except EvaluationError as error:
            reason = str(error) if self._cause is None else f"{expression.text}: {self._cause}"
            raise RunFailed(f"trigger {trigger.name}", "evaluate", time_ns, reason) from None

    def _evaluator(self, function: Evaluator, *arguments: Any) -> Any:
        """Call an evaluator; keeps what it raises, of which the library reports too little."""
        try:
            return function(self._snapshot(), *arguments)
        except Exception as error:
            name = getattr(function, "__name__", str(function))
            called = f"{name}({', '.join(repr(a) for a in arguments)})"
            self._cause = EvaluationError(f"{called}: {_reason(error)}")
            raise


class Bound:
    """A trigger with its variables bound, for one event."""

    def __init__(
        self, evaluation: Evaluation, trigger: Trigger, variables: dict[str, Any], time_ns: int
    ) -> None:
        self._evaluation = evaluation
        self._trigger = trigger
        self._variables = variables
        self._time_ns = time_ns

    def value(self, expression: Expression) -> Any:
        """Value of an expression."""
        return self._evaluation.value(self._trigger, expression, self._variables, self._time_ns)

    def holds(self) -> bool:
        """Whether the trigger's precondition holds.

        Raises:
            RunFailed: if it is neither true nor false.
        """
        condition = self._trigger.condition
        if condition is None:
            return True
        value = self.value(condition)
        if not isinstance(value, bool):
            reason = f"{condition.text}: must be true or false, not {value!r}"
            raise self._failed("if", reason)
        return value

    def filled(self, data: Any) -> Any:
        """Arguments of an effect, with every text that begins with $ replaced by its value."""
        if isinstance(data, str) and data.startswith("$"):
            return self.value(self._trigger.arguments[data[1:]])
        if isinstance(data, dict):
            return {key: self.filled(value) for key, value in data.items()}
        if isinstance(data, list):
            return [self.filled(value) for value in data]
        return data

    def name(self, data: str, key: str) -> str:
        """A name among an effect's arguments.

        Raises:
            RunFailed: if its value is not text.
        """
        value = self.filled(data)
        if not isinstance(value, str):
            raise self._failed(key, f"{data} is {value!r}; expected a name")
        return value

    def _failed(self, call: str, reason: str) -> RunFailed:
        return RunFailed(f"trigger {self._trigger.name}", call, self._time_ns, reason)


def _reason(error: Exception) -> str:
    if not isinstance(error, KeyError):
        return str(error)
    missing = error.args[0]  # an entity, or entity and attribute
    name = ".".join(map(str, missing)) if isinstance(missing, tuple) else missing
    return f"the scene has no {name}"
