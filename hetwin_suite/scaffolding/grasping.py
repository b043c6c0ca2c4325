"""Sampled joint positions of a recording, and the first grasp in it."""

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

MIN_CLOSING = 0.2
"""Minimum closing motion of a hand, as a fraction of its travel."""
FULLY_CLOSED = 0.97
"""Fraction of the travel above which fingers are fully closed; fingers that stop before it have closed on an object."""
SETTLED = 0.9
"""Fraction of a closing motion after which the hand counts as closed."""
MIN_MOTION = 0.05
"""Minimum motion of a finger that counts as a motion, as a fraction of its travel."""


@dataclass(frozen=True, slots=True)
class Grasp:
    """A closing of a hand.

    Attributes:
        hand: name of the hand.
        time_s: time from the start of the recording [s].
        position: position of the grasp frame at that time, x y z in the world frame [m].
        width: remaining distance between sliding fingers [m]; 0 without an object, or for rotating fingers.
    """

    hand: str
    time_s: float
    position: tuple[float, float, float]
    width: float


def first_grasp(
    body: Body, hands: Sequence[FoundHand], motion: Motion, height: float
) -> Grasp | None:
    """Find the first grasp: for each hand its first closing on an object or, if there is none, its first closing.

    Args:
        body: the robot.
        hands: hands with recorded fingers.
        motion: recorded joint positions.
        height: height of the robot's root link in the world frame [m].

    Returns:
        The earliest of these closings; None if no hand closes.
    """
    found: list[Grasp] = []
    for hand in hands:
        closing = _closing(hand, motion)
        if closing is None:
            continue
        sample, fraction = closing
        frame = link_frames(body, motion.at(sample))[hand.link][0]
        x, y, z = frame[:3, :3] @ hand.offset + frame[:3, 3]
        position = (round(float(x), 3), round(float(y), 3), round(float(z) + height, 3))
        width = (1.0 - fraction) * _travel(body, hand)
        found.append(Grasp(hand.name, float(motion.seconds[sample]), position, round(width, 4)))
    return min(found, key=lambda grasp: grasp.time_s, default=None)


