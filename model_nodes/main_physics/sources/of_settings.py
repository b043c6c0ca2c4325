"""Opens the source that the settings of the main model name."""

from __future__ import annotations

from collections.abc import Sequence

from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.sources.source import Source
from model_nodes.main_physics.wheels import differential_drive


def open_of_settings(settings: Settings, robots: Sequence[SceneRobot]) -> Source | None:
    """Return the source of all robots, or None if nothing moves them.

    Raises:
        BadInput: if it cannot be used.
    """
    if isinstance(settings.source, Source):
        return settings.source
    if settings.robots:
        from model_nodes.main_physics.sources.open_several import open_several

        return open_several([r for r in robots if r.said is not None], settings.hands)
    if settings.source is None:
        return None
    from model_nodes.main_physics.sources.factory import open_source

    bodies = [robot.body for robot in robots]
    source = open_source(settings.source, robots=bodies, hands=settings.hands)
    for robot in robots:
        if robot.said is not None and robot.said.wheels is not None:
            source.use_wheels(differential_drive(robot.body, robot.said.wheels))
    return source
