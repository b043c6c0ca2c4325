"""Objects of MoveIt's planning scene, and of a map, are objects of the scene from the start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scene_messages as messages
from support.hetwin_command import hetwin, refused

import hetwin_suite
from hetwin_suite.episode import open_episode
from hetwin_suite.model import EntityKind

SCENARIO = """\
extends: pick_and_place
scenario: found
scene: {scene}
"""
BOX, SPHERE, CYLINDER, CONE = 1, 2, 3, 4


def scenario(folder: Path, scene: dict[str, Any]) -> Path:
    """Write the shipped pick and place with such a scene."""
    file = folder / "found.yaml"
    file.write_text(SCENARIO.format(scene=json.dumps(scene)))
    return file


def planned(folder: Path, *objects: Any, **others: Any) -> Path:
    """Write a recording with a diff, and a planning scene."""
    found = [messages.scene(is_diff=True), messages.scene(*objects, **others)]
    return messages.write(folder / "planned", {"/planning": (messages.PLANNING_SCENE, found)})


def simple(name: str, frame: str, x: float, y: float, kind: int, *sides: float) -> Any:
    return messages.collision_object(
        name,
        frame,
        messages.pose(x, y, 1.0),
        primitives=[messages.primitive(kind, *sides)],
        primitive_poses=[messages.pose()],
    )


def run(folder: Path, scene: dict[str, Any], **options: Any) -> hetwin_suite.Summary:
    return hetwin_suite.run(scenario(folder, scene), out=folder / "run", duration=0.2, **options)


def test_shapes_of_the_planning_scene_stand_where_it_has_them(tmp_path: Path) -> None:
    shelf = messages.collision_object(
        "shelf",
        "world",
        messages.pose(1.5, 0.0, 0.5, np.pi / 2),
        primitives=[messages.primitive(BOX, 0.2, 0.4, 0.6), messages.primitive(CONE, 0.2, 0.1)],
        primitive_poses=[messages.pose(), messages.pose(0.0, 0.0, 0.4)],
    )
    mat = messages.collision_object(
        "mat",
        "base_link",
        messages.pose(-1.0, 0.0, 0.0),
        meshes=[messages.mesh((0, 0, 0), (0.2, 0, 0), (0, 0.4, 0.02))],
        mesh_poses=[messages.pose()],
    )
    recording = planned(
        tmp_path,
        shelf,
        mat,
        simple("ball", "world", 1.5, 1.0, SPHERE, 0.05),
        simple("can", "world", 1.5, -1.0, CYLINDER, 0.2, 0.03),
        simple("table", "world", 0.0, 0.0, BOX, 9.0, 9.0, 9.0),
        attached=[simple("tool", "hand", 0.0, 0.0, BOX, 0.1, 0.1, 0.1)],
    )
    given = {"recording": str(recording), "free": ["ball"]}
    summary = run(tmp_path, {"from": {"planning_scene": given}})
    episode = open_episode(summary.folder)
    entities = {entity.name: entity for entity in episode.layout.entities}
    assert entities["shelf"].kind is EntityKind.STATIC
    assert entities["ball"].kind is EntityKind.OBJECT
    assert entities["ball"].mass == pytest.approx(500.0 * 4 / 3 * np.pi * 0.05**3, rel=1e-4)
    assert {"mat", "can"} <= set(entities)
    assert "tool" not in entities
    start = episode.pose("shelf")[0]
    assert start[:7] == pytest.approx([1.5, 0.0, 0.5, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
    kinds = [(shape.kind.value, tuple(shape.size)) for shape in entities["shelf"].shapes]
    assert ("box", (0.2, 0.4, 0.6)) in kinds
    (mesh,) = {tuple(shape.size) for shape in entities["mat"].shapes}
    assert mesh == pytest.approx((0.2, 0.4, 0.02))
    # The world's own table stays as it is.
    assert max(max(shape.size) for shape in entities["table"].shapes) < 2.0
    told = " ".join(summary.warnings)
    assert "mat: 1 mesh(es) of MoveIt replaced by bounding boxes" in told
    assert "attached to links, and left out: tool" in told


def test_a_scene_may_place_what_was_found(tmp_path: Path) -> None:
    recording = planned(tmp_path, simple("can", "world", 1.5, -1.0, CYLINDER, 0.2, 0.03))
    scene = {
        "from": {"planning_scene": {"recording": str(recording)}},
        "can": {"pose": [2.0, 0, 0, 1, 0, 0, 0]},
    }
    assert open_episode(run(tmp_path, scene).folder).pose("can")[0, 0] == 2.0


def test_a_frame_that_nothing_leads_to_is_refused_and_may_be_given(tmp_path: Path) -> None:
    recording = planned(tmp_path, simple("can", "odom", 1.0, 0.0, CYLINDER, 0.2, 0.03))
    given: dict[str, Any] = {"recording": str(recording)}
    words = ("no transform connects this frame", "odom", "scene.from.planning_scene.frames")
    file = scenario(tmp_path, {"from": {"planning_scene": given}})
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=words)
    given["frames"] = {"odom": [1.0, 0, 0, 1, 0, 0, 0]}
    assert open_episode(run(tmp_path, {"from": {"planning_scene": given}}).folder).pose("can")[
        0, 0
    ] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ({"from": "planning_scenes"}, ("no such finder of objects", "planning_scene")),
        ({"from": 3}, ("scene", "expected")),
        ({"box": {"from": {"planning_scene": {}}}}, ("from: NAME", "box")),
        ({"from": {"planning_scene": {"toppic": "/a"}}}, ("toppic", "topic")),
        ({"from": "planning_scene"}, ("no topic of this type", "moveit_msgs/msg/PlanningScene")),
        ({"from": {"occupancy_grid": {"topic": "/no"}}}, ("the recording has no topic /no",)),
        (
            {"from": {"occupancy_grid": {"topic": "/joint_states"}}},
            ("the topic has another type", "nav_msgs/msg/OccupancyGrid"),
        ),
    ],
)
def test_what_cannot_be_found_is_refused(
    tmp_path: Path, scene: dict[str, Any], words: tuple[str, ...]
) -> None:
    refused(tmp_path, "run", scenario(tmp_path, scene), "--out", tmp_path / "run", says=words)


def test_a_shape_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    recording = planned(tmp_path, simple("can", "world", 0.0, 0.0, BOX, 0.1))
    file = scenario(tmp_path, {"from": {"planning_scene": {"recording": str(recording)}}})
    words = ("the collision object can cannot be used", "type 1 with dimensions [0.1]")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=words)


ROOM = ["#####", "#..?#", "#.#.#", "#...#", "#####"]


def mapped(folder: Path, frame: str = "map", *transforms: Any) -> Path:
    """Write a recording of a room of 5 x 5 cells of 20 cm."""
    found = {"/map": (messages.GRID, [messages.grid(ROOM, 0.2, frame, messages.pose(-2.0, -2.0))])}
    if transforms:
        found["/tf_static"] = (messages.TF, list(transforms))
    return messages.write(folder / "mapped", found)


def test_a_map_is_a_few_static_boxes(tmp_path: Path) -> None:
    moved = messages.transform("map", "base_link", 3.0, 0.0)
    recording = mapped(tmp_path, "map", moved)
    given = {"recording": str(recording), "height": 0.5, "name": "walls"}
    summary = run(tmp_path, {"from": {"occupancy_grid": given}})
    episode = open_episode(summary.folder)
    (walls,) = (entity for entity in episode.layout.entities if entity.name == "walls")
    assert walls.kind is EntityKind.STATIC
    boxes = [shape for shape in walls.shapes if shape.collides]
    assert len(boxes) == 5
    area = sum(shape.size[0] * shape.size[1] for shape in boxes)
    assert area == pytest.approx(17 * 0.04)
    assert {shape.size[2] for shape in boxes} == {0.5}
    assert episode.pose("walls")[0, :3] == pytest.approx([-5.0, -2.0, 0.0])
    told = " ".join(summary.warnings)
    assert "walls: 5 boxes, 0.5 m high; 1 of 25 cells are not known and count as free" in told


@pytest.mark.slow
def test_both_transports_and_a_checkpoint_have_one_digest(tmp_path: Path) -> None:
    recording = mapped(tmp_path)
    frames = {"map": [3.0, 3.0, 0, 1, 0, 0, 0]}
    scene = {"from": {"occupancy_grid": {"recording": str(recording), "frames": frames}}}
    file = scenario(tmp_path, scene)
    digests = {
        hetwin_suite.run(file, out=tmp_path / "local", duration=1.0).digest,
        hetwin_suite.run(
            file,
            out=tmp_path / "ros",
            duration=1.0,
            transport="ros",
            in_process="grasp,holding,handling",
        ).digest,
    }
    assert len(digests) == 1
    words = ("--no-page", "--json", "--out")
    limits = ("--duration", "1", "--checkpoint", "0.5")
    whole = hetwin("run", file, *limits, *words, tmp_path / "whole")
    assert whole.code == 0, whole.err
    outcome = json.loads(whole.out)
    assert outcome["digest"] in digests
    rest = hetwin("run", "--from", outcome["checkpoint"], *words, tmp_path / "rest")
    assert rest.code == 0, rest.err
    assert json.loads(rest.out)["digest"] == outcome["digest"]
