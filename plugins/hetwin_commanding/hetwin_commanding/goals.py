"""Goals for a robot: a file with one goal, or with a list of goals to reach one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, Tag

from hetwin_suite.command import load_yaml as load
from hetwin_suite.engine import check
from hetwin_suite.model import (
    AboveZero,
    BadInput,
    Finite,
    Pose7,
    Strict,
    Text,
    Vector3,
    alternatives,
    tag,
)
from hetwin_suite.robot import JointTrajectory
from hetwin_suite.source import PlaceGiven as PlanarPose
from hetwin_suite.source import read_trajectory


class AnyGoal(Strict):
    """Keys common to all goals."""

    touches: list[Text] = Field(
        default=[], description="entities that the robot may touch during the motion, by name"
    )


class JointsGoal(AnyGoal):
    """Positions of joints, reached simultaneously on a straight line in joint space, at rest."""

    joints: dict[Text, Finite] = Field(min_length=1, description="joint -> position, in rad or m")


class TipGoal(AnyGoal):
    """A pose of a link."""

    tip: Pose7 = Field(description="x y z, qw qx qy qz, in the frame")
    link: Text = Field(description="link of the robot that reaches the pose")
    frame: Text | None = Field(
        None,
        description="link in whose frame the pose is given, at the start of the move; default: the root link",
    )


class BaseGoal(AnyGoal):
    """A pose of the base on the ground."""

    base: PlanarPose = Field(description="x y yaw in the world, in m and rad")


class TrajectoryGoal(AnyGoal):
    """A motion from a file, as in the source `{trajectory: FILE}`."""

    trajectory: Text = Field(description="YAML file, relative to that of the goal")


class GraspGoal(AnyGoal):
    """An object held in a hand and lifted off its support."""

    grasp: Text = Field(description="object to grasp; it is `pickable`")
    hand: Text | None = Field(None, description="hand of the scenario; not needed with one")
    from_: Literal["side", "top"] | None = Field(
        None, alias="from", description="side from which the hand approaches; default: by the shape"
    )
    lift: AboveZero = Field(0.1, description="height of the lift, in m")
    margin: AboveZero = Field(0.1, description="distance of the hand before its approach, in m")


class ReleaseGoal(AnyGoal):
    """The held object, put into or onto another entity."""

    release: Text = Field(description="entity that receives the object; it is a `receptacle`")
    hand: Text | None = Field(None, description="hand of the scenario; not needed with one")
    at: Vector3 | None = Field(
        None,
        description="target of the object's lowest point, x y z in the entity's frame, in m; default: found",
    )


Goal: TypeAlias = JointsGoal | TipGoal | BaseGoal | TrajectoryGoal | GraspGoal | ReleaseGoal
_KEYS = ("joints", "tip", "base", "trajectory", "grasp", "release")
_Entry = Annotated[
    Annotated[JointsGoal, Tag(tag("joints"))]
    | Annotated[TipGoal, Tag(tag("tip"))]
    | Annotated[BaseGoal, Tag(tag("base"))]
    | Annotated[TrajectoryGoal, Tag(tag("trajectory"))]
    | Annotated[GraspGoal, Tag(tag("grasp"))]
    | Annotated[ReleaseGoal, Tag(tag("release"))],
    alternatives(*_KEYS),
]


@dataclass(frozen=True, slots=True)
class ReadGoal:
    """A goal from a file.

    Attributes:
        goal: the goal.
        trajectory: trajectory from the file of a `TrajectoryGoal`; None for other goals.
        placed: adds file and line to an error about one of the goal's keys.
    """

    goal: Goal
    trajectory: JointTrajectory | None
    placed: Callable[[BadInput], BadInput]


def read_goals(path: Path) -> list[ReadGoal]:
    """Read and check a file with a goal, or with a list of goals.

    Raises:
        BadInput: with file, line and key, if the file holds no valid goal.
    """
    document = load(path)
    data = document.data
    if isinstance(data, list) and data:
        entries = [(f"{i}", entry) for i, entry in enumerate(data)]
    elif isinstance(data, dict):
        entries = [("", data)]
    else:
        raise BadInput(
            "this is no goal",
            file=path,
            found=data if isinstance(data, str) else type(data).__name__,
            expected=f"a mapping with {', '.join(_KEYS[:-1])} or {_KEYS[-1]}, or a list of such mappings",
        )

    def placed_in(key: str) -> Callable[[BadInput], BadInput]:
        def placed(error: BadInput) -> BadInput:
            where = ".".join(part for part in (key, error.where) if part)
            return document.placed(error.at(where or None, error.file), path)

        return placed

    return [_read(entry, path, placed_in(key)) for key, entry in entries]


def _read(entry: Any, path: Path, placed: Callable[[BadInput], BadInput]) -> ReadGoal:
    try:
        goal: Goal = check(_Entry, entry)  # type: ignore[arg-type]
        trajectory = None
        if isinstance(goal, TrajectoryGoal):
            file = path.parent / Path(goal.trajectory).expanduser()
            if not file.is_file():
                raise BadInput(
                    "there is no such file",
                    where="trajectory",
                    found=goal.trajectory,
                    expected="a YAML file with joint_names and points",
                )
            trajectory = read_trajectory(file).trajectory
    except BadInput as error:
        raise (placed(error) if error.file is None else error) from None
    return ReadGoal(goal, trajectory, placed)
