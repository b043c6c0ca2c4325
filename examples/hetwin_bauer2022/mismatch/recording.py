"""Axes of mismatch that change the recording that the twin plays back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hetwin_bauer2022.mismatch.axis import RecordingAxis
from hetwin_bauer2022.mismatch.facts import EpisodeFacts
from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_suite.runs import BadInput


class FingerOffset(RecordingAxis):
    """All finger joints read too open by the level; a negative level makes them read too closed."""

    name = "finger_offset"
    unit = "rad"
    levels = (-0.0349, -0.0175, -0.0087, 0.0, 0.0087, 0.0175, 0.0349)
    lowest, highest = -1.0, 1.0
    hardware = (-0.024, 0.024)
    source = (
        "the DLR-Hand II has a greatest error of 3.7 mm between fingertips after calibration "
        "(17.7 mm before), as one joint of a finger of 155 mm 24 mrad (Tenhumberg et al., 2023, "
        "arXiv:2311.03957)"
    )
    summary = "all finger joints read too open by this angle; below 0: too closed"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Shift the recorded positions of all finger joints towards open."""
        return [
            states.with_offsets(-level * states.values_per_joint(episode.closing))
            for states in recorded
        ]


class FingerNoise(RecordingAxis):
    """Each finger joint reads wrong by its own constant, drawn from a normal distribution."""

    name = "finger_noise"
    unit = "rad"
    levels = (0.0, 0.0044, 0.0087, 0.0175, 0.0349)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.024)
    source = (
        "the DLR-Hand II has a greatest error of 3.7 mm between fingertips after calibration "
        "(17.7 mm before), as one joint of a finger of 155 mm 24 mrad (Tenhumberg et al., 2023, "
        "arXiv:2311.03957)"
    )
    summary = "each finger joint has a constant offset, drawn with this standard deviation"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Add the offsets to the recorded positions."""
        return _with_drawn_offsets(recorded, episode.closing, level, episode.random(self.name))


class ArmOffset(RecordingAxis):
    """Each joint of the arm reads wrong by its own constant, drawn from a normal distribution."""

    name = "arm_offset"
    unit = "rad"
    levels = (0.0, 0.0026, 0.0052, 0.0105, 0.0175)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.0036)
    source = (
        "the humanoid Agile Justin errs by 3.1 mm on average after calibration (21 mm before), "
        "as one joint of an arm of 0.87 m 3.6 mrad (Tenhumberg and Bäuml, 2023, "
        "arXiv:2311.08333)"
    )
    summary = "each joint of the arm has a constant offset, drawn with this standard deviation"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Add the offsets to the recorded positions."""
        return _with_drawn_offsets(recorded, episode.arm_joints, level, episode.random(self.name))


def _with_drawn_offsets(
    recorded: list[JointStates],
    joints: Iterable[str],
    deviation: float,
    random: np.random.Generator,
) -> list[JointStates]:
    """Add an offset to each of these joints, drawn in the order of their names."""
    names = sorted(joints)
    random_values = deviation * random.standard_normal(len(names))
    offsets = dict(zip(names, random_values.tolist(), strict=True))
    return [states.with_offsets(states.values_per_joint(offsets)) for states in recorded]


class EffortOffset(RecordingAxis):
    """The efforts of all finger joints have an offset towards closing; a negative level is towards opening."""

    name = "effort_offset"
    unit = "N m"
    levels = (-0.1, -0.03, 0.0, 0.03, 0.1)
    lowest, highest = -10.0, 10.0
    hardware = (-0.006, 0.006)
    source = (
        "a force sensor for robot fingers errs by 0.05 to 0.07 N on average up to 2 N (El-Azizi "
        "et al., 2024, arXiv:2410.03481), 6 mN m at 85 mm; no figure for joint torques of "
        "fingers was found"
    )
    summary = "all finger joints seem to close with this additional torque; below 0: to open"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Add the offset to the efforts of the finger joints, in the direction in which each closes."""
        return [
            replace(
                states, efforts=states.efforts + level * states.values_per_joint(episode.closing)
            )
            if states.efforts.shape[1]
            else states
            for states in recorded
        ]


class EffortScale(RecordingAxis):
    """The efforts of all finger joints are scaled by a factor."""

    name = "effort_scale"
    unit = "factor"
    none = 1.0
    levels = (0.1, 0.3, 0.6, 1.0, 2.0)
    lowest, highest = 0.001, 1000.0
    hardware = (0.965, 1.035)
    source = (
        "a force sensor for robot fingers errs by 0.05 to 0.07 N on average up to 2 N, 3.5 % of "
        "its range (El-Azizi et al., 2024, arXiv:2410.03481); no figure for joint torques of "
        "fingers was found"
    )
    summary = "the efforts of all finger joints are multiplied by this factor"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Multiply the efforts of the finger joints."""
        fingers = episode.closing
        return [_with_scaled_efforts(states, states.columns(fingers), level) for states in recorded]


def _with_scaled_efforts(states: JointStates, columns: list[int], factor: float) -> JointStates:
    if not states.efforts.shape[1]:
        return states
    factors = np.ones(len(states.names))
    factors[columns] = factor
    return replace(states, efforts=states.efforts * factors)


