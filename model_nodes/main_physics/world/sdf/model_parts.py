"""Reads the links, joints and frames of an SDFormat model, including those of nested models."""

from __future__ import annotations

from dataclasses import dataclass, replace

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Extra,
    Geometry,
    Inertial,
    Joint,
    Link,
    Pose,
)
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.frames import (
    Context,
    ExtraCollector,
    Frames,
    in_outer_model,
    read_pose,
    transformed_extras,
    version_of,
)
from model_nodes.main_physics.world.sdf.geometry import GAZEBO_SHAPES, GeometryReader, shape_of
from model_nodes.main_physics.world.sdf.joints import WORLD, JointReader
from model_nodes.main_physics.world.sdf.model_files import (
    KNOWN_IN_INCLUDE,
    given_name,
    included_root,
    only_model,
)
from model_nodes.main_physics.world.transforms import compose, invert, moved_inertial
from model_nodes.main_physics.world.xml_file import Element

MODEL = "__model__"
MAX_INCLUDED = 2000
"""Maximum number of files that are read for nested models, since repeated includes can multiply the content."""
_KNOWN_IN_MODEL = {"pose", "static", "link", "joint", "frame", "self_collide", "include", "model"}
_KNOWN_IN_LINK = {"pose", "inertial", "collision", "visual", "self_collide"}


@dataclass(frozen=True, slots=True)
class ModelParts:
    """The parts of a model; poses are in its frame; parts of nested models are named ``model::part``.

    Attributes:
        links: links with poses, geometries and inertials in the model's frame.
        joints: joints of all links.
        extras: extras of the model and of nested models.
        frames: frames of the model.
        attached: name of each link, and of each frame that is attached to one -> the link.
    """

    links: list[Link]
    joints: list[Joint]
    extras: tuple[Extra, ...]
    frames: Frames
    attached: dict[str, str]


def read_parts(
    element: Element, resources: Resources, context: Context, *, static: bool
) -> ModelParts:
    """Read a model's parts.

    Raises:
        BadInput: if the model is invalid.
    """
    keeper = ExtraCollector(resources)
    frames = _frames(element)
    inner = [
        _read_nested(child, frames, resources, context, static=static)
        for child in element.all("model", "include")
    ]
    reader = _LinkReader(frames, GeometryReader(resources), keeper, static)
    links = [reader.read(e, context) for e in element.all("link")]
    attached = {link.name: link.name for link in links}
    joints: list[Joint] = []
    extras = keeper.unknown(element, _KNOWN_IN_MODEL, context, frames)
    for part in inner:
        outer = part.to_outer(frames.pose(part.frame, part.element))
        links += outer.links
        joints += outer.joints
        extras += outer.extras
        attached |= outer.attached
    _attach(element, attached)
    _read_joints(element, JointReader(frames, attached, keeper), context, links, joints)
    return ModelParts(links, joints, extras, frames, attached)


def _read_joints(
    element: Element,
    reader: JointReader,
    context: Context,
    links: list[Link],
    joints: list[Joint],
) -> None:
    for child in element.all("joint"):
        read, extra_links = reader.read(child, context)
        joints += read
        links += extra_links


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


def _attach(element: Element, attached: dict[str, str]) -> None:
    """Find the link to which each frame is attached; by default it is the canonical link."""
    canonical = element.attributes.get("canonical_link", "").strip()
    canonical = attached.get(canonical) or next(iter(attached.values()), "")
    attached[MODEL] = canonical
    bases = {
        frame.attributes["name"]: frame.attributes.get("attached_to", "").strip() or MODEL
        for frame in element.all("frame")
    }
    bases |= {
        joint.attributes["name"]: joint.need("child").text.strip() for joint in element.all("joint")
    }
    for name in bases:
        base, steps = name, 0
        while base in bases and steps <= len(bases):
            base, steps = bases[base], steps + 1
        if attached.get(base):
            attached.setdefault(name, attached[base])


@dataclass(frozen=True, slots=True)
class _Nested:
    """A nested model; `frame` is the name of its frame in the outer model."""

    element: Element
    name: str
    frame: str
    parts: ModelParts
    merged: bool

    def to_outer(self, pose: Pose) -> ModelParts:
        """Convert the parts to parts of the outer model; `pose` is the model's pose in the outer model's frame."""
        parts = self.parts
        links = [_moved_link(link, pose, self._outer(link.name)) for link in parts.links]
        joints = [
            replace(
                joint,
                name=self._outer(joint.name),
                parent=joint.parent if joint.parent == WORLD else self._outer(joint.parent),
                child=self._outer(joint.child),
            )
            for joint in parts.joints
        ]
        extras = transformed_extras(parts.extras, pose)
        attached = {self._outer(name): self._outer(link) for name, link in parts.attached.items()}
        if self.merged:
            attached.pop(MODEL, None)
        else:
            extras = in_outer_model(extras, self.name)
            attached[self.name] = self._outer(parts.attached.get(MODEL, ""))
        return ModelParts(links, joints, extras, parts.frames, attached)

    def _outer(self, name: str) -> str:
        return name if self.merged else f"{self.name}::{name}"


