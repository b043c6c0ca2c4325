"""Thresholds of a trigger: the numbers that its condition compares something with."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.own_functions import is_function
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.triggers.schema import OnAction, OnEvent, TriggerEntry
from hetwin_core.ensemble.triggers.trigger import Trigger, compile_evaluators, compile_triggers
from hetwin_suite._study.learning.changed import changed, document_of
from hetwin_suite._study.learning.compared import (
    Compared,
    comparisons,
    relaxed,
    with_numbers,
)
from hetwin_suite._study.learning.thresholds import Threshold
from hetwin_suite._study.learning.trigger_watch import TriggerWatch
from hetwin_suite._study.runs.watching import Watcher


class Place(NamedTuple):
    """An expression that a trigger uses: a named evaluator, a variable of `let`, or its condition."""

    key: str
    name: str
    text: str
    compared: list[Compared]


@dataclass(frozen=True)
class OfTrigger(Watcher):
    """The thresholds of one trigger of a scenario."""

    trigger: str

    def thresholds(self) -> list[Threshold]:
        """Return them with their present values.

        Raises:
            BadInput: if there is no such trigger, it wakes on a value, or it compares nothing with a number.
        """
        places = self._places(load_scenario(self.path, self.variant))
        return [Threshold(c.words, c.value, c.least) for p in places for c in p.compared]

    def scenario(self) -> Scenario:
        """See `Watcher.scenario`: the scenario without the trigger."""
        data = document_of(self.path, self.variant).data
        others = [entry for entry in data["triggers"] if entry["name"] != self.trigger]
        return changed(self.path, self.variant, {"triggers": others})

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> TriggerWatch:
        """See `Watcher.begin`."""
        return TriggerWatch(self._relaxed(), self._compared(), scenario.functions)

    def written(self, values: list[float]) -> dict[str, Any]:
        """Return the keys of a scenario that say other values."""
        keys: dict[str, Any] = {}
        for place, text in self._texts(values):
            if place.key == "evaluators":
                keys.setdefault("evaluators", {})[place.name] = text
                continue
            if "triggers" not in keys:
                data = document_of(self.path, self.variant).data
                keys["triggers"] = deepcopy(data["triggers"])
            entry = next(one for one in keys["triggers"] if one["name"] == self.trigger)
            if place.key == "let":
                entry["let"][place.name] = text
            else:
                entry["if"] = text
        return keys

    def expressions(self, values: list[float]) -> list[str]:
        """Return the expressions with other values."""
        return [text for _, text in self._texts(values)]

    def _texts(self, values: list[float]) -> list[tuple[Place, str]]:
        rest, found = list(values), []
        for place in self._places(load_scenario(self.path, self.variant)):
            count = len(place.compared)
            found.append((place, with_numbers(place.text, place.compared, rest[:count])))
            rest = rest[count:]
        return found

    def _places(self, scenario: Scenario) -> list[Place]:
        """Return the expressions that the trigger uses and that compare something with a number."""
        entry = self._entry(scenario)
        trigger = next(one for one in scenario.triggers if one.name == self.trigger)
        expressions = [one for _, one in trigger.let]
        expressions += [] if trigger.condition is None else [trigger.condition]
        used = set().union(*(trigger.needs[one] for one in expressions))
        parts = {part.text for part in trigger.condition.parts} if trigger.condition else set()
        texts = [
            Place("evaluators", name, text, comparisons(text, name in parts))
            for name, text in scenario.file.evaluators.items()
            if name in used and not is_function(text)
        ]
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

    def _entry(self, scenario: Scenario) -> TriggerEntry:
        entries = {entry.name: entry for entry in scenario.file.triggers}
        if self.trigger not in entries:
            raise BadInput(
                "the scenario has no such trigger",
                file=self.path,
                where="--trigger",
                found=self.trigger,
                expected=one_of(self.trigger, list(entries), "a scenario with triggers"),
            )
        entry = entries[self.trigger]
        if not isinstance(entry.on, OnAction | OnEvent):
            raise BadInput(
                "this trigger wakes on a value",
                file=self.path,
                where=f"triggers.{self.trigger}.on",
                found=entry.on.model_dump(exclude_none=True),
                expected="one that wakes on an action or an event",
            )
        return entry

    def _relaxed(self) -> Trigger:
        """Return the trigger without its thresholds."""
        scenario = load_scenario(self.path, self.variant)
        evaluators, entry = dict(scenario.file.evaluators), self._entry(scenario)
        for place in self._places(scenario):
            text = relaxed(place.text, place.compared)
            if place.key == "evaluators":
                evaluators[place.name] = text
            elif place.key == "let":
                entry = entry.model_copy(update={"let": {**entry.let, place.name: text}})
            else:
                entry = entry.model_copy(update={"if_": text})
        compiled = compile_evaluators(evaluators, scenario.functions)
        names = {model.name for model in scenario.models}
        return compile_triggers([entry], compiled, scenario.functions, names)[0]

    def _compared(self) -> list[Compared]:
        places = self._places(load_scenario(self.path, self.variant))
        return [one for place in places for one in place.compared]
