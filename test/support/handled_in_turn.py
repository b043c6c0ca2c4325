"""The order in which the events of one object's handling come."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LETTERS = {
    "grasped": "g",
    "picked_up": "p",
    "released": "r",
    "lost": "l",
    "dropped": "d",
    "put_down": "s",
}
_GRASPS = re.compile(r"(gp?(rd?s?|ld?))*(gp?)?")
"""Grasped, perhaps picked up; released, perhaps dropped and set down; or lost, perhaps dropped; and again."""


def in_turn(names: Sequence[str]) -> bool:
    """Whether events come in turn: each at most once per grasp, and nothing is put down that was lost."""
    return _GRASPS.fullmatch("".join(_LETTERS[name] for name in names)) is not None
