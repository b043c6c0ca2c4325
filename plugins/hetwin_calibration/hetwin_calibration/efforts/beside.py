"""The split of a run's efforts into friction, offsets, a load and touches, after the run.

The run's observer compares efforts with rigid-body dynamics of the description, so that missing friction looks like a
touch at each reversal. Here the efforts of the whole run are split, and a concern about efforts is kept only if the
split's residual also differs from that just before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hetwin_suite.model import EntityKind, Floats, Snapshot, rotation_matrix
from hetwin_suite.runs import (
    BadInput,
    Conductor,
    RunListener,
    RunOptions,
    RunStart,
    RunSummary,
    Scenario,
    Severity,
    concerns_of,
    event_from_summary,
    verdict_of,
)

if TYPE_CHECKING:
    from hetwin_calibration.efforts.known import KnownEfforts
    from hetwin_calibration.efforts.reports import RunSplit
    from hetwin_calibration.efforts.split_arm import SplitArm
    from hetwin_calibration.efforts.touches import Touch
    from hetwin_suite.command import RunFigures

SPLIT = "efforts_split"
"""Name of the summary's event with the split: robots with their joints, and touches."""
CONCERNS = ("unexpected_effort", "unexplained_load")
"""Events of the run's observer that the split may explain."""
NO_FRICTION = "no_friction"
"""Event of the observer: a robot has unexpected efforts, and its description has no friction."""
_JOINTS = "robot_joints"
"""The scene's table of reports: recorded positions and velocities, measured and expected efforts."""
_LARGE = 0.05
"""Minimum RMS residual of a joint for a split, as a share of the largest RMS of any joint's expected efforts."""
_NEVER_NS = 10**18
_PERIOD_NS = 40_000_000
"""Minimum time between stored reports [ns]."""
_FEWEST = 250
"""Minimum number of reports for a split, which are 10 s."""
_SILENT = 50
"""Number of reports without efforts after which recording stops."""
_HALF = 0.5
"""Maximum share of an excursion that remains if the split explains it."""
_SURE = 5.0
"""Minimum residual of an unexplained excursion, in standard deviations."""
_SHARE = 0.12
"""The observer's default limit of a warning, as a share of the joint's maximum effort."""
_TOUCHED = (
    *("touched", "touch_ended", "grasped", "picked_up", "released", "lost", "put_down"),
    *("grip_closed", "grip_lost", "grip_opened", "closed_on_something", "let_go_of_something"),
)
_NEAR_S = 0.5
"""Maximum time between a touch and an event that explains it [s]."""
_PAST_S = 0.7, 0.2
"""Start and end of the reference interval, before an excursion, from which its residual is measured [s]."""
_LASTS_S = 1.0
"""Assumed duration of an event without an end [s]."""


def split_beside(conductor: Conductor, scenario: Scenario, _: RunOptions) -> None:
    """Register a listener that splits the efforts of a run when the run is over.

    Args:
        conductor: conductor of the run, before its models are initialized.
        scenario: scenario of the run; ``robot_health: {efforts: FILE}`` names a calibration of the robot's efforts.
        _: options of the run; not used.

    Raises:
        BadInput: if the calibration cannot be used.
    """
    given = scenario.file.robot_health
    if given is False:
        return
    file = given.get("efforts") if isinstance(given, dict) else None
    known = None
    if file is not None:
        from hetwin_calibration.efforts.known import read_known

        known = read_known(_resolve(str(file), scenario.path.parent))
    scale = given.get("unexpected_effort") if isinstance(given, dict) else None
    share = scale.get("warning", _SHARE) if isinstance(scale, dict) else _SHARE
    conductor.listen(EffortsOfRun(known, math.inf if share is None else float(share)))


def _resolve(file: str, folder: Path) -> Path:
    path = Path(file).expanduser()
    near = [path] if path.is_absolute() else [folder / path, folder.parent / path, path]
    return next((one for one in near if one.exists()), near[0])


@dataclass(frozen=True, slots=True)
class _Robot:
    name: str
    joints: tuple[str, ...]
    description: str
    gravity: Any


