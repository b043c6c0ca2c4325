"""Who collides with whom: Gazebo's bitmasks, which are fixed when a model is loaded.

Two forms touch if their masks share a bit. Only free objects touch anything: what moves as told cannot give
way, and a recording that runs some millimetres into a table must not jam.

An object whose collisions have to change is replaced by a twin: one model per `Form`, of which one is in the
scene and the others wait far away.
"""

from __future__ import annotations

from enum import StrEnum

DRIVEN = 0x0001
STATIC = 0x0002
FREE = 0xFFFF
_LED_BITS = tuple(1 << i for i in range(2, 16))


class Form(StrEnum):
    """How an object takes part."""

    PLAIN = "plain"
    """By forces, touching everything."""
    PASSING = "passing"
    """By forces, passing through robots."""
    GHOST = "ghost"
    """By forces, touching nothing."""
    LED = "led"
    """As told: so heavy that nothing holds it back, touching only free objects."""


def mask(form: Form, index: int) -> int:
    """The bits of an object's form; `index` tells objects apart, so that two that are led do not touch."""
    match form:
        case Form.PLAIN:
            return FREE
        case Form.PASSING:
            return FREE & ~DRIVEN
        case Form.GHOST:
            return 0
        case Form.LED:
            return _LED_BITS[index % len(_LED_BITS)]
