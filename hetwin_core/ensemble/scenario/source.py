"""Sources of the robot's motion: a recording, a live robot, commands."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, Tag

from hetwin_core.ensemble.scenario.recorded import JointSource, PositionUnit, Stamps
from hetwin_core.ensemble.validation import Strict, Text, alternatives, tag

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class Operation(Strict):
    """The operation that a recorded value means.

    Attributes:
        operation: its name.
        arguments: e.g. the hand.
    """

    operation: Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


def _expand_short_form(value: object) -> object:
    return {"operation": value} if isinstance(value, str) else value


def _keys_as_text(value: object) -> object:
    """Convert keys to text: YAML may read keys as numbers, JSON reads them as text."""
    if not isinstance(value, Mapping):
        return value
    return {_key(key): item for key, item in value.items()}


def _key(key: object) -> object:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key) if isinstance(key, int) else key


class Annotations(Strict):
    """A topic with actions of the robot's program.

    Attributes:
        topic: of type hetwin/msg/ActionAnnotation, or, with `map`, of any type.
        field: the integer or text in its messages, with dots for nested fields.
        map: value -> operation, as a mapping or its name; any other value ends the previous operation.
    """

    topic: Text
    field: Text = "data"
    map: (
        Annotated[
            dict[
                str,
                Annotated[
                    Operation,
                    BeforeValidator(_expand_short_form, json_schema_input_type=str | Operation),
                ],
            ],
            BeforeValidator(_keys_as_text),
            Field(min_length=1),
        ]
        | None
    ) = None


class Beliefs(Strict):
    """A topic with beliefs of the robot.

    Attributes:
        topic: of type geometry_msgs/msg/PoseStamped, PoseWithCovarianceStamped, nav_msgs/msg/Odometry,
            vision_msgs/msg/Detection3DArray or hetwin/msg/Belief.
        entity: entity of the scene that the pose belongs to; detections and hetwin/msg/Belief name it themselves.
        fluent: fluent of the beliefs.
        frame: frame of the poses, an entity of the scene or world; default: the frame of the messages.
        classes: class id of a detection -> the entity that it means, if the names differ.
    """

    topic: Text
    entity: Text | None = None
    fluent: Literal["pose", "loc"] = "pose"
    frame: Text | None = None
    classes: Annotated[dict[Text, Text], BeforeValidator(_keys_as_text)] = Field(
        default_factory=dict
    )


class SourceOptions(Strict):
    """The parts of a recorded or live robot that are read.

    Attributes:
        joints: name of a joint in the messages -> its name in the robot, if they differ.
        tasks: topics of type hetwin/msg/Task; default: all of this type in a recording, and `tasks` of a live
            robot.
        beliefs: topics with the robot's beliefs. Topics of type hetwin/msg/Belief in a recording, and `beliefs` of
            a live robot, are read by default.
        annotations: topics with action annotations; default: all of this type in a recording, `action_annotations`
            of a live robot, and topics of action servers, grippers and behaviour trees.
        topics: topics whose messages become events.
    """

    joints: dict[Text, Text] = Field(default_factory=dict)
    annotations: tuple[Annotations, ...] | None = None
    topics: tuple[Text, ...] = ()
    tasks: tuple[Text, ...] | None = None
    beliefs: tuple[Beliefs, ...] = ()


class RecordingSpec(SourceOptions):
    """A recording, and the parts that are read.

    Attributes:
        recording: a rosbag2 folder, a storage file or a ROS 1 bag; relative to the file that names it.
        joint_states: topics of type sensor_msgs/msg/JointState; default: those with the robot's joints.
        joints_from: joint states or transforms; default: joint states if there are any.
        clock_offset: offset that is added to its times to compare them with another robot's recording [s].
        stamps: the clock that dates messages; default: a message's stamp if it is within 1 s of the log time, else
            the log time.
        units: units of the positions in joint states, if they are not rad and m.
    """

    recording: Text
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    joints_from: JointSource | None = None
    stamps: Stamps | None = None
    units: tuple[PositionUnit, ...] = ()
    clock_offset: Annotated[float, Field(allow_inf_nan=False)] = 0.0


class LagReaction(StrEnum):
    """Reaction when the twin falls behind a live robot by more than `max_lag`."""

    LOWER_RATES = "lower_rates"
    """Step all models but the main one less often until the twin has caught up."""
    SKIP = "skip"
    """Skip motion and continue near the newest sample; annotations are never skipped."""
    STOP = "stop"
    """End the run with an error."""
    CARRY_ON = "carry_on"
    """Only report it."""


class OnSilence(StrEnum):
    """Reaction when a live robot is silent for `timeout`."""

    FAIL = "fail"
    """End the run with an error."""
    END = "end"
    """End the run regularly: the robot is done."""


class LiveOptions(SourceOptions):
    """Options for following a live robot.

    Attributes:
        wait: maximum time to wait for the robot at the start [s].
        timeout: maximum silence of the robot [s], during which the twin waits.
        on_silence: reaction to a longer silence.
        max_lag: maximum lag of the twin behind the robot [s].
        when_late: reaction to a longer lag.
    """

    wait: Seconds = 20.0
    timeout: Seconds = 5.0
    on_silence: OnSilence = OnSilence.FAIL
    max_lag: Seconds = 0.5
    when_late: LagReaction = LagReaction.LOWER_RATES


class LiveSpec(LiveOptions):
    """A live robot.

    Attributes:
        live: the robot's namespace; empty for the twin's own.
        joint_states: topics of type sensor_msgs/msg/JointState, relative to that namespace unless they begin with
            /.
    """

    live: str
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] = ("joint_states",)


class CommandsSpec(SourceOptions):
    """Commands, in the form in which the robot itself accepts them; the twin moves in real time.

    Attributes:
        commands: namespace of their topics; empty for the twin's own.
        controllers: name of a controller -> its joints, or patterns such as arm_*_joint; it takes trajectories on
            NAME/joint_trajectory. Default: those of the scenario's `commands`, else a single
            joint_trajectory_controller for all joints except wheels.
        parameters: file of ros2_control's parameters, with the types of its controllers; default: each takes
            trajectories.
        velocity: topic with the velocity of the base, of type geometry_msgs/msg/Twist or TwistStamped.
        max_lag: maximum lag of the twin behind real time; a longer lag is dropped, not made up [s].
    """

    commands: str
    controllers: (
        Annotated[dict[Text, Annotated[tuple[Text, ...], Field(min_length=1)]], Field(min_length=1)]
        | None
    ) = None
    parameters: Text | None = None
    velocity: Text = "cmd_vel"
    max_lag: Seconds = 0.5


class TrajectorySpec(Strict):
    """A motion in a file.

    Attributes:
        trajectory: YAML file with `joint_names` and `points`, as in trajectory_msgs/msg/JointTrajectory; relative
            to the file that names it.
    """

    trajectory: Text


class ProgramSpec(Strict):
    """A program of the robot, interpreted in lockstep with the twin.

    Attributes:
        program: MODULE:FUNCTION, in an installed module or one in `folder`; it is called with the robot.
        arguments: its other arguments, by name.
        folder: folder of its module; default: that of the scenario.
        deadline: maximum time between two calls of the robot [s of real time].
        lasting: how long the run continues after the end of the program [s].
        slip: share of its path by which the base falls short without odometry noticing.
    """

    program: Annotated[Text, Field(pattern=r"^[^:\s]+:[^:\s]+$")]
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    folder: Text | None = None
    deadline: Seconds = 8.0
    lasting: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 1.0
    slip: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] = 0.0


class InstalledSpec(Strict):
    """A source that an installed package adds (entry point ``hetwin.sources``).

    Attributes:
        installed: name of the source.
        arguments: arguments of its function, by name.
        folder: folder of the files that they name; default: that of the scenario.
    """

    installed: Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    folder: Text | None = None


class ModelSpec(Strict):
    """A model of the ensemble that drives the robot with its events `drive_base`.

    Attributes:
        model: its name in the scenario.
        aligned_by: another model, whose events `align_base` set the robot's pose.
    """

    model: Text
    aligned_by: Text | None = None


TimeS = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


class PlanStep(Strict):
    """A step of a plan.

    Attributes:
        at: start of the step [s of the run]; default: the end of the previous step.
    """

    at: TimeS | None = None


class RecordedStep(PlanStep, SourceOptions):
    """A part of a recording.

    Attributes:
        recording: as for `RecordingSpec`, or a recorded episode's folder.
        joint_states, joints_from, stamps, units: as for `RecordingSpec`.
        only: patterns of the joints that it moves; default: all recorded joints.
        from_: written `from`: start time in the recording [s]; default: the time of the run.
        announces: whether its annotations, and its other reports, become events.
    """

    recording: Text
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    joints_from: JointSource | None = None
    stamps: Stamps | None = None
    units: tuple[PositionUnit, ...] = ()
    only: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    from_: TimeS | None = Field(None, alias="from")
    announces: bool = True


class TrajectoryStep(PlanStep):
    """A motion of joints.

    Attributes:
        trajectory: a file, or its content: a trajectory_msgs/msg/JointTrajectory, or a
            moveit_msgs/msg/RobotTrajectory or DisplayTrajectory that contains one.
    """

    trajectory: Text | dict[str, JsonValue]


class OperationStep(PlanStep):
    """An operation that the robot announces and that a skill converts into motion.

    Attributes:
        operation: its name.
        arguments: e.g. the hand.
        skill: an installed skill; default: the one with the operation's name.
    """

    operation: Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    skill: Text | None = None


PlannedStep = Annotated[
    Annotated[RecordedStep, Tag(tag("recording"))]
    | Annotated[TrajectoryStep, Tag(tag("trajectory"))]
    | Annotated[OperationStep, Tag(tag("operation"))],
    alternatives("recording", "trajectory", "operation"),
]


class PlanSpec(Strict):
    """The robot's planned actions.

    Attributes:
        plan: steps, each of which begins at the end of the previous one, or at its time. A later step takes over
            its joints from an earlier one; joints of no step rest.
        lasting: how long the run continues, with all joints at rest, after the last step [s].
    """

    plan: Annotated[list[PlannedStep], Field(min_length=1)]
    lasting: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0


class SourceKind(StrEnum):
    """Kinds of a source; each is the key of its mapping."""

    RECORDING = "recording"
    LIVE = "live"
    COMMANDS = "commands"
    TRAJECTORY = "trajectory"
    PROGRAM = "program"
    MODEL = "model"
    PLAN = "plan"
    INSTALLED = "installed"


SPEC_OF: Mapping[SourceKind, type[Strict]] = {
    SourceKind.RECORDING: RecordingSpec,
    SourceKind.LIVE: LiveSpec,
    SourceKind.COMMANDS: CommandsSpec,
    SourceKind.TRAJECTORY: TrajectorySpec,
    SourceKind.PROGRAM: ProgramSpec,
    SourceKind.MODEL: ModelSpec,
    SourceKind.PLAN: PlanSpec,
    SourceKind.INSTALLED: InstalledSpec,
}
"""The class of each kind of source."""


def kind_of(spec: Mapping[str, object]) -> SourceKind | None:
    """Return the kind of a source's mapping; None if it names no source."""
    return next((kind for kind in SourceKind if kind in spec), None)


