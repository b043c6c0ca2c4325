"""Which skills are installed: the entry points of the group ``hetwin.skills``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.installed import installed
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.skills.scene import SkillScene

ENTRY_POINTS = "hetwin.skills"

Skill: TypeAlias = Callable[[SkillScene, Mapping[str, Json]], JointTrajectory]
"""Returns a motion of some joints, from where they are, for an operation's arguments.

It raises `ValueError` or `CannotReach` if they cannot be carried out.
"""


def skill_names() -> list[str]:
    """Return the names of all installed skills, sorted."""
    return sorted({point.name for point in installed(ENTRY_POINTS)})


def skill_of(name: str) -> Skill:
    """Return the skill of a name.

    Raises:
        BadInput: if there is none, or it cannot be used.
    """
    found = next((point for point in installed(ENTRY_POINTS) if point.name == name), None)
    if found is None:
        expected = one_of(name, skill_names())
        raise BadInput("no such skill is installed", found=name, expected=expected)
    expected = "a function of the scene and the arguments, which returns a JointTrajectory"
    try:
        skill: Skill = found.load()
    except Exception as error:  # a third party's module may raise anything
        raise BadInput(
            f"the skill {name} cannot be used: {type(error).__name__}: {error}",
            found=found.value,
            expected=expected,
        ) from error
    if not callable(skill):
        raise BadInput("this is no skill", found=found.value, expected=expected)
    return skill
