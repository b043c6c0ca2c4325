"""Inertias that physics engines accept."""

from __future__ import annotations

import numpy as np
from transforms3d.quaternions import mat2quat

from model_nodes.main_physics.world.description import Inertial
from model_nodes.main_physics.world.transforms import compose, inertia_matrix, pose_of

MIN_MASS = 1e-6
"""Least mass of a link [kg]; lighter links get this mass."""
_MIN_RATIO = 1e-4
_MIN_MOMENT = 1e-10


def principal(inertial: Inertial) -> tuple[Inertial, str]:
    """Transform an inertia to its principal axes and repair it if it is not physical.

    Moments that are not positive are raised to a small fraction of the largest. If the moments violate the
    triangle inequality, the two smaller ones are raised until their sum equals the largest.

    Returns:
        the inertia with zero products, and a description of the repairs (empty if there were none).
    """
    moments, axes = np.linalg.eigh(inertia_matrix(inertial))
    faults = []
    mass = inertial.mass
    if mass < MIN_MASS:
        faults.append(f"mass {mass:g} kg raised to {MIN_MASS:g} kg")
        mass = MIN_MASS
    least = max(_MIN_MOMENT, _MIN_RATIO * float(moments[2]))
    if moments[0] <= 0:
        faults.append(
            f"inertia with the principal moment {moments[0]:.3g} is not positive definite"
        )
    moments = np.maximum(moments, least)
    missing = moments[2] - moments[0] - moments[1]
    if missing > 1e-6 * moments[2]:
        faults.append("inertia violates the triangle inequality")
    if missing > 0:
        moments[:2] += missing / 2 + 1e-9 * moments[2]
    if np.linalg.det(axes) < 0:
        axes = -axes
    turn = pose_of([0.0, 0.0, 0.0, *mat2quat(axes)])
    a, b, c = (float(m) for m in moments)
    fixed = Inertial(mass, compose(inertial.pose, turn), (a, b, c, 0.0, 0.0, 0.0))
    return fixed, ", ".join(faults)