def _read_nested(
    element: Element, frames: Frames, resources: Resources, context: Context, *, static: bool
) -> _Nested:
    model, merged, offset = element, False, IDENTITY
    extras: tuple[Extra, ...] = ()
    name, placement_frame = element.attributes.get("name", ""), ""
    if element.tag == "include":
        context.notes.included_count += 1
        if context.notes.included_count > MAX_INCLUDED:
            raise element.bad("includes more", expected=f"{MAX_INCLUDED} models in models at most")
        root = included_root(element, resources)
        model = only_model(root)
        extras = ExtraCollector(resources).unknown(element, KNOWN_IN_INCLUDE, context)
        merge = element.attributes.get("merge", "false").strip().lower()
        merged = merge in ("true", "1")
        name = given_name(element) or model.need_attribute("name")
        if element.child("pose") is None:
            offset = read_pose(model.child("pose"))
        chosen = element.child("placement_frame")
        placement_frame = "" if chosen is None else chosen.required_text("a frame")
        resources = resources.beside(root.file.parent)
        context = replace(context, version=version_of(root))
    elif not name:
        element.need_attribute("name")
    try:
        inner_parts = read_parts(model, resources, context.at(f"model {name}"), static=static)
    except RecursionError:
        raise element.bad("is nested too deeply, or in itself") from None
    inner_parts = replace(inner_parts, extras=inner_parts.extras + extras)
    placement_frame = placement_frame or model.attributes.get("placement_frame", "").strip()
    if placement_frame:
        offset = compose(offset, invert(inner_parts.frames.pose(placement_frame, model)))
    frame = f"_merged__{name}" if merged else name
    frames.add(element, frame, "")
    frames.nest(frame, inner_parts.frames, offset, merged=merged)
    return _Nested(element, name, frame, inner_parts, merged)


def _moved_link(link: Link, pose: Pose, name: str) -> Link:
    return Link(
        name,
        compose(pose, link.pose),
        tuple(replace(g, pose=compose(pose, g.pose)) for g in link.geometries),
        None if link.inertial is None else moved_inertial(pose, link.inertial),
        transformed_extras(link.extras, pose),
    )


@dataclass(frozen=True, slots=True)
class _LinkReader:
    """Reads links; all poses are in the model's frame, until `trees_of` converts them to the links' frames."""

    frames: Frames
    geometries: GeometryReader
    keeper: ExtraCollector
    static: bool

    def read(self, element: Element, context: Context) -> Link:
        name = element.attributes["name"]
        context = context.at(f"link {name}")
        extras = self.keeper.unknown(element, _KNOWN_IN_LINK, context, self.frames, name)
        geometries: list[Geometry] = []
        for part in (*element.all("collision"), *element.all("visual")):
            geometry = self.geometries.read(part, self.frames.relative(part, name), context)
            if geometry is not None:
                geometries.append(geometry)
            if part.tag == "visual" or shape_of(part).tag in GAZEBO_SHAPES:
                extras += (self.keeper.keep(part, context, self.frames, name),)
        # The mass of a static body does not matter.
        inertial = Inertial(1.0) if self.static else _read_inertial(element, context)
        if inertial is None and not any(geometry.collides for geometry in geometries):
            context.note("has no shape to compute its mass from; 1 kg and 1 kg m^2 are used")
            inertial = Inertial(1.0)
        extras += self._in_inertial(element, context)
        pose = self.frames.pose(name, element)
        if inertial is not None:
            inertial = moved_inertial(pose, inertial)
        return Link(name, pose, tuple(geometries), inertial, extras)

    def _in_inertial(self, link: Element, context: Context) -> tuple[Extra, ...]:
        inertial = link.child("inertial")
        if inertial is None:
            return ()
        known = {"mass", "inertia", "pose", "density"}
        return self.keeper.unknown(inertial, known, context, inside="inertial")


def _read_inertial(link: Element, context: Context) -> Inertial | None:
    element = link.child("inertial")
    if element is None:
        context.note("has no <inertial>; 1 kg and 1 kg m^2 are used, SDFormat's defaults")
        return Inertial(1.0)
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
