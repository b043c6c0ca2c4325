"""Physics without an ensemble: load a world, step it, read it; and custom engines.

For example, half a second of a table-top world::

    import numpy as np
    from hetwin_suite.engine import EngineSettings, Settings, load_world, make_engine
    from hetwin_suite.runs import resource

    settings = Settings.read({"world": str(resource("worlds", "tabletop.sdf"))})
    engine = make_engine("mujoco")
    engine.load(load_world(settings), EngineSettings(0.005))
    for _ in range(100):
        engine.step()
    frames = np.zeros((len(engine.frames), 13))
    engine.read_frames(frames)
    print(dict(zip(engine.frames, frames[:, 2])))

A custom engine is a subclass of `Engine`. An entry point of the group ``hetwin.engines`` names its `EngineKind`;
scenarios select it by the entry point's name (``engine: NAME``). It loads a `World` of `Body`, `Link` and `Joint`.
Results that the engine cannot compute can be taken from MuJoCo: a `Builder` makes a model of the same world, in which
`Nearest` computes distances and `InverseDynamics` the efforts of a motion. `hetwin_gazebo` uses only this module.

Other file formats of robots and worlds are added by entry points of the group ``hetwin.descriptions``. The name of such
an entry point is the file's ending or the tag of its root element; it names a function that reads the file and returns
a `Description`, as in `hetwin_mjcf`.
"""

from __future__ import annotations

from hetwin_core.ensemble.conductor.start.parameters import ParameterResolver
from hetwin_core.ensemble.resources import Kind as DescriptionKind
from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.poses import Quaternion, normalized, rotation_by, rotation_vector
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, PROXIMITY_COLUMNS, no_rows
from hetwin_core.ensemble.scene.values import POSE_SIZE
from hetwin_core.ensemble.supervision.interrupts import TERMINATING
from hetwin_core.ensemble.validation import check
from model_nodes.bounding_boxes import BoundingBoxes
from model_nodes.main_physics.engines.engine import (
    Diverged,
    Engine,
    EngineKind,
    EngineSettings,
    Rangefinder,
    Remark,
    Scanner,
    Unsupported,
)
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs, nearest_points
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward, InverseDynamics
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.kinematic_bodies import KinematicBodies
from model_nodes.main_physics.engines.mujoco.link_watch import LinkWatch
from model_nodes.main_physics.engines.mujoco.options import MujocoOptions
from model_nodes.main_physics.engines.mujoco.sensing import Rangefinders
from model_nodes.main_physics.engines.mujoco.tables import (
    BodyKind,
    is_yielding,
    make_tables,
    yielding_links,
)
from model_nodes.main_physics.engines.shared import (
    CARRYING_GAIN,
    CopiedPart,
    Pair,
    Touches,
    note_too_many,
    proximity_objects,
)
from model_nodes.main_physics.fittings import FittedLidar, fitted_lidars
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import (
    DEFAULT_FRICTION,
    GREY,
    IDENTITY,
    Base,
    Body,
    Extra,
    Geometry,
    Inertial,
    Joint,
    JointDrive,
    JointKind,
    Link,
    Pose,
    Vector,
    World,
    frame_name,
    joint_name,
)
from model_nodes.main_physics.world.entities import entities_of
from model_nodes.main_physics.world.notes import STEP_SETTINGS, Notes
from model_nodes.main_physics.world.resources import Resources, find_description
from model_nodes.main_physics.world.robot_xml import Description
from model_nodes.main_physics.world.sdf.frames import transformed_extras
from model_nodes.main_physics.world.sdf.reader import read_world
from model_nodes.main_physics.world.transforms import compose as compose_poses
from model_nodes.main_physics.world.transforms import invert as inverse_pose
from model_nodes.main_physics.world.transforms import joined_inertials, moved_inertial, pose_of
from model_nodes.main_physics.world.urdf.reader import moving_joints, read_urdf
from model_nodes.main_physics.world.xml_file import Element as XmlElement
from model_nodes.main_physics.world.xml_file import parse_xml, read_xml

__all__ = [
    "CARRYING_GAIN",
    "DEFAULT_FRICTION",
    "GREY",
    "IDENTITY",
    "POSE_SIZE",
    "PROXIMITY",
    "PROXIMITY_COLUMNS",
    "STEP_SETTINGS",
    "TERMINATING",
    "Base",
    "Body",
    "BodyKind",
    "BoundingBoxes",
    "Builder",
    "CopiedPart",
    "Description",
    "DescriptionKind",
    "Diverged",
    "DriveMode",
    "Engine",
    "EngineKind",
    "EngineSettings",
    "Extra",
    "FeedForward",
    "FittedLidar",
    "FrameReader",
    "Geometry",
    "Inertial",
    "InverseDynamics",
    "Joint",
    "JointDrive",
    "JointKind",
    "KinematicBodies",
    "Link",
    "LinkWatch",
    "MainPhysics",
    "MujocoOptions",
    "Nearest",
    "Notes",
    "Pair",
    "Pairs",
    "ParameterResolver",
    "Pose",
    "Quaternion",
    "Rangefinder",
    "Rangefinders",
    "Remark",
    "Resources",
    "ScanPattern",
    "Scanner",
    "Settings",
    "Touches",
    "Unsupported",
    "Vector",
    "World",
    "XmlElement",
    "check",
    "compose_poses",
    "entities_of",
    "find_description",
    "fitted_lidars",
    "frame_name",
    "inverse_pose",
    "is_yielding",
    "joined_inertials",
    "joint_name",
    "load_world",
    "make_engine",
    "make_tables",
    "moved_inertial",
    "moving_joints",
    "nearest_points",
    "no_rows",
    "normalized",
    "note_too_many",
    "parse_xml",
    "pose_of",
    "proximity_objects",
    "read_urdf",
    "read_world",
    "read_xml",
    "rotation_by",
    "rotation_vector",
    "transformed_extras",
    "yielding_links",
]
