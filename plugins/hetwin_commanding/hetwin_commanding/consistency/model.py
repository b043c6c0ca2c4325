"""The model that compares robot and twin during a run."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from hetwin_commanding.consistency.agreement import (
    Agreement,
    BaseDifference,
    ExpectedMotion,
    Figures,
    Parting,
)
from hetwin_suite.model import (
    CONSISTENCY,
    DEFAULT_WATCH_RATE,
    ODOMETRY,
    REPORTS,
    AttributeSpec,
    BadInput,
    Changes,
    Consistency,
    Contribution,
    Floats,
    Model,
    Number,
    Parameters,
    RobotDescription,
    Snapshot,
    Tick,
    Watch,
    WatchedRobot,
    WatchLayout,
    one_of,
    parameter,
)
from hetwin_suite.robot import Chain, chain_in

if TYPE_CHECKING:
    from hetwin_commanding.consistency.live_robot import LiveRobot


Namespace = Annotated[
    str, Field(pattern=r"^/?([A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?$")
]
"""A namespace of ROS 2; / for none."""

Limit = Annotated[Number, Field(gt=0, le=1e9)]

JOINT_LIMIT = 0.0125
"""Maximum difference between joints of robot and twin [rad or m]."""


class Settings(Parameters):
    """The parameters of the model."""

    watch: WatchedRobot = parameter("reports of the main model about the robots", None)
    description: RobotDescription = parameter("the robot's URDF", "")
    of: str | None = parameter("name of the robot; default: the only one", None)
    robot: Namespace | None = parameter(
        "namespace of a robot that obeys the same commands as the twin, whose joint states are compared, / for none;"
        " default: the twin is compared with its source",
        None,
    )
    joints: Limit = parameter("maximum difference of a joint", JOINT_LIMIT, "rad or m")
    link: str | None = parameter("link whose position is compared; default: none", None)
    tip: Limit = parameter("maximum distance of the link", 0.03, "m")
    base: Limit = parameter("maximum distance of the base from its odometry", 0.05, "m")
    heading: Limit = parameter("maximum difference of its heading", 0.05, "rad")


JOINT_DIFFERENCE = "joint_difference"
"""Positions of the robot's joints minus those of the twin [rad or m]; 0 where one is unknown."""
TIP_DIFFERENCE = AttributeSpec("tip_difference", 1, "m")
_KEPT = 200
"""Number of the twin's steps that are stored for comparison with a robot that lags."""


