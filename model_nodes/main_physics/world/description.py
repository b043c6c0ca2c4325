"""Description of a world and its robots, their drives and names, independent of file format and engine.

All lengths are in metres, angles in radians. A pose is seven numbers, x y z qw qx qy qz.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TypeAlias

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints, ShapeKind
from model_nodes.main_physics.world.xml_file import Element


class Base(StrEnum):
    """Motion of a robot's root link."""

    FIXED = "fixed"
    """The root does not move."""
    FREE = "free"
    """Forces move the root, as any object."""
    FOLLOWED = "followed"
    """The root follows a command, whatever it pushes."""


@dataclass(frozen=True, slots=True)
class JointDrive:
    """The drive that makes a joint follow its command; see `DriveMode`.

    Attributes:
        stiffness: effort per deviation of the position [Nm/rad or N/m]; None: not used in this mode.
        damping: effort per deviation of the velocity [Nms/rad or Ns/m]; None: the engine's, from the moved inertia.
        effort: maximum effort [Nm or N]; None: there is no limit.
        acceleration: rate of change of a commanded velocity [rad/s^2 or m/s^2]; None: not used in this mode.
    """

    mode: DriveMode = DriveMode.FOLLOW
    stiffness: float | None = None
    damping: float | None = None
    effort: float | None = None
    acceleration: float | None = None


FOLLOW = JointDrive()


Pose: TypeAlias = tuple[float, float, float, float, float, float, float]
"""Position [m] and unit quaternion: x y z qw qx qy qz."""
Vector: TypeAlias = tuple[float, float, float]
"""Three components along x, y and z."""
Colour: TypeAlias = tuple[float, float, float, float]

IDENTITY: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""The identity transform."""
GREY: Colour = (0.7, 0.7, 0.7, 1.0)
"""The default colour of a geometry: red, green, blue and opacity."""
DEFAULT_FRICTION = 1.0
"""SDFormat's default friction coefficient."""


@dataclass(frozen=True, slots=True, eq=False)
class Extra:
    """An element of an SDFormat file that the description does not represent; engine `gz` passes it on to Gazebo.

    Attributes:
        place: location of the element, as in notes.
        element: the element, with absolute paths of the files that it refers to.
        pose: pose in the frame of its link, model or world; None: it has none.
        inside: path of its parent element below the owner's element, such as ``axis/limit``.
        scope: name of the nested model to which it belongs; empty: the owner itself.
    """

    place: str
    element: Element
    pose: Pose | None = None
    inside: str = ""
    scope: str = ""

    @property
    def tag(self) -> str:
        """The element's tag."""
        return self.element.tag

    @property
    def label(self) -> str:
        """Tag and name, for notes."""
        name = self.element.attributes.get("name", "")
        return f"<{self.tag}> {name}".rstrip()


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex mesh of at most a few hundred faces.

    Attributes:
        vertices: (n, 3) in metres.
        faces: (m, 3) indices of the vertices, counter-clockwise as seen from outside.
    """

    vertices: Floats
    faces: Ints


@dataclass(frozen=True, slots=True)
class MeshFile:
    """The file of a mesh, and scale factors along its axes."""

    path: Path
    scale: Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Geometry:
    """A shape in its link's frame; sizes as in `ShapeKind`; without `friction` the engine's default is used.

    `name` is its name in the file, unique among the collisions of its link there; empty if it has none.
    """

    kind: ShapeKind
    size: tuple[float, ...] = ()
    pose: Pose = IDENTITY
    rgba: Colour = GREY
    collides: bool = True
    friction: float | None = None
    hull: Hull | None = None
    density: float = 1000.0
    """[kg/m^3]; only used if a link's inertia is computed from its geometries."""
    name: str = ""
    extras: tuple[Extra, ...] = ()
    mesh: MeshFile | None = None
    """The detailed mesh from which `hull` was computed; used for display only."""
    bounce: float | None = None
    """Coefficient of restitution against a rigid surface; None: that of the engine's contacts."""
    touches_over: float = 0.0
    """Width of its contact with the ground [m]; 0: a single point, which does not resist rotation."""


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass [kg], pose of the centre of mass and the axes in the link's frame, inertia about these axes [kg m^2]."""

    mass: float
    pose: Pose = IDENTITY
    inertia: tuple[float, float, float, float, float, float] = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    """ixx, iyy, izz, ixy, ixz, iyz."""


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid part; without `inertial` its inertia is computed from its geometries.

    Attributes:
        name: unique within its body.
        pose: pose in the parent link's frame with all joints at zero; for the root, in the body's frame.
    """

    name: str
    pose: Pose = IDENTITY
    geometries: tuple[Geometry, ...] = ()
    inertial: Inertial | None = None
    extras: tuple[Extra, ...] = ()


class JointKind(StrEnum):
    """The type of a joint; a ball joint rotates freely about its anchor and has no single position."""

    FIXED = "fixed"
    HINGE = "hinge"
    SLIDE = "slide"
    BALL = "ball"


@dataclass(frozen=True, slots=True)
class Mimic:
    """position = multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint that connects the link `child` to the link `parent`.

    Attributes:
        axis: unit vector in the child's frame.
        anchor: a point on the axis, in the child's frame [m].
        lower, upper: limits [rad or m]; None if there are none.
        max_velocity: maximum speed [rad/s or m/s]; None: there is no limit.
        max_effort: maximum torque or force [Nm or N]; None: there is no limit.
        spring: stiffness about position 0 of a robot's passive joint [Nm/rad or N/m]; None: the joint is driven.
        drive: drive of a robot's driven joint.
        whole: name of the joint with several axes that this joint is a part of; empty: it has a single axis.
        apart: whether Gazebo must keep the two links of a fixed joint, because elements of the file refer to both.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    axis: Vector = (0.0, 0.0, 1.0)
    anchor: Vector = (0.0, 0.0, 0.0)
    lower: float | None = None
    upper: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    spring: float | None = None
    max_velocity: float | None = None
    max_effort: float | None = None
    drive: JointDrive = FOLLOW
    whole: str = ""
    apart: bool = False
    extras: tuple[Extra, ...] = ()

    @property
    def resting(self) -> float:
        """The position 0, or the limit nearest to it [rad or m]."""
        lower = -inf if self.lower is None else self.lower
        upper = inf if self.upper is None else self.upper
        return min(max(0.0, lower), upper)


