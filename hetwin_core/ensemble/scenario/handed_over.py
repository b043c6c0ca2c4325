"""What other models may take from the main model during a run, as far as a scenario says it before."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.triggers.schema import DoHandOver, HandOver

ANY = "*"
"""Stands for an entity that an expression or a model names during the run."""


def handed_over(scenario: Scenario) -> list[tuple[str, str]]:
    """Return (entity, attribute) of what triggers, responsibilities or models may take from the main model, once each.

    Only attributes that the main model provides; an entity is a name, a pattern, or `ANY`.
    """
    provided = {spec.name for spec in scenario.main.cls.provides}
    rows = (*_by_triggers(scenario), *_from_the_start(scenario), *_by_models(scenario))
    return list(dict.fromkeys(row for row in rows if row[1] in provided))


def _by_triggers(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for moved in _hand_overs(scenario):
        if moved.to != scenario.main.name:
            entity = ANY if moved.entity.startswith("$") else moved.entity
            yield entity, moved.attribute


def _hand_overs(scenario: Scenario) -> Iterator[HandOver]:
    for trigger in scenario.file.triggers:
        for effect in trigger.do:
            if isinstance(effect, DoHandOver):
                yield effect.hand_over


def _from_the_start(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for entry in scenario.file.responsibilities:
        if entry.model != scenario.main.name:
            yield entry.entity, entry.attribute


def _by_models(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """What models that nothing in the scenario makes responsible may request."""
    given = {(moved.to, moved.attribute) for moved in _hand_overs(scenario)}
    given |= {(entry.model, entry.attribute) for entry in scenario.file.responsibilities}
    for plan in scenario.models:
        for spec in plan.cls.provides:
            if not plan.main and (plan.name, spec.name) not in given:
                yield ANY, spec.name
