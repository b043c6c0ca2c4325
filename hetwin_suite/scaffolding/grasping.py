"""How a recording moves a robot, sampled, and where a hand closes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.concern_words import concern_text
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from hetwin_suite.scaffolding.hands import FoundHand
from hetwin_suite.scaffolding.reach import link_frames
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.recording import JointRange
from model_nodes.main_physics.world.description import Body, Joint, JointKind

LEAST_CLOSING = 0.2
"""A hand closes if it does so by this share of its travel."""
STOPPED_SHORT = 0.97
"""Fingers that close by more than this share have closed on nothing."""
SETTLED = 0.9
LEAST_MOTION = 0.05


@dataclass(frozen=True, slots=True)
class Grasp:
    """A hand closes.

    Attributes:
        hand: its name.
        time_s: when [s].
        place: where its grasp frame is then, x y z in the world [m].
        width: how far fingers that slide stay apart [m]; 0 if they close on nothing, or turn.
    """

    hand: str
    time_s: float
    place: tuple[float, float, float]
    width: float


def first_grasp(
    body: Body, hands: Sequence[FoundHand], motion: Motion, height: float
) -> Grasp | None:
    """Find the first closing of a hand that stopped short of its end; None if no hand closes.

    Args:
        body: the robot.
        hands: whose fingers were recorded.
        motion: how it was recorded.
        height: of the robot's root link [m].
    """
    found: list[Grasp] = []
    for hand in hands:
        closing = _closing(hand, motion)
        if closing is None:
            continue
        sample, share = closing
        frame = link_frames(body, motion.at(sample))[hand.link][0]
        x, y, z = frame[:3, :3] @ hand.offset + frame[:3, 3]
        place = (round(float(x), 3), round(float(y), 3), round(float(z) + height, 3))
        width = (1.0 - share) * _travel(body, hand)
        found.append(Grasp(hand.name, float(motion.seconds[sample]), place, round(width, 4)))
    return min(found, key=lambda grasp: grasp.time_s, default=None)


def moves(hand: FoundHand, ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Whether a recorded finger moves by more than a little of its travel.

    Args:
        hand: the hand.
        ranges: joint -> least and greatest recorded position [rad or m].
    """
    for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True):
        least, greatest = ranges.get(name, (0.0, 0.0))
        if greatest - least > LEAST_MOTION * abs(closed - opened) > 0.0:
            return True
    return False


def _travel(body: Body, hand: FoundHand) -> float:
    """How much nearer to each other fingers that slide come when the hand closes on nothing [m]; 0 if they turn."""
    sliding = {joint.name for joint in body.joints if joint.kind is JointKind.SLIDE}
    pairs = zip(hand.joints, hand.opened, hand.closed, strict=True)
    return sum(abs(closed - opened) for name, opened, closed in pairs if name in sliding)


def _closing(hand: FoundHand, motion: Motion) -> tuple[int, float] | None:
    """The sample at which the fingers have closed on something for the first time, and by which share of their travel.

    That is the first closing that stopped short of its end, or the first one if none did.
    """
    closings = list(_closings(_closed_by(hand, motion)))
    short = (one for one in closings if one[1] < STOPPED_SHORT)
    return next(short, closings[0] if closings else None)


def _closed_by(hand: FoundHand, motion: Motion) -> Floats:
    """(n,) by which share of their travel the recorded fingers are closed, in the mean; empty if none was recorded."""
    shares = [
        (motion.positions[name] - opened) / (closed - opened)
        for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True)
        if name in motion.positions and opened != closed
    ]
    return np.mean(shares, axis=0) if shares else np.empty(0)


def _closings(closed: Floats) -> Iterator[tuple[int, float]]:
    """Yield each closing: from where the fingers are most open until they open again, however slowly."""
    begin = top = 0
    for sample in range(len(closed)):
        if closed[sample] > closed[top]:
            top = sample
        is_last = sample == len(closed) - 1
        if closed[top] - closed[sample] > LEAST_MOTION or is_last:
            most, least = float(closed[top]), float(closed[begin])
            if most - least > LEAST_CLOSING:
                goal = least + SETTLED * (most - least)
                yield begin + int(np.argmax(closed[begin : top + 1] >= goal)), min(most, 1.0)
            begin = top = sample
        elif closed[sample] <= closed[begin]:
            begin = top = sample


