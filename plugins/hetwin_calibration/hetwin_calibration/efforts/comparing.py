"""Comparison of two recordings of a robot, or of a robot and its simulation, by joint and by touch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np

from hetwin_calibration.efforts.carried import TemporaryLoad
from hetwin_calibration.efforts.recordings import CalibratedEfforts
from hetwin_calibration.efforts.split_arm import SplitArm
from hetwin_calibration.efforts.splitting import JOINT_WORDS, OF_JOINT, OF_LOAD
from hetwin_calibration.efforts.touches import Touch, touches_of
from hetwin_suite.command import BadInput

SURE = 3.0
"""Minimum difference that counts as a gap, in standard deviations of the difference."""
NEAR_S = 0.5
"""Maximum time between the starts of touches that are the same [s], each from the start of its recording."""
UNITS = {"lag": "s", "ratio": "", "mass": "kg"}
WORDS = {**JOINT_WORDS, "mass": "payload"}


@dataclass(frozen=True, slots=True)
class Difference:
    """A parameter of a joint, or of the load, in two recordings.

    Attributes:
        joint: name of the joint; for a parameter of the load, the link that carries it.
        name: name of the parameter.
        unit: unit of its values.
        values: values in both recordings; 0 if not claimed.
        sds: standard deviations of the values; 0 if not claimed.
        unknown: whether one of the recordings does not determine the parameter.
    """

    joint: str
    name: str
    unit: str
    values: tuple[float, float]
    sds: tuple[float, float]
    unknown: bool

    @property
    def gap(self) -> float:
        """Second value minus the first."""
        return self.values[1] - self.values[0]

    @property
    def sd(self) -> float:
        """Standard deviation of the gap."""
        return hypot(*self.sds)

    @property
    def is_gap(self) -> bool:
        """Whether the gap is significant."""
        return not self.unknown and abs(self.gap) > SURE * self.sd

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "values": list(self.values),
            "sd": list(self.sds),
            "unit": self.unit,
            "gap": self.gap,
            "gap_sd": self.sd,
            "differs": None if self.unknown else self.is_gap,
        }


@dataclass(frozen=True, slots=True)
class Gap:
    """Differences between two recordings.

    Attributes:
        first, second: calibrations of both recordings.
        differences: all parameters that at least one of the recordings claims.
        left: joint -> RMS of the unexplained efforts in both, and their unit.
        touches: touches of the first and of the second recording.
    """

    first: CalibratedEfforts
    second: CalibratedEfforts
    differences: tuple[Difference, ...]
    left: Mapping[str, tuple[float, float, str]]
    touches: tuple[tuple[Touch, ...], tuple[Touch, ...]]

    @property
    def shared(self) -> list[tuple[Touch, Touch]]:
        """Pairs of touches that are in both recordings."""
        return _pairs(*self.touches)

    def only(self, which: int) -> list[Touch]:
        """Return the touches that are only in the first (0) or the second (1) recording."""
        known = [pair[which] for pair in self.shared]
        return [touch for touch in self.touches[which] if touch not in known]

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        joints: dict[str, dict[str, Any]] = {}
        for difference in self.differences:
            joints.setdefault(difference.joint, {})[difference.name] = difference.to_json()
        for name, (before, after, unit) in self.left.items():
            joints.setdefault(name, {})["unexplained"] = {"rms": [before, after], "unit": unit}
        return {
            "first": str(self.first.recording),
            "second": str(self.second.recording),
            "joints": joints,
            "carried": [
                {link: load.to_json(since) for link, load, since in loads} for loads in self.carried
            ],
            "touches": {
                "both": [[a.to_json(), b.to_json()] for a, b in self.shared],
                "only_first": [touch.to_json() for touch in self.only(0)],
                "only_second": [touch.to_json() for touch in self.only(1)],
            },
        }

    def lines(self) -> Iterator[str]:
        """Return the differences as lines of text."""
        yield f"first: {self.first.recording}; second: {self.second.recording}"
        differing = [difference for difference in self.differences if difference.is_gap]
        for difference in differing:
            a, b = (
                f"{value:.3g} +- {sd:.2g}"
                for value, sd in zip(difference.values, difference.sds, strict=True)
            )
            yield f"{difference.joint}: {WORDS[difference.name]} {a} and {b} {difference.unit}".rstrip()
        if not differing:
            yield "no friction, payload, offset or lag differs significantly"
        for difference in self.differences:
            if difference.unknown:
                yield f"{difference.joint}: {WORDS[difference.name]} is not known in one of them: it moves too little"
        yield from self._phases()

    def _phases(self) -> Iterator[str]:
        """Return the touches and loads as lines of text."""
        for which, name in enumerate(("first", "second")):
            for touch in self.only(which):
                yield f"only the {name} has a {touch.phase} {touch.words}"
        for a, b in self.shared:
            if a.phase is not b.phase:
                yield f"a {a.phase} in the first is a {b.phase} in the second, {b.words}"
        for name, loads in zip(("first", "second"), self.carried, strict=True):
            for link, load, since in loads:
                yield f"the {name} carries {load.words(since)} at {link}"
        count = len(self.shared)
        yield f"{count} {'touch' if count == 1 else 'touches'} in both"

    @property
    def carried(self) -> tuple[list[tuple[str, TemporaryLoad, float]], ...]:
        """Temporary loads of both recordings: the link, the load, and the start of the recording [s]."""
        return tuple(
            [
                (arm.last, arm.carried, arm.begin)
                for arm in recording.arms
                if arm.carried is not None
            ]
            for recording in (self.first, self.second)
        )


def compared(first: CalibratedEfforts, second: CalibratedEfforts) -> Gap:
    """Compare two recordings.

    Raises:
        BadInput: if no arm has the same joints in both, or only one recording has torques.
    """
    pairs = [
        (a, b) for a in first.arms for b in second.arms if a.joints == b.joints and a.last == b.last
    ]
    if not pairs:
        raise BadInput(
            "the recordings have efforts of different joints",
            file=second.recording,
            found=_named(second.arms),
            expected=_named(first.arms),
        )
    for a, b in pairs:
        if a.found.is_torque is not b.found.is_torque:
            raise BadInput(
                "one of the recordings has torques, the other currents",
                file=second.recording,
                found="torques" if b.found.is_torque else "currents",
                expected="the same in both",
            )
    differences = [difference for a, b in pairs for difference in _differences(a, b)]
    residuals = {
        name: (float(a.after[j]), float(b.after[j]), a.unit(j))
        for a, b in pairs
        for j, name in enumerate(a.joints)
        if np.isfinite(a.after[j]) and np.isfinite(b.after[j])
    }
    both = tuple(touches_of(a) for a, _ in pairs), tuple(touches_of(b) for _, b in pairs)
    joined = tuple(tuple(one for of_arm in each for one in of_arm) for each in both)
    return Gap(first, second, tuple(differences), residuals, (joined[0], joined[1]))


def _named(arms: Sequence[SplitArm]) -> str:
    return "; ".join(", ".join(arm.joints) for arm in arms) or "none"


def _differences(a: SplitArm, b: SplitArm) -> Iterator[Difference]:
    keys: list[tuple[str, int | None]] = [
        (name, j) for j in range(len(a.joints)) for name in OF_JOINT
    ]
    for name, joint in [*keys, (OF_LOAD[0], None)]:
        found = [_claimed(arm, name, joint) for arm in (a, b)]
        if not any(found):
            continue
        (one, one_sd), (other, other_sd) = (each or (0.0, 0.0) for each in found)
        unknown = joint is not None and any(name in arm.found.unknown[joint] for arm in (a, b))
        subject = a.last if joint is None else a.joints[joint]
        unit = UNITS[name] if name in UNITS else a.unit_of(name, joint or 0)
        yield Difference(subject, name, unit, (one, other), (one_sd, other_sd), unknown)


def _claimed(arm: SplitArm, name: str, joint: int | None) -> tuple[float, float] | None:
    for claim in arm.claims(joint):
        if claim.name == name:
            return claim.value, claim.sd
    return None


def _pairs(first: Sequence[Touch], second: Sequence[Touch]) -> list[tuple[Touch, Touch]]:
    """Return pairs of touches that start at about the same time; each touch is in at most one pair."""
    rest = list(second)
    found = []
    for touch in first:
        candidates = [one for one in rest if abs(one.begin - touch.begin) <= NEAR_S]
        if candidates:
            best = min(candidates, key=lambda one: abs(one.begin - touch.begin))
            rest.remove(best)
            found.append((touch, best))
    return found
