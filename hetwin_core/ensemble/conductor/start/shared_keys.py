"""The scenario's own keys that the main model may request: world, robots, hands, sources and so on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.start.found import FROM_START, found_objects, scene_of_start
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import (
    SINGLE_ROBOT,
    named_sources,
    source_specs,
)
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import Kind
from hetwin_core.ensemble.scenario.against_scene import handed_over
from hetwin_core.ensemble.scenario.recorded import believed_scene
from hetwin_core.ensemble.scenario.robot import Robot
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.schema import FROM, SceneEntries, SceneEntry
from hetwin_core.ensemble.validation import check


def shared_keys(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """The scenario's own keys that the main model may request."""
    file = scenario.file
    scene = merged_scene(scenario, options)
    robot = Robot(urdf=file.robot) if isinstance(file.robot, str) else file.robot
    specs = source_specs(scenario, options)
    return {
        "world": file.world and scenario.described(file.world, Kind.WORLD, "world"),
        "robot": _robot(scenario, robot) if robot else None,
        "robots": _robots(scenario, specs),
        "packages": package_folders(scenario, options),
        "hands": [{"name": name, **hand.model_dump()} for name, hand in file.hands.items()],
        "entities": {name: notes.model_dump() for name, notes in file.entities.items()},
        "source": specs.get(SINGLE_ROBOT),
        "scene": scene,
        "rate": file.rate,
        "handed_over": handed_over(scenario),
    }


def merged_scene(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """Return the scenes of finders, scenario, episode and start of the run merged in this order; later ones win.

    Raises:
        BadInput: if the scene of the episode or of the start cannot be used, or a finder fails.
    """
    scene_of_start(options)
    try:
        episode_scene = _episode_scene(scenario, options)
    except BadInput as error:
        raise error.at(error.where, FROM_START) from None
    scenario_scene = {
        name: _with_model_path(scenario, entry) for name, entry in scenario.file.scene.items()
    }
    found = found_objects(scenario, options) if options.found is None else options.found
    return _merge(found, scenario_scene, episode_scene, options.scene)


def _merge(*scenes: Mapping[str, Any]) -> dict[str, Any]:
    """Merge scenes; an object that an earlier one adds keeps its file if a later one only gives its pose."""
    merged: dict[str, Any] = {}
    for scene in scenes:
        for name, entry in scene.items():
            if name != FROM:
                merged[name] = {**merged.get(name, {}), **entry}
    return merged


def _episode_scene(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """The scene that comes with the source, if that is an episode's folder.

    Raises:
        BadInput: if it cannot be used.
    """
    path = named_sources(scenario, options).get(SINGLE_ROBOT, {}).get("recording")
    scene = believed_scene(path) if isinstance(path, str) else {}
    check(SceneEntries, scene, "scene")
    return scene


def _with_model_path(scenario: Scenario, entry: SceneEntry) -> dict[str, Any]:
    """An entry of the scene as a mapping, with the path of its model's file if the file is found."""
    data = entry.model_dump(exclude_defaults=True)
    if entry.file is not None and "://" not in entry.file:
        data["model"] = str(scenario.path_of(entry.file) or entry.file)
    return data


def package_folders(scenario: Scenario, options: RunOptions) -> dict[str, str]:
    """Absolute folders of the packages that scenario and start of the run name.

    Raises:
        BadInput: if one is not a folder.
    """
    folders: dict[str, str] = {}
    for name, text in scenario.file.packages.items():
        base = scenario.folder_of("packages", name)
        folder = (base / Path(text).expanduser()).resolve()
        if not folder.is_dir():
            raise scenario.placed(_no_package(name, text, f"packages.{name}"))
        folders[name] = str(folder)
    for name, text in options.packages.items():
        folder = Path(text).expanduser().resolve()
        if not folder.is_dir():
            raise _no_package(name, text, f"--package {name}")
        folders[name] = str(folder)
    return folders


def _no_package(name: str, text: str, where: str) -> BadInput:
    expected = f"the folder of the package {name}, with what package://{name}/ refers to"
    return BadInput("this is not a folder", where=where, found=text, expected=expected)


def _robots(scenario: Scenario, specs: Mapping[str, Any]) -> dict[str, Any]:
    """Several robots, each with its source."""
    return {
        name: {**_robot(scenario, robot, f"robots.{name}"), "source": specs.get(name)}
        for name, robot in scenario.file.robots.items()
    }


def _robot(scenario: Scenario, robot: Robot, where: str = "robot") -> dict[str, Any]:
    data = robot.model_dump(mode="json", by_alias=True, exclude_unset=True)
    data["urdf"] = scenario.described(robot.urdf, Kind.ROBOT, where)
    return data
