"""A hand with a force sensor in a scene, and the model of evidence that judges it, without an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.snapshot import WRENCHES, Snapshot, Table
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats
from hetwin_evidence.model import Evidence

OPEN, ON_OBJECT, EMPTY = 0.0, 0.4, 0.8
"""Where the fingers are open, on an object, and closed on nothing [rad]."""
CLOSED_S, LIFTED_S, OPENED_S = 1.5, 2.5, 5.0
STEP_S, SAMPLES = 0.05, 6
Force = Callable[[float], tuple[float, float, float]]
Way = Callable[[float], float]


def fingers(time_s: float, on: float = ON_OBJECT) -> float:
    """They close from 1 s to 1.5 s on something, and open at 5 s."""
    return float(np.interp(time_s, (1.0, CLOSED_S, OPENED_S, OPENED_S + 0.4), (OPEN, on, on, OPEN)))


def lifts(time_s: float) -> float:
    """The hand rises by 20 cm after they have closed, and goes down before they open."""
    return float(np.interp(time_s, (2.0, LIFTED_S, 4.2, 4.8), (0.0, 0.2, 0.2, 0.0)))


def stays_up(time_s: float) -> float:
    """The hand rises and does not go down."""
    return float(np.interp(time_s, (2.0, LIFTED_S), (0.0, 0.2)))


def nothing(time_s: float) -> float:
    """It does not turn."""
    return 0.0


class FeltHand:
    """Steps the model through a script.

    Args:
        joints: of the fingers, which all move alike.
        parameters: of the model.
    """

    def __init__(self, joints: Sequence[str] = ("left", "right"), **parameters: Any) -> None:
        count = len(joints)
        entities = (
            Entity("robot", EntityKind.ROBOT, joints=("arm", *joints)),
            Entity("wrist", EntityKind.LINK, owner="robot"),
            Entity("palm", EntityKind.LINK, owner="robot", parent="wrist"),
            Entity("hand", EntityKind.HAND, owner="robot", parent="palm", joints=tuple(joints)),
        )
        attributes = [("robot", AttributeSpec("joint_positions", count + 1))]
        self.layout = Layout.build(entities, [*attributes, ("wrist", POSE), ("palm", POSE)])
        self.random = np.random.default_rng(5)
        self.model = Evidence()
        described = {
            "name": "hand",
            "robot": "robot",
            "link": "palm",
            "joints": list(joints),
            "finger_links": [],
            "opened": [OPEN] * count,
            "closed": [1.0] * count,
        }
        self.model.contribute({"hand": described, **parameters}, 0)
        self.model.start(self._scene(0.0, OPEN, 0.0, 0.0, np.zeros((0, 8))))
        self.events: list[Event] = []

    def _scene(
        self, time_s: float, at: float, height: float, turn: float, wrenches: Floats
    ) -> Snapshot:
        layout = self.layout
        values = np.zeros(layout.size)
        values[layout.range_of("robot", "joint_positions")] = at
        pose = (0.0, 0.0, height, np.cos(turn / 2.0), np.sin(turn / 2.0), 0.0, 0.0)
        for link in ("wrist", "palm"):
            values[layout.range_of(link, "pose")][:7] = pose
        slots = len(layout.slots)
        owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
        tables = {WRENCHES: Table(wrenches)}
        return Snapshot(layout, ("physics",), round(time_s * 1e9), values, owners, parents, tables)

    def run(
        self,
        force: Force | None = None,
        *,
        closes: Way = fingers,
        height: Way = lifts,
        turn: Way = nothing,
        tool_kg: float = 0.0,
        said: Sequence[Event] = (),
        end_s: float = 6.5,
        rate: int = SAMPLES,
    ) -> dict[str, dict[str, Any]]:
        """Step to an end; returns the last claim of each name.

        Args:
            force: on what the hand holds, along the world's axes, at a time [N]; None: there is no sensor.
            closes: where the fingers are.
            height: of the hand.
            turn: of the hand about x.
            tool_kg: what hangs on the sensor.
            said: by the robot.
            end_s: when it ends.
            rate: samples of the sensor in each step.
        """
        for step in range(1, round(end_s / STEP_S)):
            now = step * STEP_S
            rows = [
                self._row(now - STEP_S + STEP_S * (k + 1) / rate, force, turn, tool_kg)
                for k in range(rate)
                if force is not None
            ]
            scene = self._scene(
                now, closes(now), height(now), turn(now), np.array(rows).reshape(-1, 8)
            )
            heard = tuple(one for one in said if now - STEP_S < one.time_ns / 1e9 <= now)
            changes = self.model.step(Tick(scene.time_ns, round(STEP_S * 1e9), scene, heard))
            self.events += changes.events
        return {
            str(one.arguments["claim"]): dict(one.arguments)
            for one in self.events
            if one.name == JUDGED
        }

    def _row(self, at: float, force: Force, turn: Way, tool_kg: float) -> list[float]:
        world = np.add(force(at), (0.0, 0.0, -9.81 * tool_kg))
        angle = -turn(at) / 2.0
        own = np.array(rotate((np.cos(angle), np.sin(angle), 0.0, 0.0), tuple(world)))
        felt = own + np.array((3.0, -7.0, 11.0)) + self.random.normal(0.0, 0.05, 3)
        return [round(at * 1e9), self.layout.entity_id("wrist"), *felt, 0.0, 0.0, 0.0]


def voices(claim: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What sources say of a claim, by their names."""
    return {one["source"]: one for one in claim["voices"]}


def weight(newtons: float, until_s: float = 9.0) -> Force:
    """A load that hangs on the hand from when it rises, while it is up."""

    def force(time_s: float) -> tuple[float, float, float]:
        share = float(np.interp(time_s, (2.0, 2.2, 4.6, 4.8), (0.0, 1.0, 1.0, 0.0)))
        return (0.0, 0.0, -newtons * share if time_s < until_s else 0.0)

    return force
