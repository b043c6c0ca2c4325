"""Learns the numbers that a trigger's condition compares quantities with."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from hetwin_learning.comparisons import (
    Operand,
    comparisons,
    with_values,
    without_comparisons,
)
from hetwin_learning.thresholds import Threshold
from hetwin_learning.trigger_watch import TriggerWatch
from hetwin_suite.model import BadInput, one_of
from hetwin_suite.runs import OnAction, OnEvent, Scenario, Trigger, load_scenario
from hetwin_suite.study import ModelPort, ObservedScenario


class TriggerExpression(NamedTuple):
    """An expression of a trigger: a named evaluator, a variable of `let`, or its condition."""

    key: str
    name: str
    text: str
    operands: list[Operand]


@dataclass(frozen=True)
class TriggerThresholds(ObservedScenario):
    """The thresholds of one trigger of a scenario."""

    trigger: str

    def thresholds(self) -> list[Threshold]:
        """Return the thresholds with their current values.

        Raises:
            BadInput: if there is no such trigger, it wakes on a value, or it has no comparison with a number.
        """
        expressions = self._expressions(load_scenario(self.path, self.variant))
        return [
            Threshold(operand.description, operand.value, operand.is_lower_bound)
            for expression in expressions
            for operand in expression.operands
        ]

    def scenario(self) -> Scenario:
        """See `ObservedScenario.scenario`: the scenario without the trigger."""
        loaded = load_scenario(self.path, self.variant)
        triggers = loaded.document.data["triggers"]
        return loaded.with_keys({"triggers": [t for t in triggers if t["name"] != self.trigger]})

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> TriggerWatch:
        """See `ObservedScenario.begin`."""
        return TriggerWatch(
            self._trigger_without_thresholds(), self._operands(), scenario.functions
        )

    def scenario_keys(self, values: list[float]) -> dict[str, Any]:
        """Return the keys of a scenario with learned values."""
        return self._keys(load_scenario(self.path, self.variant), self._texts_with(values))

    def _keys(
        self, scenario: Scenario, texts: Sequence[tuple[TriggerExpression, str]]
    ) -> dict[str, Any]:
        """Return the keys of a scenario with these expressions replaced by texts."""
        keys: dict[str, Any] = {}
        for expression, text in texts:
            if expression.key == "evaluators":
                keys.setdefault("evaluators", {})[expression.name] = text
                continue
            if "triggers" not in keys:
                keys["triggers"] = deepcopy(scenario.document.data["triggers"])
            entry = next(trigger for trigger in keys["triggers"] if trigger["name"] == self.trigger)
            if expression.key == "let":
                entry["let"][expression.name] = text
            else:
                entry["if"] = text
        return keys

    def expressions(self, values: list[float]) -> list[str]:
        """Return the expressions with learned values."""
        return [text for _, text in self._texts_with(values)]

    def _texts_with(self, values: list[float]) -> list[tuple[TriggerExpression, str]]:
        remaining, texts = list(values), []
        for expression in self._expressions(load_scenario(self.path, self.variant)):
            count = len(expression.operands)
            texts.append(
                (expression, with_values(expression.text, expression.operands, remaining[:count]))
            )
            remaining = remaining[count:]
        return texts

    def _expressions(self, scenario: Scenario) -> list[TriggerExpression]:
        """Return the expressions of the trigger that compare a quantity with a number."""
        trigger = self._compiled(scenario)
        expressions = [expression for _, expression in trigger.let]
        expressions += [] if trigger.condition is None else [trigger.condition]
        used = set().union(*(trigger.needs[expression] for expression in expressions))
        parts = {part.text for part in trigger.condition.parts} if trigger.condition else set()
        candidates = [
            TriggerExpression("evaluators", name, text, comparisons(text, name in parts))
            for name, text in scenario.file.evaluators.items()
            if name in used & {*trigger.evaluators}
        ]
        entry = next(
            expression for expression in scenario.file.triggers if expression.name == self.trigger
        )
        candidates += [
            TriggerExpression("let", n, t, comparisons(t, False)) for n, t in entry.let.items()
        ]
        if entry.if_ is not None:
            candidates.append(TriggerExpression("if", "", entry.if_, comparisons(entry.if_, True)))
        found = [expression for expression in candidates if expression.operands]
        if not found:
            raise BadInput(
                "this trigger compares nothing with a number",
                file=self.path,
                where=f"triggers.{self.trigger}.if",
                found=entry.if_,
                expected="a part such as distance(hand, object) < 0.1, or nearest_object(hand, {'within': 0.1})",
            )
        return found

    def _compiled(self, scenario: Scenario) -> Trigger:
        triggers = {trigger.name: trigger for trigger in scenario.triggers}
        if self.trigger not in triggers:
            raise BadInput(
                "the scenario has no such trigger",
                file=self.path,
                where="--trigger",
                found=self.trigger,
                expected=one_of(self.trigger, list(triggers), "a scenario with triggers"),
            )
        on = triggers[self.trigger].on
        if not isinstance(on, OnAction | OnEvent):
            raise BadInput(
                "this trigger wakes on a value",
                file=self.path,
                where=f"triggers.{self.trigger}.on",
                found=on.model_dump(exclude_none=True),
                expected="one that wakes on an action or an event",
            )
        return triggers[self.trigger]

    def _trigger_without_thresholds(self) -> Trigger:
        """Return the trigger without its thresholds."""
        scenario = load_scenario(self.path, self.variant)
        texts = [
            (expression, without_comparisons(expression.text, expression.operands))
            for expression in self._expressions(scenario)
        ]
        keys = self._keys(scenario, texts)
        if "evaluators" in keys:
            keys["evaluators"] = {**scenario.document.data["evaluators"], **keys["evaluators"]}
        return self._compiled(scenario.with_keys(keys))

    def _operands(self) -> list[Operand]:
        places = self._expressions(load_scenario(self.path, self.variant))
        return [operand for expression in places for operand in expression.operands]
