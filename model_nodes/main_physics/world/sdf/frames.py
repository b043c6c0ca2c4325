"""Poses, versions, frames and unsupported elements of SDFormat files."""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import IDENTITY, Extra, Pose
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import SCHEMES, Resources
from model_nodes.main_physics.world.transforms import compose, from_rpy, invert, pose_of
from model_nodes.main_physics.world.xml_file import Element

OLDEST, NEWEST = (1, 4), (1, 12)


@dataclass(frozen=True, slots=True)
class Context:
    """The location in the world that is being read, the notes, and the file's version."""

    place: str
    notes: Notes
    version: tuple[int, int]

    def at(self, place: str) -> Context:
        """Return the context of a nested location."""
        separator = ": " if ":" not in self.place else ", "
        return Context(f"{self.place}{separator}{place}", self.notes, self.version)

    def note(self, text: str) -> None:
        """Add a note about this location."""
        self.notes.add(f"{self.place}: {text}")

    def leave_out(self, reference: str, error: BadInput) -> None:
        """Add a note that a mesh cannot be used."""
        self.notes.leave_out(self.place.partition(":")[0], reference, error)

    def note_ignored(self, element: Element, known: AbstractSet[str]) -> None:
        """Add a note about every kind of child whose tag is not in `known`."""
        for tag in dict.fromkeys(c.tag for c in element.children if c.tag not in known):
            self.note(f"<{tag}> is not carried over")


def version_of(root: Element) -> tuple[int, int]:
    """Read the version of an ``<sdf>`` element.

    Raises:
        BadInput: if it is malformed or not supported.
    """
    text = root.need_attribute("version")
    expected = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    try:
        major, minor = (int(part) for part in text.split(".")[:2])
    except ValueError:
        raise root.bad("has a version that is not a number", text, expected) from None
    if not OLDEST <= (major, minor) <= NEWEST:
        raise root.bad("has a version that is not supported", text, expected)
    return major, minor


def read_pose(element: Element | None) -> Pose:
    """Read a ``<pose>``; returns the identity if there is none.

    Raises:
        BadInput: if it is not a valid pose.
    """
    if element is None or not element.text.strip():
        return IDENTITY
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = element.numbers(7)
        if qx * qx + qy * qy + qz * qz + qw * qw < 1e-12:
            raise element.bad(
                "has a quaternion of zero norm", [qx, qy, qz, qw], "a unit quaternion"
            )
        return pose_of([x, y, z, qw, qx, qy, qz])
    numbers = element.numbers(6)
    angles = numbers[3:]
    if element.attributes.get("degrees", "false").strip().lower() in ("true", "1"):
        angles = [math.radians(angle) for angle in angles]
    return from_rpy(numbers[:3], angles)


def relative_to(element: Element | None) -> str:
    """Return the frame that a ``<pose>`` refers to; empty if it names none."""
    return "" if element is None else element.attributes.get("relative_to", "").strip()


@dataclass(slots=True)
class _Frame:
    element: Element
    base: str
    pose: Pose


@dataclass(slots=True)
class Frames:
    """Frames of one scope (a world or a model); `root` is the scope's own frame.

    The pose of a frame is given in its frame `base`; all poses are resolved to the scope's frame.
    """

    root: str
    _frames: dict[str, _Frame] = field(default_factory=dict)
    _inner: dict[str, Frames] = field(default_factory=dict)
    _merged: dict[str, Frames] = field(default_factory=dict)
    _resolved: dict[str, Pose] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._resolved[self.root] = IDENTITY

    def add(self, element: Element, name: str, default_base: str) -> None:
        """Add the frame of `element`, with the pose of its ``<pose>``.

        Raises:
            BadInput: if the scope already has a frame of this name.
        """
        if name in self._frames or name == self.root:
            raise element.bad("is the second frame of this name", name, "unique names")
        pose = element.child("pose")
        base = relative_to(pose) or default_base or self.root
        self._frames[name] = _Frame(element, base, read_pose(pose))

    def nest(self, name: str, inner: Frames, offset: Pose, *, merged: bool) -> None:
        """Add the frames of a nested model.

        Args:
            name: name of the model, whose own frame has been added before.
            inner: frames of the model.
            offset: pose of the model in its own frame.
            merged: whether the frames keep their names in this scope; otherwise they are called ``model::frame``.
        """
        (self._merged if merged else self._inner)[name] = inner
        if name in self._frames:
            frame = self._frames[name]
            self._frames[name] = _Frame(frame.element, frame.base, compose(frame.pose, offset))

    def pose(self, name: str, referrer: Element) -> Pose:
        """Return a frame's pose in the scope's frame.

        Raises:
            BadInput: if there is no such frame, or the frames form a cycle.
        """
        return self._pose(name, referrer, ())

    def relative(self, element: Element, default_base: str = "") -> Pose:
        """Return the pose of an element that is not a frame itself, in the scope's frame."""
        pose = element.child("pose")
        base = relative_to(pose) or default_base or self.root
        return compose(self.pose(base, element), read_pose(pose))

    def _pose(self, name: str, referrer: Element, chain: tuple[str, ...]) -> Pose:
        resolved = self._resolved.get(name)
        if resolved is not None:
            return resolved
        if name in chain:
            raise referrer.bad("depends on itself", " -> ".join([*chain, name]), "frames in a tree")
        frame = self._frames.get(name)
        if frame is None:
            nested_pose = self._nested(name, referrer, chain)
            if nested_pose is not None:
                return nested_pose
            names = ", ".join(sorted([self.root, *self._frames]))
            raise referrer.bad("refers to a frame that does not exist", name, f"one of {names}")
        outer = self._pose(frame.base, frame.element, (*chain, name))
        self._resolved[name] = compose(outer, frame.pose)
        return self._resolved[name]

    def _nested(self, name: str, referrer: Element, chain: tuple[str, ...]) -> Pose | None:
        """Return the pose of a nested model's frame; None if there is no such frame."""
        model, _, inner_name = name.partition("::")
        found = (
            [(model, inner_name, self._inner[model])] if inner_name and model in self._inner else []
        )
        found += [(m, name, inner) for m, inner in self._merged.items() if inner.has(name)]
        for owner, frame, inner in found:
            outer = self._pose(owner, referrer, (*chain, name))
            return compose(outer, inner.pose(frame, referrer))
        return None

    def has(self, name: str) -> bool:
        """Whether there is a frame of this name, other than the scope's own frame."""
        model, _, inner_name = name.partition("::")
        return (
            name in self._frames
            or (bool(inner_name) and model in self._inner and self._inner[model].has(inner_name))
            or any(inner.has(name) for inner in self._merged.values())
        )

    def between(self, outer: str, inner: str, referrer: Element) -> Pose:
        """Return the pose of frame `inner` in frame `outer`."""
        return compose(invert(self.pose(outer, referrer)), self.pose(inner, referrer))


