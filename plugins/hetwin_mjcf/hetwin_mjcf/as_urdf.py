"""Converts a compiled MJCF model into elements of a URDF.

Bodies become links with their names and frames. A joint whose axis does not pass through the frame of its body gets a
massless link of its own; so does each of several joints of a body, except the last. Beyond URDF, the result has the
shapes ``ellipsoid`` and ``plane``, joints of type ``ball``, and Gazebo's elements for sensors and friction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import mujoco as mj
import numpy as np
from transforms3d.axangles import axangle2mat
from transforms3d.euler import quat2euler
from transforms3d.quaternions import mat2quat

from hetwin_mjcf.compiled import (
    MIN_MASS,
    compile_mjcf,
    effort_limits,
    mesh_file,
    not_carried_over,
)
from hetwin_mjcf.followers import Followers
from hetwin_suite.engine import IDENTITY, Notes, Pose, compose_poses, inverse_pose, pose_of
from hetwin_suite.engine import XmlElement as Element
from hetwin_suite.model import WORLD

_UNNAMED = "MuJoCo Model"
"""The name that MuJoCo gives a model without one."""
_NON_WORD = re.compile(r"\W+")
_DEFAULT_FRICTION = 1.0
_TOLERANCE = 1e-9
_TYPES = {
    mj.mjtJoint.mjJNT_HINGE: "revolute",
    mj.mjtJoint.mjJNT_SLIDE: "prismatic",
    mj.mjtJoint.mjJNT_BALL: "ball",
    mj.mjtJoint.mjJNT_FREE: "floating",
}


def robot_of_mjcf(file: Path, notes: Notes) -> Element:
    """Read the robot of a file: all bodies with joints or drives; others are left out and noted by name.

    Raises:
        BadInput: if MuJoCo cannot read it.
    """
    model = read_mjcf(file)
    model.notes.copy_to(notes)
    robot = [b for b in model.root_bodies if model.is_articulated(b)] or model.root_bodies
    others = [model.name(b) for b in model.root_bodies if b not in robot]
    others += [model.geom_name(g) for g in model.geoms_of(0)]
    if others:
        notes.add(f"{model.label}: {not_carried_over('object of the scene', others)}")
    return model.as_robot(robot)


@lru_cache(maxsize=32)
def _read(file: Path, _changed_ns: int) -> MjcfModel:
    notes = Notes()
    label = f"robot {file.name}"
    spec, compiled = compile_mjcf(file, notes, label)
    return MjcfModel(file, label, spec, compiled, notes)


def read_mjcf(file: Path) -> MjcfModel:
    """Read a file; notes are in the result.

    Raises:
        BadInput: if MuJoCo cannot read it.
    """
    return _read(file.resolve(), file.stat().st_mtime_ns)


@dataclass(eq=False, slots=True)
class MjcfModel:
    """An MJCF file.

    Attributes:
        file: path of the file.
        label: label of the file in notes.
        spec: specification of MuJoCo.
        m: compiled model of MuJoCo.
        notes: parts that are not carried over.
    """

    file: Path
    label: str
    spec: Any
    m: Any
    notes: Notes
    _efforts: Mapping[int, float] = field(init=False)
    _bodies: Counter[str] = field(init=False)
    _joint_names: Counter[str] = field(init=False)
    _followers: Followers = field(init=False)

    def __post_init__(self) -> None:
        self._bodies = _last_parts(self.m.body(i).name for i in range(self.m.nbody))
        self._joint_names = _last_parts(self.m.joint(i).name for i in range(self.m.njnt))
        efforts: dict[int, float] = {}
        for joint, effort in effort_limits(self.m):
            efforts[joint] = max(effort, efforts.get(joint, 0.0))
        self._efforts = efforts
        self._followers = Followers(self.m, self.joint_name)
        for note in self._followers.notes:
            self.notes.add(f"{self.label}: {note}")
        with_springs = [
            self.joint_name(j) for j in range(self.m.njnt) if self.m.jnt_stiffness[j] > 0
        ]
        if with_springs:
            self.notes.add(f"{self.label}: {not_carried_over('spring of a joint', with_springs)}")

    @property
    def root_bodies(self) -> list[int]:
        """The bodies attached to the world."""
        return [b for b in range(1, self.m.nbody) if self.m.body_parentid[b] == 0]

    @property
    def title(self) -> str:
        """Name of the model, or else of the file."""
        name = self.spec.modelname
        return _NON_WORD.sub("_", self.file.stem if name in ("", _UNNAMED) else name)

    def name(self, body: int) -> str:
        """Return the name of a body."""
        return self._short(self.m.body(body).name, self._bodies) or f"body_{body}"

    def joint_name(self, joint: int) -> str:
        """Return the name of a joint."""
        return (
            self._short(self.m.joint(joint).name, self._joint_names)
            or f"{self.name(int(self.m.jnt_bodyid[joint]))}_joint_{joint}"
        )

    def _short(self, name: str, parts: Mapping[str, int]) -> str:
        """Return the last part of a USD path if it is unique among its kind; else the whole name."""
        last = name.rpartition("/")[2]
        return last if name.startswith("/") and parts[last] == 1 else name

    def geom_name(self, geom: int) -> str:
        """Return the name of a shape."""
        return self.m.geom(geom).name or f"geom_{geom}"

    def geoms_of(self, body: int) -> range:
        """Return the shapes of a body."""
        first = int(self.m.body_geomadr[body])
        return range(first, first + int(self.m.body_geomnum[body]))

    def subtree(self, root: int) -> list[int]:
        """Return a body and all its descendants."""
        return [b for b in range(root, self.m.nbody) if self.m.body_rootid[b] == root]

    def is_articulated(self, root: int) -> bool:
        """Whether it has joints other than a free joint of the whole."""
        return any(
            int(self.m.jnt_type[j]) != mj.mjtJoint.mjJNT_FREE
            for b in self.subtree(root)
            for j in self._joints(b)
        )

    def is_driven(self, root: int) -> bool:
        """Whether any of its joints has a drive."""
        joints = {j for b in self.subtree(root) for j in self._joints(b)}
        kinds = self.m.actuator_trntype == mj.mjtTrn.mjTRN_JOINT
        return not joints.isdisjoint(self.m.actuator_trnid[kinds, 0].tolist())

    def is_free(self, body: int) -> bool:
        """Whether the whole body moves freely."""
        return any(int(self.m.jnt_type[j]) == mj.mjtJoint.mjJNT_FREE for j in self._joints(body))

    def pose(self, body: int) -> Pose:
        """Return the pose of a body in its parent."""
        return pose_of([*self.m.body_pos[body], *self.m.body_quat[body]])

    def as_robot(self, roots: Sequence[int], name: str = "") -> Element:
        """Return ``<robot>`` with these bodies and all their descendants.

        Args:
            roots: bodies attached to the world.
            name: name of the robot; empty for the model's.
        """
        elements: list[Element] = []
        is_root_link = len(roots) == 1 and (
            self.is_free(roots[0])
            or (self.pose(roots[0]) == IDENTITY and not self._joints(roots[0]))
        )
        if not is_root_link:
            elements.append(self._element("link", name=WORLD))
        for root in roots:
            for body in self.subtree(root):
                parent = int(self.m.body_parentid[body])
                if body not in roots or not is_root_link:
                    elements += self._joints_to_parent(body, self.name(parent) if parent else WORLD)
                elements += self._link_elements(body)
        return self._element("robot", elements, name=name or self.title)

    def static_link(self, geom: int) -> Element:
        """Return ``<robot>`` with one link, for one shape of the world itself."""
        link = self._element("link", [self._shape(geom)], name="link")
        return self._element("robot", [link], name=self.geom_name(geom))

    # -------------------------------------------------------------- links

    def _link_elements(self, body: int) -> Iterator[Element]:
        name = self.name(body)
        parts = [self._shape(geom) for geom in self.geoms_of(body) if self._is_known(geom)]
        if self.m.body_mass[body] > 10 * MIN_MASS:
            parts.insert(0, self._inertial(body))
        yield self._element("link", parts, name=name)
        frictions = {
            float(self.m.geom_friction[g, 0]) for g in self.geoms_of(body) if self._collides(g)
        }
        if frictions - {_DEFAULT_FRICTION}:
            mu = self._element("mu1", text=repr(max(frictions)))
            yield self._element("gazebo", [mu], reference=name)
        sensors = [*self._sensors(body)]
        if sensors:
            yield self._element("gazebo", sensors, reference=name)

    def _inertial(self, body: int) -> Element:
        pose = pose_of([*self.m.body_ipos[body], *self.m.body_iquat[body]])
        x, y, z = (repr(float(v)) for v in self.m.body_inertia[body])
        inertia = self._element("inertia", ixx=x, iyy=y, izz=z, ixy="0", ixz="0", iyz="0")
        mass = self._element("mass", value=repr(float(self.m.body_mass[body])))
        return self._element("inertial", [self._origin(pose), mass, inertia])

    def _sensors(self, body: int) -> Iterator[Element]:
        for i in range(self.m.ncam):
            if self.m.cam_bodyid[i] == body:
                yield self._element(
                    "sensor", name=self.m.cam(i).name or f"camera_{i}", type="camera"
                )
        for i in range(self.m.nsensor):
            kind, object_id = int(self.m.sensor_objtype[i]), int(self.m.sensor_objid[i])
            site_body = self.m.site_bodyid[object_id] if kind == mj.mjtObj.mjOBJ_SITE else -1
            if site_body == body:
                name = mj.mjtSensor(int(self.m.sensor_type[i])).name.removeprefix("mjSENS_").lower()
                yield self._element(
                    "sensor", name=self.m.sensor(i).name or f"{name}_{i}", type=name
                )

    # -------------------------------------------------------------- shapes

    def _is_known(self, geom: int) -> bool:
        kind = mj.mjtGeom(int(self.m.geom_type[geom]))
        if kind == mj.mjtGeom.mjGEOM_MESH:
            mesh = self.spec.meshes[int(self.m.geom_dataid[geom])]
            if not mesh.file:
                self.notes.add(
                    f"{self.label}: {not_carried_over('mesh without a file', [mesh.name])}"
                )
            elif np.ptp(mesh.scale) > 0 and abs(mesh.refquat[0]) < 1:
                # MuJoCo rotates it before scaling, which a URDF cannot express.
                self.notes.add(
                    f"{self.label}: {not_carried_over('rotated, unevenly scaled mesh', [mesh.name])}"
                )
                return False
            return bool(mesh.file)
        return kind not in (mj.mjtGeom.mjGEOM_HFIELD, mj.mjtGeom.mjGEOM_SDF)

    def _collides(self, geom: int) -> bool:
        return bool(self.m.geom_contype[geom] or self.m.geom_conaffinity[geom])

    def _shape(self, geom: int) -> Element:
        pose = pose_of([*self.m.geom_pos[geom], *self.m.geom_quat[geom]])
        size = [float(v) for v in self.m.geom_size[geom]]
        shapes: Mapping[int, Callable[[], Element]] = {
            mj.mjtGeom.mjGEOM_BOX: lambda: self._element("box", size=_text(2 * v for v in size)),
            mj.mjtGeom.mjGEOM_SPHERE: lambda: self._element("sphere", radius=repr(size[0])),
            mj.mjtGeom.mjGEOM_ELLIPSOID: lambda: self._element("ellipsoid", size=_text(size)),
            mj.mjtGeom.mjGEOM_PLANE: lambda: self._element(
                "plane", size=_text(2 * v or 1e3 for v in size[:2])
            ),
            mj.mjtGeom.mjGEOM_CYLINDER: lambda: self._round_shape("cylinder", size),
            mj.mjtGeom.mjGEOM_CAPSULE: lambda: self._round_shape("capsule", size),
        }
        kind = int(self.m.geom_type[geom])
        if kind == mj.mjtGeom.mjGEOM_MESH:
            mesh = int(self.m.geom_dataid[geom])
            mesh_spec = self.spec.meshes[mesh]
            scale = _text(float(v) for v in mesh_spec.scale)
            file = mesh_file(self.spec, mesh_spec).resolve()
            shape = self._element("mesh", filename=str(file), scale=scale)
            # MuJoCo moves the vertices to their centre of mass, and shifts the shape by the same vector.
            pose = compose_poses(
                pose, inverse_pose([*self.m.mesh_pos[mesh], *self.m.mesh_quat[mesh]])
            )
            pose = compose_poses(
                pose, inverse_pose([*(mesh_spec.refpos * mesh_spec.scale), *mesh_spec.refquat])
            )
        else:
            shape = shapes[kind]()
        material = int(self.m.geom_matid[geom])
        rgba = self.m.geom_rgba[geom] if material < 0 else self.m.mat_rgba[material]
        colour = self._element("color", rgba=_text(float(round(float(v), 6)) for v in rgba))
        parts = [
            self._origin(pose),
            self._element("geometry", [shape]),
            self._element("material", [colour], name=""),
        ]
        return self._element("collision" if self._collides(geom) else "visual", parts)

    def _round_shape(self, tag: str, size: Sequence[float]) -> Element:
        return self._element(tag, radius=repr(size[0]), length=repr(2 * size[1]))

    # -------------------------------------------------------------- joints

    def _joints(self, body: int) -> range:
        first = int(self.m.body_jntadr[body])
        return range(first, first + int(self.m.body_jntnum[body]))

    def _joints_to_parent(self, body: int, parent: str) -> Iterator[Element]:
        """Yield the joints of a body from the parent outwards, with the links between them."""
        name, pose = self.name(body), self.pose(body)
        joints = self._joints(body)
        if not joints:
            yield self._joint("fixed", f"{name}_fixed", parent, name, pose)
        for joint in joints:
            anchor: Pose = (*map(float, self.m.jnt_pos[joint]), 1.0, 0.0, 0.0, 0.0)  # type: ignore[assignment]
            is_last = joint == joints[-1] and anchor == IDENTITY
            child = name if is_last else f"{name}_by_{self.joint_name(joint)}"
            frame = compose_poses(compose_poses(pose, anchor), self._to_zero(joint))
            yield self._moving_joint(joint, parent, child, frame)
            if not is_last:
                yield self._element("link", name=child)
            parent, pose = child, inverse_pose(anchor)
        if joints and parent != name:
            yield self._joint("fixed", f"{name}_fixed", parent, name, pose)

    def _to_zero(self, joint: int) -> Pose:
        """Return the transform of a joint from its reference position ``ref`` in the file to 0."""
        kind, axis = mj.mjtJoint(int(self.m.jnt_type[joint])), self.m.jnt_axis[joint]
        if kind not in (mj.mjtJoint.mjJNT_HINGE, mj.mjtJoint.mjJNT_SLIDE):
            return IDENTITY
        reference = float(self.m.qpos0[self.m.jnt_qposadr[joint]])
        if abs(reference) < _TOLERANCE:
            return IDENTITY
        if kind == mj.mjtJoint.mjJNT_SLIDE:
            return pose_of([*(-reference * axis), 1.0, 0.0, 0.0, 0.0])
        return pose_of([0.0, 0.0, 0.0, *mat2quat(axangle2mat(axis, -reference))])

    def _moving_joint(self, joint: int, parent: str, child: str, frame: Pose) -> Element:
        kind, name = _TYPES[mj.mjtJoint(int(self.m.jnt_type[joint]))], self.joint_name(joint)
        if kind in ("ball", "floating"):
            return self._joint(kind, name, parent, child, frame)
        parts = [self._element("axis", xyz=_text(float(v) for v in self.m.jnt_axis[joint]))]
        is_limited = bool(self.m.jnt_limited[joint])
        effort: dict[str, Any] = {}
        if joint in self._efforts:
            effort["effort"] = repr(self._efforts[joint])
        if is_limited:
            lower, upper = (repr(float(v)) for v in self.m.jnt_range[joint])
            parts.append(self._element("limit", lower=lower, upper=upper, **effort))
        elif kind == "revolute":
            kind = "continuous"
            parts += [self._element("limit", **effort)] if effort else []
        dof = int(self.m.jnt_dofadr[joint])
        damping, friction = (
            repr(float(values[dof].flat[0]))
            for values in (self.m.dof_damping, self.m.dof_frictionloss)
        )
        parts.append(self._element("dynamics", damping=damping, friction=friction))
        mimic = self._followers.of(joint)
        if mimic is not None:
            leader, multiplier, offset = mimic
            parts.append(
                self._element(
                    "mimic", joint=leader, multiplier=repr(multiplier), offset=repr(offset)
                )
            )
        return self._joint(kind, name, parent, child, frame, parts)

    def _joint(
        self,
        kind: str,
        name: str,
        parent: str,
        child: str,
        pose: Pose,
        parts: Sequence[Element] = (),
    ) -> Element:
        links = [self._element("parent", link=parent), self._element("child", link=child)]
        return self._element("joint", [self._origin(pose), *links, *parts], name=name, type=kind)

    # -------------------------------------------------------------- elements

    def _origin(self, pose: Pose) -> Element:
        rpy = quat2euler(pose[3:], axes="sxyz")
        return self._element("origin", xyz=_text(pose[:3]), rpy=_text(float(v) for v in rpy))

    def _element(
        self, tag: str, children: Sequence[Element] = (), text: str = "", **attributes: str
    ) -> Element:
        return Element(tag, attributes, 1, self.file, text, list(children))


def _last_parts(names: Iterable[str]) -> Counter[str]:
    return Counter(name.rpartition("/")[2] for name in names)


def _text(values: Iterator[float] | Sequence[float]) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
