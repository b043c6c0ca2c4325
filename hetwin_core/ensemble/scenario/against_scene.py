"""Checks a scenario's entities and attributes against those of the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import ROBOT
from hetwin_core.ensemble.mobile_robots import mobile_robots
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.scenario.source import Beliefs
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, WORLD
from hetwin_core.ensemble.triggers.schema import DoHandOver, HandOver, OnAttribute, TriggerEntry

ANY = "*"
"""Stands for an entity that an expression or a model names only during the run."""


def handed_over(scenario: Scenario) -> list[tuple[str, str]]:
    """Return the (entity, attribute) pairs that triggers, responsibilities or models may take from the main model.

    Each pair occurs once. Only attributes that the main model provides; an entity is a name, a pattern, or `ANY`.
    """
    provided = {spec.name for spec in scenario.main.cls.provides}
    rows = (*_by_triggers(scenario), *_from_the_start(scenario), *_by_models(scenario))
    return list(dict.fromkeys(row for row in rows if row[1] in provided))


def _by_triggers(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for handover in _handover_effects(scenario):
        if handover.to != scenario.main.name:
            entity = ANY if handover.entity.startswith("$") else handover.entity
            yield entity, handover.attribute


def _handover_effects(scenario: Scenario) -> Iterator[HandOver]:
    for trigger in scenario.file.triggers:
        for effect in trigger.do:
            if isinstance(effect, DoHandOver):
                yield effect.hand_over


def _from_the_start(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for entry in scenario.file.responsibilities:
        if entry.model != scenario.main.name:
            yield entry.entity, entry.attribute


def _by_models(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Attributes that models without responsibilities in the scenario may request."""
    assigned = {(handover.to, handover.attribute) for handover in _handover_effects(scenario)}
    assigned |= {(entry.model, entry.attribute) for entry in scenario.file.responsibilities}
    for plan in scenario.models:
        for spec in plan.cls.provides:
            if not plan.main and (plan.name, spec.name) not in assigned:
                yield ANY, spec.name


SCOPE = "::"
WORLD_FRAMES = (WORLD, "map")
"""Names of the world frame; a map does not move."""


class BelievedNames:
    """Maps names in beliefs to entities of the scene; with several robots, a robot may omit its own name.

    Args:
        layout: layout of the scene.
    """

    def __init__(self, layout: Layout) -> None:
        self.entities = [entity.name for entity in layout.entities]
        self.frames = [slot.entity for slot in layout.slots if slot.attribute.name == POSE.name]
        self.odometries = {robot.odom: robot for robot in mobile_robots(layout)}
        self._robots = [entity.name for entity in layout.of_kind(EntityKind.ROBOT)]
        self._entities = frozenset(self.entities)
        self._frames = frozenset((*self.frames, *self.odometries))

    def entity(self, name: str, robot: str = "") -> str | None:
        """Return the name of an entity in the scene, None if unknown; ``robot`` means the robot itself."""
        found = self._lookup(name, robot, self._entities)
        if found is None and name == ROBOT and (robot or len(self._robots) == 1):
            return robot or self._robots[0]
        return found

    def frame(self, name: str, robot: str = "") -> str | None:
        """Return the entity, the odometry or the world that a frame means; None if there is no such frame."""
        name = name.lstrip("/")
        found = self._lookup(name, robot, self._frames)
        return WORLD if found is None and (not name or name in WORLD_FRAMES) else found

    @property
    def known_frames(self) -> list[str]:
        """All frames."""
        return [*WORLD_FRAMES, *self.odometries, *self.frames]

    def _lookup(self, name: str, robot: str, known: frozenset[str]) -> str | None:
        names = (f"{robot}{SCOPE}{name}", name) if robot else (name,)
        return next((candidate for candidate in names if candidate in known), None)


def check_beliefs(file: ScenarioFile, layout: Layout) -> None:
    """Check the beliefs in the sources of a scenario.

    Raises:
        BadInput: naming the key of an entity or a frame that the scene does not have.
    """
    names = BelievedNames(layout)
    for where, robot, belief in _beliefs(file):
        for key, entity in _named_entities(belief):
            if names.entity(entity, robot) is None:
                raise BadInput(
                    "the scene has no such entity",
                    where=f"{where}.{key}",
                    found=entity,
                    expected=one_of(entity, names.entities),
                )
        if belief.frame is not None and names.frame(belief.frame, robot) is None:
            raise BadInput(
                "the scene has no such frame",
                where=f"{where}.frame",
                found=belief.frame,
                expected=one_of(belief.frame, names.known_frames),
            )


def _named_entities(belief: Beliefs) -> Iterator[tuple[str, str]]:
    """Yield the keys that name entities, and the entities."""
    if belief.entity is not None:
        yield "entity", belief.entity
    for class_id, entity in belief.classes.items():
        yield f"classes.{class_id}", entity


def _beliefs(file: ScenarioFile) -> Iterator[tuple[str, str, Beliefs]]:
    """Yield the key of each entry, its robot (empty for the only one), and the entry."""
    sources: Mapping[str, object] = {"": file.source}
    if file.robots:
        sources = {name: robot.source for name, robot in file.robots.items()}
    for robot, source in sources.items():
        key = f"robots.{robot}.source" if robot else "source"
        for index, belief in enumerate(getattr(source, "beliefs", ())):
            yield f"{key}.beliefs.{index}", robot, belief


def check_against_scene(scenario: Scenario, layout: Layout) -> None:
    """Check the entities' tags, the triggers and the beliefs, after all models have contributed their entities.

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
            handover = effect.hand_over
            _check_attribute(
                handover.entity, handover.attribute, f"{where}.do.{number}.hand_over", layout
            )


def _check_attribute(entity: str, attribute: str, where: str, layout: Layout) -> None:
    """Check an entity and its attribute; names that begin with $ are expressions, which have no value yet."""
    names = [e.name for e in layout.entities]
    if not entity.startswith("$") and entity not in names:
        raise _unknown("the scene has no such entity", f"{where}.entity", entity, names)
    if attribute.startswith("$"):
        return
    slots = [s for s in layout.slots if entity.startswith("$") or s.entity == entity]
    if not any(s.attribute.name == attribute for s in slots):
        known = [f"{s.entity}.{s.attribute.name}" for s in slots]
        name = f"{entity}.{attribute}"
        raise _unknown("the scene has no such attribute", f"{where}.attribute", name, known)


def _unknown(problem: str, where: str, found: str, known: Sequence[str]) -> BadInput:
    return BadInput(problem, where=where, found=found, expected=one_of(found, known))
