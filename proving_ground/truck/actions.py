"""The robot's program: picking packets with the arm, sweeping them up with the nose (paper 1, section 4.1)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hetwin_suite.ensemble.values import Floats
from hetwin_suite.proving_ground.truck.manager import Manager
from hetwin_suite.proving_ground.truck.robot import (
    BELT_HEIGHT,
    BELTS,
    ROLLER_RADIUS,
    plunger_links,
    plunger_names,
)
from hetwin_suite.proving_ground.truck.site import PERIOD, Site

ACTIONS = ("pick", "sweep")
_CUPS_AT = -0.68
"""x of the cups from the base with arm and plungers retracted [m]."""
_NOSE_TIP = 1.36
"""x of the nose's tip from the base [m]."""
_EXTEND = 0.15
_BELT_SPEED = 1.0
_LAP = round(0.1 / PERIOD)
_PRESS = 0.015
"""How far the cups press into what they reach for [m]."""


@dataclass(frozen=True, slots=True)
class Phase:
    """The driven joints move to `joints` in `seconds`; then `do` happens."""

    seconds: float
    joints: dict[str, float]
    do: str = ""


@dataclass(slots=True)
class Outcome:
    """What an action did and what it cost.

    Attributes:
        unloaded: names of the packets.
        simulated: simulated time [s].
        cpu: time that the processor worked on it [s].
        factors: real-time factor of each tenth of a simulated second.
    """

    unloaded: list[str] = field(default_factory=list)
    simulated: float = 0.0
    cpu: float = 0.0
    factors: list[float] = field(default_factory=list)


@dataclass(slots=True)
class _Plunger:
    """The script of one plunger: it sucks to what its cup touches."""

    cup: int
    held: int | None = None

    def step(self, touching: dict[int, int]) -> None:
        """Look at the cup's sensor."""
        if self.held is None:
            self.held = touching.get(self.cup)


class Unloader:
    """Performs actions on a site in one of the modes of fidelity."""

    def __init__(self, site: Site) -> None:
        self._site = site
        cups = [plunger_links(name)[-1] for name in plunger_names()]
        self._cups = [site.frame_ids[cup] for cup in cups]
        self._packet_of = {site.frame_ids[p.name]: p.name for p in site.packets}
        self._held: list[str] = []
        self._scripts: list[_Plunger] = []
        site.engine.run_belt(
            "nose_roller", (0.0, 0.0, 0.0), (0.0, 0.0, _BELT_SPEED / ROLLER_RADIUS)
        )
        for belt in BELTS:
            site.engine.run_belt(belt, (-_BELT_SPEED, 0.0, 0.0))

    def perform(self, action: str, mode: str) -> Outcome:
        """Do an action from the present state on; everything is in high fidelity again afterwards."""
        site, outcome = self._site, Outcome()
        phases = self._pick() if action == "pick" else self._sweep()
        manager = Manager(site, mode)
        self._scripts = [_Plunger(cup) for cup in self._cups]
        begun = lapped = time.process_time()
        for count, joints in enumerate(self._motion(phases, manager), start=1):
            manager.step()
            site.step(joints)
            if manager.plungers_on:
                touching = self._touching()
                for script in self._scripts:
                    script.step(touching)
            outcome.unloaded += site.take_away()
            if count % _LAP == 0:
                now = time.process_time()
                outcome.factors.append(_LAP * PERIOD / max(now - lapped, 1e-9))
                lapped = now
            outcome.simulated = count * PERIOD
        outcome.cpu = time.process_time() - begun
        self._let_go()
        manager.end()
        return outcome

    def _motion(self, phases: Sequence[Phase], manager: Manager) -> Iterator[Floats]:
        for phase in phases:
            start, end = self._site.joints, self._site.targets(**phase.joints)
            if phase.do == "extend":
                manager.need_plungers(True)
            steps = max(1, round(phase.seconds / PERIOD))
            for i in range(1, steps + 1):
                s = i / steps
                yield start + (end - start) * (s**3 * (10 - 15 * s + 6 * s * s))
            if phase.do == "hold":
                self._hold()
            elif phase.do == "release":
                self._let_go()
                manager.need_plungers(False)

    def _touching(self) -> dict[int, int]:
        """Cup -> packet, as frames, of all contacts."""
        pairs = self._site.engine.contacts()[:, :2].astype(np.intp).tolist()
        both = [*pairs, *([b, a] for a, b in pairs)]
        return {a: b for a, b in both if b in self._packet_of and a in set(self._cups)}

    def _hold(self) -> None:
        # A weld to the plate stands for the cups' suction.
        held = sorted({s.held for s in self._scripts if s.held is not None})
        self._held = [self._packet_of[frame] for frame in held]
        for name in self._held:
            self._site.engine.attach(name, "plate")

    def _let_go(self) -> None:
        for name in self._held:
            self._site.engine.detach(name)
        self._held = []

    def boxes(self) -> Floats:
        """(n, 6) lower and upper corners of the packets that are still in front of the robot."""
        site = self._site
        left = np.array(site.in_truck(), np.intp)
        boxes = site.boxes.around(site.poses()[left], left)
        in_front = boxes[:, 0] > site.joint("base_drive") + 0.2
        ahead: Floats = boxes[in_front]
        return ahead

    def _front(self, boxes: Floats) -> float:
        """X of the nearest packet that the nose would meet."""
        low = boxes[boxes[:, 2] < 0.6]
        return float((low if len(low) else boxes)[:, 0].min())

    def _pick(self) -> list[Phase]:
        boxes = self.boxes()
        if not len(boxes):
            return [Phase(0.5, {})]
        wall = boxes[boxes[:, 0] < boxes[:, 0].min() + 0.35]
        target = wall[np.argmax(wall[:, 5])]
        face, y = float(target[0]), float(np.clip((target[1] + target[4]) / 2, -0.75, 0.75))
        z = float(np.clip(target[5] - 0.22, 0.35, 2.6))
        base = min(face, self._front(boxes)) - _NOSE_TIP - 0.2
        reach = face + _PRESS - base - _CUPS_AT - _EXTEND
        drop = BELT_HEIGHT + 0.3
        return [
            Phase(1.0, {"base_drive": base, "arm_lift": z, "arm_swing": y}),
            Phase(0.6, {"plungers_extend": _EXTEND, "arm_reach": reach - 0.15}, "extend"),
            Phase(0.4, {"arm_reach": reach}),
            Phase(0.1, {}, "hold"),
            Phase(0.2, {"arm_lift": z + 0.04}),
            Phase(1.0, {"arm_reach": 0.0}),
            Phase(0.6, {"arm_lift": drop, "arm_swing": 0.3 * y}, "release"),
            Phase(0.4, {"arm_lift": 1.6, "plungers_extend": 0.0}),
            Phase(1.2, {}),
        ]

    def _sweep(self) -> list[Phase]:
        boxes = self.boxes()
        if not len(boxes):
            return [Phase(0.5, {})]
        base = self._front(boxes) - _NOSE_TIP
        return [
            Phase(1.0, {"base_drive": base - 0.05, "arm_lift": 1.6, "arm_reach": 0.0}),
            Phase(2.0, {"base_drive": base + 0.5}),
            Phase(0.5, {}),
            Phase(0.8, {"base_drive": base + 0.05}),
            Phase(1.7, {}),
        ]