def has_motion(hand: FoundHand, ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Whether a recorded finger moves by more than `MIN_MOTION` of its travel.

    Args:
        hand: the hand.
        ranges: joint -> minimum and maximum recorded position [rad or m].
    """
    for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True):
        minimum, maximum = ranges.get(name, (0.0, 0.0))
        if maximum - minimum > MIN_MOTION * abs(closed - opened) > 0.0:
            return True
    return False


def _travel(body: Body, hand: FoundHand) -> float:
    """Return the total travel of the sliding fingers [m]; 0 if all fingers rotate."""
    sliding = {joint.name for joint in body.joints if joint.kind is JointKind.SLIDE}
    pairs = zip(hand.joints, hand.opened, hand.closed, strict=True)
    return sum(abs(closed - opened) for name, opened, closed in pairs if name in sliding)


def _closing(hand: FoundHand, motion: Motion) -> tuple[int, float] | None:
    """Return the sample of the first closing on an object, and its fraction of the travel.

    A closing on an object stops short of the closed position. If there is none, the first closing is returned; None if
    the hand does not close.
    """
    closings = list(_closings(_closing_fractions(hand, motion)))
    on_object = (closing for closing in closings if closing[1] < FULLY_CLOSED)
    return next(on_object, closings[0] if closings else None)


def _closing_fractions(hand: FoundHand, motion: Motion) -> Floats:
    """(n,) mean closing of the recorded fingers, as a fraction of their travel; empty if none was recorded."""
    fractions = [
        (motion.positions[name] - opened) / (closed - opened)
        for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True)
        if name in motion.positions and opened != closed
    ]
    return np.mean(fractions, axis=0) if fractions else np.empty(0)


def _closings(closed: Floats) -> Iterator[tuple[int, float]]:
    """Yield (sample, fraction of the travel) for each closing.

    A closing begins where the fingers are most open, and ends where they open again; its speed does not matter.
    """
    begin = peak = 0
    for sample in range(len(closed)):
        if closed[sample] > closed[peak]:
            peak = sample
        is_last = sample == len(closed) - 1
        if closed[peak] - closed[sample] > MIN_MOTION or is_last:
            end, start = float(closed[peak]), float(closed[begin])
            if end - start > MIN_CLOSING:
                goal = start + SETTLED * (end - start)
                yield begin + int(np.argmax(closed[begin : peak + 1] >= goal)), min(end, 1.0)
            begin = peak = sample
        elif closed[sample] <= closed[begin]:
            begin = peak = sample


RATE = 50.0
"""Samples per second; fewer if there would be more than `MAX_SAMPLES`."""
MAX_SAMPLES = 5000
TOLERANCE = {JointKind.HINGE: 1e-3, JointKind.SLIDE: 1e-4}
"""Accuracy of position sensors, by which a joint may exceed a limit [rad or m]."""
SPEED_TOLERANCE = 0.02
"""Fraction by which a speed may exceed its limit."""


@dataclass(frozen=True, slots=True)
class Motion:
    """Recorded joint positions at evenly spaced times.

    Attributes:
        seconds: (n,) times from the start of the recording [s].
        positions: recorded joint of the robot -> (n,) positions [rad or m].
        notes: notes of the source about the recording.
    """

    seconds: Floats
    positions: Mapping[str, Floats]
    notes: tuple[str, ...] = ()

    def subsampled(self, count: int) -> dict[str, Floats]:
        """Return joint -> (count,) positions at evenly spaced samples, including the first and the last."""
        chosen = np.linspace(0, len(self.seconds) - 1, count).round().astype(int)
        return {joint: values[chosen] for joint, values in self.positions.items()}

    def at(self, sample: int) -> dict[str, Floats]:
        """Return joint -> (1,) position at one sample."""
        return {joint: values[sample : sample + 1] for joint, values in self.positions.items()}

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Joint -> minimum and maximum position [rad or m]."""
        return {j: (float(p.min()), float(p.max())) for j, p in self.positions.items()}


def replay(source: Mapping[str, Any], body: Body) -> Motion:
    """Sample the joint positions of a recording.

    Args:
        source: `source` of a scenario, with an absolute path.
        body: the robot.

    Raises:
        BadInput: if the recording cannot be read.
    """
    recording = open_source(source, robots=[body])
    try:
        notes = [*recording.notes, *_sentences(recording.findings, body)]
        names = [joint.name for joint in body.driven_joints]
        driven = recording.bind(names, round(1e9 / RATE))
        duration_s = (recording.duration_ns or 0) / 1e9
        count = int(np.clip(duration_s * RATE, 2, MAX_SAMPLES))
        seconds = np.linspace(0.0, duration_s, count)
        rows = np.array([recording.motion(round(s * 1e9)).positions for s in seconds])
    finally:
        recording.close()
    positions = {name: rows[:, i] for i, name in enumerate(names) if driven[i]}
    return Motion(seconds, positions, tuple(notes))


def _sentences(findings: Sequence[Finding], body: Body) -> Iterator[str]:
    """Yield a sentence for each finding in the recording; repeated findings share one sentence with a count."""
    units = {j.name: "m" if j.kind is JointKind.SLIDE else "rad" for j in body.moving_joints}
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        texts = (value for value in finding.arguments.values() if isinstance(value, str))
        alike.setdefault((finding.name, *texts), []).append(finding)
    for first, *more in alike.values():
        unit = units.get(str(first.arguments.get("joint")), "rad or m")
        text = concern_text(first.name, {**first.arguments, "unit": unit})
        times = f", and {len(more)} more times" if more else ""
        yield f"{text}, at {first.from_ns / 1e9:.2f} s{times}"


def beyond_limits(body: Body, ranges: Mapping[str, JointRange]) -> Iterator[str]:
    """Yield a sentence for each recorded position or speed beyond the robot's limits.

    Args:
        body: the robot.
        ranges: joint of the robot -> range of its recorded positions and speeds.
    """
    for joint in body.moving_joints:
        if joint.name in ranges:
            yield from _limit_sentences(joint, ranges[joint.name])


def _limit_sentences(joint: Joint, recorded: JointRange) -> Iterator[str]:
    unit = "m" if joint.kind is JointKind.SLIDE else "rad"
    tolerance = TOLERANCE[joint.kind]
    if joint.lower is not None and recorded.lower < joint.lower - tolerance:
        yield _limit_sentence(joint, "position down to", recorded.lower, joint.lower, unit)
    if joint.upper is not None and recorded.upper > joint.upper + tolerance:
        yield _limit_sentence(joint, "position up to", recorded.upper, joint.upper, unit)
    fastest = joint.max_velocity
    if fastest is not None and recorded.speed > fastest * (1.0 + SPEED_TOLERANCE):
        yield _limit_sentence(joint, "speed up to", recorded.speed, fastest, f"{unit}/s")


def _limit_sentence(joint: Joint, what: str, found: float, limit: float, unit: str) -> str:
    return f"{joint.name}: {what} {found:.3g} {unit}, beyond its limit {limit:.3g} {unit}"
