"""Objects that installed packages add to the scene, as the scenario's `scene: {from: ...}` requests."""

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
    """Input of a package's function that finds objects of the scene.

    Attributes:
        parameters: the function's parameters in the scenario.
        sources: sources of the run by robot, e.g. `{"recording": PATH, ...}` or `{"live": NAMESPACE, ...}`.
        folder: folder that file paths are relative to.
        robots: (URDF, pose x y z qw qx qy qz in the world) for each robot.
    """

    parameters: Mapping[str, Any]
    sources: Mapping[str, Mapping[str, Any]]
    folder: Path
    robots: tuple[tuple[str, tuple[float, ...]], ...]


class FoundObject(NamedTuple):
    """An object that a package has found.

    Attributes:
        model: SDFormat text with exactly one model, at its pose in the world.
        note: remark for the user; empty: none.
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
    """Return the objects that packages find, as scene entries by name; none if the run has no source.

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
        for model, found_object in models.items():
            found[model] = {
                "model": found_object.model,
                "note": found_object.note,
                "if_absent": True,
            }
    return found


def _robots(scenario: Scenario) -> tuple[tuple[str, tuple[float, ...]], ...]:
    file = scenario.file
    entries = [file.robot, *file.robots.values()]
    robots = [
        Robot(urdf=found_object) if isinstance(found_object, str) else found_object
        for found_object in entries
        if found_object is not None
    ]
    return tuple(
        (scenario.described(robot.urdf, Kind.ROBOT, "robot"), tuple(robot.pose)) for robot in robots
    )
