"""What a scenario says of entities and attributes must be about those of the scene."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.believed_entities import check_beliefs
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.triggers.schema import DoHandOver, OnAttribute, TriggerEntry


def check_against_scene(scenario: Scenario, layout: Layout) -> None:
    """Check the entities' tags, the triggers and the beliefs, once all models have brought their entities.

    Raises:
        BadInput: with file, line and key of an entity or attribute that the scene does not have.
    """
    try:
        names = [e.name for e in layout.entities]
        for name in scenario.file.entities:
            if name not in names:
                raise _unknown("the world has no such entity", f"entities.{name}", name, names)
        for index, trigger in enumerate(scenario.file.triggers):
            _check_trigger(trigger, f"triggers.{index}", layout)
        check_beliefs(scenario.file, layout)
    except BadInput as error:
        raise scenario.placed(error) from None


def _check_trigger(trigger: TriggerEntry, where: str, layout: Layout) -> None:
    on = trigger.on
    if isinstance(on, OnAttribute):
        _check_attribute(on.entity, on.attribute, f"{where}.on", layout)
        size = layout.slots[layout.slot_id(on.entity, on.attribute)].attribute.size
        if on.index >= size:
            raise BadInput(
                "the attribute has fewer numbers",
                where=f"{where}.on.index",
                found=str(on.index),
                expected=f"one of 0 to {size - 1}",
            )
    for number, effect in enumerate(trigger.do):
        if isinstance(effect, DoHandOver):
            moved = effect.hand_over
            _check_attribute(
                moved.entity, moved.attribute, f"{where}.do.{number}.hand_over", layout
            )


def _check_attribute(entity: str, attribute: str, where: str, layout: Layout) -> None:
    """Names that begin with $ are expressions, whose values are known only when the trigger fires."""
    names = [e.name for e in layout.entities]
    if not entity.startswith("$") and entity not in names:
        raise _unknown("the scene has no such entity", f"{where}.entity", entity, names)
    if attribute.startswith("$"):
        return
    slots = [s for s in layout.slots if entity.startswith("$") or s.entity == entity]
    if not any(s.attribute.name == attribute for s in slots):
        known = [f"{s.entity}.{s.attribute.name}" for s in slots]
        what = f"{entity}.{attribute}"
        raise _unknown("the scene has no such attribute", f"{where}.attribute", what, known)


def _unknown(problem: str, where: str, found: str, known: Sequence[str]) -> BadInput:
    return BadInput(problem, where=where, found=found, expected=one_of(found, known))
