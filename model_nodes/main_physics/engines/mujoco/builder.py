"""Builds a MuJoCo model from a world.

MuJoCo uses the larger friction coefficient of two bodies, Gazebo's engines the smaller one. A surface without a
coefficient gets SDFormat's default of 1. A smooth surface, such as a caster's, slides on everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from hetwin_core.ensemble.validation import check
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco.options import (
    BOUNCING_SHARE,
    CONTACTS,
    SMOOTH,
    MujocoOptions,
    bouncing,
)
from model_nodes.main_physics.engines.mujoco.tables import is_yielding, moving_frames
from model_nodes.main_physics.world.description import (
    DEFAULT_FRICTION,
    Base,
    Body,
    Geometry,
    HandFrame,
    Joint,
    JointDrive,
    JointKind,
    Link,
    World,
    frame_name,
    joint_name,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.transforms import principal
from model_nodes.scene_shapes import GEOM_TYPES

TORSIONAL_FRICTION = 0.005
"""Torsional friction of a contact patch of some millimetres [m]; 0 for robots with a free base: wheels would creep."""
SHORTEST_CONTACT_TIME = 0.004
"""Default time constant of contacts [s]; two substeps if that is longer."""

FRAME_SENSORS = (
    mj.mjtSensor.mjSENS_FRAMEPOS,
    mj.mjtSensor.mjSENS_FRAMEQUAT,
    mj.mjtSensor.mjSENS_FRAMELINVEL,
    mj.mjtSensor.mjSENS_FRAMEANGVEL,
)
"""The sensors of a frame, in the order of a pose value."""


_MIN_RANGE = 1e-6
"""Minimum range of a joint [rad or m]: MuJoCo rejects equal limits."""
MAX_SHAPES = 20_000
"""Maximum number of shapes in a world: collision detection needs memory in proportion to its square."""
_MANY_SHAPES, _MEMORY = 500, 2**32
"""Above this number of shapes MuJoCo's own estimate of memory may be too small; unused memory is not allocated."""
_JOINT_TYPES = {
    JointKind.HINGE: mj.mjtJoint.mjJNT_HINGE,
    JointKind.SLIDE: mj.mjtJoint.mjJNT_SLIDE,
    JointKind.BALL: mj.mjtJoint.mjJNT_BALL,
}


def memory_of(spec: mj.MjSpec, usual: int = -1) -> int:
    """The memory to request for a world [bytes]; -1: MuJoCo's own estimate."""
    return _MEMORY if len(spec.geoms) > _MANY_SHAPES else usual


def weld_name(frame: str) -> str:
    """The name of a free body's weld constraint, which is inactive until the body is attached to something."""
    return f"attach {frame}"


