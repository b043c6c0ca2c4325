"""Resolves the frames in which SDFormat expresses poses."""

from __future__ import annotations

from dataclasses import dataclass, field

from model_nodes.main_physics.world.description import IDENTITY, Pose
from model_nodes.main_physics.world.sdf.values import read_pose, relative_to
from model_nodes.main_physics.world.transforms import compose, invert
from model_nodes.main_physics.world.xml_file import Element


@dataclass(slots=True)
class _Frame:
    element: Element
    base: str
    pose: Pose


@dataclass(slots=True)
class Frames:
    """Frames of one scope (a world or a model); `root` is the scope's own frame.

    A frame's pose is given in the frame `base`; all are resolved to the scope's frame.
    """

    root: str
    _frames: dict[str, _Frame] = field(default_factory=dict)
    _inner: dict[str, Frames] = field(default_factory=dict)
    _merged: dict[str, Frames] = field(default_factory=dict)
    _resolved: dict[str, Pose] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._resolved[self.root] = IDENTITY

    def add(self, element: Element, name: str, default_base: str) -> None:
        """Add the frame of `element`, placed by its ``<pose>``.

        Raises:
            BadInput: if the scope has a frame of this name.
        """
        if name in self._frames or name == self.root:
            raise element.bad("is the second frame of this name", name, "unique names")
        pose = element.child("pose")
        base = relative_to(pose) or default_base or self.root
        self._frames[name] = _Frame(element, base, read_pose(pose))

    def nest(self, name: str, inner: Frames, offset: Pose, *, merged: bool) -> None:
        """Add the frames of a nested model.

        Args:
            name: of the model, whose frame was added.
            inner: its frames.
            offset: pose of the model in the frame that was added.
            merged: whether the frames have their names here; else they are ``model::frame``.
        """
        (self._merged if merged else self._inner)[name] = inner
        if name in self._frames:
            frame = self._frames[name]
            self._frames[name] = _Frame(frame.element, frame.base, compose(frame.pose, offset))

    def pose(self, name: str, asking: Element) -> Pose:
        """Return a frame's pose in the scope's frame.

        Raises:
            BadInput: if there is no such frame, or the frames form a cycle.
        """
        return self._pose(name, asking, ())

    def relative(self, element: Element, default_base: str = "") -> Pose:
        """Return the pose of an element that is not a frame itself, in the scope's frame."""
        pose = element.child("pose")
        base = relative_to(pose) or default_base or self.root
        return compose(self.pose(base, element), read_pose(pose))

    def _pose(self, name: str, asking: Element, chain: tuple[str, ...]) -> Pose:
        known = self._resolved.get(name)
        if known is not None:
            return known
        if name in chain:
            raise asking.bad("depends on itself", " -> ".join([*chain, name]), "frames in a tree")
        frame = self._frames.get(name)
        if frame is None:
            nested = self._nested(name, asking, chain)
            if nested is not None:
                return nested
            names = ", ".join(sorted([self.root, *self._frames]))
            raise asking.bad("refers to a frame that does not exist", name, f"one of {names}")
        outer = self._pose(frame.base, frame.element, (*chain, name))
        self._resolved[name] = compose(outer, frame.pose)
        return self._resolved[name]

    def _nested(self, name: str, asking: Element, chain: tuple[str, ...]) -> Pose | None:
        """Return the pose of a nested model's frame; None if there is none of this name."""
        model, _, rest = name.partition("::")
        found = [(model, rest, self._inner[model])] if rest and model in self._inner else []
        found += [(m, name, inner) for m, inner in self._merged.items() if inner.has(name)]
        for owner, frame, inner in found:
            outer = self._pose(owner, asking, (*chain, name))
            return compose(outer, inner.pose(frame, asking))
        return None

    def has(self, name: str) -> bool:
        """Whether there is a frame of this name, other than the scope's own."""
        model, _, rest = name.partition("::")
        return (
            name in self._frames
            or (bool(rest) and model in self._inner and self._inner[model].has(rest))
            or any(inner.has(name) for inner in self._merged.values())
        )

    def between(self, outer: str, inner: str, asking: Element) -> Pose:
        """Return the pose of frame `inner` in frame `outer`."""
        return compose(invert(self.pose(outer, asking)), self.pose(inner, asking))
