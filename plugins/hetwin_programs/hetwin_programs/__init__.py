"""Programs of robots that run in closed loop with the twin, and skills that plan a robot's motions.

A program is a function of a `Robot`, see `docs/programs.md`; a skill is a function of a `SkillScene`, see
`docs/plans.md`. For example, a skill that moves a hand 0.2 m above an object::

    from hetwin_programs import SkillScene, hand_of


    def above(scene: SkillScene, arguments):
        x, y, z, *rotation = scene.pose(arguments["object"])
        return scene.hand_to(hand_of(scene, arguments), (x, y, z + 0.2, *rotation))

`hetwin_programs.camera` is the camera through which a program sees the scene.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_programs.program.beliefs import Percept as Percept
    from hetwin_programs.program.facts import JointFacts as JointFacts
    from hetwin_programs.program.facts import RobotFacts as RobotFacts
    from hetwin_programs.program.facts import seen_from as seen_from
    from hetwin_programs.program.facts import within as within
    from hetwin_programs.program.messages import CannotReach as CannotReach
    from hetwin_programs.program.messages import Failed as Failed
    from hetwin_programs.program.robot import Robot as Robot
    from hetwin_programs.program.robot_facts import robot_facts as robot_facts
    from hetwin_programs.program.tasks import Task as Task
    from hetwin_programs.skills.arguments import hand_of as hand_of
    from hetwin_programs.skills.arguments import numbers as numbers
    from hetwin_programs.skills.arguments import skill_of as skill_of
    from hetwin_programs.skills.grasp import approach as approach
    from hetwin_programs.skills.grasp import grasp as grasp
    from hetwin_programs.skills.release import release as release
    from hetwin_programs.skills.scene import SkillScene as SkillScene

_HOMES = {
    "Percept": "program.beliefs",
    "JointFacts": "program.facts",
    "RobotFacts": "program.facts",
    "seen_from": "program.facts",
    "within": "program.facts",
    "CannotReach": "program.messages",
    "Failed": "program.messages",
    "Robot": "program.robot",
    "robot_facts": "program.robot_facts",
    "Task": "program.tasks",
    "hand_of": "skills.arguments",
    "numbers": "skills.arguments",
    "skill_of": "skills.arguments",
    "approach": "skills.grasp",
    "grasp": "skills.grasp",
    "release": "skills.release",
    "SkillScene": "skills.scene",
}

__all__ = [
    "CannotReach",
    "Failed",
    "JointFacts",
    "Percept",
    "Robot",
    "RobotFacts",
    "SkillScene",
    "Task",
    "approach",
    "grasp",
    "hand_of",
    "numbers",
    "release",
    "robot_facts",
    "seen_from",
    "skill_of",
    "within",
]


def __getattr__(name: str) -> object:
    """Import an exported name on first use (PEP 562), so that a program does not import the skills."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
