"""Learns the numbers that a trigger's condition compares quantities with."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from hetwin_learning.compared import (
    Operand,
    comparisons,
    relaxed,
    with_numbers,
)
from hetwin_learning.thresholds import Threshold
from hetwin_learning.trigger_watch import TriggerWatch
from hetwin_suite.model import BadInput, one_of
from hetwin_suite.runs import OnAction, OnEvent, Scenario, Trigger, load_scenario
from hetwin_suite.study import ModelPort, ObservedScenario


class Place(NamedTuple):
    """An expression of a trigger: a named evaluator, a variable of `let`, or its condition."""

    key: str
    name: str
    text: str
    compared: list[Operand]


@dataclass(frozen=True)
class TriggerThresholds(ObservedScenario):
    """The thresholds of one trigger of a scenario."""

    trigger: str

    def thresholds(self) -> list[Threshold]:
        """Return the thresholds with their present values.

        Raises:
            BadInput: if there is no such trigger, it wakes on a value, or it has no comparison with a number.
        """
        places = self._places(load_scenario(self.path, self.variant))
        return [Threshold(c.words, c.value, c.least) for p in places for c in p.compared]

    def scenario(self) -> Scenario:
        """See `ObservedScenario.scenario`: the scenario without the trigger."""
        loaded = load_scenario(self.path, self.variant)
        triggers = loaded.document.data["triggers"]
        return loaded.with_keys({"triggers": [t for t in triggers if t["name"] != self.trigger]})

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> TriggerWatch:
        """See `ObservedScenario.begin`."""
        return TriggerWatch(self._relaxed(), self._compared(), scenario.functions)

    def written(self, values: list[float]) -> dict[str, Any]:
        """Return the keys of a scenario with learned values."""
        return self._keys(load_scenario(self.path, self.variant), self._texts(values))

    def _keys(self, scenario: Scenario, texts: Sequence[tuple[Place, str]]) -> dict[str, Any]:
        """Return the keys of a scenario with these expressions replaced by texts."""
        keys: dict[str, Any] = {}
        for place, text in texts:
            if place.key == "evaluators":
                keys.setdefault("evaluators", {})[place.name] = text
                continue
            if "triggers" not in keys:
                keys["triggers"] = deepcopy(scenario.document.data["triggers"])
            entry = next(one for one in keys["triggers"] if one["name"] == self.trigger)
            if place.key == "let":
                entry["let"][place.name] = text
            else:
                entry["if"] = text
        return keys

    def expressions(self, values: list[float]) -> list[str]:
        """Return the expressions with learned values."""
        return [text for _, text in self._texts(values)]

    def _texts(self, values: list[float]) -> list[tuple[Place, str]]:
        rest, found = list(values), []
        for place in self._places(load_scenario(self.path, self.variant)):
            count = len(place.compared)
            found.append((place, with_numbers(place.text, place.compared, rest[:count])))
            rest = rest[count:]
        return found

    def _places(self, scenario: Scenario) -> list[Place]:
        """Return the expressions of the trigger that compare a quantity with a number."""
        trigger = self._compiled(scenario)
        expressions = [one for _, one in trigger.let]
        expressions += [] if trigger.condition is None else [trigger.condition]
        used = set().union(*(trigger.needs[one] for one in expressions))
        parts = {part.text for part in trigger.condition.parts} if trigger.condition else set()
        texts = [
            Place("evaluators", name, text, comparisons(text, name in parts))
            for name, text in scenario.file.evaluators.items()
            if name in used & {*trigger.evaluators}
        ]
        entry = next(one for one in scenario.file.triggers if one.name == self.trigger)
        texts += [Place("let", n, t, comparisons(t, False)) for n, t in entry.let.items()]
        if entry.if_ is not None:
            texts.append(Place("if", "", entry.if_, comparisons(entry.if_, True)))
        found = [place for place in texts if place.compared]
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
        triggers = {one.name: one for one in scenario.triggers}
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

    def _relaxed(self) -> Trigger:
        """Return the trigger without its thresholds."""
        scenario = load_scenario(self.path, self.variant)
        texts = [(place, relaxed(place.text, place.compared)) for place in self._places(scenario)]
        keys = self._keys(scenario, texts)
        if "evaluators" in keys:
            keys["evaluators"] = {**scenario.document.data["evaluators"], **keys["evaluators"]}
        return self._compiled(scenario.with_keys(keys))

    def _compared(self) -> list[Operand]:
        places = self._places(load_scenario(self.path, self.variant))
        return [one for place in places for one in place.compared]
