"""Writes a world, with the proxies of its objects, as SDFormat for Gazebo.

Gazebo's engines combine the friction of two bodies by the smaller coefficient.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from hetwin_gazebo.options import GazeboOptions
from hetwin_gazebo.parts import MIN_MASS, MIN_MOMENT, Lump
from hetwin_gazebo.proxies.selection import (
    ProxyKind,
    mask,
    masks,
)
from hetwin_gazebo.sdf_parts import (
    add,
    add_colour,
    add_mesh,
    add_pose,
    add_shape,
    format_numbers,
    path_of,
    split_name,
    write_mesh,
)
from hetwin_gazebo.user_world import IN_EVERY_PROXY, add_extras, add_world_extras
from hetwin_suite.engine import (
    DEFAULT_FRICTION,
    GREY,
    IDENTITY,
    Base,
    Body,
    DriveMode,
    Extra,
    Geometry,
    Inertial,
    Joint,
    JointKind,
    Pose,
    Vector,
    compose_poses,
    frame_name,
)
from hetwin_suite.model import ShapeKind

KINEMATIC_MASS = 1e4
"""Minimum mass of a kinematic object [kg]."""
UNLIMITED = 1e16
_JOINT_TYPES = {
    JointKind.FIXED: "fixed",
    JointKind.HINGE: "revolute",
    JointKind.SLIDE: "prismatic",
    JointKind.BALL: "ball",
}
_PICTURE_INERTIAL = Inertial(1.0)
_HEAVY = Inertial(1e5, IDENTITY, (1e4, 1e4, 1e4, 0.0, 0.0, 0.0))
"""Inertia of a root link that follows a command, too heavy to be disturbed by contacts or the robot's joints."""


