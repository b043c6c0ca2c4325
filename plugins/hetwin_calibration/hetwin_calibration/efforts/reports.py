"""Split of the efforts of a run, from the reports of its main model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.efforts.arm_dynamics import ArmDynamics, arms_of
from hetwin_calibration.efforts.bodies import explained_share
from hetwin_calibration.efforts.fitting import split
from hetwin_calibration.efforts.known import KnownEfforts
from hetwin_calibration.efforts.samples import LOADS, Samples, Speeds, chosen_spans, middle
from hetwin_calibration.efforts.split_arm import SplitArm
from hetwin_suite.engine import JointKind, Notes, parse_xml, read_urdf
from hetwin_suite.model import Floats

DELAY_S = 0.1
"""Age of the efforts in a report [s]."""
_MOST = 250
"""Maximum number of samples of the fit, which limits its time at the end of a run."""
_SPAN = 25
"""Number of consecutive samples in each span of the fit."""
_FLAT = 0.02
"""Minimum range of motion of a joint that is split [rad or m]."""


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports of a run about the joints of a robot; m reports, n joints.

    Attributes:
        times: (m,) stamps of the reports [s].
        positions: (m, n) recorded positions [rad or m]; NaN for joints that are not driven.
        velocities: (m, n) recorded velocities [rad/s or m/s].
        measured, expected: (m, n) efforts `DELAY_S` before the reports [N m or N]; NaN: unknown.
    """

    times: Floats
    positions: Floats
    velocities: Floats
    measured: Floats
    expected: Floats


@dataclass(frozen=True, slots=True)
class RunSplit:
    """The split of an arm's efforts in a run.

    Attributes:
        robot: name of the robot.
        arm: the split.
        limits: (n,) maximum efforts of the joints [N m or N]; infinite if the description has none.
    """

    robot: str
    arm: SplitArm
    limits: Floats


def split_reports(
    robot: str,
    reports: Reports,
    joints: Sequence[str],
    description: str,
    gravity: Floats,
    known: KnownEfforts | None,
) -> list[RunSplit]:
    """Split the efforts of a robot's arms.

    Args:
        robot: name of the robot.
        reports: reports of its joints.
        joints: names of the joints.
        description: text of the robot's URDF.
        gravity: gravity in the frame of the robot's base [m/s^2].
        known: earlier calibration of the efforts; None: there is none.
    """
    efforts = np.isfinite(reports.measured) & np.isfinite(reports.expected)
    has = (efforts & (reports.measured != 0.0)).any(axis=0)
    has &= np.isfinite(reports.positions).all(axis=0)
    has &= np.ptp(np.nan_to_num(reports.positions), axis=0) > _FLAT
    names = [name for name, is_there in zip(joints, has.tolist(), strict=True) if is_there]
    if not names or not description:
        return []
    body = read_urdf(parse_xml(description.encode(), Path("robot.urdf")), Notes())
    described = {joint.name: joint for joint in body.driven_joints}
    found = []
    for own in arms_of(body, names):
        at = [list(joints).index(name) for name in own]
        dynamics = ArmDynamics(body, own, gravity)
        samples = _samples(reports, at)
        if known is not None:
            samples = known.taken_off(samples, own)
        slides = [described[name].kind is JointKind.SLIDE for name in own]
        units = tuple("N" if slide else "N m" for slide in slides)
        limits = np.array([described[name].max_effort or np.inf for name in own])
        found.append(RunSplit(robot, _split(samples, own, units, dynamics), limits))
    return found


def _split(
    samples: Samples, names: Sequence[str], units: tuple[str, ...], dynamics: ArmDynamics
) -> SplitArm:
    fitted = np.zeros(len(samples.times), np.bool_)
    fitted[chosen_spans(len(fitted), _MOST, _SPAN)] = True
    result = split(_with_loads(samples.where(fitted), dynamics), quick=True)
    if result.load.any():
        samples = _with_loads(samples, dynamics)
    held = np.full(len(names), np.nan)
    if np.count_nonzero(~fitted) >= _SPAN:
        others = samples.where(~fitted)
        held = explained_share(result.left(others), result.bodies_left(others))
    return SplitArm(tuple(names), units, dynamics.last, result, held, samples, 0.0)


def _with_loads(samples: Samples, dynamics: ArmDynamics) -> Samples:
    rows = zip(*samples.motion, strict=True)
    return replace(samples, loads=np.array([dynamics.loads(*row) for row in rows]))


def _samples(reports: Reports, at: list[int]) -> Samples:
    """Return the samples of some joints, at the times of their efforts."""
    times = reports.times - DELAY_S
    inside = times >= reports.times[0]
    times = times[inside]

    def earlier(values: Floats) -> Floats:
        columns = [np.interp(times, reports.times, values[:, joint]) for joint in at]
        return np.stack(columns, axis=1)

    positions, velocities = earlier(reports.positions), earlier(reports.velocities)
    accelerations = np.gradient(velocities, times, axis=0)
    spans: NDArray[np.intp] = np.arange(len(times))[:, None]
    return Samples(
        times,
        reports.measured[inside][:, at],
        reports.expected[inside][:, at],
        np.zeros((len(times), len(at), LOADS)),
        np.stack([positions, velocities, accelerations]),
        middle(np.diff(times)),
        spans,
        Speeds(times, velocities),
    )
