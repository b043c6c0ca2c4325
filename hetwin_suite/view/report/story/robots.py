"""Sentences about each robot and its motion, and about each object."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import qinverse, qmult

from hetwin_core.ensemble.concern_words import ROBOT_HEALTH, TOUCHED
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Slot
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.sentences.catalogue import Piece, listed, pieces, plain, say
from hetwin_core.ensemble.words import happening, subject
from hetwin_core.episodes.derived import Approach
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.story.events import Sentence, is_handling, own_events, thing_of

JOINT_DEVIATION, EFFORT_RESIDUAL = "joint_deviation", "effort_residual"
"""Attributes of a robot that its watcher computes: twin minus recording, measured minus expected effort."""
_WINDOW_S = 0.2
_STILL = 2e-3
"""Maximum change of a standing joint's position within the window [rad or m]."""


class JointMotion(NamedTuple):
    """Motion range of a joint: difference of its largest and smallest position [rad or m]."""

    name: str
    range: float
    slides: bool

    @property
    def words(self) -> str:
        """Description of the motion, by angle or by distance."""
        return say(
            f"robot.{'slid' if self.slides else 'turned'}", joint=self.name, range=self.range
        )


def joint_slot(episode: Episode, robot: str) -> Slot | None:
    """Return the slot of a robot's joint positions; None if there is none of the right size."""
    for name in ("joint_positions", "joint_position"):
        found = episode.layout.find(robot, name)
        if found is not None:
            slot = episode.layout.slots[found]
            fits = slot.attribute.size == len(episode.layout.entity(robot).joints)
            return slot if fits else None
    return None


def joint_motions(episode: Episode, robot: str) -> list[JointMotion]:
    """Return the motions of all joints of a robot, largest first."""
    slot = joint_slot(episode, robot)
    if slot is None:
        return []
    values = episode.attribute(robot, slot.attribute.name)
    links = {e.joint: e for e in episode.layout.of_kind(EntityKind.LINK) if e.owner == robot}
    motions = []
    for name, column in zip(episode.layout.entity(robot).joints, values.T, strict=True):
        size = float(np.nanmax(column) - np.nanmin(column)) if np.isfinite(column).any() else 0.0
        motions.append(JointMotion(name, size, _slides(episode, links.get(name), column)))
    return sorted(motions, key=lambda motion: -motion.range)


def moving_times(episode: Episode, robot: str) -> list[tuple[int, int]]:
    """Return the intervals [ns] in which any joint of a robot moved."""
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
    """Whether a joint is prismatic, judged by its link's displacement and rotation relative to the parent link.

    The rotation alone would not suffice: after a full turn it is zero for a revolute joint, too.
    """
    layout = episode.layout
    if link is None or not (layout.has(link.name, "pose") and layout.has(link.parent, "pose")):
        return False
    ends = [int(np.nanargmin(positions)), int(np.nanargmax(positions))]
    distance = float(positions[ends[1]] - positions[ends[0]])
    first, last = (
        relative_to(episode.pose(link.parent)[i], episode.pose(link.name)[i]) for i in ends
    )
    shift = float(np.linalg.norm(np.asarray(last[:3]) - np.asarray(first[:3])))
    w = abs(float(qmult(qinverse(first[3:7]), last[3:7])[0]))
    angle = 2.0 * math.acos(min(1.0, w))
    return shift > 0.5 * distance and angle < 0.5 * min(distance, math.pi)


_MAX_EVENTS = 8
_MOVED_M = 5e-3
"""Minimum travel of an object that counts as moved [m]."""


def thing_sentences(episode: Episode) -> list[Sentence]:
    """Return sentences about objects with events, by the first event, then about other moved ones, by travel."""
    handled, own = _by_thing(episode)
    sentences = [
        _thing_sentence(thing, handled.get(thing, []), own.get(thing, []))
        for thing in dict.fromkeys([*handled, *own])
    ]
    named = {sentence.about for sentence in sentences}
    objects = [entity.name for entity in episode.layout.of_kind(EntityKind.OBJECT)]
    moved = [(travel(episode, name), name) for name in objects if name not in named]
    return sentences + [
        _motion_sentence(episode, name)
        for distance, name in sorted(moved, reverse=True)
        if distance > _MOVED_M
    ]


def resting_objects(episode: Episode) -> list[str]:
    """Return the names of the objects that did not move."""
    objects = episode.layout.of_kind(EntityKind.OBJECT)
    return [entity.name for entity in objects if travel(episode, entity.name) <= _MOVED_M]


