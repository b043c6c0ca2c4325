"""Reads an SDFormat model into bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Extra,
    Joint,
    JointKind,
    Link,
    Pose,
)
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.extras import moved
from model_nodes.main_physics.world.sdf.mentions import mentioned, with_links_apart
from model_nodes.main_physics.world.sdf.model_parts import ModelParts, read_parts
from model_nodes.main_physics.world.sdf.trees import Tree, trees_of
from model_nodes.main_physics.world.sdf.values import Context
from model_nodes.main_physics.world.transforms import compose, invert
from model_nodes.main_physics.world.xml_file import Element, truth


@dataclass(frozen=True, slots=True)
class Placement:
    """What an include or the world specifies about a model.

    Attributes:
        name: overrides the model's name if not empty.
        pose: of the model (or of its placement frame) in the world; None: the one in the model.
        static: overrides the model's ``<static>`` if not None.
        frame: the placement frame; empty for the model's own frame.
        extras: elements that the include adds to the model.
    """

    name: str = ""
    pose: Pose | None = None
    static: bool | None = None
    frame: str = ""
    extras: tuple[Extra, ...] = ()


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
    static = placement.static
    if static is None:
        own = element.child("static")
        static = False if own is None else truth(own)
    parts = read_parts(element, resources, context, static=static)
    if not parts.links:
        if not static:
            raise element.bad("has no links", expected="at least one <link>")
        parts = replace(parts, links=[Link("link")])
    pose = _placed(element, placement, parts)
    joints = parts.joints
    if static:
        # Nothing in a static model moves, regardless of its joints.
        first, *others = [link.name for link in parts.links]
        joints = [Joint(f"fixed_{n}", JointKind.FIXED, first, n) for n in others]
    extras = (*parts.extras, *placement.extras)
    joints = with_links_apart(parts.links, joints, extras)
    trees = trees_of(name, element, parts.links, joints, static)
    return _bodies(trees, extras, pose, file)


def _placed(element: Element, placement: Placement, parts: ModelParts) -> Pose:
    pose = placement.pose if placement.pose is not None else IDENTITY
    frame = placement.frame or element.attributes.get("placement_frame", "").strip()
    if not frame:
        return pose
    return compose(pose, invert(parts.frames.pose(frame, element)))


def _bodies(trees: Sequence[Tree], extras: Sequence[Extra], pose: Pose, file: Path) -> list[Body]:
    """Make the bodies; each of the model's extras is with the tree whose links or joints it mentions."""
    names = [{k.name for k in tree.links} | {j.name for j in tree.joints} for tree in trees]
    owned: list[list[Extra]] = [[] for _ in trees]
    for extra in extras:
        found = mentioned(extra)
        owner = next((i for i, own in enumerate(names) if own & found), 0)
        owned[owner].append(extra)
    return [
        Body(
            tree.name,
            tree.links,
            tree.joints,
            compose(pose, tree.pose),
            tree.static,
            file=file,
            extras=moved(tuple(own), invert(tree.pose)),
        )
        for tree, own in zip(trees, owned, strict=True)
    ]
