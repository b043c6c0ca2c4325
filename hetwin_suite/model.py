"""Base classes and types for custom models; see `docs/writing_a_model.md`.

For example::

    from hetwin_suite.model import AttributeSpec, EntityName, Model, Parameters

    TEMPERATURE = AttributeSpec("temperature", 1, "K")


    class CoffeeSettings(Parameters):
        cup: EntityName


    class Coffee(Model[CoffeeSettings]):
        \"\"\"Coffee that cools towards the temperature of the room.\"\"\"

        provides = (TEMPERATURE,)

        def initialize(self, settings, scene):
            self.kelvin = 353.0
            scene.set(settings.cup, TEMPERATURE, self.kelvin)

        def step(self, tick):
            self.kelvin += (293.0 - self.kelvin) * tick.period / 1200.0
            return tick.changes().set(self.settings.cup, TEMPERATURE, self.kelvin)
"""

from __future__ import annotations

from hetwin_core.ensemble.base_events import (
    ALIGN_BASE,
    DRIVE_BASE,
)
from hetwin_core.ensemble.clock import NS_PER_S
from hetwin_core.ensemble.concern_words import JUDGED, KNOWN_ABOVE, KNOWN_BELOW
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import (
    ANNOUNCED,
    ANNOUNCED_START,
    ANNOUNCED_TRAJECTORY,
    COMMANDED,
    FEELS,
    GRIPPER_SAYS,
    Event,
    EventKind,
    Json,
    action_arguments,
    phase_of,
)
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.evaluators import (
    FUNCTIONAL_WORDS,
    Evaluator,
    all_evaluators,
    scene_only,
)
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.installed import import_library
from hetwin_core.ensemble.limits import check_files, check_size, read_json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    MainChanges,
    MainContribution,
    MainModel,
    MainTick,
    Model,
    Stepping,
    Tick,
)
from hetwin_core.ensemble.model_abilities import (
    Adjustable,
    Commanded,
    Comparing,
    Placeable,
    Responsible,
    SavesItself,
    learnable_parameters,
)
from hetwin_core.ensemble.nearest import one_of, perhaps, some
from hetwin_core.ensemble.parameters import (
    Amount,
    EntityName,
    EntityNames,
    File,
    Functional,
    Hand,
    ModelId,
    Parameters,
    Pose,
    RobotDescription,
    WatchedRobot,
    parameter,
)
from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.hands import HandDescription, finger_links, finger_roots, hand_links
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout, Selection, entity_to_json
from hetwin_core.ensemble.scene.poses import (
    angles_between,
    compose,
    conjugate,
    cross,
    extrapolate,
    is_pose,
    multiply,
    normalized,
    relative_to,
    roll_pitch_yaw,
    rotate,
    rotation_by,
    rotation_matrices,
    rotation_matrix,
)
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, WRENCHES, Snapshot
from hetwin_core.ensemble.scene.values import (
    ANY_ATTRIBUTE,
    EXTERNAL_WRENCH,
    FIDELITY,
    ODOMETRY,
    PARTICLE_SIZE,
    POSE,
    WORLD,
    AttributeSpec,
    Fidelity,
    Floats,
    Ints,
    Meaning,
    Shape,
    ShapeKind,
    Value,
    particles,
    pose_value,
)
from hetwin_core.ensemble.scene.watch import (
    CONSISTENCY,
    DEFAULT_WATCH_RATE,
    REPORTS,
    UNKNOWN,
    Consistency,
    Watch,
    WatchLayout,
)
from hetwin_core.ensemble.validation import (
    AboveZero,
    Finite,
    Name,
    Number,
    Pose7,
    Strict,
    Text,
    Vector3,
    Whole,
    alternatives,
    check,
    tag,
)
from model_nodes.grasp_monitor import GraspMonitor
from model_nodes.grasp_monitor.fingers import FingerMotion
from model_nodes.grasp_monitor.model import HELD_OBJECT, HOLDING
from model_nodes.hand_motion import HandMotion
from model_nodes.references import Reference
from model_nodes.rigid_grasp import RigidGrasp
from model_nodes.robot_health.gripper_claims import hand_of as hand_of_event

__all__ = [
    "ALIGN_BASE",
    "ANNOUNCED",
    "ANNOUNCED_START",
    "ANNOUNCED_TRAJECTORY",
    "ANY_ATTRIBUTE",
    "CLEARANCES",
    "COMMANDED",
    "CONSISTENCY",
    "DEFAULT_WATCH_RATE",
    "DRIVE_BASE",
    "EXTERNAL_WRENCH",
    "FEELS",
    "FIDELITY",
    "FUNCTIONAL_WORDS",
    "GRIPPER_SAYS",
    "HELD_OBJECT",
    "HOLDING",
    "JUDGED",
    "KNOWN_ABOVE",
    "KNOWN_BELOW",
    "NS_PER_S",
    "ODOMETRY",
    "PARTICLE_SIZE",
    "POSE",
    "REPORTS",
    "UNKNOWN",
    "WORLD",
    "WRENCHES",
    "AboveZero",
    "Adjustable",
    "Amount",
    "AttributeSpec",
    "BadInput",
    "Changes",
    "Commanded",
    "Comparing",
    "Consistency",
    "Contribution",
    "Entity",
    "EntityKind",
    "EntityName",
    "EntityNames",
    "EvaluationError",
    "Evaluator",
    "Event",
    "EventKind",
    "Expression",
    "Fidelity",
    "File",
    "FingerMotion",
    "Finite",
    "Floats",
    "Functional",
    "GraspMonitor",
    "Hand",
    "HandDescription",
    "HandMotion",
    "Ints",
    "Json",
    "Layout",
    "MainChanges",
    "MainContribution",
    "MainModel",
    "MainTick",
    "Meaning",
    "Model",
    "ModelId",
    "Name",
    "Number",
    "Parameters",
    "Placeable",
    "Plain",
    "Pose",
    "Pose7",
    "Reference",
    "Refused",
    "Responsible",
    "RigidGrasp",
    "RobotDescription",
    "RunFailed",
    "SavesItself",
    "Selection",
    "Shape",
    "ShapeKind",
    "Snapshot",
    "StateError",
    "Stepping",
    "Strict",
    "Text",
    "Tick",
    "Value",
    "Vector3",
    "Watch",
    "WatchLayout",
    "WatchedRobot",
    "Whole",
    "action_arguments",
    "all_evaluators",
    "alternatives",
    "angles_between",
    "check",
    "check_files",
    "check_size",
    "compose",
    "conjugate",
    "cross",
    "entity_to_json",
    "extrapolate",
    "finger_links",
    "finger_roots",
    "hand_links",
    "hand_of_event",
    "import_library",
    "is_pose",
    "learnable_parameters",
    "multiply",
    "normalized",
    "one_of",
    "parameter",
    "particles",
    "perhaps",
    "phase_of",
    "pose_value",
    "read_json",
    "rebuild",
    "record",
    "relative_to",
    "roll_pitch_yaw",
    "rotate",
    "rotation_by",
    "rotation_matrices",
    "rotation_matrix",
    "scene_only",
    "some",
    "tag",
]
