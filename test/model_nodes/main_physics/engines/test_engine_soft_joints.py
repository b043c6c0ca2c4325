"""Joints that forces move: they stop at what they touch and press as hard as they are told."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import at, box, command, floor, frame, gripper, loaded

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Engine, Unsupported

FINGERS = ("close_left", "close_right")
STIFFNESS = 200.0


def soft_gripper(engine: Engine) -> None:
    """A box of 50 mm between fingers that are 100 mm apart."""
    held = box("held", at(0, 0, 0.03), (0.05, 0.05, 0.06), 0.8, mu=0.8)
    loaded(engine, floor(), held, gripper(at(0, 0, 0.04), gap=0.1))
    if engine.name == "gz":
        with pytest.raises(Unsupported, match="gz cannot move close_left, close_right by forces"):
            engine.soften_joints(FINGERS, STIFFNESS)
        pytest.skip("engine gz has no soft joints, and says so")
    engine.soften_joints(FINGERS, STIFFNESS)


def hold(engine: Engine, target: Floats, efforts: Floats, steps: int) -> Floats:
    """Step with one command; returns the positions of the joints."""
    for _ in range(steps):
        command(engine, target)
        engine.command_efforts(efforts)
        engine.step()
    positions, velocities = np.empty(5), np.empty(5)
    engine.read_joints(positions, velocities)
    return positions


def test_they_stop_at_what_they_touch_however_far_they_are_commanded(engine: Engine) -> None:
    soft_gripper(engine)
    positions = hold(engine, np.array([0, 0, 0, 0.03, 0.03]), np.zeros(5), 400)
    assert positions[3:] == pytest.approx([0.025, 0.025], abs=5e-4)
    assert frame(engine, "held")[:2] == pytest.approx([0, 0], abs=1e-3)


def test_the_commanded_effort_holds_what_the_positions_would_let_go(engine: Engine) -> None:
    soft_gripper(engine)
    too_open = np.array([0, 0, 0, 0.022, 0.022])
    efforts = np.array([0, 0, 0, 20.0, 20.0])
    hold(engine, too_open, efforts, 200)
    for i in range(400):
        hold(engine, too_open + np.array([0, 0, 0.1 * i / 400, 0, 0]), efforts, 1)
    assert frame(engine, "held")[2] == pytest.approx(0.13, abs=3e-3)
    hold(engine, too_open + np.array([0, 0, 0.1, 0, 0]), np.zeros(5), 400)
    assert frame(engine, "held")[2] == pytest.approx(0.03, abs=3e-3)  # without the effort it falls


def test_the_other_joints_follow_exactly(engine: Engine) -> None:
    soft_gripper(engine)
    positions = hold(engine, np.array([0, 0, 0.05, 0.03, 0.03]), np.zeros(5), 200)
    assert positions[:3] == pytest.approx([0, 0, 0.05], abs=1e-3)
