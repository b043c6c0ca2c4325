"""Which skills are installed: the entry points of the group ``hetwin.skills``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.installed import Group
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.skills.scene import SkillScene

SKILLS = Group(
    "hetwin.skills",
    "skill",
    "a function of the scene and the arguments, which returns a JointTrajectory",
)

Skill: TypeAlias = Callable[[SkillScene, Mapping[str, Json]], JointTrajectory]
"""Returns a motion of some joints, from where they are, for an operation's arguments.

It raises `ValueError` or `CannotReach` if they cannot be carried out.
"""


def skill_names() -> list[str]:
    """Return the names of all installed skills, sorted."""
    return SKILLS.names()


def skill_of(name: str) -> Skill:
    """Return the skill of a name.

    Raises:
        BadInput: if there is none, or it cannot be used.
    """
    skill: Skill = SKILLS.load(name)
    if not callable(skill):
        raise BadInput("this is no skill", found=name, expected=SKILLS.expected)
    return skill
