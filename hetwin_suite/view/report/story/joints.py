"""The motion of a robot's joints, as the log has it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import qinverse, qmult

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Slot
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.episode import Episode

JOINT_DEVIATION, EFFORT_RESIDUAL = "joint_deviation", "effort_residual"
"""Attributes of a robot that its watcher computes: twin minus recording, measured minus expected effort."""
_WINDOW_S = 0.2
_STILL = 2e-3
"""A joint that turns by less than this [rad or m] within the window stands still."""


class JointMotion(NamedTuple):
    """How far a joint went: the difference of its largest and smallest position, in rad or m."""

    name: str
    range: float
    slides: bool

    @property
    def words(self) -> str:
        """How far it turned or slid."""
        return say(
            f"robot.{'slid' if self.slides else 'turned'}", joint=self.name, range=self.range
        )


def joint_slot(episode: Episode, robot: str) -> Slot | None:
    """Where the positions of a robot's joints are; None if the scene has none, or as many as it has no names for."""
    for name in ("joint_positions", "joint_position"):
        found = episode.layout.find(robot, name)
        if found is not None:
            slot = episode.layout.slots[found]
            fits = slot.attribute.size == len(episode.layout.entity(robot).joints)
            return slot if fits else None
    return None


def joint_motions(episode: Episode, robot: str) -> list[JointMotion]:
    """All joints of a robot, the one that went farthest first."""
    slot = joint_slot(episode, robot)
    if slot is None:
        return []
    values = episode.attribute(robot, slot.attribute.name)
    links = {e.joint: e for e in episode.layout.of_kind(EntityKind.LINK) if e.owner == robot}
    motions = []
    for name, column in zip(episode.layout.entity(robot).joints, values.T, strict=True):
        far = float(np.nanmax(column) - np.nanmin(column)) if np.isfinite(column).any() else 0.0
        motions.append(JointMotion(name, far, _slides(episode, links.get(name), column)))
    return sorted(motions, key=lambda motion: -motion.range)


def moving_times(episode: Episode, robot: str) -> list[tuple[int, int]]:
    """From when to when [ns] any joint of a robot moved."""
    slot = joint_slot(episode, robot)
    if slot is None or len(episode.times) < 2:
        return []
    values = np.nan_to_num(episode.attribute(robot, slot.attribute.name))
    later = np.searchsorted(episode.times, episode.times + round(_WINDOW_S * 1e9))
    later = np.minimum(later, len(values) - 1)
    moves = np.any(np.abs(values[later] - values) > _STILL, axis=1)
    middles = (episode.times + episode.times[later]) // 2
    edges = np.flatnonzero(np.diff(moves.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    return [(int(middles[begin]), int(middles[end - 1])) for begin, end in edges.tolist()]


def _slides(episode: Episode, link: Entity | None, positions: Floats) -> bool:
    """Whether a joint slides: the link that it moves is shifted against its parent, and not turned, by its whole way.

    The turn alone does not say it: after a full one the link is as it was.
    """
    layout = episode.layout
    if link is None or not (layout.has(link.name, "pose") and layout.has(link.parent, "pose")):
        return False
    ends = [int(np.nanargmin(positions)), int(np.nanargmax(positions))]
    far = float(positions[ends[1]] - positions[ends[0]])
    first, last = (
        relative_to(episode.pose(link.parent)[i], episode.pose(link.name)[i]) for i in ends
    )
    shift = float(np.linalg.norm(np.asarray(last[:3]) - np.asarray(first[:3])))
    w = abs(float(qmult(qinverse(first[3:7]), last[3:7])[0]))
    turn = 2.0 * math.acos(min(1.0, w))
    return shift > 0.5 * far and turn < 0.5 * min(far, math.pi)
