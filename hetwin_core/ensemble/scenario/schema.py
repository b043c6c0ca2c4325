"""The schema of a scenario file, from which the JSON Schema for editors is generated."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    WithJsonSchema,
    model_validator,
)

from hetwin_core.ensemble.expressions.expression import EventPattern
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.node_type import NODE
from hetwin_core.ensemble.scenario.functional import FunctionalAttributes
from hetwin_core.ensemble.scenario.robot import RobotEntry, RobotsEntry, check_robots
from hetwin_core.ensemble.scenario.source import SourceEntry
from hetwin_core.ensemble.scenario.strict_yaml import NEVER_OVERRIDDEN
from hetwin_core.ensemble.scenario.uncertainty import Uncertain
from hetwin_core.ensemble.triggers.schema import TriggerEntry
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
)


class CommandGroup(Strict):
    """Joints that one controller of the robot moves."""

    joints: list[Text] = Field(min_length=1, description="joints, or patterns such as arm_*_joint")
    controller: Text = Field(
        description="name of the controller, which takes trajectories on CONTROLLER/joint_trajectory"
    )
    velocity: AboveZero | None = Field(
        None,
        description="maximum speed if the URDF gives none, in rad/s or m/s; `speed` applies to it too",
    )
    acceleration: AboveZero | None = Field(
        None,
        description="maximum acceleration of planned moves, in rad/s^2 or m/s^2;"
        " default: 4 times the maximum speed per second",
    )


def _check_box(corners: list[Vector3]) -> list[Vector3]:
    if len(corners) != 2:
        raise ValueError(f"two corners [[x, y, z], [x, y, z]], not {len(corners)}")
    lower, upper = corners
    for axis, low, high in zip("xyz", lower, upper, strict=True):
        if not low < high:
            raise ValueError(
                f"the lower corner first: {axis} from {low:g} to {high:g} is reversed or empty"
            )
    return corners


Box = Annotated[
    list[Vector3],
    AfterValidator(_check_box),
    Field(json_schema_extra={"minItems": 2, "maxItems": 2}),
]
"""The lower and the upper corner of a box along the world's axes [m]."""


class Commands(Strict):
    """Permitted commands: controllers and limits."""

    groups: dict[Name, CommandGroup] = Field(default={}, description="groups of joints")
    parameters: Text | None = Field(
        None, description="file of ros2_control's parameters with the types of its controllers"
    )
    base: Text | None = Field(
        None, description="topic of type geometry_msgs/msg/Twist that moves the base, e.g. cmd_vel"
    )
    speed: Annotated[Finite, Field(gt=0, le=1)] = Field(
        0.5, description="share of the URDF's velocity limits that is used"
    )
    workspace: Box | None = Field(
        None,
        description="box in the world that the ends of commanded groups and the base stay in: the lower and the upper"
        " corner, in m; default: no box",
    )
    clearance: Annotated[Finite, Field(ge=0, le=1)] = Field(
        0.01, description="minimum distance to all objects not touched at the start, in m"
    )

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        if not self.groups and self.base is None:
            raise ValueError("groups of joints, a base, or both")
        controllers = [group.controller for group in self.groups.values()]
        for controller in controllers:
            if controllers.count(controller) > 1:
                raise ValueError(f"one group for each controller, not two for {controller}")
        return self


class OnFailure(StrEnum):
    """Consequence of a model's failure."""

    STOP = "stop"
    HAND_BACK = "hand_back"
    RESTART = "restart"


