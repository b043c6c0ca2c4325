"""Builds the MuJoCo worlds of stand-ins.

They share no code with the twin's engine. Motors apply torques; no state is ever overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_stand_ins.solids import Solid
from hetwin_suite.model import Floats

_TYPES = {
    "box": mj.mjtGeom.mjGEOM_BOX,
    "cylinder": mj.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mj.mjtGeom.mjGEOM_SPHERE,
    "plane": mj.mjtGeom.mjGEOM_PLANE,
}


def set_options(spec: mj.MjSpec, step_s: float, noslip: int) -> None:
    """Set options with which fingers hold by friction without creep.

    Args:
        spec: specification of the world.
        step_s: step of the physics [s].
        noslip: number of iterations against creep.
    """
    option = spec.option
    option.timestep = step_s
    option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10
    option.noslip_iterations = noslip


def add_motors(spec: mj.MjSpec, rotors: Mapping[str, float]) -> None:
    """Add a motor with the name of each joint, and the inertia of its rotor [kg m^2 or kg]."""
    for name, inertia in rotors.items():
        spec.joint(name).armature = inertia
        spec.add_actuator(name=name, target=name, trntype=mj.mjtTrn.mjTRN_JOINT)


def add_solid(body: mj.MjsBody, solid: Solid, position: Floats, quaternion: Floats) -> mj.MjsGeom:
    """Add the shape of a solid to a body, at a pose in its frame, and return the shape."""
    size = np.full(3, 0.1)  # half lengths, radii first
    size[: len(solid.size)] = solid.size if solid.kind == "sphere" else solid.size / 2
    if solid.kind == "cylinder":
        size[0] = solid.size[0]
    return body.add_geom(type=_TYPES[solid.kind], pos=position, quat=quaternion, size=size)


def contact_forces(
    model: mj.MjModel, data: mj.MjData, is_included: NDArray[np.bool_]
) -> Iterator[tuple[int, NDArray[np.int32], float]]:
    """Yield the index, the two shapes and the normal force [N] of each contact of some shapes.

    Args:
        model: model of the world.
        data: state of the world.
        is_included: (shapes,) whether contacts of each shape are included.
    """
    pairs, wrench = data.contact.geom, np.zeros(6)
    for index in np.flatnonzero(is_included[pairs].any(axis=1)) if len(pairs) else ():
        mj.mj_contactForce(model, data, int(index), wrench)
        yield int(index), pairs[index], float(wrench[0])
