"""How faithfully something is simulated (Tallavajhula et al. (2019))."""

from __future__ import annotations

from enum import IntEnum

from hetwin_core.ensemble.scene.values import AttributeSpec

FIDELITY = AttributeSpec("fidelity", 1)
"""A `Fidelity`, as a number."""


class Fidelity(IntEnum):
    """The levels that a fidelity signaler switches between (Tallavajhula et al. (2019), section 4.3)."""

    LOW = 0
    """An object stands still and touches nothing; a joint is passive; a sensor is off; a model does not step."""
    MEDIUM = 1
    """An object stands still and others collide with it; everything else is as in `LOW`."""
    HIGH = 2
    """Everything as it is without fidelity management."""

    @classmethod
    def of(cls, number: float) -> Fidelity:
        """The level that an attribute's number stands for; a number between two is the higher one."""
        return cls.LOW if number <= cls.LOW else cls.MEDIUM if number <= cls.MEDIUM else cls.HIGH
