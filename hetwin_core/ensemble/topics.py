"""The topics of a run: their names, their types, and whether a late subscriber gets the last message."""

from __future__ import annotations

from typing import NamedTuple

HETWIN_TYPES = "hetwin/msg/"
"""Prefix of hetwin's own message types."""


class Topic(NamedTuple):
    """A topic; its name is relative, so that it follows a node's namespace.

    Attributes:
        latched: whether it has transient-local durability.
        sensor: whether it has best-effort reliability, like sensor data in ROS 2.
        depth: depth of a subscriber's queue; one for a latched topic.
        about: its content, for the reference.
    """

    name: str
    type: str
    about: str
    latched: bool = False
    sensor: bool = False
    depth: int = 10

    @property
    def logged_name(self) -> str:
        """Its name in a log, which has no namespaces."""
        return f"/{self.name}"


class Encoded(NamedTuple):
    """A message as CDR.

    Attributes:
        topic: topic of the message.
        time_ns: simulated time, or the time at which a recorder received it.
        data: valid until the next message of the topic is made.
    """

    topic: Topic
    time_ns: int
    data: memoryview


STATE = Topic(
    "hetwin/state",
    HETWIN_TYPES + "SceneState",
    "values of all attributes, flat; the layout is in the registry",
)
RESPONSIBILITIES = Topic(
    "hetwin/responsibilities",
    HETWIN_TYPES + "Responsibilities",
    "the owner of each attribute; on every change",
    latched=True,
)
HANDOVERS = Topic(
    "hetwin/handovers", HETWIN_TYPES + "Handover", "each handover with its value", depth=1000
)
EVENTS = Topic("hetwin/events", HETWIN_TYPES + "Event", "each event", depth=1000)
REGISTRY = Topic(
    "hetwin/registry", HETWIN_TYPES + "Registry", "models and layout of the scene", latched=True
)
STATUS = Topic(
    "hetwin/status",
    HETWIN_TYPES + "RunStatus",
    "whether the run is paused, its pace, the lag of a live robot, and how it ended",
    latched=True,
)
RUN = Topic(
    "hetwin/run",
    HETWIN_TYPES + "RunIdentity",
    "which run the conductor of the namespace belongs to",
    latched=True,
)
ANNOTATIONS = Topic(
    "action_annotations",
    HETWIN_TYPES + "ActionAnnotation",
    "actions of the robot's program; an empty `phase` means the one in `arguments`, else `instant`",
)
TASKS = Topic(
    "tasks",
    HETWIN_TYPES + "Task",
    "tasks of the robot's program: one message for each change of status",
)
BELIEFS = Topic(
    "beliefs",
    HETWIN_TYPES + "Belief",
    "what the robot believes; in a log also what it published on other topics, poses in the world",
)
JOINT_STATES = Topic(
    "joint_states",
    "sensor_msgs/msg/JointState",
    "joints of the robot; a replay publishes its own, the twin of a live robot listens to them",
    depth=100,
)
TRANSFORMS = Topic(
    "tf",
    "tf2_msgs/msg/TFMessage",
    "frames of objects, links and hands under `world`, named as the entities; for a robot with odometry, `world` ->"
    " `odom` -> root link -> its other links; not for a live robot, which publishes its own",
    depth=100,
)
ODOMETRY_TOPIC = Topic(
    "odom",
    "nav_msgs/msg/Odometry",
    "odometry of the robot's base; only for mobile robots, and not for a live one",
)
SCAN_TOPIC = Topic(
    "scan",
    "sensor_msgs/msg/LaserScan",
    "scans of the robot's lidar, NAME/scan for each of several lidars; not for a live robot",
    sensor=True,
)
STATIC_TRANSFORMS = Topic(
    "tf_static",
    "tf2_msgs/msg/TFMessage",
    "frames of static bodies under `world`; not for a live robot",
    latched=True,
)
ROBOT_DESCRIPTION = Topic(
    "robot_description", "std_msgs/msg/String", "the robot's URDF", latched=True
)
DIAGNOSTICS = Topic(
    "diagnostics",
    "diagnostic_msgs/msg/DiagnosticArray",
    "warnings and errors; `hetwin: robot` reports on a live robot",
    depth=100,
)
MARKERS = Topic(
    "hetwin/markers",
    "visualization_msgs/msg/MarkerArray",
    "the shapes of the scene; in a log once, in the frames of their entities",
    depth=1,
)
PARTICLES = Topic(
    "hetwin/particles", "visualization_msgs/msg/MarkerArray", "particles of fluids, in logs"
)
CONTACTS = Topic(
    "hetwin/contacts",
    "visualization_msgs/msg/MarkerArray",
    "forces on objects, as lines from their points of application",
    depth=1,
)
PREDICTIONS = Topic(
    "hetwin/predictions",
    "std_msgs/msg/String",
    "predicted outcomes of the actions that a live robot announces, as JSON; only from runs in one process",
)
CLOCK = Topic("clock", "rosgraph_msgs/msg/Clock", "simulated time")


def robot_topic(topic: Topic, robot: str) -> Topic:
    """The topic in the namespace of one of several robots; unchanged for the only robot, whose name here is empty."""
    return topic._replace(name=f"{robot}/{topic.name}") if robot else topic


LOGGED = (
    REGISTRY,
    RESPONSIBILITIES,
    ROBOT_DESCRIPTION,
    STATE,
    EVENTS,
    HANDOVERS,
    ANNOTATIONS,
    TASKS,
    BELIEFS,
    JOINT_STATES,
    TRANSFORMS,
    STATIC_TRANSFORMS,
    MARKERS,
    PARTICLES,
    CONTACTS,
    DIAGNOSTICS,
)
"""Topics in the log of a run."""
