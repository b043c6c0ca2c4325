"""After each difference, all objects of the planning scene have the twin's poses, and held objects are attached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moveit_stand_in import TYPES, PlanningSceneStandIn
from support.plugins import needs

from hetwin_moveit.believed import PlacedObject, SceneReader
from hetwin_moveit.diff import difference, state_after
from hetwin_moveit.messages import BOX, CYLINDER, SPHERE, MessageWriter
from hetwin_suite import run
from hetwin_suite.episode import Episode, open_episode
from hetwin_suite.model import (
    POSE,
    AttributeSpec,
    Entity,
    EntityKind,
    Layout,
    Shape,
    ShapeKind,
)

MILLIMETRE = 0.001


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    folder: Path = tmp_path_factory.mktemp("run") / "picked"
    run("pick_and_place", out=folder)
    return open_episode(folder)


def followed(episode: Episode, every: int) -> Iterator[tuple[int, PlanningSceneStandIn]]:
    """Yield indices of states, and a planning scene with all differences up to them."""
    believed = SceneReader(episode.layout)
    writer = MessageWriter(believed, TYPES)
    scene, before = PlanningSceneStandIn(), dict[str, PlacedObject]()
    for index in range(0, len(episode.times), every):
        placed = believed.at(episode.values[index])
        diff = difference(before, placed)
        if diff:
            scene.apply(writer.diff(placed, diff))
            before = state_after(before, placed, diff)
        yield index, scene


@pytest.mark.parametrize("every", [1, 7])
def test_every_object_is_where_the_twin_has_it(episode: Episode, every: int) -> None:
    layout = episode.layout
    for index, scene in followed(episode, every):
        values = episode.values[index]
        assert {*scene.world, *scene.attached} == {"ground", "table", "tray", "box"}
        for name in ("table", "tray", "box"):
            there = values[layout.range_of(name, "pose")][:3]
            off = np.linalg.norm(scene.place(name, layout, values)[:3] - there)
            assert off < MILLIMETRE, (name, index)


def test_it_hangs_on_the_hand_from_grasp_to_release(episode: Episode) -> None:
    held = episode.layout.range_of("box", "held")
    for index, scene in followed(episode, 1):
        is_held = episode.values[index][held][0] >= 0.0
        assert ("box" in scene.attached) == is_held
        assert ("box" in scene.world) != is_held
    last = [i for i, _ in enumerate(episode.times) if episode.values[i][held][0] >= 0.0][-1]
    believed = SceneReader(episode.layout)
    placed = believed.at(episode.values[last])
    (message,) = (
        MessageWriter(believed, TYPES)
        .diff(placed, difference({}, placed))
        .robot_state.attached_collision_objects
    )
    assert message.link_name == "gripper_base"
    assert message.touch_links == ["gripper_base", "gripper_left_finger", "gripper_right_finger"]
    assert message.weight == episode.layout.entity("box").mass


@pytest.mark.slow
@needs("hetwin_tables")
def test_a_table_is_set_in_the_planning_scene_too(tmp_path: Path) -> None:
    run("set_table", out=tmp_path / "run")
    episode = open_episode(tmp_path / "run")
    layout, believed = episode.layout, SceneReader(episode.layout)
    held = {
        name: layout.range_of(name, "held") for name in believed.objects if layout.has(name, "held")
    }
    was_held: set[str] = set()
    for index, scene in followed(episode, 10):
        values = episode.values[index]
        in_hands = {name for name, place in held.items() if values[place][0] >= 0.0}
        was_held |= in_hands
        assert {*scene.attached} == in_hands
        assert {*scene.world} == {*believed.objects} - in_hands
        for name in believed.objects:
            there = values[layout.range_of(name, "pose")][:3]
            off = np.linalg.norm(scene.place(name, layout, values)[:3] - there)
            assert off < MILLIMETRE, (name, index)
    assert was_held


def test_who_joins_late_gets_everything(episode: Episode) -> None:
    believed = SceneReader(episode.layout)
    placed = believed.at(episode.values[len(episode.times) // 2])
    early, late = PlanningSceneStandIn(), PlanningSceneStandIn()
    everything = MessageWriter(believed, TYPES).diff(placed, difference({}, placed))
    early.apply(everything)
    early.apply(everything)  # it is repeated for the late one
    late.apply(everything)
    assert early.world.keys() == late.world.keys()
    assert early.attached.keys() == late.attached.keys() == {"box"}


def scene_of(*shapes: Shape) -> SceneReader:
    box = Entity("thing", EntityKind.OBJECT, shapes=shapes)
    slots = [("thing", POSE), ("thing", AttributeSpec("pose_covariance", 21))]
    return SceneReader(Layout.build([box], slots), padded=True)


def values_of(believed: SceneReader, deviation: float = 0.0) -> np.ndarray:
    values = np.zeros(POSE.size + 21)
    values[3] = 1.0
    values[[POSE.size, POSE.size + 6, POSE.size + 11]] = deviation**2
    return values


def written(believed: SceneReader, deviation: float) -> object:
    placed = believed.at(values_of(believed, deviation))
    (message,) = (
        MessageWriter(believed, TYPES).diff(placed, difference({}, placed)).world.collision_objects
    )
    return message


def test_what_is_uncertain_makes_shapes_larger() -> None:
    kinds = [
        (ShapeKind.BOX, (0.1, 0.2, 0.3)),
        (ShapeKind.SPHERE, (0.1,)),
        (ShapeKind.CYLINDER, (0.1, 0.4)),
        (ShapeKind.CAPSULE, (0.1, 0.4)),
    ]
    message = written(scene_of(*(Shape(kind, size) for kind, size in kinds)), 0.005)
    found = [(solid.type, [round(n, 9) for n in solid.dimensions]) for solid in message.primitives]  # type: ignore[attr-defined]
    assert found == [
        (BOX, [0.12, 0.22, 0.32]),
        (SPHERE, [0.11]),
        (CYLINDER, [0.42, 0.11]),
        (CYLINDER, [0.4, 0.11]),
        (SPHERE, [0.11]),
        (SPHERE, [0.11]),
    ]


def test_an_ellipsoid_is_a_closed_mesh() -> None:
    message = written(scene_of(Shape(ShapeKind.ELLIPSOID, (0.1, 0.2, 0.3))), 0.0)
    (mesh,) = message.meshes  # type: ignore[attr-defined]
    points = np.array([[p.x, p.y, p.z] for p in mesh.vertices])
    np.testing.assert_allclose(points.max(axis=0), [0.1, 0.2, 0.3], atol=1e-9)
    corners = np.array([t.vertex_indices for t in mesh.triangles])
    edges = points[corners]
    volume = (
        np.abs(np.einsum("ij,ij->i", edges[:, 0], np.cross(edges[:, 1], edges[:, 2])).sum()) / 6
    )
    assert 0.85 < volume / (4 / 3 * np.pi * 0.1 * 0.2 * 0.3) < 1.0


POSES = st.builds(
    lambda x, hand: PlacedObject(
        "hand" if hand else "base", np.array([x, 0, 0, 1, 0, 0, 0.0]), hand
    ),
    st.sampled_from([0.0, 0.0001, 0.1]),
    st.sampled_from(["", "left", "right"]),
)
STATES = st.dictionaries(st.sampled_from(["a", "b", "c"]), POSES)


@given(st.lists(STATES, min_size=1, max_size=6))
def test_after_any_changes_everything_is_where_it_should_be(
    states: list[dict[str, PlacedObject]],
) -> None:
    before: dict[str, PlacedObject] = {}
    holding: dict[str, str] = {}
    world: set[str] = set()
    for state in states:
        diff = difference(before, state)
        for name in diff.detached:
            world.add(name)
            del holding[name]
        for name in diff.attached:
            world.discard(name)
            holding[name] = state[name].hand
        world = (world - {*diff.removed}) | {*diff.added}
        assert {*diff.moved} <= world
        before = state_after(before, state, diff)
        assert {*world, *holding} == {*state} == {*before}
        assert holding == {name: one.hand for name, one in state.items() if one.hand}
        for name, one in state.items():
            assert abs(one.pose[0] - before[name].pose[0]) <= 0.0005
