"""Reads an SDFormat model into bodies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Geometry,
    Inertial,
    Joint,
    JointKind,
    Link,
    Pose,
)
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.frames import Frames
from model_nodes.main_physics.world.sdf.geometry import GeometryReader
from model_nodes.main_physics.world.sdf.joints import read_joint
from model_nodes.main_physics.world.sdf.trees import trees_of
from model_nodes.main_physics.world.sdf.values import Context
from model_nodes.main_physics.world.transforms import compose, invert, moved_inertial
from model_nodes.main_physics.world.xml_file import Element, truth

MODEL = "__model__"
_KNOWN_IN_MODEL = {"pose", "static", "link", "joint", "frame", "self_collide", "include"}
_KNOWN_IN_LINK = {"pose", "inertial", "collision", "visual", "self_collide"}


@dataclass(frozen=True, slots=True)
class Placement:
    """What an include or the world specifies about a model.

    Attributes:
        name: overrides the model's name if not empty.
        pose: of the model (or of its placement frame) in the world; None: the one in the model.
        static: overrides the model's ``<static>`` if not None.
        frame: the placement frame; empty for the model's own frame.
    """

    name: str = ""
    pose: Pose | None = None
    static: bool | None = None
    frame: str = ""


def read_model(
    element: Element, placement: Placement, resources: Resources, context: Context, file: Path
) -> list[Body]:
    """Read the bodies of a model; one, unless it has several links that no joint connects.

    `placement.pose` must be given unless the model's own pose is in the world's frame.

    Raises:
        BadInput: if the model is invalid.
    """
    name = placement.name or element.need_attribute("name")
    context = context.at(f"model {name}")
    context.note_ignored(element, _KNOWN_IN_MODEL)
    if element.child("include") is not None:
        context.note("<include> inside a model is not carried over")
    links = {e.need_attribute("name"): e for e in element.all("link")}
    if not links:
        raise element.bad("has no links", expected="at least one <link>")
    frames = _frames(element)
    pose = _placed(element, placement, frames)
    joints = [read_joint(e, frames, links, context) for e in element.all("joint")]
    static = placement.static
    if static is None:
        own = element.child("static")
        static = False if own is None else truth(own)
    reader = GeometryReader(resources)
    read = [_read_link(e, frames, reader, context, static) for e in links.values()]
    if static:
        # Nothing in a static model moves, regardless of its joints.
        joints = [Joint(f"fixed_{n}", JointKind.FIXED, read[0].name, n) for n in list(links)[1:]]
    return [
        Body(tree.name, tree.links, tree.joints, compose(pose, tree.pose), tree.static, file=file)
        for tree in trees_of(name, element, read, joints, static)
    ]


def _frames(element: Element) -> Frames:
    frames = Frames(MODEL)
    for link in element.all("link"):
        frames.add(link, link.need_attribute("name"), "")
    for joint in element.all("joint"):
        frames.add(joint, joint.need_attribute("name"), joint.need("child").required_text("a link"))
    for frame in element.all("frame"):
        frames.add(
            frame, frame.need_attribute("name"), frame.attributes.get("attached_to", "").strip()
        )
    return frames


def _placed(element: Element, placement: Placement, frames: Frames) -> Pose:
    pose = placement.pose if placement.pose is not None else IDENTITY
    frame = placement.frame or element.attributes.get("placement_frame", "").strip()
    if not frame:
        return pose
    return compose(pose, invert(frames.pose(frame, element)))


def _read_link(
    element: Element, frames: Frames, reader: GeometryReader, context: Context, static: bool
) -> Link:
    # All poses are in the model's frame; `trees_of` transforms them into the frames of the merged links.
    name = element.attributes["name"]
    context = context.at(f"link {name}")
    context.note_ignored(element, _KNOWN_IN_LINK)
    geometries: list[Geometry] = []
    for tag in ("collision", "visual"):
        for part in element.all(tag):
            geometry = reader.read(part, frames.relative(part, name), context)
            if geometry is not None:
                geometries.append(geometry)
    # A static body needs no mass.
    inertial = Inertial(1.0) if static else _read_inertial(element, context)
    pose = frames.pose(name, element)
    if inertial is not None:
        inertial = moved_inertial(pose, inertial)
    return Link(name, pose, tuple(geometries), inertial)


def _read_inertial(link: Element, context: Context) -> Inertial | None:
    element = link.child("inertial")
    if element is None:
        context.note("has no <inertial>; 1 kg and 1 kg m^2 are used, SDFormat's defaults")
        return Inertial(1.0)
    context.note_ignored(element, {"mass", "inertia", "pose", "density"})
    if element.attributes.get("auto", "false").strip().lower() in ("true", "1"):
        return None
    mass = element.number_in("mass", 1.0)
    if mass <= 0:
        raise element.need("mass").bad("is not positive", mass, "a mass above 0 kg")
    inertia = element.child("inertia")
    values = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    if inertia is not None:
        ixx, iyy, izz = (inertia.number_in(k, 1.0) for k in ("ixx", "iyy", "izz"))
        ixy, ixz, iyz = (inertia.number_in(k, 0.0) for k in ("ixy", "ixz", "iyz"))
        values = (ixx, iyy, izz, ixy, ixz, iyz)
    return Inertial(mass, Frames("").relative(element), values)
