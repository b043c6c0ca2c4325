"""Transfers the state to a model with other bodies."""

from __future__ import annotations

import mujoco as mj

_SIZES = {
    mj.mjtJoint.mjJNT_FREE.value: (7, 6),
    mj.mjtJoint.mjJNT_BALL.value: (4, 3),
    mj.mjtJoint.mjJNT_SLIDE.value: (1, 1),
    mj.mjtJoint.mjJNT_HINGE.value: (1, 1),
}
"""Numbers of positions and velocities of each joint type."""


def copy_joints(before: mj.MjModel, state: mj.MjData, after: mj.MjModel, fresh: mj.MjData) -> None:
    """Copy the positions and velocities of all joints that both models have, by their names."""
    for joint in range(before.njnt):
        name = before.joint(joint).name
        other = mj.mj_name2id(after, mj.mjtObj.mjOBJ_JOINT.value, name)
        if other < 0:
            continue
        positions, velocities = _SIZES[int(before.jnt_type[joint])]
        q, p = int(before.jnt_qposadr[joint]), int(after.jnt_qposadr[other])
        v, u = int(before.jnt_dofadr[joint]), int(after.jnt_dofadr[other])
        fresh.qpos[p : p + positions] = state.qpos[q : q + positions]
        fresh.qvel[u : u + velocities] = state.qvel[v : v + velocities]
