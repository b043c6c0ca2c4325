"""Makes bodies of a running world heavier, rougher or bouncing."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco as mj

from model_nodes.main_physics.engines.mujoco.bouncing import BOUNCING_SHARE, bouncing
from model_nodes.main_physics.engines.mujoco.tables import FreeBody

CHANGED = (
    *("body_mass", "body_inertia", "body_subtreemass", "body_invweight0", "dof_invweight0"),
    *("dof_M0", "geom_friction", "geom_priority", "geom_solref", "geom_solmix"),
)
"""Arrays of MuJoCo's model that are changed here."""
SMOOTH = 0.01
"""A surface with at most this coefficient keeps it in every contact, whatever it touches."""


def make_heavier(model: mj.MjModel, free: FreeBody, factor: float) -> None:
    """Multiply the mass and the inertia of a rigid object, and all that MuJoCo has computed from them.

    No other body hangs on a rigid object, so that each of these is proportional to them or to their inverse.
    """
    bodies = list(free.members)
    degrees = slice(free.velocity, free.velocity + 6)
    model.body_mass[bodies] *= factor
    model.body_inertia[bodies] *= factor
    model.body_subtreemass[bodies] *= factor
    model.body_invweight0[bodies] /= factor
    model.dof_invweight0[degrees] /= factor
    model.dof_M0[degrees] *= factor


def make_rougher(
    model: mj.MjModel, geoms: Sequence[int], factor: float, coefficient: float | None
) -> None:
    """Change the sliding friction of surfaces, and, as the builder does, whether theirs counts against others'."""
    for geom in geoms:
        if coefficient is not None:
            model.geom_friction[geom, 0] = coefficient
        if factor != 1.0:
            model.geom_friction[geom, 0] *= factor
        if coefficient is not None or factor != 1.0:
            model.geom_priority[geom] = int(model.geom_friction[geom, 0] <= SMOOTH)


def make_bouncing(
    model: mj.MjModel, geoms: Sequence[int], bounce: float, contact_time: float
) -> None:
    """Let surfaces leave a share of the speed with which they strike something hard.

    Args:
        model: is changed.
        geoms: the surfaces.
        bounce: from 0 to below 1.
        contact_time: time constant of contacts that do not bounce [s].
    """
    for geom in geoms:
        model.geom_solref[geom] = bouncing(bounce, contact_time)
        model.geom_solmix[geom] = BOUNCING_SHARE