@dataclass(frozen=True, slots=True)
class Body:
    """A model of the world or a robot: a tree of links.

    Attributes:
        name: unique in the world.
        pose: pose of the root link's frame in the world.
        links: links in depth-first order; the first is the root.
        joints: joints in the order of the links; every link but the root is the child of one.
        static: whether the root is fixed to the world.
        robot: whether its joints are driven.
        base: motion of a robot's root; only a fixed one is static.
        one_of_several: whether there are other robots, so that its links and joints have its name as a prefix.
        file: the file from which it was read.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = ()
    pose: Pose = IDENTITY
    static: bool = False
    robot: bool = False
    file: Path | None = None
    extras: tuple[Extra, ...] = ()
    base: Base = Base.FIXED
    one_of_several: bool = False

    @property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints with a position: all except fixed joints and ball joints."""
        return tuple(j for j in self.joints if j.kind in (JointKind.HINGE, JointKind.SLIDE))

    @property
    def ball_joints(self) -> tuple[Joint, ...]:
        """The ball joints."""
        return tuple(j for j in self.joints if j.kind is JointKind.BALL)

    @property
    def rigid(self) -> bool:
        """Whether no link can move relative to another."""
        return all(j.kind is JointKind.FIXED for j in self.joints)

    def all_extras(self) -> Iterator[Extra]:
        """Iterate over the extras of the body and of all its parts."""
        yield from self.extras
        for link in self.links:
            yield from link.extras
            for geometry in link.geometries:
                yield from geometry.extras
        for joint in self.joints:
            yield from joint.extras

    @property
    def driven_joints(self) -> tuple[Joint, ...]:
        """The joints of a robot that are commanded; empty for other bodies."""
        return tuple(j for j in self.moving_joints if self.robot and j.spring is None)


@dataclass(frozen=True, slots=True)
class HandFrame:
    """The frame of a hand, fixed to a link, and the links of the hand.

    `frame`, `members` and `joints` are names in the scene (see `frame_name`), `link` is the robot's own name.
    """

    name: str
    robot: str
    link: str
    frame: str
    offset: Pose
    members: tuple[str, ...]
    joints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class World:
    """Everything that an engine loads; gravity in m/s^2."""

    name: str
    bodies: tuple[Body, ...] = ()
    gravity: Vector = (0.0, 0.0, -9.81)
    hands: tuple[HandFrame, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    extras: tuple[Extra, ...] = ()

    def all_extras(self) -> Iterator[Extra]:
        """Iterate over the extras of the world and of all its bodies."""
        yield from self.extras
        for body in self.bodies:
            yield from body.all_extras()


def frame_name(body: Body, link: str) -> str:
    """Return the scene's name of a link: for a single robot the URDF's name, for the root of a model the model's name.

    Other links of models, and the links of several robots, are called ``model::link``, as in SDFormat.
    """
    if body.robot and not body.one_of_several and link != WORLD:
        return link
    if not body.robot and link == body.links[0].name:
        return body.name
    return f"{body.name}::{link}"


def joint_name(body: Body, joint: Joint) -> str:
    """Return the scene's name of a joint: for a single robot the URDF's name, otherwise ``model::joint``."""
    return joint.name if body.robot and not body.one_of_several else f"{body.name}::{joint.name}"
