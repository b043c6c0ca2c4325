"""The robot's actions: picking packets with the arm and sweeping them up with the nose.

After Tallavajhula et al. (2019), section 4.1.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hetwin_fidelity import MARGIN, Thresholds
from hetwin_suite.engine import Rangefinder
from hetwin_suite.model import Floats
from hetwin_truck.manager import Manager, thresholds_of
from hetwin_truck.plunger_scripts import Plunger
from hetwin_truck.program import INTO_WALL, Phase, pick, reachable, sweep
from hetwin_truck.robot import (
    BELTS,
    ROLLER_RADIUS,
    SENSOR_REACH,
    plunger_links,
    plunger_names,
)
from hetwin_truck.site import PERIOD, Site

ACTIONS = ("pick", "sweep")
_BELT_SPEED = 1.0
LAP_S = 0.1
"""Interval of simulated time over which processor time is summed [s]."""
_LAP_STEPS = round(LAP_S / PERIOD)
_MOVING_SPEED = 0.05
"""Speed beyond which a packet is moving [m/s]."""


@dataclass(frozen=True, slots=True)
class PlungerAction:
    """An action of the plungers at a simulated time [s]: extend, hold or release, and the held packets."""

    time: float
    do: str
    held: tuple[str, ...]


@dataclass(slots=True)
class Outcome:
    """The result and the cost of an action.

    Attributes:
        unloaded: names of the unloaded packets.
        simulated: simulated time [s].
        laps: processor time for each `LAP_S` of simulated time [s].
        moving: number of moving packets at the end of each lap.
        plunger_actions: actions of all plungers.
    """

    unloaded: list[str] = field(default_factory=list)
    simulated: float = 0.0
    laps: list[float] = field(default_factory=list)
    moving: list[int] = field(default_factory=list)
    plunger_actions: list[PlungerAction] = field(default_factory=list)

    @property
    def processor_s(self) -> float:
        """Total processor time [s]."""
        return sum(self.laps)


class Unloader:
    """Performs actions on a site in a fidelity mode.

    Args:
        site: site with the load.
        into_wall: depth of a sweep into the packets [m].
    """

    def __init__(self, site: Site, into_wall: float = INTO_WALL) -> None:
        self._site, self._into_wall = site, into_wall
        cups = [plunger_links(name)[-1] for name in plunger_names()]
        self._sensors = [
            Rangefinder(cup, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), SENSOR_REACH) for cup in cups
        ]
        self._packet_of = {site.frame_ids[p.name]: p.name for p in site.packets}
        self._held: list[str] = []
        self._scripts: list[Plunger] = []
        site.engine.run_belt(
            "nose_roller", (0.0, 0.0, 0.0), (0.0, 0.0, _BELT_SPEED / ROLLER_RADIUS)
        )
        for belt in BELTS:
            site.engine.run_belt(belt, (-_BELT_SPEED, 0.0, 0.0))

    def perform(self, action: str, mode: str, margin: float = MARGIN) -> Outcome:
        """Perform an action in one of the paper's modes; see `perform_under`."""
        return self.perform_under(action, thresholds_of(mode, margin))

    def perform_under(self, action: str, thresholds: Thresholds | None) -> Outcome:
        """Perform an action from the current state; everything is in high fidelity afterwards.

        Args:
            action: pick or sweep.
            thresholds: conditions under which the fidelity of packets is lowered; None: never.

        Raises:
            Diverged: if the engine diverges; the site must then be restored.
        """
        site, outcome = self._site, Outcome()
        boxes = self.boxes()
        phases = pick(boxes) if action == "pick" else sweep(boxes, self._into_wall)
        manager = Manager(site, thresholds)
        self._held, self._scripts = [], [Plunger() for _ in self._sensors]
        lap_start = time.process_time()
        for count, joints in enumerate(
            self._motion(phases, manager, outcome.plunger_actions), start=1
        ):
            manager.step()
            site.step(joints)
            if manager.plungers_on:
                self._run_scripts()
            outcome.unloaded += site.remove_unloaded()
            outcome.simulated = count * PERIOD
            if count % _LAP_STEPS == 0:
                outcome.laps.append(time.process_time() - lap_start)
                outcome.moving.append(self._count_moving())
                lap_start = time.process_time()
        outcome.laps.append(time.process_time() - lap_start)
        self._release()
        manager.end()
        return outcome

    def _count_moving(self) -> int:
        velocity = self._site.poses()[:, 7:10]
        return int((np.einsum("ij,ij->i", velocity, velocity) > _MOVING_SPEED**2).sum())

    def _motion(
        self, phases: Sequence[Phase], manager: Manager, plunger_actions: list[PlungerAction]
    ) -> Iterator[Floats]:
        for phase in phases:
            start, end = self._site.joints, self._site.targets(**phase.joints)
            if phase.do == "extend":
                manager.need_plungers(True)
                plunger_actions.append(PlungerAction(self._site.time, "extend", ()))
            elif phase.do == "look":
                manager.raise_all()
            steps = max(1, round(phase.seconds / PERIOD))
            for i in range(1, steps + 1):
                s = i / steps
                yield start + (end - start) * (s**3 * (10 - 15 * s + 6 * s * s))
            if phase.do == "hold":
                self._hold()
                plunger_actions.append(PlungerAction(self._site.time, "hold", tuple(self._held)))
            elif phase.do == "release":
                plunger_actions.append(PlungerAction(self._site.time, "release", tuple(self._held)))
                self._release()
                manager.need_plungers(False)

    def _run_scripts(self) -> None:
        readings = self._site.engine.read_rangefinders(self._sensors).tolist()
        for script, (distance, frame) in zip(self._scripts, readings, strict=True):
            script.step(distance, self._packet_of.get(frame))

    def _hold(self) -> None:
        # A weld to the plate models the suction of the cups.
        self._held = sorted({s.held for s in self._scripts if s.held is not None})
        for name in self._held:
            self._site.engine.attach(name, "plate")

    def _release(self) -> None:
        for name in self._held:
            self._site.engine.detach(name)
        self._held = []

    def boxes(self) -> Floats:
        """Return (n, 6) lower and upper corners of the packets within the robot's reach."""
        site = self._site
        indices = np.array(site.in_truck(), np.intp)
        return reachable(
            site.boxes.around(site.poses()[indices], indices), site.joint("base_drive")
        )