class SdfWriter:
    """Builds the SDFormat text; meshes are written to files in a folder."""

    def __init__(
        self,
        name: str,
        gravity: Vector,
        step: float,
        options: GazeboOptions,
        folder: Path,
        contacts: str,
    ) -> None:
        self._folder, self._contacts = folder, contacts
        self._meshes, self._hulls = 0, options.physics == "bullet-featherstone"
        self._sdf = ET.Element("sdf", {"version": "1.9", "xmlns:gz": "http://gazebosim.org/schema"})
        self._world = ET.SubElement(self._sdf, "world", name=name)
        policies = ET.SubElement(self._world, "gz:policies")
        add(policies, "include_server_config_plugins", "false")
        add(policies, "parallel_postupdates", "false")
        add(self._world, "gravity", format_numbers(gravity))
        self._add_physics(step, options)

    def _add_physics(self, step: float, options: GazeboOptions) -> None:
        physics = ET.SubElement(self._world, "physics", name="steps", type="dart")
        add(physics, "max_step_size", repr(step))
        add(physics, "real_time_factor", "0")
        dart = ET.SubElement(physics, "dart")
        add(ET.SubElement(dart, "solver"), "solver_type", options.solver)
        add(dart, "collision_detector", options.collision_detector)
        plugin = _plugin(self._world, "physics", "Physics")
        engine = ET.SubElement(plugin, "engine")
        add(engine, "filename", f"gz-physics-{options.physics}-plugin")
        _plugin(self._world, "contact", "Contact")
        if options.visible:
            _plugin(self._world, "user-commands", "UserCommands")
            _plugin(self._world, "scene-broadcaster", "SceneBroadcaster")

    def add_users(self, extras: Iterable[Extra], options: GazeboOptions) -> None:
        """Add the elements of the user's world that only Gazebo uses, and a light if it has none."""
        add_world_extras(self._world, extras, options)
        if options.visible and self._world.find("light") is None:
            self._add_sun()

    def _add_sun(self) -> None:
        """Add a light, without which a window would be dark."""
        light = ET.SubElement(self._world, "light", name="hetwin_sun", type="directional")
        add(light, "cast_shadows", "true")
        add(light, "diffuse", format_numbers((0.8, 0.8, 0.8, 1.0)))
        add(light, "specular", format_numbers((0.2, 0.2, 0.2, 1.0)))
        add(light, "direction", format_numbers((-0.5, 0.1, -0.9)))

    def text(self) -> str:
        """Return the complete SDFormat document."""
        return ET.tostring(self._sdf, "unicode")

    def add(
        self,
        body: Body,
        parts: Mapping[str, Lump],
        *,
        name: str,
        pose: Iterable[float],
        kind: ProxyKind | None = None,
        index: int = 0,
        displayed: bool = False,
    ) -> None:
        """Add a body or one of an object's proxies.

        Args:
            body: the body to add.
            parts: its `lumps`.
            name: name of the model in Gazebo.
            pose: pose of the root.
            kind: kind of the proxy; None for static bodies and robots.
            index: index of the object or robot, for its bitmask.
            displayed: whether it has visuals.
        """
        model = ET.SubElement(self._world, "model", name=name)
        is_anchored = body.static and not body.rigid
        add(model, "static", "true" if body.static and not is_anchored else "false")
        add_pose(model, pose)
        bits_of = masks(body, index) if kind is None else {}
        links_with_gravity = _links_with_gravity(body)
        joints = {joint.child: joint for joint in body.joints}
        lump_of = {link: lump for lump in parts.values() for link in lump.links}
        poses = {link.name: link.pose for link in body.links}
        root_poses: dict[str, Pose] = {}
        with_user_elements = kind in (None, ProxyKind.PLAIN)
        for root, lump in parts.items():
            is_weightless = kind is ProxyKind.KINEMATIC or root not in links_with_gravity
            if root == body.links[0].name and body.base is Base.FOLLOWED:
                lump = replace(lump, inertials=[_HEAVY])
            models, _ = split_name(root)
            scope = _nested_model(model, models)
            bits = bits_of[frame_name(body, root)] if kind is None else mask(kind, index)
            link = self._add_link(scope, lump, bits, kind, weightless=is_weightless)
            if displayed:
                self._add_visuals(link, lump)
            self._put_extras(link, lump, bits, with_user_elements=with_user_elements)
            joint = joints.get(root)
            if joint is None:
                root_poses[root] = IDENTITY
                continue
            parent = lump_of[joint.parent]
            root_poses[root] = compose_poses(
                root_poses[parent.root], compose_poses(parent.links[joint.parent], poses[root])
            )
            if models:
                add_pose(link, root_poses[root])
            else:
                pose_in_parent = compose_poses(parent.links[joint.parent], poses[root])
                add_pose(link, pose_in_parent, relative_to=path_of(parent.root))
            _add_joint(model, joint, parent.root, driven=joint in body.driven_joints)
        if is_anchored:
            fixed = ET.SubElement(model, "joint", name="to the world", type="fixed")
            add(fixed, "parent", "world")
            add(fixed, "child", path_of(body.links[0].name))
        if with_user_elements:
            for extra in body.extras:
                add_extras(
                    _nested_model(model, tuple(extra.scope.split("::")) if extra.scope else ()),
                    [extra],
                )

    @staticmethod
    def _put_extras(link: ET.Element, lump: Lump, bits: int, *, with_user_elements: bool) -> None:
        extras = [
            e
            for e in lump.extras
            if e.tag in IN_EVERY_PROXY or (with_user_elements and e.tag != "visual")
        ]
        for element in add_extras(link, extras):
            if element.tag == "collision":
                _set_bitmask(element, bits)

    def add_picture(self, name: str, lump: Lump, pose: Iterable[float]) -> None:
        """Add a model that is only displayed, without collisions and mass.

        Args:
            name: name of the model in Gazebo.
            lump: the only displayed part of the body.
            pose: pose of the root.
        """
        model = ET.SubElement(self._world, "model", name=name)
        add_pose(model, pose)
        models, last = split_name(lump.root)
        link = ET.SubElement(_nested_model(model, models), "link", name=last)
        add(link, "gravity", "false")
        _add_inertial(link, Lump(lump.root, inertials=[_PICTURE_INERTIAL]), heavy=False)
        self._add_visuals(link, lump)

    def _add_visuals(self, link: ET.Element, lump: Lump) -> None:
        add_extras(link, [extra for extra in lump.extras if extra.tag == "visual"])
        for i, geometry in enumerate(lump.visuals):
            visual = ET.SubElement(link, "visual", name=f"visual_{i}")
            add_pose(visual, geometry.pose)
            element = ET.SubElement(visual, "geometry")
            if geometry.mesh is None:
                self._add_geometry(element, geometry)
            else:
                add_mesh(element, geometry.mesh.path, geometry.mesh.scale)
            if geometry.mesh is None or geometry.rgba != GREY:  # otherwise the file has colours
                add_colour(visual, geometry.rgba)

    def _add_link(
        self,
        model: ET.Element,
        lump: Lump,
        bits: int,
        kind: ProxyKind | None,
        *,
        weightless: bool,
    ) -> ET.Element:
        link = ET.SubElement(model, "link", name=split_name(lump.root)[1])
        if weightless:
            add(link, "gravity", "false")
        _add_inertial(link, lump, heavy=kind is ProxyKind.KINEMATIC)
        for name, (_, geometry) in zip(lump.collisions, lump.geometries, strict=True):
            if geometry.kind is ShapeKind.PLANE and kind is not None:
                continue
            self._add_collision(link, name, geometry, bits)
        named = [collision.get("name", "") for collision in link.findall("collision")]
        if kind is not None and kind is not ProxyKind.GHOST and named:
            sensor = ET.SubElement(link, "sensor", name="hetwin_touch", type="contact")
            contact = ET.SubElement(sensor, "contact")
            for name in named:
                add(contact, "collision", name)
            add(contact, "topic", self._contacts)
        return link

    def _add_collision(self, link: ET.Element, name: str, geometry: Geometry, bits: int) -> None:
        collision = ET.SubElement(link, "collision", name=name)
        add_pose(collision, geometry.pose)
        self._add_geometry(ET.SubElement(collision, "geometry"), geometry)
        surface = ET.SubElement(collision, "surface")
        friction = ET.SubElement(ET.SubElement(surface, "friction"), "ode")
        mu = DEFAULT_FRICTION if geometry.friction is None else geometry.friction
        add(friction, "mu", repr(mu))
        add(friction, "mu2", repr(mu))
        add(ET.SubElement(surface, "contact"), "collide_bitmask", str(bits))
        add_extras(collision, geometry.extras)

    def _add_geometry(self, parent: ET.Element, geometry: Geometry) -> None:
        if geometry.hull is None:
            add_shape(parent, geometry.kind, geometry.size)
            return
        path = self._folder / f"hull_{self._meshes}.obj"
        self._meshes += 1
        write_mesh(path, geometry.hull.vertices, geometry.hull.faces)
        add_mesh(parent, path, hull=self._hulls)


