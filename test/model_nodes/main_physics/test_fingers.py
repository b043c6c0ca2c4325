"""Joints of hands that close by a margin more than recorded, or are pushed by the recorded efforts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.small_worlds import gripper, loaded

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.driving import Fingers
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.sources.part import JointMotion

JOINTS = ("move_x", "move_y", "move_z", "close_left", "close_right")
HAND = {"link": "carriage_z", "joints": ["close_left", "close_right"]}
WAYS = {"opened": [0.0, 0.05], "closed": [0.05, 0.0]}


def fingers(hand: dict[str, Any], **given: Any) -> tuple[Engine, Fingers]:
    engine = loaded(make_engine("mujoco"), gripper())
    settings = Settings(robot={"urdf": __file__}, hands=({"name": "hand", **hand},), **given)  # type: ignore[arg-type]
    return engine, Fingers(JOINTS, settings, engine)


def moved(engine: Engine, made: Fingers, efforts: Floats) -> Floats:
    """The positions after half a second with the command 0.02 for all joints."""
    zeros = np.zeros(5)
    motion = JointMotion(np.full(5, 0.02), zeros, zeros, efforts)
    at = made.with_margin(motion)
    for _ in range(200):
        engine.command_joints(at.positions, at.velocities, at.accelerations)
        if made.soft:
            engine.command_efforts(made.efforts(motion))
        engine.step()
    positions, velocities = np.empty(5), np.empty(5)
    engine.read_joints(positions, velocities)
    return positions


def test_without_parameters_all_joints_follow_exactly() -> None:
    engine, made = fingers(HAND)
    assert moved(engine, made, np.full(5, 3.0)) == pytest.approx([0.02] * 5, abs=1e-4)
    assert made.loose == ()


def test_a_margin_closes_each_joint_in_its_own_direction() -> None:
    engine, made = fingers(HAND | WAYS, finger_margin=0.003)
    expected = [0.02, 0.02, 0.02, 0.023, 0.017]
    assert moved(engine, made, np.zeros(5)) == pytest.approx(expected, abs=1e-4)
    assert made.loose == (3, 4)


def test_efforts_push_the_fingers_against_a_spring() -> None:
    engine, made = fingers(HAND, finger_stiffness=500.0)
    positions = moved(engine, made, np.array([9.0, 9.0, 9.0, 1.0, -1.0]))
    assert positions == pytest.approx([0.02, 0.02, 0.02, 0.022, 0.018], abs=1e-4)


@pytest.mark.parametrize("key", ["finger_margin", "finger_stiffness"])
def test_a_hand_without_joints_is_rejected(key: str) -> None:
    with pytest.raises(BadInput, match=f"{key}.*hand with joints"):
        fingers({"link": "carriage_z"}, **{key: 0.1})


def test_a_margin_needs_to_know_which_way_the_hand_closes() -> None:
    with pytest.raises(BadInput, match=r"hands\.hand.*opened and closed"):
        fingers(HAND, finger_margin=0.1)


def test_an_engine_without_soft_joints_is_rejected_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = loaded(make_engine("mujoco"), gripper())
    monkeypatch.setattr(type(engine), "soften_joints", Engine.soften_joints)
    settings = Settings(
        robot={"urdf": __file__}, hands=({"name": "hand", **HAND},), finger_stiffness=2.0
    )  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"finger_stiffness.*mujoco cannot move close_left"):
        Fingers(JOINTS, settings, engine)
