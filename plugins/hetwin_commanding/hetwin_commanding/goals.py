"""What a robot is asked to do: a file with one goal, or with a list of goals that are reached one after the other."""

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
    """What all goals may say."""

    touches: list[Text] = Field(
        default=[], description="entities that the robot may touch on the way, by name"
    )


class JointsGoal(AnyGoal):
    """Positions of joints, which the robot reaches together on a straight line and at rest."""

    joints: dict[Text, Finite] = Field(min_length=1, description="joint -> position, in rad or m")


class TipGoal(AnyGoal):
    """A pose of a link."""

    tip: Pose7 = Field(description="x y z, qw qx qy qz, in the frame")
    link: Text = Field(description="link of the robot that is to be there")
    frame: Text | None = Field(
        None,
        description="link in whose frame the pose is, as it is when the move begins; default: the root link",
    )


class BaseGoal(AnyGoal):
    """A place of the base on the ground."""

    base: PlanarPose = Field(description="x y yaw in the world, in m and rad")


class TrajectoryGoal(AnyGoal):
    """A motion in a file, as the source `{trajectory: FILE}` takes it."""

    trajectory: Text = Field(description="YAML file, relative to that of the goal")


class GraspGoal(AnyGoal):
    """An object in a hand, lifted off what it stands on."""

    grasp: Text = Field(description="object that is to be held; it is `pickable`")
    hand: Text | None = Field(None, description="hand of the scenario; not needed with one")
    from_: Literal["side", "top"] | None = Field(
        None, alias="from", description="side from which the hand comes; default: by the shape"
    )
    lift: AboveZero = Field(0.1, description="how far it is lifted, in m")
    margin: AboveZero = Field(
        0.1, description="how far the hand stands off before it goes in, in m"
    )


class ReleaseGoal(AnyGoal):
    """What a hand holds, in or on something else."""

    release: Text = Field(description="entity that is to take it; it is a `receptacle`")
    hand: Text | None = Field(None, description="hand of the scenario; not needed with one")
    at: Vector3 | None = Field(
        None,
        description="x y z in the entity's frame where the lowest point is to be, in m; default: found",
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
    """A goal that was read.

    Attributes:
        goal: what is asked for.
        trajectory: what the file of a `TrajectoryGoal` holds.
        placed: adds the file and the line to an error about one of the goal's keys.
    """

    goal: Goal
    trajectory: JointTrajectory | None
    placed: Callable[[BadInput], BadInput]


def read_goals(path: Path) -> list[ReadGoal]:
    """Read and check a file with a goal, or with a list of goals.

    Raises:
        BadInput: with file, line and key, if it holds no goals.
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