class Hand(Strict):
    """A hand: a grasp frame on a link, and the fingers' joints."""

    robot: Name | None = Field(None, description="robot of the hand, if there are several")
    link: Text = Field(description="link that the grasp frame is fixed to")
    offset: Pose7 = Field(
        default=[0, 0, 0, 1, 0, 0, 0], description="grasp frame in the link: x y z, qw qx qy qz"
    )
    joints: list[str] = Field(default=[], description="finger joints")
    opened: list[Finite] = Field(default=[], description="finger joint positions when fully open")
    closed: list[Finite] = Field(default=[], description="joint positions when closed empty")
    approach: Direction | None = Field(
        None,
        description="direction in the grasp frame in which the hand approaches an object;"
        " default: from the base of its fingers",
    )

    @property
    def scene_joints(self) -> list[str]:
        """The finger joints by their names in the scene."""
        return [name if self.robot is None else f"{self.robot}::{name}" for name in self.joints]

    @model_validator(mode="after")
    def _check_lengths(self) -> Self:
        for name in ("opened", "closed"):
            values = getattr(self, name)
            if values and len(values) != len(self.joints):
                raise ValueError(
                    f"as many positions in {name} as joints ({len(self.joints)}), not {len(values)}"
                )
        return self


class EntityNotes(Strict):
    """Additional properties of an entity of the world."""

    tags: list[str] = Field(default=[], description="words for evaluators, e.g. graspable")
    attributes: FunctionalAttributes = Field(
        default=FunctionalAttributes(), description="functional attributes; each is also a tag"
    )

    @property
    def words(self) -> tuple[str, ...]:
        """The tags, including the functional attributes."""
        return tuple(dict.fromkeys((*self.tags, *self.attributes.names)))


class SceneEntry(Strict):
    """Initial pose of an entity, or an object that is added to the world."""

    pose: Pose7 | None = Field(None, description="x y z, qw qx qy qz in the world")
    model: Text | None = Field(
        None,
        description="SDFormat or URDF of an object to add: a path, model://, package://, or the text <sdf> ...",
    )
    if_absent: bool = Field(
        False, description="add nothing if the world has an entity of this name"
    )
    note: str = Field(
        "", description="remark about an added object, which the run repeats as a warning"
    )
    found_by: dict[Name, dict[str, JsonValue]] = Field(
        {},
        alias="from",
        description="only in `scene: {from: ...}`: name of a finder of objects -> its parameters",
    )

    @property
    def file(self) -> str | None:
        """Path or reference of the object's file; None if it has none."""
        return None if self.model is None or self.model.startswith("<") else self.model

    @model_validator(mode="after")
    def _check_not_empty(self) -> Self:
        if self.pose is None and self.model is None and not self.found_by:
            raise ValueError("{pose: [7]}, or {model: FILE, pose: [7]} to add an object")
        return self


FROM = "from"
"""Key of a scene that is not an entity: the origin of its other objects."""


def _wrap_finders(scene: object) -> object:
    """Write `from: NAME` and `from: {NAME: {parameters}}` as an entry of the scene."""
    finders = scene.get(FROM) if isinstance(scene, dict) else None
    if isinstance(finders, str):
        finders = {finders: {}}
    if not isinstance(scene, dict) or not isinstance(finders, dict) or [*finders] == [FROM]:
        return scene
    return {**scene, FROM: {FROM: finders}}


def _check_finders(scene: dict[str, SceneEntry]) -> dict[str, SceneEntry]:
    for name, entry in scene.items():
        if bool(entry.found_by) != (name == FROM):
            raise ValueError(f"scene: {{from: NAME}} or {{from: {{NAME: {{...}}}}}}, not {name}")
    return scene


SceneEntries = Annotated[
    dict[str, SceneEntry], BeforeValidator(_wrap_finders), AfterValidator(_check_finders)
]
"""A scene: entity -> its pose, or the object to add; and `from`."""