class ConsistencyModel(Model[Settings]):
    """Observes whether robot and twin move alike: joints, a link, the base, and the lag between them.

    Without `robot`, the twin is compared with its source at the same time, e.g. a replayed recording. With it, both
    obey the same commands, and the robot's joint states are compared with the twin's motion one lag earlier.
    """

    summary = "Compares robot and twin during a run: joints, a link, the base, the lag."
    rate = DEFAULT_WATCH_RATE
    provides = (AttributeSpec(JOINT_DIFFERENCE, 0, "rad or m"), TIP_DIFFERENCE, CONSISTENCY)
    raises: ClassVar[Mapping[str, str]] = {
        "deviates": "robot and twin have diverged: robot, what (a joint, tip, base or heading), difference"
        " and limit [rad or m]",
        "agrees": "robot and twin move alike again: robot, what, from [s]",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the differences and the figures of the robot.

        Raises:
            BadInput: if there is no such robot or link, or ROS 2 is missing although `robot` is given.
        """
        layout = None if settings.watch is None else WatchLayout.from_json(settings.watch)
        self._name, self._own = _robot(settings, layout)
        assert layout is not None  # otherwise there is no robot
        self._layout = layout
        self._joints = layout.of(self._name).joints
        count = len(self._joints)
        self._chain, self._of_chain = self._tip_chain(settings)
        self._agreement = Agreement(np.full(count, settings.joints))
        self._partings = {
            "joints": Parting(np.full(count, settings.joints)),
            "tip": Parting(np.array([settings.tip])),
            "base": Parting(np.array([settings.base])),
            "heading": Parting(np.array([settings.heading])),
        }
        self._since: dict[str, tuple[str, float]] = {}
        self._figures = Figures(self._joints)
        self._history: deque[tuple[float, Floats, Floats]] = deque(maxlen=_KEPT)
        self._live = None if settings.robot is None else _live(settings.robot)
        difference = AttributeSpec(JOINT_DIFFERENCE, count, "rad or m")
        scene.set(self._name, difference, np.zeros(count))
        scene.set(self._name, CONSISTENCY, Consistency())
        if self._chain is not None:
            scene.set(self._name, TIP_DIFFERENCE, 0.0)
        scene.needs((self._name, "*"), *(("*", name) for name in REPORTS))

    def _tip_chain(self, settings: Settings) -> tuple[Chain | None, list[int]]:
        """Return the chain to the link, and the indices of its joints among the robot's."""
        if settings.link is None:
            return None, []
        chain = chain_in(settings.description, settings.link)
        own = [
            name.rpartition("::")[2] for name in self._joints
        ]  # with several robots, names have the robot's name as prefix
        return chain, [own.index(name) for name in chain.joints]

    def start(self, scene: Snapshot) -> None:
        """Store the initial pose of the base."""
        self._base = None
        if scene.layout.has(self._name, ODOMETRY.name):
            self._base = BaseDifference(
                scene.pose(self._name), scene.get(self._name, ODOMETRY.name)
            )

    def step(self, tick: Tick) -> Changes:
        """Compare robot and twin since the last step."""
        changes = tick.changes()
        if self._live is None:
            self._with_source(tick, changes)
        else:
            self._with_robot(tick, changes, self._live)
        self._compare_base(tick, changes)
        figures = np.array(self._figures.consistency())
        changes.set(self._name, CONSISTENCY, figures)
        return changes

    def stop(self) -> None:
        """Stop listening to the robot."""
        if self._live is not None:
            self._live.close()
            self._live = None

    def _with_source(self, tick: Tick, changes: Changes) -> None:
        """Compare the twin with its source at this time, if the main model has reported a new state."""
        watch = Watch.read(tick.scene.tables, self._layout)
        if watch is None or watch.time_ns != tick.scene.time_ns:
            return
        recorded = watch.of(self._own).recorded
        twin = tick.scene.get(self._name, "joint_positions")
        self._take(tick.time_ns, recorded, twin, None, changes)
        self._judge("joints", tick.time_ns, recorded - twin, changes)

    def _with_robot(self, tick: Tick, changes: Changes, live: LiveRobot) -> None:
        """Compare the robot's messages since the last step with the twin's motion one lag earlier."""
        now = time.monotonic()
        positions = tick.scene.get(self._name, "joint_positions").copy()
        self._history.append(
            (now, positions, tick.scene.get(self._name, "joint_velocities").copy())
        )
        for sample in live.heard.take():
            measured = np.array([sample.positions.get(name, np.nan) for name in self._joints])
            if np.isnan(measured).all():
                continue
            found = self._agreement.compare(sample.measured, measured, self._twin_at)
            twin = self._twin_at(sample.measured - found.lag).positions
            self._take(tick.time_ns, measured, twin, found.lag, changes)
            self._judge("joints", tick.time_ns, found.joints, changes)

    def _twin_at(self, at: float) -> ExpectedMotion:
        """Interpolate the twin's motion at a time of the monotonic clock [s]."""
        before = self._history[0]
        for after in self._history:
            if after[0] >= at:
                span = after[0] - before[0]
                share = (at - before[0]) / span if span > 0.0 else 1.0
                share = min(max(share, 0.0), 1.0)
                positions = before[1] + share * (after[1] - before[1])
                return ExpectedMotion(positions, before[2] + share * (after[2] - before[2]))
            before = after
        return ExpectedMotion(before[1] + (at - before[0]) * before[2], before[2])

    def _take(
        self, time_ns: int, robot: Floats, twin: Floats, lag: float | None, changes: Changes
    ) -> None:
        """Add a comparison to figures and changes."""
        apart = robot - twin
        tip = None
        if self._chain is not None:
            whole = np.where(np.isfinite(robot), robot, twin)
            there = self._chain.place(whole[self._of_chain]).position
            tip = float(np.linalg.norm(there - self._chain.place(twin[self._of_chain]).position))
            changes.set(self._name, TIP_DIFFERENCE, tip)
            self._judge("tip", time_ns, np.array([tip]), changes)
        self._figures.add(apart, lag, tip)
        shown = np.where(np.isfinite(apart), apart, 0.0)
        changes.set(self._name, JOINT_DIFFERENCE, shown)

    def _compare_base(self, tick: Tick, changes: Changes) -> None:
        if self._base is None:
            return
        scene = tick.scene
        corrected = any(event.name == "base_corrected" for event in tick.events)
        pose, odometry = scene.pose(self._name), scene.get(self._name, ODOMETRY.name)
        distance, angle = self._base.compare(pose, odometry, corrected)
        self._figures.add(np.full(len(self._joints), np.nan), None, None, (distance, angle))
        self._judge("base", tick.time_ns, np.array([distance]), changes)
        self._judge("heading", tick.time_ns, np.array([angle]), changes)

    def _judge(self, what: str, time_ns: int, apart: Floats, changes: Changes) -> None:
        """Raise an event when robot and twin start to deviate or agree again."""
        parting = self._partings[what]
        if not parting.update(time_ns / 1e9, apart):
            return
        if parting.deviates:
            worst = int(np.nanargmax(np.abs(apart)))
            name = self._joints[worst] if what == "joints" else what
            self._since[what] = (name, time_ns / 1e9)
            difference, limit = float(apart[worst]), float(parting.limits[worst])
            changes.event(
                "deviates", robot=self._name, what=name, difference=difference, limit=limit
            )
            return
        name, since = self._since.pop(what)
        changes.event("agrees", robot=self._name, what=name, **{"from": since})


def _robot(settings: Settings, layout: WatchLayout | None) -> tuple[str, slice]:
    """Return the name of the compared robot, and the slice of its joints in the reported ones."""
    parts = {} if layout is None else {n: own for n, own in layout.parts() if n}
    if settings.of is None and len(parts) == 1:
        return next(iter(parts.items()))
    if settings.of in parts:
        return settings.of, parts[settings.of]
    raise BadInput(
        "there is no such robot" if settings.of else "the robot to compare is not named",
        where="of",
        found=settings.of,
        expected=one_of(settings.of or "", parts) if parts else "a robot in the scenario",
    )


def _live(namespace: str) -> LiveRobot:
    try:
        from hetwin_commanding.consistency.live_robot import LiveRobot
    except ImportError as error:
        raise BadInput(
            f"a robot cannot be heard without ROS 2: {error}",
            where="robot",
            found=namespace,
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    return LiveRobot(namespace)
