"""MuJoCo's options that a scenario may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import mujoco as mj
from pydantic import Field

from hetwin_core.ensemble.validation import Number, Strict, Whole

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
    """How MuJoCo computes; its documentation explains each option.

    Attributes:
        contacts: name of the settings of contacts, see `contact_settings`; other options come after them.
        sleep: whether bodies at rest are left alone until something awake touches them; they report no contacts then.
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
        """Set what is given on MuJoCo's own options."""
        given = self.model_dump(exclude={"contacts", "sleep"}, exclude_none=True)
        for name, value in given.items():
            setattr(option, name, _ENUMS.get(value, value))
        if self.sleep:
            option.enableflags |= mj.mjtEnableBit.mjENBL_SLEEP.value
