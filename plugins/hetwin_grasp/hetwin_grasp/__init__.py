"""A stable grasp in any MuJoCo world: a grasped object stays in the hand until the fingers open.

For example, a gripper of two fingers; the import, `Hold(...)` and `hold()` are all that the grasp needs::

    import mujoco
    from hetwin_grasp import Hold

    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body name="gripper" pos="0 0 0.5">'
        '  <geom size="0.05 0.02 0.01" type="box" pos="0 0 0.06" mass="0.5"/>'
        '  <body name="left"><joint name="left" type="slide" axis="1 0 0" range="-0.04 0"/>'
        '    <geom size="0.005 0.01 0.05" type="box" pos="-0.005 0 0" mass="0.1"/></body>'
        '  <body name="right"><joint name="right" type="slide" axis="1 0 0" range="0 0.04"/>'
        '    <geom size="0.005 0.01 0.05" type="box" pos="0.005 0 0" mass="0.1"/></body>'
        '</body><body name="ball" pos="0 0 0.47"><freejoint/>'
        '  <geom size="0.02" mass="0.05" friction="0.1"/></body></worldbody><actuator>'
        '  <position joint="left" kp="500" dampratio="1"/>'
        '  <position joint="right" kp="500" dampratio="1"/></actuator></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qpos[:2] = -0.04, 0.04  # the fingers are open, and close on the ball
    hold = Hold(model, data, hand="gripper")
    for _ in range(200):
        mujoco.mj_step(model, data)
        hold()
    print(hold.held)

See `docs/grasps_that_hold.md`.
"""

from __future__ import annotations

from hetwin_grasp.grip import Grip
from hetwin_grasp.hand import MujocoHand, find_hand
from hetwin_grasp.hold import FAR_PERIOD_S, NEAR_PERIOD_S, Hold, mujoco_model_of

__all__ = [
    "FAR_PERIOD_S",
    "NEAR_PERIOD_S",
    "Grip",
    "Hold",
    "MujocoHand",
    "find_hand",
    "mujoco_model_of",
]
