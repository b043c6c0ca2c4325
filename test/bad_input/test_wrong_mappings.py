"""Mistakes inside a scenario's mappings are told with file, line, key, found and expected, wherever they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.plugins import needs

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.settings import Settings

HEAD = "scenario: s\nworld: worlds/tabletop.sdf\nrate: 100\n"
PHYSICS = "models:\n  physics: {type: main_physics, main: true, engine: mujoco}\n"
ROBOT = """\
robot:
  urdf: urdf/tabletop_arm.urdf
  belts:
    base: BELT
"""
GIVEN_TO_MODEL = """\
models:
  physics:
    type: main_physics
    main: true
    parameters:
      engine: mujoco
      robot:
        urdf: urdf/tabletop_arm.urdf
        belts:
          base: BELT
"""
MISTAKES = {
    "{velocty: [1, 0, 0]}": (".velocty", "unknown key", "velocty", "'velocity' perhaps"),
    "{speed: 1}": (".speed", "unknown key", "speed", "one of turn, velocity"),
    "{velocity: [1, 0]}": (".velocity", "this value", [1, 0], "three numbers, not 2 numbers"),
    "{turn: [1, fast, 0]}": (".turn.1", "this value", "fast", "a valid number"),
    "{turn: [1, .inf, 0]}": (".turn.1", "this value", float("inf"), "a finite number"),
    "3": ("", "this value", 3, "a mapping"),
    "{}": ("", "the robot has no such link", "base", "the name of a link"),
}


def begin(file: Path, options: RunOptions) -> None:
    """Read the scenario and start it with all models in this process."""
    session(file, options=options).run()


def refused(file: Path, options: RunOptions | None = None) -> BadInput:
    """The error with which a scenario is refused before its run begins."""
    with pytest.raises(BadInput) as caught:
        begin(file, options or RunOptions(duration=0.01))
    return caught.value


def written(folder: Path, text: str, name: str = "s.yaml") -> Path:
    """A file with this text."""
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("belt", MISTAKES)
@pytest.mark.parametrize("place", ["scenario", "base of a scenario", "the model's parameters"])
def test_a_mistake_in_a_belt(place: str, belt: str, tmp_path: Path) -> None:
    inner, problem, found, expected = MISTAKES[belt]
    key, line = "robot.belts.base", 7
    if place == "the model's parameters":
        file = wrong = written(tmp_path, HEAD + GIVEN_TO_MODEL.replace("BELT", belt))
        key, line = "models.physics.parameters.robot.belts.base", 13
    else:
        file = wrong = written(tmp_path, HEAD + ROBOT.replace("BELT", belt) + PHYSICS)
    if place == "base of a scenario":
        file = written(tmp_path, "extends: s.yaml\nscenario: other\n", "other.yaml")
    error = refused(file)
    assert error.file == str(wrong)
    assert error.where == f"line {line}, {key}{inner}"
    assert problem in error.problem
    assert error.found == found
    assert expected in str(error.expected)


def test_the_main_model_alone_names_the_key() -> None:
    belts: dict[str, Any] = {"base": {"velocty": [1, 0, 0]}}
    with pytest.raises(BadInput, match=r"^robot\.belts\.base\.velocty: unknown key.*'velocity'"):
        Settings.read({"robot": {"urdf": "arm.urdf", "belts": belts}})


HANDS = ROBOT.replace("  belts:\n    base: BELT\n", "") + "hands:\n  h: HAND\n"


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        (HANDS.replace("HAND", "{link: nose}"), "line 7, hands.h.link", "gripper_base"),
        (HANDS.replace("HAND", "{lnk: nose}"), "line 7, hands.h.lnk", "'link' perhaps"),
        (
            HANDS.replace("HAND", "{link: gripper_base, joints: [toe]}"),
            "line 7, hands.h.joints",
            "no such joint",
        ),
        (HANDS.replace("HAND", "{link: box, joints: [3]}"), "line 7, hands.h.joints.0", "found 3"),
        (
            "source:\n  recording: x\n  joint_states: /joint_states\n",
            "line 6, source.joint_states",
            "a list, such as [/joint_states]",
        ),
        (
            "source:\n  live: ''\n  joint_states: /js\n",
            "line 6, source.joint_states",
            "a list, such as [/js]",
        ),
        ("source:\n  joint_states: /js\n", "line 5, source.joint_states", "a list, such as [/js]"),
        ("source: {recordng: x}\n", "line 4, source.recordng", "'recording' perhaps"),
        ("source: {live: '', on_silence: wait}\n", "line 4, source.on_silence", "'fail' or 'end'"),
        (
            "scene: {box: {poze: [0, 0, 0, 1, 0, 0, 0]}}\n",
            "line 4, scene.box.poze",
            "'pose' perhaps",
        ),
        ("scene:\n  box: {}\n", "line 5, scene.box", "to add an object"),
        ("scene:\n  moon: {pose: [0, 0, 0, 1, 0, 0, 0]}\n", "line 5, scene.moon", "no such entity"),
        (
            "scene:\n  box: {pose: [0, 0, 0, 0, 0, 0, 0]}\n",
            "line 5, scene.box.pose",
            "not all zero",
        ),
        ("entities:\n  box: {tag: [x]}\n", "line 5, entities.box.tag", "'tags' perhaps"),
        ("robot: {urdf: a.urdf, springs: {x: 0}}\n", "line 4, robot.springs.x", "greater than 0"),
        (
            "robot: {urdf: a.urdf, range_sensors: {x: {reach: 1, along: [0, 0, 0]}}}\n",
            "line 4, robot.range_sensors.x.along",
            "a direction",
        ),
    ],
)
def test_a_mistake_in_another_mapping(text: str, where: str, words: str, tmp_path: Path) -> None:
    file = written(tmp_path, HEAD + text + PHYSICS)
    error = refused(file)
    assert (error.file, error.where) == (str(file), where)
    assert words in str(error)


@pytest.mark.parametrize(
    ("parameters", "where", "words"),
    [
        ("options: {solvr: cg}", "options.solvr", "'solver' perhaps"),
        ("options: {solver: best}", "options.solver", "'newton', 'cg' or 'pgs'"),
        ("options: {iterations: 1.5}", "options.iterations", "a whole number"),
        ("substeps: 0", "substeps", "greater than 0"),
        ("proximity_objects: box", "proximity_objects", "a list, such as [box]"),
        ("rats: 3", "rats", "rate"),
    ],
)
def test_a_mistake_in_the_main_models_parameters(
    parameters: str, where: str, words: str, tmp_path: Path
) -> None:
    physics = "models:\n  physics:\n    type: main_physics\n    main: true\n    parameters:\n"
    file = written(tmp_path, f"{HEAD}{physics}      {parameters}\n")
    error = refused(file)
    assert (error.file, error.where) == (str(file), f"line 9, models.physics.parameters.{where}")
    assert words in str(error)


@pytest.mark.parametrize(
    ("model", "where", "words"),
    [
        (
            "{type: containment, parameters: {objects: [box], containers: [tray], dwell: -1}}",
            "dwell",
            "greater than or equal to 0",
        ),
        pytest.param(
            "{type: fidelity_near_robot, parameters: {mode: AdFi-9}}",
            "mode",
            "'AdFi-3'",
            marks=needs("hetwin_fidelity"),
        ),
        pytest.param(
            "{type: fidelity_near_robot, parameters: {rest_steps: 0}}",
            "rest_steps",
            "greater than or equal to 1",
            marks=needs("hetwin_fidelity"),
        ),
        pytest.param(
            "{type: fidelity_during_action, parameters: {actions: pick}}",
            "actions",
            "a list, such as [pick]",
            marks=needs("hetwin_fidelity"),
        ),
        ("{type: handling_observer, parameters: {objects: [box], hands: left}}", "hands", "[left]"),
        pytest.param(
            "{type: fluid_in_cup, parameters: {cup: box, particles: 9, capacity: 5}}",
            "capacity",
            "at least 9",
            marks=needs("hetwin_fluid"),
        ),
        pytest.param(
            "{type: fluid_in_cup, parameters: {cup: box, kind: water}}",
            "kind",
            "'points' or 'spheres'",
            marks=needs("hetwin_fluid"),
        ),
    ],
)
def test_a_mistake_in_a_models_parameters(
    model: str, where: str, words: str, tmp_path: Path
) -> None:
    file = written(tmp_path, f"{HEAD}{PHYSICS}  other: {model}\n")
    error = refused(file)
    assert (error.file, error.where) == (str(file), f"line 6, models.other.parameters.{where}")
    assert words in str(error)


def test_an_engine_that_is_not_there_is_found_where_it_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, HEAD + PHYSICS.replace("mujoco", "bullet"))
    error = refused(file)
    assert (error.file, error.where) == (str(file), "line 5, models.physics.engine")
    assert refused(file, RunOptions(engine="ode")).where == "engine"


@pytest.mark.parametrize(
    ("scene", "where", "words"),
    [
        ({"box": {"poze": [0.0] * 7}}, "scene.box.poze", "'pose' perhaps"),
        ({"moon": {"pose": [0, 0, 0, 1, 0, 0, 0]}}, "scene.moon", "no such entity"),
        ({"box": 3}, "scene.box", "a mapping"),
    ],
)
def test_a_mistake_in_the_scene_of_the_start_is_not_looked_for_in_the_file(
    scene: dict[str, Any], where: str, words: str, tmp_path: Path
) -> None:
    file = written(tmp_path, HEAD + PHYSICS)
    error = refused(file, RunOptions(scene=scene))
    assert (error.file, error.where) == ("the start of the run", where)
    assert words in str(error)


TRIGGER = "triggers:\n  - name: t\n    on: ON\n    do: [DO]\n"
ON = "{attribute: pose, entity: box, above: 1}"
DO = "{stop: enough}"


@pytest.mark.parametrize(
    ("on", "do", "where", "words"),
    [
        (
            "{attribute: pose, entity: box, abvoe: 1}",
            DO,
            "line 8, triggers.0.on.abvoe",
            "'above' perhaps",
        ),
        (
            "{atribute: pose, entity: box, above: 1}",
            DO,
            "line 8, triggers.0.on.atribute",
            "'attribute' perhaps",
        ),
        ("{event: a, phase: end}", DO, "line 8, triggers.0.on.phase", "one of event"),
        (
            "{above: 1}",
            DO,
            "line 8, triggers.0.on",
            "one of the keys action, event, attribute, topic",
        ),
        (
            "{attribute: pose, entity: bx, above: 1}",
            DO,
            "line 8, triggers.0.on.entity",
            "no such entity",
        ),
        (
            ON,
            "{hand_over: {entity: bx, attribute: pose, to: physics}}",
            "line 9, triggers.0.do.0.hand_over.entity",
            "(perhaps 'box')",
        ),
        (
            ON,
            "{hand_over: {entity: $box, attribute: poze, to: physics}}",
            "line 9, triggers.0.do.0.hand_over.attribute",
            "no such attribute",
        ),
        (
            ON,
            "{hand_over: {entty: box, attribute: pose, to: physics}}",
            "line 9, triggers.0.do.0.hand_over.entty",
            "'entity' perhaps",
        ),
        (ON, "{handover: {}}", "line 9, triggers.0.do.0.handover", "'hand_over' perhaps"),
        (ON, "{raise: {evnt: e}}", "line 9, triggers.0.do.0.raise.evnt", "'event' perhaps"),
    ],
)
def test_a_mistake_in_a_trigger(on: str, do: str, where: str, words: str, tmp_path: Path) -> None:
    let = "    let: {box: event.entity}\n" if "$box" in do else ""
    trigger = TRIGGER.replace("ON", on).replace("DO", do) + let
    file = written(tmp_path, HEAD + PHYSICS + trigger)
    error = refused(file)
    assert (error.file, error.where) == (str(file), where)
    assert words in str(error)
