"""Robots of a scenario: description, base, drives, wheels, sensors and belts, and checks for several robots."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, Tag, model_validator

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.source import LiveSpec, SourceEntry
from hetwin_core.ensemble.validation import (
    AboveZero,
    Direction,
    Finite,
    Name,
    Pose7,
    Positive,
    Strict,
    Text,
    Vector3,
    Whole,
    alternatives,
    tag,
)


class RangeSensor(Strict):
    """A range sensor on a link; it is off while the link's fidelity is low."""

    at: Vector3 = Field(default=[0, 0, 0], description="position in the link's frame, in m")
    along: Direction = Field(
        default=[1, 0, 0], description="direction of measurement, in the link's frame"
    )
    reach: Annotated[Positive, Field(description="maximum range, in m")]


class Belt(Strict):
    """A link with moving surfaces, such as a conveyor."""

    velocity: Vector3 = Field(default=[0, 0, 0], description="along each geometry's axes, in m/s")
    turn: Vector3 = Field(default=[0, 0, 0], description="about each geometry's centre, in rad/s")


class Lidar(Strict):
    """A laser scanner on a link: beams in its x-y plane, from the first angle to the last."""

    link: Text = Field(description="link that it is fixed to")
    at: Pose7 = Field(
        default=[0, 0, 0, 1, 0, 0, 0], description="its frame in the link: x y z, qw qx qy qz"
    )
    beams: Annotated[Whole, Field(gt=1, le=100_000, description="number of beams")]
    first: Annotated[Finite, Field(alias="from", description="angle of the first beam, in rad")]
    last: Annotated[Finite, Field(alias="to", description="angle of the last beam, in rad")]
    reach: Annotated[Positive, Field(description="maximum range, in m")]
    nearest: Annotated[Finite, Field(ge=0)] = Field(0.0, description="minimum range, in m")
    rate: Annotated[Positive, Field(description="scans per simulated second")]

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if not self.first < self.last:
            raise ValueError(f"'from' less than 'to', not {self.first:g} and {self.last:g}")
        if not self.nearest < self.reach:
            raise ValueError(
                f"'nearest' less than 'reach', not {self.nearest:g} and {self.reach:g}"
            )
        return self


class BaseKind(StrEnum):
    """Motion of a robot's root link without odometry."""

    FIXED = "fixed"
    """It does not move."""
    FREE = "free"
    """Physics moves it: it rolls on its wheels."""


def _check_planar_pose(values: list[float]) -> list[float]:
    if len(values) != 3:
        raise ValueError(f"three numbers x y yaw, not {len(values)} numbers")
    return values


PlanarPose = Annotated[
    list[Finite],
    AfterValidator(_check_planar_pose),
    Field(json_schema_extra={"minItems": 3, "maxItems": 3}),
]
"""x y [m] and yaw [rad] in the world."""


class FollowedBase(Strict):
    """A base that follows odometry exactly, regardless of obstacles."""

    odometry: Text = Field(
        description="topic of type nav_msgs/msg/Odometry, of stamped poses or of transforms; or tf"
    )
    start: Text | PlanarPose | None = Field(
        None,
        description="initial pose: a topic of type geometry_msgs/msg/PoseWithCovarianceStamped, as AMCL publishes it;"
        " x y yaw; tf, if its frame map coincides with the world; default: the robot's pose",
    )


BaseEntry = Annotated[
    Annotated[BaseKind, Tag(tag("text"))] | Annotated[FollowedBase, Tag(tag("odometry"))],
    alternatives("odometry", text=True),
]
"""A base in a scenario: fixed, free, or a mapping with odometry."""


class DriveMode(StrEnum):
    """Response of a joint's drive to its command."""

    FOLLOW = "follow"
    """It follows the commanded position exactly, regardless of forces."""
    VELOCITY = "velocity"
    """It follows the commanded velocity as far as its maximum effort allows."""
    LIMITED = "limited"
    """It moves towards its command with a limited effort, and yields to stronger forces."""