class PartialSource(LiveOptions):
    """Options for a source that only the start of the run names."""

    live: None = None
    recording: None = None
    commands: None = None
    trajectory: None = None
    program: None = None
    model: None = None
    plan: None = None
    installed: None = None
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    joints_from: JointSource | None = None
    stamps: Stamps | None = None
    units: tuple[PositionUnit, ...] = ()


def _check_one_kind(data: object) -> object:
    kinds = [kind.value for kind in SourceKind if isinstance(data, Mapping) and kind in data]
    if len(kinds) > 1:
        raise ValueError(f"one of {', '.join(SourceKind)}, not {' and '.join(kinds)}")
    return data


SourceEntry = Annotated[
    Annotated[str, Tag(tag("text"))]
    | Annotated[LiveSpec, Tag(tag("live"))]
    | Annotated[RecordingSpec, Tag(tag("recording"))]
    | Annotated[CommandsSpec, Tag(tag("commands"))]
    | Annotated[TrajectorySpec, Tag(tag("trajectory"))]
    | Annotated[ProgramSpec, Tag(tag("program"))]
    | Annotated[ModelSpec, Tag(tag("model"))]
    | Annotated[PlanSpec, Tag(tag("plan"))]
    | Annotated[InstalledSpec, Tag(tag("installed"))]
    | Annotated[PartialSource, Tag(tag("neither"))],
    alternatives(*SourceKind, text=True, otherwise="neither"),
    BeforeValidator(_check_one_kind),
]
"""A source in a scenario: a path, `live`, `commands`, or a mapping."""
