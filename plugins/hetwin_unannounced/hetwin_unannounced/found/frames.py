"""Finds the world poses of frames named in messages, through transforms to frames whose world pose is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_suite.model import WORLD, BadInput, Floats, compose, relative_to, some
from hetwin_suite.robot import read_robot

_SIZE = 13


class Frames:
    """Poses of frames in the world.

    Args:
        known: frame -> its pose (7,) in the world: x y z [m], qw qx qy qz.
    """

    def __init__(self, known: Mapping[str, Sequence[float]]) -> None:
        self._known = {name: _state(pose) for name, pose in known.items()}
        self._neighbours: dict[str, dict[str, Floats]] = {}

    def add(self, parent: str, child: str, pose: Sequence[float]) -> None:
        """Add the pose (7,) of a child frame in its parent; later poses of the same pair are ignored."""
        parent, child = parent.lstrip("/"), child.lstrip("/")
        if child not in self._neighbours.get(parent, {}):
            relative_pose = _state(pose)
            self._neighbours.setdefault(parent, {})[child] = relative_pose
            self._neighbours.setdefault(child, {})[parent] = relative_to(relative_pose, _state())

    def add_transforms(self, message: Any) -> None:
        """Add the transforms of a tf2_msgs/msg/TFMessage, or of any object with its fields."""
        self.add_stamped(message.transforms)

    def add_stamped(self, transforms: Iterable[Any]) -> None:
        """Add geometry_msgs/msg/TransformStamped messages."""
        for transform in transforms:
            position, rotation = transform.transform.translation, transform.transform.rotation
            pose = (
                position.x,
                position.y,
                position.z,
                rotation.w,
                rotation.x,
                rotation.y,
                rotation.z,
            )
            self.add(transform.header.frame_id, transform.child_frame_id, pose)

    def find(self, name: str) -> Floats:
        """Return the state (13,) of a frame in the world: its pose, with zero twist.

        Raises:
            BadInput: if no transforms lead to a frame whose pose is known.
        """
        name = name.lstrip("/") or WORLD
        visited, queue = {name}, [(name, _state())]
        for frame, relative_pose in queue:
            if frame in self._known:
                return compose(self._known[frame], relative_pose)
            for other, neighbour_pose in self._neighbours.get(frame, {}).items():
                if other not in visited:
                    visited.add(other)
                    # `neighbour_pose` is the pose of `other` in `frame`; append the pose of frame `name` in `other`.
                    queue.append(
                        (other, compose(relative_to(neighbour_pose, _state()), relative_pose))
                    )
        raise BadInput(
            "no transform connects this frame to one with a known pose",
            where="frames",
            found=name,
            expected=f"frames: {{{name}: [x, y, z, qw, qx, qy, qz]}}, or transforms to {some([*self._known], 5)}",
        )


def known_frames(
    robots: Sequence[tuple[str, Sequence[float]]], given: Mapping[str, Sequence[float]]
) -> dict[str, Sequence[float]]:
    """Return the world poses of the frame `world`, of the robots' root links, and of the given frames."""
    known: dict[str, Sequence[float]] = {WORLD: _state()[:7].tolist()}
    for urdf, pose in robots:
        known[read_robot(Path(urdf)).links[0]] = pose
    return {**known, **given}


def state_of(message: Any) -> Floats:
    """Return a geometry_msgs/msg/Pose as a state (13,) with zero twist; a zero quaternion counts as the identity."""
    position, rotation = message.position, message.orientation
    state = np.zeros(_SIZE)
    state[:7] = position.x, position.y, position.z, rotation.w, rotation.x, rotation.y, rotation.z
    length = float(np.linalg.norm(state[3:7]))
    state[3:7] = (1.0, 0.0, 0.0, 0.0) if length == 0.0 else state[3:7] / length
    return state


def _state(pose: Sequence[float] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)) -> Floats:
    state = np.zeros(_SIZE)
    state[:7] = pose
    state[3:7] /= np.linalg.norm(state[3:7])
    return state