class ModelEntry(Strict):
    """One model of the ensemble."""

    type: str = Field(
        description="a model type that `hetwin list models` lists, MODULE:CLASS, or node: a ROS node of any language"
    )
    provides: list[Text] = Field(
        default=[], description="type node: names of attributes that it can be responsible for"
    )
    main: bool = Field(False, description="the one model that times the others")
    step: Stepping | None = Field(None, description="service, clock or free; default: the model's")
    rate: Positive | None = Field(None, description="steps per simulated second")
    every: int | None = Field(None, ge=1, description="instead of rate: main steps per model step")
    coupling: Literal["after", "beside"] = Field(
        "after",
        description="after the main model, with its result, or beside it, in parallel during the model's whole period",
    )
    process: Literal["shared", "own"] = Field(
        "shared",
        description="in a run without ROS: in one process with the others, or in a process of its own on another core",
    )
    deadline: Positive | None = Field(
        None, description="wall seconds that a call may take; default: the scenario's"
    )
    on_failure: OnFailure = Field(
        OnFailure.STOP, description="stop the run, hand_back to the main model, or restart"
    )
    parameters: dict[str, Any] = Field(default={}, description="the model's own parameters")
    engine: str | None = Field(
        None, description="main model: physics engine; shorthand for its parameter"
    )

    @model_validator(mode="after")
    def _check_rate(self) -> Self:
        if self.rate is not None and self.every is not None:
            raise ValueError("either rate or every, not both")
        return self

    @model_validator(mode="after")
    def _check_node(self) -> Self:
        if self.type != NODE and self.provides:
            raise ValueError("provides only with type: node; other types declare it themselves")
        if self.type == NODE and self.process == "own":
            raise ValueError("no process: own with type: node, which is a process")
        if self.type == NODE and self.on_failure is OnFailure.RESTART:
            raise ValueError(
                "on_failure: stop or hand_back with type: node, which hetwin does not start"
            )
        return self


class OwnsEntry(Strict):
    """Attributes that a model takes over when it joins."""

    entity: str = Field(description="name or pattern, * for all")
    attribute: str


class AdmitEntry(ModelEntry):
    """A model that may join and leave a running ensemble."""

    on_failure: OnFailure = Field(
        OnFailure.HAND_BACK, description="hand_back to the main model, or stop the run"
    )
    owns: list[OwnsEntry] = Field(
        default=[], description="handed to it when it joins, and back when it leaves"
    )
    places: int = Field(
        1,
        ge=1,
        le=16,
        description="for a pattern such as helper_*: maximum number of models at the same time",
    )

    @model_validator(mode="after")
    def _check_joining(self) -> Self:
        if self.main or self.on_failure is OnFailure.RESTART:
            raise ValueError("neither main: true nor on_failure: restart for a model that joins")
        return self


class ResponsibilityEntry(Strict):
    """The model that is responsible for an attribute at the start."""

    entity: str = Field(description="name or pattern, * for all")
    attribute: str
    model: str


class ButtonEntry(Strict):
    """A button on the page of a running simulation: it raises an event, as a model would."""

    event: Name
    arguments: dict[Name, JsonValue] = Field(default={})


class LogEntry(Strict):
    """Content of the log."""

    state_rate: Positive = Field(100.0, description="states per simulated second in the log")


def _parse_robot_health(value: object) -> object:
    if isinstance(value, bool):
        return value
    if value in ("on", "off"):
        return value == "on"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return value
    raise ValueError("on, off, or a mapping of its parameters")


RobotHealthEntry = Annotated[
    bool | dict[str, Any],
    BeforeValidator(_parse_robot_health),
    WithJsonSchema({"anyOf": [{"enum": ["on", "off", True, False]}, {"type": "object"}]}),
]
"""Whether a run observes implausible behaviour of robot and objects, or parameters of that observer."""


def _check_event(text: str) -> str:
    EventPattern.from_text(text)
    return text


EventText = Annotated[str, AfterValidator(_check_event)]
"""A pattern of events, e.g. ``collision(hand, object)``; see `EventPattern`."""


def _check_variant(overrides: dict[str, Any]) -> dict[str, Any]:
    """Check the keys of a variant; their values are checked with the variant."""
    for key in overrides:
        if key in NEVER_OVERRIDDEN:
            raise ValueError(f"keys that a variant may override, not {key}")
        if key not in ScenarioFile.model_fields:
            raise ValueError(
                f"keys of a scenario, not {key}{perhaps(key, ScenarioFile.model_fields)}"
            )
    return overrides