class DriveGroup(Strict):
    """Joints with the same drive."""

    joints: list[Text] = Field(min_length=1, description="joints, or patterns such as finger_*")
    mode: DriveMode
    stiffness: AboveZero | None = Field(
        None,
        description="limited: effort per unit of position error, in Nm/rad or N/m;"
        " default: such that the effort limit is reached at 0.05 rad or m",
    )
    damping: AboveZero | None = Field(
        None,
        description="limited, velocity: effort per unit of velocity error, in Nms/rad or Ns/m;"
        " default: derived from the inertia that the joint moves",
    )
    effort: AboveZero | None = Field(
        None, description="limited, velocity: largest effort, in Nm or N; default: the URDF's"
    )
    acceleration: AboveZero | None = Field(
        None,
        description="velocity: acceleration towards the commanded velocity, in rad/s^2 or m/s^2; default: 20",
    )

    @model_validator(mode="after")
    def _check_mode(self) -> Self:
        supported = {
            DriveMode.FOLLOW: set(),
            DriveMode.VELOCITY: {"damping", "effort", "acceleration"},
            DriveMode.LIMITED: {"stiffness", "damping", "effort"},
        }[self.mode]
        given = self.model_fields_set - {"joints", "mode"}
        if given - supported:
            known = ", ".join(sorted(supported)) or "joints alone"
            raise ValueError(
                f"with mode {self.mode.value}: {known}, not {sorted(given - supported)[0]}"
            )
        return self


class Wheels(Strict):
    """Wheels of a differential drive: they relate a velocity of the base to wheel speeds, and these to odometry."""

    left: list[Text] = Field(min_length=1, description="joints of the left side")
    right: list[Text] = Field(min_length=1, description="joints of the right side")
    radius: AboveZero | None = Field(None, description="radius in m; default: from the URDF")
    separation: AboveZero | None = Field(
        None, description="distance between the sides, in m; default: from the URDF"
    )
    tyre_width: AboveZero | None = Field(
        None,
        description="contact width of each wheel, in m, which causes friction in turns; default: a point contact",
    )


class Robot(Strict):
    """The robot: its description, pose and motion."""

    urdf: Annotated[
        Text,
        Field(
            description="URDF, xacro, MJCF or USD file: a path, package://PACKAGE/PATH, or a name"
        ),
    ]
    name: str | None = Field(None, description="name of the robot; by default the URDF's")
    pose: Pose7 = Field(
        default=[0, 0, 0, 1, 0, 0, 0], description="pose of its root link: x y z, qw qx qy qz"
    )
    base: BaseEntry = Field(
        BaseKind.FIXED,
        description="motion of its root link: fixed, free, or a mapping with odometry",
    )
    drives: dict[Name, DriveGroup] = Field(
        default={}, description="drive groups; joints in none of them follow their command exactly"
    )
    wheels: Wheels | None = Field(None, description="wheels of a differential drive")
    joints_at_start: dict[str, Finite] = Field(
        default={}, description="positions of joints that the source does not move"
    )
    springs: dict[str, AboveZero] = Field(
        default={},
        description="patterns of passive joints -> stiffness, in N/m or Nm/rad",
    )
    range_sensors: dict[str, RangeSensor] = Field(
        default={}, description="patterns of links -> the sensor on each"
    )
    no_collision: list[Text] = Field(
        default=[], description="links without collisions, or patterns such as hand_safety_*"
    )
    lidars: dict[Name, Lidar] = Field(default={}, description="laser scanners, by name")
    belts: dict[str, Belt] = Field(default={}, description="patterns of links -> surface motion")


def _reject_name(value: object) -> object:
    if value is not None:
        raise ValueError("no name here: the key names the robot")
    return value


