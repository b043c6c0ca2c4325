"""Objects of the scene that the scenario does not name, and packages find where its `scene: {from: ...}` says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import source_specs
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import SCENES, Group
from hetwin_core.ensemble.resources import Kind
from hetwin_core.ensemble.scenario.robot import Robot
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.schema import FROM, SceneEntries
from hetwin_core.ensemble.validation import check

FROM_START = "the start of the run"
"""Location of an error that is not in the scenario's file."""
_FINDERS = Group(
    "hetwin.scenes",
    "finder of objects of the scene",
    "a function of a SceneRequest that returns each FoundObject by its name",
    SCENES,
)


class SceneRequest(NamedTuple):
    """What a package needs to find objects of the scene.

    Attributes:
        parameters: that the scenario gives.
        sources: of the run, by robot; `{"recording": PATH, ...}` or `{"live": NAMESPACE, ...}` among them.
        folder: that files are relative to.
        robots: (URDF, pose x y z qw qx qy qz in the world) of each robot.
    """

    parameters: Mapping[str, Any]
    sources: Mapping[str, Mapping[str, Any]]
    folder: Path
    robots: tuple[tuple[str, tuple[float, ...]], ...]


class FoundObject(NamedTuple):
    """An object that a package has found.

    Attributes:
        model: text of SDFormat with the one model that it is, and its pose in the world.
        note: about it, for the user; empty: none.
    """

    model: str
    note: str = ""


def scene_of_start(options: RunOptions) -> dict[str, Any]:
    """Return the scene of a run's options.

    Raises:
        BadInput: if it cannot be used.
    """
    try:
        return check(SceneEntries, options.scene, "scene")
    except BadInput as error:
        raise error.at(error.where, FROM_START) from None


def found_objects(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """Let packages find objects; entries of a scene by their names. A run without a source finds none.

    Raises:
        BadInput: if a package is not installed, or cannot find them.
    """
    entry = {**scenario.file.scene, **scene_of_start(options)}.get(FROM)
    if entry is None or options.no_source:
        return {}
    sources = source_specs(scenario, options)
    found: dict[str, Any] = {}
    for name, parameters in entry.found_by.items():
        where = f"scene.{FROM}.{name}"
        try:
            find = _FINDERS.load(name, where)
            models = find(
                SceneRequest(parameters, sources, scenario.path.parent, _robots(scenario))
            )
        except BadInput as error:
            key = where if error.where in (None, where) else f"{where}.{error.where}"
            raise scenario.placed(error.at(key, error.file)) from None
        for model, one in models.items():
            found[model] = {"model": one.model, "note": one.note, "if_absent": True}
    return found


def _robots(scenario: Scenario) -> tuple[tuple[str, tuple[float, ...]], ...]:
    file = scenario.file
    given = [file.robot, *file.robots.values()]
    robots = [Robot(urdf=one) if isinstance(one, str) else one for one in given if one is not None]
    return tuple(
        (scenario.described(robot.urdf, Kind.ROBOT, "robot"), tuple(robot.pose)) for robot in robots
    )
