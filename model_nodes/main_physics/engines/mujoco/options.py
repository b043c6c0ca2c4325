"""MuJoCo's options, the settings of contacts, and changes of mass, friction and restitution during a run.

A contact is a spring with a damper that pushes and never pulls, so it ends when its force is zero, before the spring
has returned to its full length (T. Schwager and T. Poeschel, 2007). Therefore even a critically damped contact has a
coefficient of restitution of 0.13; a smaller one is not possible here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, exp, pi, sqrt
from typing import Annotated, Any, Literal

import mujoco as mj
from pydantic import Field

from hetwin_core.ensemble.validation import Number, Strict, Whole
from model_nodes.main_physics.engines.mujoco.tables import FreeBody

_ENUMS: Mapping[str, Any] = {
    "newton": mj.mjtSolver.mjSOL_NEWTON,
    "cg": mj.mjtSolver.mjSOL_CG,
    "pgs": mj.mjtSolver.mjSOL_PGS,
    "elliptic": mj.mjtCone.mjCONE_ELLIPTIC,
    "pyramidal": mj.mjtCone.mjCONE_PYRAMIDAL,
}
_FromZero = Annotated[Number, Field(ge=0)]
_Count = Annotated[Whole, Field(ge=0)]


class MujocoOptions(Strict):
    """Options for MuJoCo's computations; its documentation explains each option.

    Attributes:
        contacts: name of the contact settings, see `CONTACTS`; the other options override them.
        sleep: whether bodies at rest are not simulated until something touches them; they report no contacts then.
    """

    contacts: Literal["manipulation", "plain"] = "manipulation"
    solver: Literal["newton", "cg", "pgs"] | None = None
    cone: Literal["elliptic", "pyramidal"] | None = None
    impratio: _FromZero | None = None
    noslip_iterations: _Count | None = None
    iterations: _Count | None = None
    tolerance: _FromZero | None = None
    density: _FromZero | None = None
    viscosity: _FromZero | None = None
    sleep: Annotated[bool, Field(strict=True)] = False

    def set_on(self, option: Any) -> None:
        """Set those of MuJoCo's own options that are given."""
        given = self.model_dump(exclude={"contacts", "sleep"}, exclude_none=True)
        for name, value in given.items():
            setattr(option, name, _ENUMS.get(value, value))
        if self.sleep:
            option.enableflags |= mj.mjtEnableBit.mjENBL_SLEEP.value


@dataclass(frozen=True, slots=True)
class ContactSettings:
    """Settings of contacts; MuJoCo's documentation of options and geoms explains each.

    Attributes:
        cone: shape of the friction cone.
        impratio: ratio of the impedance of friction to that of the normal force.
        noslip_iterations: iterations of the no-slip solver.
        condim: 3 for sliding friction, 4 for sliding and torsional friction.
        solimp: first three parameters of the impedance.
        time_constant: time constant of contacts [s]; None: as short as the step allows.
    """

    cone: Any
    impratio: float
    noslip_iterations: int
    condim: int
    solimp: tuple[float, float, float]
    time_constant: float | None


CONTACTS = {
    "manipulation": ContactSettings(
        mj.mjtCone.mjCONE_ELLIPTIC, 10.0, 3, 4, (0.95, 0.99, 0.001), None
    ),
    "plain": ContactSettings(mj.mjtCone.mjCONE_PYRAMIDAL, 1.0, 0, 3, (0.9, 0.95, 0.001), 0.02),
}
"""`manipulation` is hetwin's default; `plain` has MuJoCo's defaults."""


_BISECTIONS = 50
BOUNCING_SHARE = 1e6
"""Weight of a bouncing surface in a contact, relative to that of the other surface."""


def damping_ratio(bounce: float) -> float:
    """Return the damping ratio, at most 1, of contacts with a coefficient of restitution.

    Args:
        bounce: coefficient of restitution, from 0 to below 1.
    """
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if _restitution(middle) > bounce:
            low = middle
        else:
            high = middle
    return high


def bouncing(bounce: float, contact_time: float) -> list[float]:
    """Return time constant [s] and damping ratio of a surface's contacts.

    Args:
        bounce: coefficient of restitution, from 0 to below 1.
        contact_time: time constant of contacts that do not bounce [s].
    """
    ratio = damping_ratio(bounce)
    return [contact_time / ratio, ratio]


def _restitution(ratio: float) -> float:
    """Return the coefficient of restitution of a contact with a damping ratio between 0 and 1."""
    root = sqrt(1.0 - ratio * ratio)
    if root == 0.0:
        return exp(-2.0)
    duration = pi - atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)
    return exp(-ratio / root * duration)


CHANGED = (
    *("body_mass", "body_inertia", "body_subtreemass", "body_invweight0", "dof_invweight0"),
    *("dof_M0", "geom_friction", "geom_priority", "geom_solref", "geom_solmix"),
)
"""Arrays of MuJoCo's model that the functions below change."""
SMOOTH = 0.01
"""Maximum friction coefficient of a surface whose coefficient then determines every contact."""


def make_heavier(model: mj.MjModel, free: FreeBody, factor: float) -> None:
    """Multiply the mass and the inertia of a rigid object, and all quantities that MuJoCo derives from them.

    A rigid object has no other bodies attached, so each of these is proportional to the mass or to its inverse.
    """
    bodies = list(free.members)
    dofs = slice(free.velocity, free.velocity + 6)
    model.body_mass[bodies] *= factor
    model.body_inertia[bodies] *= factor
    model.body_subtreemass[bodies] *= factor
    model.body_invweight0[bodies] /= factor
    model.dof_invweight0[dofs] /= factor
    model.dof_M0[dofs] *= factor


def make_rougher(
    model: mj.MjModel, geoms: Sequence[int], factor: float, coefficient: float | None
) -> None:
    """Change the sliding friction of surfaces, and their priority in contacts as the builder sets it."""
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
    """Set the coefficient of restitution of surfaces against a rigid surface.

    Args:
        model: the model to change.
        geoms: ids of the surfaces.
        bounce: coefficient of restitution, from 0 to below 1.
        contact_time: time constant of contacts that do not bounce [s].
    """
    for geom in geoms:
        model.geom_solref[geom] = bouncing(bounce, contact_time)
        model.geom_solmix[geom] = BOUNCING_SHARE
