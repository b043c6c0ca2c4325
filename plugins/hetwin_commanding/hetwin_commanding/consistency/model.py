"""Compares twin and robot while they run."""

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
"""How far joints of robot and twin may be apart [rad or m]."""


class Settings(Parameters):
    """What is compared, and how far it may be apart."""

    watch: WatchedRobot = parameter("the robots that the main model reports about", None)
    description: RobotDescription = parameter("the robot's URDF", "")
    of: str | None = parameter("name of the robot; default: the only one", None)
    robot: Namespace | None = parameter(
        "namespace of a robot that obeys the same commands as the twin, whose joint states are compared, / for none;"
        " default: the twin is compared with what its source says",
        None,
    )
    joints: Limit = parameter("how far a joint may be off", JOINT_LIMIT, "rad or m")
    link: str | None = parameter("link whose place is compared; default: none", None)
    tip: Limit = parameter("how far the link may be off", 0.03, "m")
    base: Limit = parameter("how far the base may be from where odometry has it", 0.05, "m")
    heading: Limit = parameter("how far its heading may be off", 0.05, "rad")


JOINT_DIFFERENCE = "joint_difference"
"""Positions of the robot's joints less those of the twin's [rad or m]; 0 where one is unknown."""
TIP_DIFFERENCE = AttributeSpec("tip_difference", 1, "m")
_KEPT = 200
"""Steps of the twin that are remembered for a robot that is behind it."""


class ConsistencyModel(Model[Settings]):
    """Observes whether a robot and its twin do the same: joints, a link, the base, and the lag between them.

    Without `robot`, the twin is compared with what its source says at the same time, as a replay's recording. With it,
    both obey the same commands, and the robot's joint states are compared with the twin a lag before.
    """

    summary = "Compares twin and robot while they run: joints, a link, the base, the lag."
    rate = DEFAULT_WATCH_RATE
    provides = (AttributeSpec(JOINT_DIFFERENCE, 0, "rad or m"), TIP_DIFFERENCE, CONSISTENCY)
    raises: ClassVar[Mapping[str, str]] = {
        "deviates": "robot and twin have parted: robot, what (a joint, tip, base or heading), difference"
        " and limit [rad or m]",
        "agrees": "robot and twin do the same again: robot, what, from [s]",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the differences and figures of the robot.

        Raises:
            BadInput: if there is no such robot or link, or ROS 2 is missing where a robot is to be heard.
        """
        layout = None if settings.watch is None else WatchLayout.from_json(settings.watch)
        self._name, self._own = _robot(settings, layout)
        assert layout is not None  # else there would be no robot
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
        """The chain to the link, and the places of its joints among the robot's."""
        if settings.link is None:
            return None, []
        chain = chain_in(settings.description, settings.link)
        own = [
            name.rpartition("::")[2] for name in self._joints
        ]  # of several robots they have its name
        return chain, [own.index(name) for name in chain.joints]

    def start(self, scene: Snapshot) -> None:
        """Take note of where the base begins."""
        self._base = None
        if scene.layout.has(self._name, ODOMETRY.name):
            self._base = BaseDifference(
                scene.pose(self._name), scene.get(self._name, ODOMETRY.name)
            )

    def step(self, tick: Tick) -> Changes:
        """Compare."""
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
        """Stop listening."""
        if self._live is not None:
            self._live.close()
            self._live = None

    def _with_source(self, tick: Tick, changes: Changes) -> None:
        """Compare the twin with what its source says at this time, if the main model has just reported that."""
        watch = Watch.read(tick.scene.tables, self._layout)
        if watch is None or watch.time_ns != tick.scene.time_ns:
            return
        recorded = watch.of(self._own).recorded
        twin = tick.scene.get(self._name, "joint_positions")
        self._take(tick.time_ns, recorded, twin, None, changes)
        self._judge("joints", tick.time_ns, recorded - twin, changes)

    def _with_robot(self, tick: Tick, changes: Changes, live: LiveRobot) -> None:
        """Compare what the robot has said since the last step with the twin a lag before."""
        now = time.monotonic()
        positions = tick.scene.get(self._name, "joint_positions").copy()
        self._history.append(
            (now, positions, tick.scene.get(self._name, "joint_velocities").copy())
        )
        for sample in live.heard.take():
            measured = np.array([sample.positions.get(name, np.nan) for name in self._joints])
            if np.isnan(measured).all():
                continue
            found = self._agreement.look(sample.measured, measured, self._twin_at)
            twin = self._twin_at(sample.measured - found.lag).positions
            self._take(tick.time_ns, measured, twin, found.lag, changes)
            self._judge("joints", tick.time_ns, found.joints, changes)

    def _twin_at(self, at: float) -> ExpectedMotion:
        """The twin at a time of the monotonic clock, between its steps."""
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
        """Add a comparison to the figures and the changes."""
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
        distance, angle = self._base.look(pose, odometry, corrected)
        self._figures.add(np.full(len(self._joints), np.nan), None, None, (distance, angle))
        self._judge("base", tick.time_ns, np.array([distance]), changes)
        self._judge("heading", tick.time_ns, np.array([angle]), changes)

    def _judge(self, what: str, time_ns: int, apart: Floats, changes: Changes) -> None:
        """Raise an event if robot and twin have parted, or do the same again."""
        parting = self._partings[what]
        if not parting.look(time_ns / 1e9, apart):
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
    """Name of the robot that is compared, and which of the reported joints are its own."""
    parts = {} if layout is None else {n: own for n, own in layout.parts() if n}
    if settings.of is None and len(parts) == 1:
        return next(iter(parts.items()))
    if settings.of in parts:
        return settings.of, parts[settings.of]
    raise BadInput(
        "there is no such robot" if settings.of else "it is not said which robot is compared",
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