class NamedRobot(Robot):
    """One of several robots, with a source of its own."""

    name: Annotated[None, BeforeValidator(_reject_name)] = Field(
        None, exclude=True, description="must not be set; the key names the robot"
    )
    namespace: Text | None = Field(
        None, description="namespace of its topics, in its recording and live; default: its name"
    )
    source: SourceEntry | None = Field(
        None, description="its recording's path, `live`, or a mapping with recording or live"
    )


def _as_mapping(value: object) -> object:
    return {"urdf": value} if isinstance(value, str) else value


# Several robots by name; the scene names their links and joints NAME::LINK and NAME::JOINT.
RobotsEntry = dict[Name, Annotated[NamedRobot, BeforeValidator(_as_mapping)]]


RobotEntry = Annotated[
    Annotated[str, Tag(tag("text"))] | Annotated[Robot, Tag(tag("mapping"))],
    alternatives(text=True, otherwise="mapping"),
]
"""The robot in a scenario: its URDF file, or a mapping."""


def check_robots(
    robots: Mapping[str, NamedRobot],
    hands: Mapping[str, str | None],
    *,
    has_robot: bool,
    has_source: bool,
) -> None:
    """Check that robots, their sources and hands are consistent.

    Args:
        robots: several robots, by name.
        hands: hand -> its robot, None if not given.
        has_robot: whether the scenario also has a key `robot`.
        has_source: whether the scenario also has a key `source`.

    Raises:
        BadInput: if `robot` or `source` is given together with `robots`, two robots share a source, or a
            hand has no robot.
    """
    if not robots:
        for name, robot in hands.items():
            if robot is not None:
                raise BadInput(
                    "a hand names its robot only if there are several",
                    where=f"hands.{name}.robot",
                    found=robot,
                    expected="no robot here, or several robots under the key robots",
                )
        return
    if has_robot:
        raise BadInput(
            "the keys robot and robots exclude each other",
            where="robot",
            expected=f"this robot under robots, with {', '.join(robots)}",
        )
    if has_source:
        raise BadInput(
            "with several robots, each has its own source",
            where="source",
            expected=f"robots.{next(iter(robots))}.source",
        )
    _check_sources(robots)
    _check_hands(hands, robots)


def _check_sources(robots: Mapping[str, NamedRobot]) -> None:
    owners: dict[str, str] = {}
    for name, robot in robots.items():
        if robot.source is None:
            continue
        key = _source_key(robot.source, robot.namespace or name)
        if key in owners:
            raise BadInput(
                "two robots use the same source",
                where=f"robots.{name}.source",
                found=f"the source of {owners[key]}",
                expected="a recording, or live topics, of its own",
            )
        owners[key] = name
    live = {name: _is_live(robot.source) for name, robot in robots.items() if robot.source}
    if len(set(live.values())) > 1:
        name = next(name for name, is_live in live.items() if is_live)
        raise BadInput(
            "one robot is recorded and another one is live",
            where=f"robots.{name}.source",
            found="live",
            expected="recordings of all robots, or none",
        )


def _source_key(source: SourceEntry, namespace: str) -> str:
    """A key that is equal for two equal sources; `namespace` is the robot's."""
    if isinstance(source, str):
        return f"{source} {namespace}" if source == "live" else source
    suffix = f" {namespace}" if isinstance(source, LiveSpec) and not source.live else ""
    return source.model_dump_json() + suffix


def _is_live(source: SourceEntry) -> bool:
    if isinstance(source, str):
        return source.partition(":")[0] == "live"
    return isinstance(source, LiveSpec)


def _check_hands(hands: Mapping[str, str | None], robots: Mapping[str, NamedRobot]) -> None:
    for name, robot in hands.items():
        if robot is None:
            raise BadInput(
                "the hand does not name its robot",
                where=f"hands.{name}",
                expected=f"robot: one of {', '.join(robots)}",
            )
        if robot not in robots:
            raise BadInput(
                "there is no such robot",
                where=f"hands.{name}.robot",
                found=robot,
                expected=one_of(robot, robots),
            )
