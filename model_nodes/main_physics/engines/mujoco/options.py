"""MuJoCo's options that a scenario may change."""

from __future__ import annotations

from typing import Any

import mujoco as mj

from hetwin_core.ensemble.errors import BadInput

_CHOICES: dict[str, dict[str, Any]] = {
    "solver": {
        "newton": mj.mjtSolver.mjSOL_NEWTON,
        "cg": mj.mjtSolver.mjSOL_CG,
        "pgs": mj.mjtSolver.mjSOL_PGS,
    },
    "cone": {
        "elliptic": mj.mjtCone.mjCONE_ELLIPTIC,
        "pyramidal": mj.mjtCone.mjCONE_PYRAMIDAL,
    },
}
_NUMBERS = ("impratio", "noslip_iterations", "iterations", "tolerance", "density", "viscosity")

SLEEP = "sleep"
"""Whether bodies at rest are left alone until something awake touches them; they report no contacts then."""


def set_option(option: Any, name: str, value: Any) -> None:
    """Set one of MuJoCo's options by its name.

    Raises:
        BadInput: if there is no such option, or the value is none.
    """
    where = f"options.{name}"
    if name == SLEEP:
        if not isinstance(value, bool):
            raise BadInput("is no truth", where=where, found=value, expected="true or false")
        option.enableflags |= mj.mjtEnableBit.mjENBL_SLEEP.value if value else 0
    elif name in _CHOICES:
        if value not in _CHOICES[name]:
            raise BadInput(
                "is no such choice", where=where, found=value, expected=", ".join(_CHOICES[name])
            )
        setattr(option, name, _CHOICES[name][value])
    elif name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise BadInput("is not a number", where=where, found=value, expected="at least 0")
        setattr(option, name, type(getattr(option, name))(value))
    else:
        known = ", ".join(["contacts", *_CHOICES, *_NUMBERS, SLEEP])
        raise BadInput("is no option of MuJoCo here", where=where, found=name, expected=known)
