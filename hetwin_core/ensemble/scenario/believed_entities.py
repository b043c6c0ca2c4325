"""What sources say of beliefs must be about entities of the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetwin_core.ensemble.annotations import ROBOT
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.mobile_robots import mobile_robots
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.scenario.source import Beliefs
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, WORLD

SCOPE = "::"
WORLD_FRAMES = (WORLD, "map")
"""Frames that are the world's: a map stays where it is."""


class BelievedNames:
    """The scene's names of what beliefs name; a robot of several leaves its own name out.

    Args:
        layout: of the scene.
    """

    def __init__(self, layout: Layout) -> None:
        self.entities = [entity.name for entity in layout.entities]
        self.frames = [slot.entity for slot in layout.slots if slot.attribute.name == POSE.name]
        self.odometries = {robot.odom: robot for robot in mobile_robots(layout)}
        self._robots = [entity.name for entity in layout.of_kind(EntityKind.ROBOT)]
        self._entities = frozenset(self.entities)
        self._frames = frozenset((*self.frames, *self.odometries))

    def entity(self, name: str, robot: str = "") -> str | None:
        """Return an entity's name in the scene; ``robot`` is the robot itself. None if there is none."""
        found = self._first(name, robot, self._entities)
        if found is None and name == ROBOT and (robot or len(self._robots) == 1):
            return robot or self._robots[0]
        return found

    def frame(self, name: str, robot: str = "") -> str | None:
        """Return the entity or the odometry that is a frame, or the world; None if there is no such frame."""
        name = name.lstrip("/")
        found = self._first(name, robot, self._frames)
        return WORLD if found is None and (not name or name in WORLD_FRAMES) else found

    @property
    def known_frames(self) -> list[str]:
        """All frames."""
        return [*WORLD_FRAMES, *self.odometries, *self.frames]

    def _first(self, name: str, robot: str, known: frozenset[str]) -> str | None:
        names = (f"{robot}{SCOPE}{name}", name) if robot else (name,)
        return next((one for one in names if one in known), None)


def check_beliefs(file: ScenarioFile, layout: Layout) -> None:
    """Check what the sources of a scenario say of beliefs.

    Raises:
        BadInput: naming the key of an entity or a frame that the scene does not have.
    """
    names = BelievedNames(layout)
    for where, robot, belief in _beliefs(file):
        for key, entity in _named(belief):
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


def _named(belief: Beliefs) -> Iterator[tuple[str, str]]:
    """Yield the keys that name entities, and the entities."""
    if belief.entity is not None:
        yield "entity", belief.entity
    for class_id, entity in belief.classes.items():
        yield f"classes.{class_id}", entity


def _beliefs(file: ScenarioFile) -> Iterator[tuple[str, str, Beliefs]]:
    """Yield the key of each entry, the robot of several that it is of, and the entry."""
    sources: Mapping[str, object] = {"": file.source}
    if file.robots:
        sources = {name: robot.source for name, robot in file.robots.items()}
    for robot, source in sources.items():
        key = f"robots.{robot}.source" if robot else "source"
        for index, belief in enumerate(getattr(source, "beliefs", ())):
            yield f"{key}.beliefs.{index}", robot, belief
