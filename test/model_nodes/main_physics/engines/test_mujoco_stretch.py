"""Several steps in one loop lead to the bit where single steps lead, and note the same contacts."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import at, box, floor, gripper, loaded

from hetwin_core.ensemble.scene.values import Floats, pose_value
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.sources.part import JointMotion

STEPS = 120


def made(*, led: bool, softened: bool) -> Engine:
    """A gripper that closes on a box beside another one, which is led if that is asked for."""
    engine = make_engine("mujoco")
    loaded(
        engine,
        floor(),
        box("box", at(0, 0, 0.05)),
        box("led", at(0.3, 0, 0.05)),
        gripper(at(0, 0, 0.12)),
    )
    if led:
        engine.follow("led", pose_value((0.05, 0.0, -0.02), parent="left"))
    if softened:
        engine.soften_joints(engine.driven[-1:], 100.0)
    engine.take_touches()
    return engine


def motion(step: int, joints: int) -> JointMotion:
    """The joints after a step: all sway."""
    sway = 0.02 * (1.0 - np.cos(0.05 * step)) * np.ones(joints)
    return JointMotion(sway, np.gradient(sway), np.zeros(joints), np.zeros(joints))


def state(engine: Engine) -> list[bytes]:
    """All that can be asked of it, to the bit."""
    frames: Floats = np.empty((len(engine.frames), 13))
    engine.read_frames(frames)
    tables = engine.proximity(), engine.contacts(), engine.take_touches()
    return [frames.tobytes(), *(table.tobytes() for table in tables)]


@pytest.mark.parametrize("led", [False, True])
@pytest.mark.parametrize("softened", [False, True])
def test_a_stretch_leads_to_the_bit_where_single_steps_lead(led: bool, softened: bool) -> None:
    one, other = made(led=led, softened=softened), made(led=led, softened=softened)
    joints, taken = len(one.driven), 0
    for count in (1, 3, 7, 40, STEPS - 51):
        motions = [motion(taken + i, joints) for i in range(1, count + 1)]
        taken += count
        one.stretch(motions)
        for given in motions:
            other.command_joints(given.positions, given.velocities, given.accelerations)
            other.step(is_seen=given is motions[-1])
        assert state(one) == state(other)
    assert len(one.contacts())


def test_no_motion_is_no_step() -> None:
    engine = made(led=False, softened=False)
    before = state(engine)
    engine.stretch([])
    assert state(engine) == before
