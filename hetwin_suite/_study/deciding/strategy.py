"""Strategies of a library as the plans of futures of a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_suite._study.deciding.library import EXPRESSION, Action, Library

_DIGITS = 9


def plans_of(
    library: Library, scene: Snapshot, event: Mapping[str, Json] | None
) -> dict[str, dict[str, Any]]:
    """Return strategy -> the source that carries it out from a moment on.

    Args:
        library: of the strategies.
        scene: at the moment, as the robot believes it.
        event: arguments of the action that begins then; None if none does.

    Raises:
        BadInput: with file, line and key, if an expression has no value.
    """
    filler = _Filler(scene, event)
    try:
        return {
            name: {"plan": filler.steps(actions, f"strategies.{name}")}
            for name, actions in library.file.strategies.items()
        }
    except BadInput as error:
        raise library.placed(error) from None


class _Filler:
    """Gives expressions their values."""

    def __init__(self, scene: Snapshot, event: Mapping[str, Json] | None) -> None:
        self._scene, self._event = scene, event

    def steps(self, actions: Sequence[Action], where: str) -> list[dict[str, Any]]:
        return [self._step(action, f"{where}.{number}") for number, action in enumerate(actions)]

    def _step(self, action: Action, where: str) -> dict[str, Any]:
        step: dict[str, Any] = {
            "operation": action.operation,
            "arguments": self._filled(action.arguments, f"{where}.arguments"),
        }
        if action.skill is not None:
            step["skill"] = action.skill
        if action.at is not None:
            after = self._filled(action.at, f"{where}.at")
            if not _is_time(after):
                raise BadInput(
                    "this is no time",
                    where=f"{where}.at",
                    found=after,
                    expected="seconds, at least 0",
                )
            step["at"] = round(self._scene.time_ns / 1e9 + after, _DIGITS)
        return step

    def _filled(self, data: Any, where: str) -> Any:
        if isinstance(data, str) and data.startswith(EXPRESSION):
            return self._value(data.removeprefix(EXPRESSION), where)
        if isinstance(data, dict):
            return {key: self._filled(value, f"{where}.{key}") for key, value in data.items()}
        if isinstance(data, list):
            return [self._filled(value, f"{where}.{n}") for n, value in enumerate(data)]
        return data

    def _value(self, text: str, where: str) -> Any:
        expression = Expression(text, where)
        if self._event is None and expression.variables:
            raise BadInput(
                "no action begins at this moment",
                where=where,
                found=f"{EXPRESSION}{text}",
                expected="--before ACTION, whose arguments are those of event",
            )
        try:
            return expression.evaluate({"event": dict(self._event or {})}, {"pose": self._pose})
        except EvaluationError as error:
            raise BadInput(
                f"the expression has no value: {error}",
                where=where,
                found=f"{EXPRESSION}{text}",
                expected=f"arguments of the action that begins: {', '.join(self._event or {})}",
            ) from None

    def _pose(self, entity: str) -> list[float]:
        """Where something is, before anything is drawn."""
        return [float(number) for number in self._scene.pose(entity)[:7]]


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value < inf