def travel(episode: Episode, entity: str) -> float:
    """Return the diagonal of the bounding box of an entity's positions [m]; 0 without a pose."""
    if not episode.layout.has(entity, "pose"):
        return 0.0
    positions = episode.pose(entity)[:, :3]
    positions = positions[np.isfinite(positions).all(axis=1)]
    return float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0


def _by_thing(episode: Episode) -> tuple[dict[str, list[Event]], dict[str, list[Event]]]:
    handled: dict[str, list[Event]] = {}
    own: dict[str, list[Event]] = {}
    for event in episode.events:
        if is_handling(event):
            handled.setdefault(subject(event) or "", []).append(event)
    for event in own_events(episode):
        thing = thing_of(episode, event)
        if thing is not None:
            own.setdefault(thing, []).append(event)
    return handled, own


def _thing_sentence(thing: str, handled: Sequence[Event], own: Iterable[Event]) -> Sentence:
    found: list[Piece] = []
    if handled:
        parts = [(f"{happening(e)} at ", e.time_ns) for e in handled[:_MAX_EVENTS]]
        found += pieces("thing.handled", happened=listed(parts), more=len(handled) - len(parts))
    observed = _grouped_events(own)
    if observed:
        found += ["; " if handled else ": ", *listed(observed[:_MAX_EVENTS])]
    return Sentence(thing, (*found, "."))


def _grouped_events(events: Iterable[Event]) -> list[tuple[Piece, ...]]:
    """Describe events; events with the same words share one description with their number."""
    times: dict[str, list[int]] = {}
    for event in events:
        times.setdefault(happening(event), []).append(event.time_ns)
    return [
        pieces("thing.observed", happened=words, at=found[0])
        if len(found) == 1
        else pieces("thing.times", happened=words, count=len(found), first=found[0], last=found[-1])
        for words, found in times.items()
    ]


def _motion_sentence(episode: Episode, entity: str) -> Sentence:
    positions = episode.pose(entity)[:, :3]
    from_start = np.linalg.norm(positions - positions[0], axis=1)
    to_end = np.linalg.norm(positions - positions[-1], axis=1)
    first = int(np.argmax(from_start > _MOVED_M))
    last = len(to_end) - 1 - int(np.argmax(to_end[::-1] > _MOVED_M))
    distance = float(from_start[-1])
    name = "thing.moved_by" if distance > _MOVED_M else "thing.came_back"
    begin = int(episode.times[first]) if last > first else None
    return Sentence(
        entity, pieces(name, far=distance, begin=begin, end=int(episode.times[max(first, last)]))
    )


_MAX_JOINTS = 3
_MAX_TOUCHED = 4
_MIN_MOTION = 5e-3
"""Minimum motion of a joint or link that is mentioned [rad or m]."""
_EXACT = 1e-5
"""Deviation below which a twin follows its recording exactly [rad or m]."""
_DROVE_M = 0.02
"""Minimum travel of a base that counts as driving [m]."""
_COARSE = 200
"""Number of samples from which the length of a path is computed."""


def robot_sentences(episode: Episode) -> list[Sentence]:
    """Return a sentence about the motion and the contacts of each robot."""
    return [_sentence(episode, robot) for robot in episode.layout.of_kind(EntityKind.ROBOT)]


def _sentence(episode: Episode, robot: Entity) -> Sentence:
    driven = _base_path(episode, robot)
    times = moving_times(episode, robot.name)
    if not times and not driven:
        return Sentence(robot.name, (*pieces("robot.still"), *_neighbours(episode, robot)))
    clauses = "; ".join([*driven, *_tips(episode, robot), *_joints(episode, robot)])
    duration_s = sum(end - begin for begin, end in times) / 1e9
    between = {"begin": times[0][0], "end": times[-1][1]} if times else {}
    moved = pieces("robot.moved", long=duration_s, **between, clauses=clauses)
    return Sentence(
        robot.name, (*moved, *_deviation_pieces(episode, robot), *_neighbours(episode, robot))
    )


