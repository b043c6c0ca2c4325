"""Frames that do not move against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from model_nodes.main_physics.world.description import IDENTITY, Pose
from model_nodes.main_physics.world.transforms import compose, invert


class RigidGroups:
    """Groups of frames; each frame has a pose in the first one of its group.

    Args:
        fixed: parent, child, and the pose of the child in the parent's frame. Of several ways between two frames the
            shortest one counts.
    """

    def __init__(self, fixed: Iterable[tuple[str, str, Pose]]) -> None:
        self._neighbours: dict[str, list[tuple[str, Pose]]] = defaultdict(list)
        for parent, child, pose in fixed:
            self._neighbours[parent].append((child, pose))
            self._neighbours[child].append((parent, invert(pose)))
        self._places: dict[str, tuple[str, Pose]] = {}
        for frame in list(self._neighbours):
            if frame not in self._places:
                self._spread(frame)

    def group(self, frame: str) -> str:
        """Return the first frame of a frame's group."""
        return self._places.get(frame, (frame, IDENTITY))[0]

    def between(self, outer: str, inner: str) -> Pose:
        """Return the pose of `inner` in `outer`, which are in the same group."""
        (_, to_outer), (_, to_inner) = self._place(outer), self._place(inner)
        return compose(invert(to_outer), to_inner)

    def _place(self, frame: str) -> tuple[str, Pose]:
        return self._places.get(frame, (frame, IDENTITY))

    def _spread(self, root: str) -> None:
        self._places[root] = root, IDENTITY
        waiting = [root]
        for frame in waiting:
            _, pose = self._places[frame]
            for neighbour, step in self._neighbours[frame]:
                if neighbour not in self._places:
                    self._places[neighbour] = root, compose(pose, step)
                    waiting.append(neighbour)