def _links_with_gravity(body: Body) -> set[str]:
    """Return the links with gravity: in a robot with a fixed or led base, only those suspended by springs."""
    if not body.robot or body.base is Base.FREE:
        return {link.name for link in body.links}
    names: set[str] = set()
    for joint in body.joints:  # in the order of the links, parents first
        if joint.spring is not None or joint.parent in names:
            names.add(joint.child)
    return names


def _add_inertial(link: ET.Element, lump: Lump, *, heavy: bool) -> None:
    total = lump.total_inertial
    factor = max(1.0, KINEMATIC_MASS / total.mass) if heavy else 1.0
    inertial = ET.SubElement(link, "inertial")
    add_pose(inertial, total.pose)
    add(inertial, "mass", repr(max(total.mass * factor, MIN_MASS)))
    inertia = ET.SubElement(inertial, "inertia")
    for key, value in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), total.inertia, strict=True):
        minimum = MIN_MOMENT if key[1] == key[2] else -UNLIMITED
        add(inertia, key, repr(max(value * factor, minimum)))


def _nested_model(model: ET.Element, names: tuple[str, ...]) -> ET.Element:
    """Return a nested model at the pose of its outermost one, created if missing."""
    for name in names:
        found = next((m for m in model.findall("model") if m.get("name") == name), None)
        model = ET.SubElement(model, "model", name=name) if found is None else found
    return model


def _set_bitmask(collision: ET.Element, bits: int) -> None:
    for path in ("surface", "contact"):
        found = collision.find(path)
        collision = ET.SubElement(collision, path) if found is None else found
    for old in collision.findall("collide_bitmask"):
        collision.remove(old)
    add(collision, "collide_bitmask", str(bits))


def _add_joint(model: ET.Element, joint: Joint, parent: str, *, driven: bool) -> None:
    models, name = split_name(joint.name)
    element = ET.SubElement(
        _nested_model(model, models), "joint", name=name, type=_JOINT_TYPES[joint.kind]
    )
    add_pose(element, (*joint.anchor, 1.0, 0.0, 0.0, 0.0))
    add(element, "parent", path_of(parent, models))
    add(element, "child", path_of(joint.child, models))
    if joint.kind in (JointKind.HINGE, JointKind.SLIDE):
        _add_axis(element, joint, driven=driven)
    add_extras(element, joint.extras)


def _add_axis(element: ET.Element, joint: Joint, *, driven: bool) -> None:
    limited = not driven or joint.drive.mode is DriveMode.LIMITED
    lower = joint.lower if limited else None
    upper = joint.upper if limited else None
    axis = ET.SubElement(element, "axis")
    add(axis, "xyz", format_numbers(joint.axis))
    limit = ET.SubElement(axis, "limit")
    add(limit, "lower", repr(-UNLIMITED if lower is None else lower))
    add(limit, "upper", repr(UNLIMITED if upper is None else upper))
    if driven and joint.drive.effort is not None:
        add(limit, "effort", repr(joint.drive.effort))
    if not driven:
        dynamics = ET.SubElement(axis, "dynamics")
        add(dynamics, "damping", repr(joint.damping))
        add(dynamics, "friction", repr(joint.friction))
        if joint.spring is not None:
            add(dynamics, "spring_reference", "0")
            add(dynamics, "spring_stiffness", repr(joint.spring))


def _plugin(parent: ET.Element, file: str, name: str) -> ET.Element:
    return ET.SubElement(
        parent, "plugin", filename=f"gz-sim-{file}-system", name=f"gz::sim::systems::{name}"
    )
