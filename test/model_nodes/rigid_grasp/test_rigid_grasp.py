"""The rigid grasp holds what it is given, and lets go with the hand's velocity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hand_and_box import HAND, scene

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.poses import compose, relative_to, rotation_by
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value, pose_value
from model_nodes.rigid_grasp import RigidGrasp

MS = 1_000_000
BOX = pose_value((0.5, 0.1, 0.3), rotation_by((0.1, -0.4, 0.9))).data
NUMBERS = st.floats(-2.0, 2.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)


def started(first: Snapshot, **parameters: float) -> RigidGrasp:
    model = RigidGrasp()
    model.contribute({"hand": HAND, **parameters}, 0)
    model.start(first)
    return model


def step(model: RigidGrasp, snapshot: Snapshot) -> dict[tuple[str, str], Value]:
    changes = model.step(Tick(snapshot.time_ns, 10 * MS, snapshot))
    return {} if changes is None else changes.values


def hand_at(time_ns: int, linear: tuple[float, ...], angular: tuple[float, ...]) -> Floats:
    """A hand on a screw motion through (0.4, 0, 0.3) at 0 s, without a twist of its own."""
    seconds = time_ns * 1e-9
    position = np.array((0.4, 0.0, 0.3)) + seconds * np.array(linear)
    return pose_value(position, rotation_by([seconds * w for w in angular])).data


@given(VECTORS, VECTORS, VECTORS)
def test_the_object_keeps_its_place_in_the_hand(
    place: tuple[float, ...], turn: tuple[float, ...], turned_later: tuple[float, ...]
) -> None:
    hand = pose_value(np.array(place), rotation_by(turn)).data
    model = started(scene(0, hand=hand, box=BOX))
    model.take("box", "pose", Value(BOX, 0), scene(0, hand=hand, box=BOX))
    later = pose_value((0.1, 0.2, 0.3), rotation_by(turned_later)).data
    value = step(model, scene(10 * MS, hand=later, box=BOX))["box", "pose"]
    assert (value.parent, value.time_ns) == ("hand", 10 * MS)
    assert np.array_equal(value.data[7:], np.zeros(6))
    np.testing.assert_allclose(value.data[:7], relative_to(hand, BOX)[:7], atol=1e-12)
    assert np.array_equal(step(model, scene(20 * MS))["box", "pose"].data, value.data)


def test_a_value_in_another_frame_is_taken_where_it_is_in_the_world() -> None:
    table = pose_value((1.0, 0.0, 0.0), rotation_by((0.0, 0.0, 0.5))).data
    hand = pose_value((0.4, 0.0, 0.5)).data
    snapshot = scene(0, hand=hand, table=table)
    model = started(snapshot)
    model.take("box", "pose", Value(BOX, 0, "table"), snapshot)
    held = step(model, snapshot)["box", "pose"].data
    np.testing.assert_allclose(compose(hand, held)[:7], compose(table, BOX)[:7], atol=1e-12)


def test_the_released_object_has_the_velocity_of_the_hand_at_its_origin() -> None:
    linear, angular = (0.3, -0.1, 0.2), (0.0, 0.0, 2.0)
    first = scene(0, hand=hand_at(0, linear, angular), box=BOX)
    model = started(first)
    model.take("box", "pose", Value(BOX, 0), first)
    for i in range(1, 21):
        step(model, scene(10 * i * MS, hand=hand_at(10 * i * MS, linear, angular)))
    last = scene(200 * MS, hand=hand_at(200 * MS, linear, angular))
    value = model.release("box", "pose", last)
    arm = value.data[:3] - last.pose("hand")[:3]
    assert (value.parent, value.time_ns) == ("world", 200 * MS)
    np.testing.assert_allclose(value.data[10:], angular, atol=1e-6)
    np.testing.assert_allclose(value.data[7:10], linear + np.cross(angular, arm), atol=1e-6)
    assert step(model, last) == {}


def test_noise_of_encoders_does_not_throw_the_object() -> None:
    """A resting hand whose samples jump by 1 mm: two of them alone say 0.1 m/s."""
    noise = np.random.default_rng(1).normal(0.0, 3e-4, (60, 3))
    noise[-1] = (0.001, -0.001, 0.001)
    snapshots = [scene(10 * i * MS, hand=pose_value(n).data, box=BOX) for i, n in enumerate(noise)]
    model = started(snapshots[0])
    model.take("box", "pose", Value(BOX, 0), snapshots[0])
    for snapshot in snapshots:
        step(model, snapshot)
    speed = np.abs(model.release("box", "pose", snapshots[-1]).data[7:10]).max()
    single = np.abs(noise[-1] - noise[-2]).max() / 0.01
    assert single > 0.09
    assert speed < 0.03


def test_only_the_last_moments_count() -> None:
    """A hand that was fast and has stopped lets go of an object that rests."""
    model = started(scene(0))
    model.take("box", "pose", Value(BOX, 0), scene(0))
    for i in range(1, 41):
        step(model, scene(10 * i * MS, hand=pose_value((0.02 * min(i, 30), 0.0, 0.0)).data))
    end = scene(400 * MS, hand=pose_value((0.6, 0.0, 0.0)).data)
    np.testing.assert_allclose(model.release("box", "pose", end).data[7:], np.zeros(6), atol=1e-12)


def test_without_a_history_the_twist_of_the_scene_counts() -> None:
    moving = pose_value((0.0, 0.0, 0.0), linear=(0.1, 0.2, 0.3)).data
    model = started(scene(5, hand=moving))
    model.take("box", "pose", Value(BOX, 5), scene(5, hand=moving))
    released = model.release("box", "pose", scene(5, hand=moving)).data
    np.testing.assert_allclose(released[7:10], (0.1, 0.2, 0.3))


@pytest.mark.parametrize("period_ms", [10, 62.5, 250])
def test_the_velocity_is_fitted_at_any_rate(period_ms: float) -> None:
    linear, period = (0.5, 0.0, -0.25), round(period_ms * MS)
    model = started(scene(0, hand=hand_at(0, linear, (0.0, 0.0, 0.0))))
    model.take("box", "pose", Value(BOX, 0), scene(0))
    for i in range(1, 30):
        last = scene(i * period, hand=hand_at(i * period, linear, (0.0, 0.0, 0.0)))
        step(model, last)
    np.testing.assert_allclose(model.release("box", "pose", last).data[7:10], linear, atol=1e-9)


def test_several_objects_are_held_at_once_and_released_one_by_one() -> None:
    model = started(scene(0))
    model.take("box", "pose", Value(BOX, 0), scene(0))
    model.take("ball", "pose", pose_value((0.0, 0.0, 0.2)), scene(0))
    assert set(step(model, scene(10 * MS))) == {("box", "pose"), ("ball", "pose")}
    model.release("box", "pose", scene(10 * MS))
    assert set(step(model, scene(20 * MS))) == {("ball", "pose")}


@pytest.mark.parametrize(
    ("entity", "attribute", "value", "reason"),
    [
        ("box", "collision", Value(BOX, 0), "poses of objects only"),
        ("nothing", "pose", Value(BOX, 0), "poses of objects only"),
        ("table", "pose", Value(BOX, 0), "kind static"),
        ("hand", "pose", Value(BOX, 0), "kind hand"),
        ("box", "pose", Value(np.zeros(13), 0), "not a finite pose"),
        ("box", "pose", Value(BOX * math.nan, 0), "not a finite pose"),
        ("box", "pose", Value(BOX[:7], 0), "not a finite pose"),
        ("box", "pose", Value(BOX, 0, "shelf"), "frame 'shelf'"),
    ],
)
def test_what_it_cannot_hold_it_refuses(
    entity: str, attribute: str, value: Value, reason: str
) -> None:
    model = started(scene(0))
    with pytest.raises(Refused, match=reason):
        model.take(entity, attribute, value, scene(0))
    assert step(model, scene(10 * MS)) == {}


def test_what_it_does_not_hold_it_cannot_release() -> None:
    with pytest.raises(Refused, match=r"not responsible for box\.pose"):
        started(scene(0)).release("box", "pose", scene(0))


@pytest.mark.parametrize(
    "parameters",
    [{}, {"hand": "hand"}, {"hand": HAND, "velocity_window": -1.0}, {"hand": {"fingers": 3}}],
)
def test_parameters_that_cannot_be_used_are_bad_input(parameters: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"hand|velocity_window"):
        RigidGrasp().contribute(parameters, 0)


def test_a_hand_without_a_pose_is_bad_input() -> None:
    model = RigidGrasp()
    model.contribute({"hand": {**HAND, "name": "left"}}, 0)
    with pytest.raises(BadInput, match="left"):
        model.start(scene(0))