class Builder:
    """Builds a `mujoco.MjSpec` body by body.

    Attributes:
        world: the world to build.
        contact_time: time constant of contacts that do not bounce [s].
    """

    def __init__(self, world: World, settings: EngineSettings, notes: Notes) -> None:
        self.world = world
        self._notes = notes
        self._step = settings.period / settings.substeps
        options = check(MujocoOptions, dict(settings.options), "options")
        self._contacts = CONTACTS[options.contacts]
        shortest = max(SHORTEST_CONTACT_TIME, 2 * self._step)
        self.contact_time = settings.contact_time or self._contacts.time_constant or shortest
        self.spec = mj.MjSpec()
        self._set_options(options)
        self._meshes = 0
        for body in world.bodies:
            self.add_body(body)

    def compile(self) -> mj.MjModel:
        """Compile the MuJoCo model of `world`.

        Raises:
            BadInput: if MuJoCo rejects the world.
        """
        self._add_frame_sensors()
        shapes = len(self.spec.geoms)
        if shapes > MAX_SHAPES:
            raise BadInput(
                f"MuJoCo cannot use the world {self.world.name}",
                found=f"{shapes} shapes that collide",
                expected=f"{MAX_SHAPES} at most",
            )
        self.spec.memory = memory_of(self.spec)
        try:
            return self.spec.compile()
        except ValueError as error:
            raise BadInput(
                f"MuJoCo cannot use the world {self.world.name}: {error}",
                file=next((b.file for b in self.world.bodies if b.file), None),
            ) from None

    def add_body(self, body: Body) -> None:
        """Add a body with all its links, hands and joints."""
        root = body.links[0]
        mj_body = self._add_link(self.spec.worldbody, body, root, body.pose, None)
        if not body.static:
            mj_body.add_freejoint(name=f"free {body.name}")
        if not body.static and not body.robot:
            weld = self.spec.add_equality(name=weld_name(mj_body.name), active=False)
            weld.type = mj.mjtEq.mjEQ_WELD
            weld.objtype = mj.mjtObj.mjOBJ_BODY
            weld.name1, weld.name2 = "world", mj_body.name
            weld.solref = [2 * self._step, 1.0]
            weld.solimp[:3] = [0.9999, 0.9999, 0.001]
        by_name = {root.name: mj_body}
        joints = {joint.child: joint for joint in body.joints}
        for link in body.links[1:]:
            joint = joints[link.name]
            by_name[link.name] = self._add_link(by_name[joint.parent], body, link, link.pose, joint)
        if not body.robot or is_yielding(body):
            # As in Gazebo, the links of one model do not collide with each other.
            for first, second in combinations(by_name.values(), 2):
                self.spec.add_exclude(bodyname1=first.name, bodyname2=second.name)
        for hand in self.world.hands if body.robot else ():
            if hand.robot == body.name:
                _add_hand(by_name[hand.link], hand)

    def add(self, body: Body) -> None:
        """Add a body to the world; takes effect with the next `compile`."""
        self.add_body(body)
        self.world = replace(self.world, bodies=(*self.world.bodies, body))

    def remove(self, body: Body) -> None:
        """Remove a body other than a robot from the world; takes effect with the next `compile`."""
        names = {frame_name(body, link.name) for link in body.links}
        for exclude in list(self.spec.excludes):
            if exclude.bodyname1 in names:
                self.spec.delete(exclude)
        root = frame_name(body, body.links[0].name)
        if not body.static:
            self.spec.delete(self.spec.equality(weld_name(root)))
        self.spec.delete(self.spec.body(root))
        self.world = replace(
            self.world, bodies=tuple(other for other in self.world.bodies if other is not body)
        )

    def body(self, name: str) -> Body | None:
        """Return a body of the world by its name, or None."""
        return next((body for body in self.world.bodies if body.name == name), None)

    def move(self, body: Body, pose: Floats) -> None:
        """Move a body to a pose (7,) in the world; takes effect with the next `compile`."""
        x, y, z, *quaternion = pose[:7].tolist()
        root = self.spec.body(frame_name(body, body.links[0].name))
        root.pos, root.quat = (x, y, z), quaternion
        moved = replace(body, pose=(x, y, z, *quaternion))
        bodies = tuple(moved if other is body else other for other in self.world.bodies)
        self.world = replace(self.world, bodies=bodies)

    def drive(self, drives: Mapping[str, JointDrive]) -> list[str]:
        """Change the drives of some joints; returns the frames of the links that these joints move."""
        movable: list[str] = []
        bodies = []
        for body in self.world.bodies:
            names = {joint.name: joint_name(body, joint) for joint in body.joints}
            moved: set[str] = set()
            for joint in body.joints:  # parents come before their children
                if body.robot and (names[joint.name] in drives or joint.parent in moved):
                    moved.add(joint.child)
            joints = [
                replace(joint, drive=drives.get(names[joint.name], joint.drive))
                for joint in body.joints
            ]
            bodies.append(replace(body, joints=tuple(joints)) if moved else body)
            movable += [frame_name(body, link.name) for link in body.links if link.name in moved]
        self.world = replace(self.world, bodies=tuple(bodies))
        return movable

    def _add_frame_sensors(self) -> None:
        # With sensors, MuJoCo itself writes the poses and twists of all moving frames into one array.
        for sensor in list(self.spec.sensors):
            self.spec.delete(sensor)
        for name in moving_frames(self.world):
            for kind in FRAME_SENSORS:
                self.spec.add_sensor(type=kind, objtype=mj.mjtObj.mjOBJ_XBODY, objname=name)

    def _set_options(self, options: MujocoOptions) -> None:
        spec = self.spec
        spec.compiler.fusestatic = False
        spec.compiler.autolimits = False
        spec.compiler.degree = False
        spec.compiler.alignfree = False
        option = spec.option
        option.timestep = self._step
        option.gravity = self.world.gravity
        option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
        option.cone = self._contacts.cone
        option.impratio = self._contacts.impratio
        option.noslip_iterations = self._contacts.noslip_iterations
        option.disableflags |= mj.mjtDisableBit.mjDSBL_AUTORESET
        options.set_on(option)

    def _add_link(
        self, parent: Any, body: Body, link: Link, pose: tuple[float, ...], joint: Joint | None
    ) -> Any:
        mj_body = parent.add_body(name=frame_name(body, link.name), pos=pose[:3], quat=pose[3:])
        moving = joint is not None and joint.kind is not JointKind.FIXED
        if joint is not None and moving:
            _add_joint(mj_body, body, joint)
        self._set_inertia(mj_body, body, link, moving or (joint is None and _needs_mass(body)))
        for geometry in link.geometries:
            if geometry.collides:
                self._add_geometry(mj_body, body, link, geometry)
        return mj_body

    def _set_inertia(self, mj_body: Any, body: Body, link: Link, moving: bool) -> None:
        inertial = link.inertial
        if inertial is None or (inertial.mass == 0 and not moving):
            mj_body.explicitinertial = inertial is not None
            return
        repaired, faults = principal(inertial)
        if faults:
            kind = "robot" if body.robot else "model"
            self._notes.add(f"{kind} {body.name}: link {link.name}: {faults}; repaired")
        mj_body.explicitinertial = True
        mj_body.mass = repaired.mass
        mj_body.ipos, mj_body.iquat = repaired.pose[:3], repaired.pose[3:]
        mj_body.inertia = repaired.inertia[:3]

    def _add_geometry(self, mj_body: Any, body: Body, link: Link, geometry: Geometry) -> None:
        if geometry.kind is ShapeKind.PLANE and not body.static:
            self._notes.add(f"model {body.name}: link {link.name}: a moving plane is left out")
            return
        geom = mj_body.add_geom(
            type=GEOM_TYPES[geometry.kind],
            size=_size(geometry),
            pos=geometry.pose[:3],
            quat=geometry.pose[3:],
            density=geometry.density,
            condim=self._contacts.condim,
            friction=[_friction(geometry), _torsional_friction(body, geometry), 0.0001],
            solref=self._solref(geometry),
        )
        if geometry.bounce is not None:
            geom.solmix = BOUNCING_SHARE
        geom.solimp[:3] = self._contacts.solimp
        geom.priority = int(geometry.friction is not None and geometry.friction <= SMOOTH)
        if geometry.hull is not None:
            mesh = self.spec.add_mesh(name=f"mesh {self._meshes}")
            self._meshes += 1
            mesh.uservert = geometry.hull.vertices.ravel()
            mesh.userface = geometry.hull.faces.ravel()
            mesh.inertia = mj.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            geom.meshname = mesh.name

    def _solref(self, geometry: Geometry) -> list[float]:
        """Return time constant [s] and damping ratio of a surface's contacts."""
        if geometry.bounce is None:
            return [self.contact_time, 1.0]
        return bouncing(geometry.bounce, self.contact_time)