def _deviation_pieces(episode: Episode, robot: Entity) -> tuple[Piece, ...]:
    """Return pieces about the largest deviation from the recording; none without recording, watcher or deviations."""
    if episode.is_commanded or not episode.layout.has(robot.name, JOINT_DEVIATION):
        return ()
    values = np.abs(np.nan_to_num(episode.attribute(robot.name, JOINT_DEVIATION)))
    worst = int(np.argmax(values.max(axis=0)))
    greatest = float(values[:, worst].max())
    if greatest < _EXACT:  # a replay without resistance
        return ()
    sliding = {motion.name for motion in joint_motions(episode, robot.name) if motion.slides}
    name = robot.joints[worst] if len(robot.joints) == values.shape[1] else "a joint"
    if name in sliding:
        return pieces("robot.followed_sliding", shift=greatest, joint=name)
    return pieces("robot.followed", angle=greatest, joint=name)


def _base_path(episode: Episode, robot: Entity) -> list[str]:
    base = next((link.name for link in _links(episode, robot)), None)
    if base is None or travel(episode, base) < _DROVE_M:
        return []
    return [_path("its base", episode.pose(base)[:, :3])]


def _tips(episode: Episode, robot: Entity) -> list[str]:
    """Describe the paths of the hands; without hands, that of the link with the largest travel."""
    hands = [e for e in episode.layout.of_kind(EntityKind.HAND) if e.owner == robot.name]
    tips = [hand.name for hand in hands if travel(episode, hand.name) > _MIN_MOTION]
    if not hands:
        links = [link.name for link in _links(episode, robot)]
        distance = max(links, key=lambda name: travel(episode, name), default="")
        tips = [distance] if distance and travel(episode, distance) > _MIN_MOTION else []
    return [_path(tip, episode.pose(tip)[:, :3]) for tip in tips]


def _joints(episode: Episode, robot: Entity) -> list[str]:
    hands = [e for e in episode.layout.of_kind(EntityKind.HAND) if e.owner == robot.name]
    fingers = {joint for hand in hands for joint in hand.joints}
    motions = [m for m in joint_motions(episode, robot.name) if m.name not in fingers]
    moved = [motion for motion in motions if motion.range > _MIN_MOTION]
    if not moved:
        return []
    words = plain(listed([motion.words for motion in moved[:_MAX_JOINTS]]))
    still = len(motions) - len(moved)
    kept = say("robot.kept_still", still=still, count=len(motions))
    return [words, kept] if still else [words]


def _neighbours(episode: Episode, robot: Entity) -> tuple[Piece, ...]:
    """Return pieces about the objects that the robot touched; if it touched none, about the nearest one."""
    links = {link.name for link in _links(episode, robot)}
    near = {pair: found for pair, found in episode.approaches.items() if pair[1] in links}
    names = list(dict.fromkeys((*_touched(episode, links), *_logged_contacts(near))))
    if names:
        more = [f"{len(names) - _MAX_TOUCHED} more"] if len(names) > _MAX_TOUCHED else []
        return pieces("robot.touched", things=listed([*names[:_MAX_TOUCHED], *more]))
    if not near:
        return ()
    (thing, link), closest = min(near.items(), key=lambda item: item[1])
    return pieces(
        "robot.touched_nothing",
        thing=thing,
        distance=closest.distance,
        link=link,
        time=closest.time_ns,
    )


def _touched(episode: Episode, links: set[str]) -> Iterator[str]:
    """Yield the objects that the robot's links touched in any step, except links of the same robot."""
    for event in episode.events:
        if event.source == ROBOT_HEALTH and event.name == TOUCHED:
            thing = str(event.arguments["object"])
            if event.arguments["link"] in links and thing not in links:
                yield thing


def _logged_contacts(near: Mapping[tuple[str, str], Approach]) -> Iterator[str]:
    """Yield the objects that a link touches in a logged state."""
    return (thing for (thing, _), found in near.items() if found.touching)


def _links(episode: Episode, robot: Entity) -> list[Entity]:
    return [
        link
        for link in episode.layout.of_kind(EntityKind.LINK)
        if link.owner == robot.name and episode.layout.has(link.name, "pose")
    ]


def _path(thing: str, positions: Floats) -> str:
    """Describe a path: its length, start and end."""
    chosen = positions[np.isfinite(positions).all(axis=1)]
    chosen = chosen[:: max(1, len(chosen) // _COARSE)]
    distance = float(np.linalg.norm(np.diff(chosen, axis=0), axis=1).sum())
    begin, end = _coordinates(positions[0]), _coordinates(positions[-1])
    places = f"and back to {end}" if begin == end else f"from {begin} to {end}"
    return say("robot.travelled", thing=thing, far=distance, places=f"{places} m")


def _coordinates(position: Floats) -> str:
    return "(" + ", ".join(f"{round(float(x), 2) + 0.0:.2f}" for x in position) + ")"