RATE = 50.0
"""Samples per second of a recording that is not long."""
MOST_SAMPLES = 5000
TOLERANCE = {JointKind.HINGE: 1e-3, JointKind.SLIDE: 1e-4}
"""A joint may be beyond a limit by so much [rad or m]: sensors are no more exact."""
SPEED_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Motion:
    """The recorded joints at times that are evenly spread over the recording.

    Attributes:
        seconds: (n,) run times [s].
        positions: joint of the robot -> (n,) positions [rad or m]; only those that were recorded.
        notes: of the source about the recording.
    """

    seconds: Floats
    positions: Mapping[str, Floats]
    notes: tuple[str, ...] = ()

    def some(self, count: int) -> dict[str, Floats]:
        """Return joint -> (count,) positions, from the beginning to the end."""
        chosen = np.linspace(0, len(self.seconds) - 1, count).round().astype(int)
        return {joint: values[chosen] for joint, values in self.positions.items()}

    def at(self, sample: int) -> dict[str, Floats]:
        """Return joint -> (1,) position at one of the times."""
        return {joint: values[sample : sample + 1] for joint, values in self.positions.items()}

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Joint -> least and greatest position [rad or m]."""
        return {j: (float(p.min()), float(p.max())) for j, p in self.positions.items()}


def replay(source: Mapping[str, Any], body: Body) -> Motion:
    """Replay a recording.

    Args:
        source: as in the scenario, with an absolute path.
        body: the robot.

    Raises:
        BadInput: if it cannot be replayed.
    """
    opened = open_source(source, robots=[body])
    try:
        notes = [*opened.notes, *_strange(opened.findings, body)]
        names = [joint.name for joint in body.driven_joints]
        driven = opened.bind(names, round(1e9 / RATE))
        duration_s = (opened.duration_ns or 0) / 1e9
        count = int(np.clip(duration_s * RATE, 2, MOST_SAMPLES))
        seconds = np.linspace(0.0, duration_s, count)
        rows = np.array([opened.motion(round(s * 1e9)).positions for s in seconds])
    finally:
        opened.close()
    positions = {name: rows[:, i] for i, name in enumerate(names) if driven[i]}
    return Motion(seconds, positions, tuple(notes))


def _strange(findings: Sequence[Finding], body: Body) -> Iterator[str]:
    """Yield the findings in the recording in words: the first of repeated ones."""
    units = {j.name: "m" if j.kind is JointKind.SLIDE else "rad" for j in body.moving_joints}
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        texts = (value for value in finding.arguments.values() if isinstance(value, str))
        alike.setdefault((finding.name, *texts), []).append(finding)
    for first, *more in alike.values():
        unit = units.get(str(first.arguments.get("joint")), "rad or m")
        text = concern_text(first.name, {**first.arguments, "unit": unit})
        times = f", and {len(more)} times more" if more else ""
        yield f"{text}, at {first.from_ns / 1e9:.2f} s{times}"


def beyond_limits(body: Body, ranges: Mapping[str, JointRange]) -> Iterator[str]:
    """Yield, in words, each joint whose recorded position or speed is beyond the robot's limits.

    Args:
        body: the robot.
        ranges: joint of the robot -> how far and how fast it was recorded to move.
    """
    for joint in body.moving_joints:
        if joint.name in ranges:
            yield from _beyond(joint, ranges[joint.name])


def _beyond(joint: Joint, recorded: JointRange) -> Iterator[str]:
    unit = "m" if joint.kind is JointKind.SLIDE else "rad"
    tolerance = TOLERANCE[joint.kind]
    if joint.lower is not None and recorded.lower < joint.lower - tolerance:
        yield _words(joint, "position down to", recorded.lower, joint.lower, unit)
    if joint.upper is not None and recorded.upper > joint.upper + tolerance:
        yield _words(joint, "position up to", recorded.upper, joint.upper, unit)
    fastest = joint.max_velocity
    if fastest is not None and recorded.speed > fastest * (1.0 + SPEED_TOLERANCE):
        yield _words(joint, "speed up to", recorded.speed, fastest, f"{unit}/s")


def _words(joint: Joint, what: str, found: float, limit: float, unit: str) -> str:
    return f"{joint.name}: {what} {found:.3g} {unit}, beyond its limit {limit:.3g} {unit}"