def _friction(geometry: Geometry) -> float:
    return DEFAULT_FRICTION if geometry.friction is None else geometry.friction


def _torsional_friction(body: Body, geometry: Geometry) -> float:
    """Torsional friction [m]; 0 for static bodies and robots with a free base, as MuJoCo uses the larger one of two.

    A uniform contact over a width acts on average at a quarter of the width from the centre of rotation [m].
    """
    if geometry.touches_over:
        return _friction(geometry) * geometry.touches_over / 4.0
    rolls = body.robot and body.base is Base.FREE
    stands = body.static and not body.robot
    return 0.0 if rolls or stands else TORSIONAL_FRICTION


def _needs_mass(body: Body) -> bool:
    """Whether the root link can move and no link with mass is fixed to it."""
    if body.static:
        return False
    links = {link.name: link for link in body.links}
    fixed = (
        links[joint.child].inertial
        for joint in body.joints
        if joint.kind is JointKind.FIXED and joint.parent == body.links[0].name
    )
    return not (body.robot and any(inertial and inertial.mass > 0 for inertial in fixed))


def _add_joint(mj_body: Any, body: Body, joint: Joint) -> None:
    new = mj_body.add_joint(
        name=joint_name(body, joint),
        type=_JOINT_TYPES[joint.kind],
        pos=joint.anchor,
        axis=joint.axis,
    )
    if body.robot and joint.spring is None:
        # A driven joint tracks the recording; limits and friction would only work against it.
        if joint.drive.mode is DriveMode.LIMITED:
            _add_limits(new, joint)
        return
    if joint.spring is not None:
        new.stiffness = [joint.spring, 0.0, 0.0] if np.ndim(new.stiffness) else joint.spring
    new.damping = [joint.damping, 0.0, 0.0] if np.ndim(new.damping) else joint.damping
    new.frictionloss = joint.friction
    _add_limits(new, joint)


def _add_limits(new: Any, joint: Joint) -> None:
    if joint.lower is not None or joint.upper is not None:
        new.limited = True
        lower = -1e6 if joint.lower is None else joint.lower
        upper = 1e6 if joint.upper is None else joint.upper
        new.range = [lower, max(upper, lower + _MIN_RANGE)]


def _add_hand(link: Any, hand: HandFrame) -> None:
    frame = link.add_body(name=hand.name, pos=hand.offset[:3], quat=hand.offset[3:])
    frame.explicitinertial = True


def _size(geometry: Geometry) -> list[float]:
    size = geometry.size
    match geometry.kind:
        case ShapeKind.BOX:
            return [length / 2 for length in size]
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            return [size[0], size[1] / 2, 0.0]
        case ShapeKind.PLANE:
            return [0.0, 0.0, 1.0]
        case ShapeKind.SPHERE:
            return [size[0], 0.0, 0.0]
        case ShapeKind.ELLIPSOID:
            return list(size)
        case ShapeKind.MESH:
            return [0.0, 0.0, 0.0]