_WITH_POSE = {
    "actor",
    "audio_source",
    "collision",
    "light",
    "particle_emitter",
    "projector",
    "sensor",
    "visual",
}
"""Elements that have a pose even without a ``<pose>``."""
_MAX_PATH = 1024


@dataclass(frozen=True, slots=True)
class ExtraCollector:
    """Keeps unsupported elements of one file as `Extra`."""

    resources: Resources

    def unknown(
        self,
        parent: Element,
        known: AbstractSet[str],
        context: Context,
        frames: Frames | None = None,
        base: str = "",
        inside: str = "",
    ) -> tuple[Extra, ...]:
        """Keep every child whose tag is not in `known`.

        Args:
            parent: parent of the children.
            known: tags of supported children.
            context: context of the parent.
            frames: frames that the children's poses refer to; None: the children have no poses.
            base: frame to which poses refer by default; empty for the scope's own frame.
            inside: see `Extra`.
        """
        return tuple(
            self.keep(child, context, frames, base, inside)
            for child in parent.children
            if child.tag not in known
        )

    def keep(
        self,
        element: Element,
        context: Context,
        frames: Frames | None = None,
        base: str = "",
        inside: str = "",
    ) -> Extra:
        """Keep one element; its pose is converted to the scope's frame; for the arguments see `unknown`."""
        has_pose = element.tag in _WITH_POSE or element.child("pose") is not None
        pose = frames.relative(element, base) if frames is not None and has_pose else None
        return Extra(context.place, self._absolute(element, context), pose, inside)

    def _absolute(self, element: Element, context: Context) -> Element:
        """Copy an element, with absolute paths instead of references to files."""
        text = element.text
        if not element.children and text.strip():
            text = self._path(element, context)
        children = [self._absolute(child, context) for child in element.children]
        return replace(element, text=text, children=children, attributes=dict(element.attributes))

    def _path(self, element: Element, context: Context) -> str:
        reference = element.text.strip()
        if reference.startswith(SCHEMES):
            try:
                return str(self.resources.find(reference).absolute())
            except BadInput as error:
                context.note(f"<{element.tag}> {reference} {error.problem}")
                return element.text
        beside = self.resources.base / reference if _is_path(reference) else None
        return str(beside.absolute()) if beside is not None and beside.is_file() else element.text


def _is_path(text: str) -> bool:
    return len(text) < _MAX_PATH and "\n" not in text and bool(Path(text).suffix)


def transformed_extras(extras: tuple[Extra, ...], frame: Pose) -> tuple[Extra, ...]:
    """Transform extras from `frame` to the parent frame of `frame`."""
    return tuple(
        extra if extra.pose is None else replace(extra, pose=compose(frame, extra.pose))
        for extra in extras
    )


def in_outer_model(extras: tuple[Extra, ...], model: str) -> tuple[Extra, ...]:
    """Convert the extras of a nested model to extras of its outer model."""
    return tuple(
        replace(extra, scope=f"{model}::{extra.scope}" if extra.scope else model)
        for extra in extras
    )
