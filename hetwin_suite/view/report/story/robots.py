"""One sentence for each robot: what it did, even if it handled nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hetwin_core.ensemble.concern_words import ROBOT_HEALTH, TOUCHED
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.sentences.catalogue import Piece, listed, pieces, plain, say
from hetwin_core.episodes.derived import Approach
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.story.joints import JOINT_DEVIATION, joint_motions, moving_times
from hetwin_suite.view.report.story.sentence import Sentence
from hetwin_suite.view.report.story.things import travel

_MOST_JOINTS = 3
_MOST_TOUCHED = 4
_LEAST = 5e-3
"""A joint that went less far [rad or m] is not worth a word."""
_EXACT = 1e-5
"""A deviation [rad or m] that no one sees."""
_DROVE_M = 0.02
_COARSE = 200


def robot_sentences(episode: Episode) -> list[Sentence]:
    """What each robot did."""
    return [_sentence(episode, robot) for robot in episode.layout.of_kind(EntityKind.ROBOT)]


def _sentence(episode: Episode, robot: Entity) -> Sentence:
    driven = _driven(episode, robot)
    times = moving_times(episode, robot.name)
    if not times and not driven:
        return Sentence(robot.name, (*pieces("robot.still"), *_neighbours(episode, robot)))
    clauses = "; ".join([*driven, *_tips(episode, robot), *_joints(episode, robot)])
    long = sum(end - begin for begin, end in times) / 1e9
    between = {"begin": times[0][0], "end": times[-1][1]} if times else {}
    told = pieces("robot.moved", long=long, **between, clauses=clauses)
    return Sentence(robot.name, (*told, *_followed(episode, robot), *_neighbours(episode, robot)))


def _followed(episode: Episode, robot: Entity) -> tuple[Piece, ...]:
    """How well the twin's joints followed the recording, if it did, was watched, and they could be apart."""
    if episode.is_commanded or not episode.layout.has(robot.name, JOINT_DEVIATION):
        return ()
    values = np.abs(np.nan_to_num(episode.attribute(robot.name, JOINT_DEVIATION)))
    worst = int(np.argmax(values.max(axis=0)))
    greatest = float(values[:, worst].max())
    if greatest < _EXACT:  # as a replay does that nothing holds up
        return ()
    sliding = {motion.name for motion in joint_motions(episode, robot.name) if motion.slides}
    name = robot.joints[worst] if len(robot.joints) == values.shape[1] else "a joint"
    if name in sliding:
        return pieces("robot.followed_sliding", shift=greatest, joint=name)
    return pieces("robot.followed", angle=greatest, joint=name)


def _driven(episode: Episode, robot: Entity) -> list[str]:
    base = next((link.name for link in _links(episode, robot)), None)
    if base is None or travel(episode, base) < _DROVE_M:
        return []
    return [_way("its base", episode.pose(base)[:, :3])]


def _tips(episode: Episode, robot: Entity) -> list[str]:
    """Where the hands went; without hands, the link that went farthest."""
    hands = [e for e in episode.layout.of_kind(EntityKind.HAND) if e.owner == robot.name]
    tips = [hand.name for hand in hands if travel(episode, hand.name) > _LEAST]
    if not hands:
        links = [link.name for link in _links(episode, robot)]
        far = max(links, key=lambda name: travel(episode, name), default="")
        tips = [far] if far and travel(episode, far) > _LEAST else []
    return [_way(tip, episode.pose(tip)[:, :3]) for tip in tips]


def _joints(episode: Episode, robot: Entity) -> list[str]:
    hands = [e for e in episode.layout.of_kind(EntityKind.HAND) if e.owner == robot.name]
    fingers = {joint for hand in hands for joint in hand.joints}
    motions = [m for m in joint_motions(episode, robot.name) if m.name not in fingers]
    moved = [motion for motion in motions if motion.range > _LEAST]
    if not moved:
        return []
    words = plain(listed([motion.words for motion in moved[:_MOST_JOINTS]]))
    still = len(motions) - len(moved)
    kept = say("robot.kept_still", still=still, count=len(motions))
    return [words, kept] if still else [words]


def _neighbours(episode: Episode, robot: Entity) -> tuple[Piece, ...]:
    """What the robot touched; else the object that it came nearest to."""
    links = {link.name for link in _links(episode, robot)}
    near = {pair: found for pair, found in episode.approaches.items() if pair[1] in links}
    names = list(dict.fromkeys((*_touched(episode, links), *_inside(near))))
    if names:
        more = [f"{len(names) - _MOST_TOUCHED} more"] if len(names) > _MOST_TOUCHED else []
        return pieces("robot.touched", things=listed([*names[:_MOST_TOUCHED], *more]))
    if not near:
        return ()
    (thing, link), least = min(near.items(), key=lambda item: item[1])
    return pieces(
        "robot.touched_nothing",
        thing=thing,
        distance=least.distance,
        link=link,
        time=least.time_ns,
    )


def _touched(episode: Episode, links: set[str]) -> Iterator[str]:
    """What links touched in any step, but for links of the same robot."""
    for event in episode.events:
        if event.source == ROBOT_HEALTH and event.name == TOUCHED:
            thing = str(event.arguments["object"])
            if event.arguments["link"] in links and thing not in links:
                yield thing


def _inside(near: Mapping[tuple[str, str], Approach]) -> Iterator[str]:
    """The objects that a link touched in a logged state."""
    return (thing for (thing, _), found in near.items() if found.touching)


def _links(episode: Episode, robot: Entity) -> list[Entity]:
    return [
        link
        for link in episode.layout.of_kind(EntityKind.LINK)
        if link.owner == robot.name and episode.layout.has(link.name, "pose")
    ]


def _way(thing: str, positions: Floats) -> str:
    """How long the way of a thing was, and from where to where."""
    chosen = positions[np.isfinite(positions).all(axis=1)]
    chosen = chosen[:: max(1, len(chosen) // _COARSE)]
    far = float(np.linalg.norm(np.diff(chosen, axis=0), axis=1).sum())
    begin, end = _place(positions[0]), _place(positions[-1])
    places = f"and back to {end}" if begin == end else f"from {begin} to {end}"
    return say("robot.travelled", thing=thing, far=far, places=f"{places} m")


def _place(position: Floats) -> str:
    return "(" + ", ".join(f"{round(float(x), 2) + 0.0:.2f}" for x in position) + ")"