Variant = Annotated[dict[str, Any], AfterValidator(_check_variant)]
"""Keys of a scenario that a variant overrides."""


class ScenarioFile(Strict):
    """A scenario: world, robot, models, responsibilities, evaluators, triggers."""

    scenario: Name
    extends: str | None = Field(
        None,
        description="another scenario file, relative to this one; keys given here replace its keys",
    )
    description: str = ""
    example: list[Text] = Field(
        default=[],
        description="commands that run it, in order, if it takes more than `hetwin run NAME`; {scenario} is its name",
    )
    world: str | None = Field(
        None, description="SDFormat, MJCF or USD file, or a name such as tabletop"
    )
    robot: RobotEntry | None = None
    robots: RobotsEntry = Field(default={}, description="instead of robot: several robots, by name")
    rate: Positive = Field(400.0, description="steps of the main model per simulated second")
    deadline: Positive = Field(10.0, description="wall seconds that a call of a model may take")
    seed: int = Field(0, ge=0, lt=2**63)
    source: SourceEntry | None = Field(
        None,
        description="a recording's path, `live`, or a mapping with recording or live, and options",
    )
    commands: Commands | None = Field(
        None, description="commands that `hetwin robot send` may send; default: none"
    )
    packages: dict[Text, Text] = Field(
        default={},
        description="name in package://NAME -> the package's folder, relative to this file; not searched elsewhere",
    )
    hands: dict[Name, Hand] = Field(default={})
    entities: dict[str, EntityNotes] = Field(default={})
    scene: SceneEntries = Field(
        default={},
        description="initial geometric description: entity -> {pose: [7]}; {model: FILE, pose: [7]} adds an object;"
        " `from: planning_scene` adds those of MoveIt, `from: occupancy_grid` a map",
        json_schema_extra={
            "properties": {FROM: {"anyOf": [{"type": "string"}, {"type": "object"}]}}
        },
    )
    models: dict[Name, ModelEntry] = Field(min_length=1)
    admit: dict[str, AdmitEntry] = Field(
        default={},
        description="models that may join during the run, by name or pattern such as helper_*",
    )
    robot_health: RobotHealthEntry = Field(
        True,
        description="on, off, or parameters of the observer of implausible behaviour",
    )
    responsibilities: list[ResponsibilityEntry] = Field(default=[])
    evaluators: dict[Name, str] = Field(
        default={}, description="named expressions, or functions as MODULE:FUNCTION"
    )
    triggers: list[TriggerEntry] = Field(default=[])
    buttons: dict[Text, ButtonEntry] = Field(
        default={}, description="buttons on the page of a run: caption -> {event, arguments}"
    )
    expects: dict[Text, list[EventText]] = Field(
        default={},
        description="events that an operation may cause, in place of its defaults: operation, or * for any other ->"
        " patterns such as collision(hand, object)",
    )
    variants: dict[Name, Variant] = Field(
        default={},
        description="overrides by name, for --variant NAME: keys of this file; mappings are merged with"
        " its own, anything else replaces, null leaves out",
    )
    uncertainty: dict[Text, Uncertain] = Field(
        default={},
        description="quantities that `hetwin predict` samples for each run: entity or model -> its uncertainty",
    )
    outcomes: dict[Name, Text] = Field(
        default={},
        description="criteria of success: name -> a question to the episode, as for `hetwin ask`",
    )
    log: LogEntry = LogEntry()

    @model_validator(mode="after")
    def _check_robots(self) -> Self:
        check_robots(
            self.robots,
            {name: hand.robot for name, hand in self.hands.items()},
            has_robot=self.robot is not None,
            has_source=self.source is not None,
        )
        return self


def json_schema() -> dict[str, Any]:
    """JSON Schema of scenario files."""
    schema = ScenarioFile.model_json_schema(by_alias=True)
    overridden = sorted({*schema["properties"]} - {*NEVER_OVERRIDDEN})
    for variant in schema["properties"]["variants"]["patternProperties"].values():
        variant["propertyNames"] = {"enum": overridden}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
