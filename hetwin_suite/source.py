"""Sources of robot motion: custom sources, and commands to robots.

A `Part` moves the joints and the base of one robot, step by step; `Plans` combines the parts of all robots.
`open_source` makes the parts from a scenario's `source`. Instead of such a description, the main model's parameter
`source` also accepts a part. An entry point of the group `hetwin.parts` adds a kind of source, such as `commands` in
the extra `commanding`: a function of the source's keys and a `SourceContext` that returns a part. An
entry point of the group `hetwin.scenes` finds objects for `scene: {from: NAME}`: a function of a `SceneRequest` that
returns each `FoundObject` by its name.

For example, a base that drives forward at 0.5 m/s for 2 s::

    from hetwin_suite.source import CommandedBase, TwistCommand

    base = CommandedBase((0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0), start=None)
    base.advance(TwistCommand(forward=0.5, sideways=0.0, turn=0.0), time=2.0)
    print(base.motion.state[:3])
"""

from __future__ import annotations

from hetwin_core.ensemble.beliefs import LOC, PERCEPT, BeliefFields, belief_event
from hetwin_core.ensemble.conductor.start.found import FoundObject, SceneRequest
from hetwin_core.ensemble.events import announce
from hetwin_core.ensemble.scenario.robot import BaseKind, FollowedBase, Wheels
from hetwin_core.ensemble.scenario.robot import PlanarPose as PlaceGiven
from hetwin_core.ensemble.scenario.robot import Robot as RobotSettings
from hetwin_core.ensemble.scenario.schema import CommandGroup, Commands
from hetwin_core.ensemble.scenario.source import (
    CommandsSpec,
    ModelSpec,
    OperationStep,
    ProgramSpec,
    SourceKind,
)
from hetwin_core.ensemble.tasks import Status as TaskStatus
from hetwin_core.ensemble.tasks import TaskFields, task_event
from hetwin_core.ensemble.topics import ANNOTATIONS, BELIEFS, TASKS
from hetwin_core.kinematics.trajectories.trajectory import InvalidTrajectory
from hetwin_core.kinematics.trajectories.trajectory import State as MotionState
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.commanded_base import CommandedBase, TwistCommand, start_of
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.part import (
    BaseMotion,
    Functions,
    JointMotion,
    Part,
    Placement,
    SceneAt,
    SceneStart,
    SourceContext,
)
from model_nodes.main_physics.sources.planned import MovingPart
from model_nodes.main_physics.sources.plans import ALL, Plans
from model_nodes.main_physics.sources.trajectory_file import read_trajectory
from model_nodes.main_physics.wheels import WheelOdometry, odometry_state

__all__ = [
    "ALL",
    "ANNOTATIONS",
    "BELIEFS",
    "LOC",
    "PERCEPT",
    "TASKS",
    "BaseKind",
    "BaseMotion",
    "BeliefFields",
    "CommandGroup",
    "CommandedBase",
    "Commands",
    "CommandsSpec",
    "FollowedBase",
    "FoundObject",
    "Functions",
    "InvalidTrajectory",
    "JointMotion",
    "ModelSpec",
    "MotionState",
    "MovingPart",
    "NamedHand",
    "OperationStep",
    "Part",
    "PlaceGiven",
    "Placement",
    "Plans",
    "ProgramSpec",
    "RobotSettings",
    "SceneAt",
    "SceneRequest",
    "SceneStart",
    "SourceContext",
    "SourceKind",
    "TaskFields",
    "TaskStatus",
    "TwistCommand",
    "WheelOdometry",
    "Wheels",
    "announce",
    "belief_event",
    "odometry_state",
    "open_source",
    "read_trajectory",
    "start_of",
    "task_event",
]