class EffortsMissing(RecordingAxis):
    """A drawn share of the finger joints has no efforts."""

    name = "efforts_missing"
    unit = "factor"
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 1.0)
    source = (
        "the DLR-Hand II has a torque sensor in each joint (its data sheet), the gripper of "
        "Franka's robots reports no efforts at all (github.com/frankarobotics/franka_ros, issue "
        "334)"
    )
    summary = "this share of the finger joints has no efforts; 1: none has any"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Remove the efforts; if no joint of a message has any left, its field is emptied."""
        fingers = sorted(episode.closing)
        random_values = episode.random(self.name).permutation(fingers)
        missing = set(random_values[: round(level * len(fingers))].tolist())
        return [_without_efforts(states, missing) for states in recorded]


def _without_efforts(states: JointStates, missing: set[str]) -> JointStates:
    columns = states.columns(missing)
    if not columns or not states.efforts.shape[1]:
        return states
    if len(columns) == len(states.names):
        return replace(states, efforts=states.efforts[:, :0])
    efforts = states.efforts.copy()
    efforts[:, columns] = np.nan
    return replace(states, efforts=efforts)


_RATE_TOLERANCE = 1.01
"""Tolerance for a recorded rate below its nominal one."""


class Rate(RecordingAxis):
    """Joint states are thinned out: of each publisher, the last message at or before each due time is kept."""

    name = "rate"
    unit = "Hz"
    none = 100.0
    levels = (15.0, 20.0, 30.0, 50.0, 100.0)
    lowest = 1.0
    hardware = (20.0, 333.0)
    source = (
        "ROS drivers of hands: 20 Hz is the default of robotiq_3f_gripper_control, 333 Hz the "
        "period of 3 ms of AllegroHand (both at docs.ros.org)"
    )
    summary = "rate of joint states; hetwin record has 100"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Keep the last message at or before k / level after each publisher's first one, for k = 0, 1, ..."""
        highest = max(map(_recorded_rate, recorded), default=0.0)
        if level > _RATE_TOLERANCE * highest:
            raise BadInput(
                "the recording has a lower rate",
                where="--mismatch",
                found=f"{self.name}={level:g}",
                expected=f"at most the recorded {highest:.4g} Hz",
            )
        return [states.select_messages(_thinned_indices(states, level)) for states in recorded]


def _recorded_rate(states: JointStates) -> float:
    return 1e9 / float(np.median(np.diff(states.stamps))) if len(states.stamps) > 1 else 0.0


def _thinned_indices(
    states: JointStates, rate: float
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    first, last = int(states.stamps[0]), int(states.stamps[-1])
    count = int((last - first) * rate / 1e9) + 1
    due = first + np.round(np.arange(count) * (1e9 / rate)).astype(np.int64)
    is_outside: np.ndarray[tuple[int], np.dtype[np.int64]] = np.unique(
        np.searchsorted(states.stamps, due, side="right") - 1
    )
    return is_outside


PERIOD_NS = 2_000_000_000
"""Period of the gaps; each one has a gap [ns]."""


class Gaps(RecordingAxis):
    """In every 2 s, all joint states within a gap are missing."""

    name = "gaps"
    unit = "s"
    levels = (0.0, 0.1, 0.3, 0.6, 1.0)
    lowest, highest = 0.0, 1.9
    source = (
        "no measured figure was found; joint states are often published best-effort, which may "
        "lose messages"
    )
    summary = "in every 2 s the joint states are missing for this time, at a drawn start"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Drop the messages stamped within the gaps; the first messages and the last incomplete 2 s stay."""
        if not recorded:
            return recorded
        first = min(int(states.stamps[0]) for states in recorded)
        last = max(int(states.stamps[-1]) for states in recorded)
        length = round(1e9 * level)
        fractions = episode.random(self.name).random((last - first) // PERIOD_NS)
        starts = first + PERIOD_NS * np.arange(len(fractions))
        starts = starts + np.round(fractions * (PERIOD_NS - length)).astype(np.int64)
        return [
            states.select_messages(_outside_gaps(states, starts, length)) for states in recorded
        ]


def _outside_gaps(states: JointStates, starts: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
    since = states.stamps[:, None] - starts
    inside = (since >= 0) & (since < length)
    is_outside: NDArray[np.bool_] = np.logical_not(np.any(inside, axis=1))
    is_outside[0] = True
    return is_outside


class HandLatency(RecordingAxis):
    """The states of the finger joints are stamped and received later than those of the arm."""

    name = "hand_latency"
    unit = "s"
    levels = (0.0, 0.03, 0.06, 0.12, 0.24)
    lowest, highest = 0.0, 10.0
    hardware = (0.0, 0.05)
    source = (
        "a status polled at 20 Hz, the default of robotiq_3f_gripper_control, is up to 50 ms "
        "old; no measurement of a hand beside its arm was found"
    )
    summary = "finger joints are stamped and received this much later than measured"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Delay the finger joints; messages that also have other joints are split."""
        late = round(1e9 * level)
        fingers = episode.closing
        found: list[JointStates] = []
        for states in recorded:
            others = [name for name in states.names if name not in fingers]
            if others:
                found.append(
                    states if len(others) == len(states.names) else states.select_joints(others)
                )
            if len(others) < len(states.names):
                hand = states.select_joints(fingers)
                found.append(
                    replace(hand, stamps=hand.stamps + late, received=hand.received + late)
                )
        return found