class EffortsOfRun(RunListener):
    """Stores the reports of a run, and splits their efforts when the run is over.

    Args:
        known: earlier calibration of the robot's efforts; None: there is none.
        share: minimum effort of a touch that is a concern, as a share of the joint's maximum effort.
    """

    needs_each_state = False

    def __init__(self, known: KnownEfforts | None = None, share: float = _SHARE) -> None:
        self._known, self._share = known, share
        self._robots: list[_Robot] = []
        self._count, self._due_ns = 0, 0
        self._of_arms = np.zeros(0, np.bool_)
        self._rows: list[tuple[int, Any]] = []
        self._seen, self._has_efforts = 0, False

    def started(self, start: RunStart) -> None:
        """Store the descriptions and the gravity vectors of the robots."""
        robots = [e for e in start.layout.of_kind(EntityKind.ROBOT) if e.joints]
        descriptions = start.robot_descriptions
        for robot in robots:
            gravity = np.array([0.0, 0.0, -9.81])
            if start.layout.has(robot.name, "pose"):
                gravity = rotation_matrix(start.snapshot.pose(robot.name)[3:7]).T @ gravity
            text = descriptions.get(robot.name) or descriptions.get("", "")
            self._robots.append(_Robot(robot.name, robot.joints, text, gravity))
        names = [joint for robot in robots for joint in robot.joints]
        fingers = {joint for hand in start.layout.of_kind(EntityKind.HAND) for joint in hand.joints}
        self._count = len(names)
        self._of_arms = np.array([name not in fingers for name in names], np.bool_)

    def next_ns(self, now_ns: int) -> int:
        """Return the time of the next report; far in the future if there are no efforts [ns]."""
        if not self._count:
            return now_ns + _NEVER_NS
        return (now_ns // _PERIOD_NS + 1) * _PERIOD_NS

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Store a report."""
        if not self._count:
            return
        table = scene.tables.get(_JOINTS)
        if table is None or table.time_ns < self._due_ns:
            return
        rows = table.rows()
        if not self._has_efforts:
            self._seen += 1
            measured = rows[:, 2]
            self._has_efforts = bool((np.isfinite(measured) & (measured != 0.0)).any())
            if not self._has_efforts or len(rows) != self._count:
                self._count = 0 if self._seen > _SILENT else self._count
                return
        self._due_ns = table.time_ns + _PERIOD_NS
        self._rows.append((table.time_ns, rows.copy()))

    def judged(self, summary: RunSummary) -> RunSummary:
        """Return the summary with the split, and without the concerns that it explains."""
        if summary.error is not None or len(self._rows) < _FEWEST:
            return summary
        table = np.array([rows for _, rows in self._rows]).transpose(2, 0, 1)
        if self._known is None and not _stands_out(table[:, :, self._of_arms], summary):
            return summary
        arms = self._split(table)
        if not arms:
            return summary
        return judged_by(arms, summary, share=self._share, is_known=self._known is not None)

    def _split(self, table: Floats) -> list[RunSplit]:
        from hetwin_calibration.efforts.reports import Reports, split_reports

        times = np.array([time_ns for time_ns, _ in self._rows]) * 1e-9
        found: list[RunSplit] = []
        begin = 0
        for robot in self._robots:
            own = table[:, :, begin : begin + len(robot.joints)]
            begin += len(robot.joints)
            reports = Reports(times, *own)
            try:
                found += split_reports(
                    robot.name,
                    reports,
                    robot.joints,
                    robot.description,
                    robot.gravity,
                    self._known,
                )
            except (BadInput, ValueError, np.linalg.LinAlgError):  # the split is optional
                continue
        return found


def _stands_out(table: Floats, summary: RunSummary) -> bool:
    """Return whether a split is worthwhile: the observer has a concern, or the residual is large.

    Args:
        table: (4, m, n) positions, velocities, measured and expected efforts.
        summary: summary of the run.
    """
    if any(row["name"] in CONCERNS for row in summary.events):
        return True
    measured, expected = table[2:]
    known = np.isfinite(measured) & np.isfinite(expected) & (measured != 0.0)
    left, total = (
        np.sqrt((np.where(known, one, 0.0) ** 2).sum(axis=0))
        for one in (measured - expected, expected)
    )
    return bool((left > _LARGE * total.max(initial=0.0)).any())


def judged_by(
    splits: Sequence[RunSplit], summary: RunSummary, *, share: float, is_known: bool
) -> RunSummary:
    """Return a summary with the splits of its robots' efforts, without the concerns that they explain.

    Args:
        splits: splits of the robots' arms.
        summary: summary of the run.
        share: minimum effort of a touch that is a concern, as a share of the joint's maximum effort.
        is_known: whether a calibration has the robot's friction, so that the description need not have it.
    """
    from hetwin_calibration.efforts.touches import touches_of

    about = [row for row in summary.events if row["name"] in CONCERNS]
    residuals = [Residual.of(split.arm) for split in splits] if about else []
    kept = [row for row in about if not any(residual.explains(row) for residual in residuals)]
    touches = [(touch, split) for split in splits for touch in touches_of(split.arm)]
    nearby = [row for row in kept if row["name"] == CONCERNS[0]] + _contacts(summary)
    unseen_before = [
        _concern(touch, one, share)
        for touch, one in touches
        if not any(_is_near(touch, row) for row in nearby)
    ]
    settled = (*CONCERNS, NO_FRICTION) if is_known else CONCERNS
    others = [row for row in summary.concerns if row["name"] not in settled]
    events = map(event_from_summary, (*kept, *filter(None, unseen_before)))
    remaining = concerns_of(events, round(summary.simulated_time * 1e9))
    concerns = sorted(
        (*others, *(one.row() for one in remaining)),
        key=lambda row: (-Severity(str(row["severity"])).rank, float(str(row["from"]))),
    )
    severities = [Severity(str(row["severity"])) for row in concerns]
    split_event = _event(splits, [touch for touch, _ in touches], len(about) - len(kept), summary)
    return replace(
        summary,
        events=(*summary.events, split_event),
        concerns=tuple(concerns),
        verdict=verdict_of(
            severities,
            unseen=any(not row["checked"] and row["matters"] for row in summary.coverage),
            ended=summary.verdict,
        ).value,
    )


def _contacts(summary: RunSummary) -> list[Mapping[str, Any]]:
    """Return the events of the scene that explain touches."""
    return [row for row in summary.events if row["name"] in _TOUCHED]


def _is_near(touch: Touch, row: Mapping[str, Any]) -> bool:
    begin = float(row["arguments"].get("from", row["time"]))
    end = float(row["arguments"].get("to", begin))
    return touch.begin - _NEAR_S <= end and begin <= touch.end + _NEAR_S


def _concern(touch: Touch, split: RunSplit, share: float) -> dict[str, Any] | None:
    """Return the observer's event for a touch that it missed because of friction; None if the touch is too small."""
    arm = split.arm
    shares = {
        name: abs(effort) / float(split.limits[arm.joints.index(name)])
        for name, effort in touch.efforts.items()
    }
    joint = max(shares, key=lambda name: shares[name])
    if shares[joint] < share:
        return None
    arguments = {
        "joint": joint,
        "residual": touch.efforts[joint],
        "unit": arm.unit(arm.joints.index(joint)),
        "share": shares[joint],
        "severity": Severity.WARNING.value,
        "from": touch.begin,
        "to": touch.end,
    }
    return _row("unexpected_effort", touch.begin, arguments)


@dataclass(frozen=True, slots=True)
class Residual:
    """Residual of a split of an arm's efforts; m samples, n joints.

    Attributes:
        arm: the split.
        means: (m, n) residuals, averaged over 0.12 s.
        sure: (m, n) minimum significant residual at the arm's speed.
    """

    arm: SplitArm
    means: Floats
    sure: Floats

    @classmethod
    def of(cls, arm: SplitArm) -> Residual:
        """Return the residual of an arm."""
        from hetwin_calibration.efforts.noise import deviations
        from hetwin_calibration.efforts.touches import means

        left = means(np.nan_to_num(arm.left), 3)
        return cls(arm, left, _SURE * deviations(arm.samples, left))

    def explains(self, row: Mapping[str, Any]) -> bool:
        """Return whether the split explains the effort that an event of the observer reports."""
        arm, arguments = self.arm, row["arguments"]
        if arguments.get("joint") not in arm.joints or not arm.found.is_torque:
            return False
        joint, begin = arm.joints.index(arguments["joint"]), float(arguments["from"])
        if np.isfinite(arm.held[joint]) and not arm.is_confirmed(joint):
            return False
        end = max(float(arguments.get("to", begin + _LASTS_S)), begin + _PAST_S[1])
        times = arm.samples.times
        past = (times >= begin - _PAST_S[0]) & (times <= begin - _PAST_S[1])
        during = (times >= begin) & (times <= end)
        if not during.any():
            return False
        before = self.means[past, joint].mean() if past.any() else 0.0
        away = np.abs(self.means[during, joint] - before)
        order = np.argsort(away)
        at = int(
            order[-1] if row["name"] == CONCERNS[0] else order[len(order) // 2]
        )  # a load lasts
        sure = float(self.sure[during, joint][at])
        return bool(away[at] < max(_HALF * abs(float(arguments["residual"])), sure))


def _event(
    splits: Sequence[RunSplit], touches: Sequence[Touch], explained: int, summary: RunSummary
) -> dict[str, Any]:
    """Return the row of the event `SPLIT`."""
    arguments = {
        "robots": [{"robot": split.robot, **split.arm.to_json()} for split in splits],
        "touches": [touch.to_json() for touch in touches],
        "explained": explained,
        "lines": [line for split in splits for line in split.arm.claimed_lines()],
    }
    return _row(SPLIT, summary.simulated_time, arguments)


def _row(name: str, time_s: float, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time": time_s,
        "name": name,
        "kind": "model",
        "source": "robot_health",
        "arguments": dict(arguments),
    }


def effort_figures(rows: Sequence[Mapping[str, Any]]) -> RunFigures:
    """Return the causes of a run's efforts, as figures for the command line.

    Args:
        rows: events of the run's summary.
    """
    from hetwin_suite.command import RunFigures

    arguments = next(row["arguments"] for row in reversed(rows) if row["name"] == SPLIT)
    values = {key: arguments[key] for key in ("robots", "touches", "explained")}
    lines = [f"efforts: {line}" for line in arguments["lines"]]
    if arguments["explained"]:
        lines.append(f"efforts: this explains {arguments['explained']} apparent touches and loads")
    return RunFigures("efforts", values, lines, frozenset({SPLIT}))
