"""A model that judges claims about what a hand holds, by all that the robot feels, and says how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import Changes, Contribution, Model, Tick
from hetwin_core.ensemble.parameters import (
    Amount,
    Hand,
    Parameters,
    WatchedRobot,
    parameter,
)
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import WRENCHES, Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.evidence.closings import Closing, Felt, Rest, settled
from model_nodes.evidence.likelihood import Claim, Voice, claim, silent, voice
from model_nodes.evidence.quantities import (
    abrupt_release,
    finger_shortfall,
    gravity_direction,
    weight_change,
)
from model_nodes.grasp_monitor.fingers import FingerMotion

_STILL = 0.03
"""Fingers that stay within this share of their travel stand still."""
_REST_NS = 100_000_000


class Settings(Parameters):
    """The parameters of the model."""

    hand: Hand = parameter("the hand whose claims are judged")
    prior: float = parameter("probability of each claim before anything is felt", 0.5, gt=0, lt=1)
    inverted: bool = parameter(
        "whether the sensor gives what the hand exerts, so that a load's weight points up", False
    )
    empty: list[list[float]] = parameter(
        "where the hand's fingers stop when they close on nothing, one list for each way, in the order of its joints",
        [],
        "rad or m",
    )
    min_closing: Amount = parameter(
        "fingers that close by this fraction of their travel begin a closing", 0.05, "of the travel"
    )
    release_opening: Amount = parameter(
        "fingers that open by this fraction of their travel end it", 0.1, "of the travel"
    )
    lift: Amount = parameter(
        "a hand that has risen by this much has lifted what it holds", 0.02, "m"
    )
    largest_turn: Amount = parameter(
        "a wrist that has turned further against gravity does not know its load from its hand",
        15.0,
        "deg",
    )
    least_pull: Amount = parameter("a pull below this says nothing by its end", 5.0, "N")
    watch: WatchedRobot = parameter("the robot that the main model reports about", None)


class Evidence(Model[Settings]):
    """Judges whether a hand holds something, and whether what it pulled at came off, by what its wrist feels.

    After each closing of the fingers, as soon as the hand has risen and stands still, it raises ``judged`` for the
    claims ``held`` and ``released``, each with its probability and with what every source says: a quantity with unit,
    log-likelihood ratio and stamp, or the reason why it has no say. A claim between 0.2 and 0.8 is not known.
    """

    summary = "Judges by wrench and fingers how sure it is that a hand holds something."
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        JUDGED: "a claim was judged: claim, hand, known (true, false, or null), probability, reason, voices"
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Check the hand and the references.

        Raises:
            BadInput: if the hand's description is incomplete, or a reference does not fit its joints.
        """
        hand = settings.hand
        self._fingers = FingerMotion(hand, _STILL)
        for number, positions in enumerate(settings.empty):
            if len(positions) != len(hand.joints):
                raise BadInput(
                    "an empty closing does not fit the hand",
                    where=f"empty.{number}",
                    found=f"{len(positions)} positions",
                    expected=f"one for each of {', '.join(hand.joints)}",
                )
        scene.needs((hand.robot, "joint_positions"), ("*", "pose"), ("*", WRENCHES))

    def start(self, scene: Snapshot) -> None:
        """Find the finger joints, and the links whose frames a sensor of this hand may have."""
        hand, layout = self.settings.hand, scene.layout
        joints = layout.entity(hand.robot).joints
        missing = [joint for joint in hand.joints if joint not in joints]
        if missing:
            where = f"hand {hand.name}: joints"
            raise BadInput(f"{hand.robot} has no such joint", where=where, found=missing)
        first = layout.range_of(hand.robot, "joint_positions").start
        self._joints = np.array([first + joints.index(joint) for joint in hand.joints], np.int32)
        self._carriers = _carriers(layout, hand.link)
        self._felt, self._rest = Felt(), Rest()
        self._sensor = -1
        self._strange = False
        self._most_open, self._open_ns = 1.0, scene.time_ns
        self._closing: Closing | None = None

    def step(self, tick: Tick) -> Changes:
        """Follow fingers, hand and wrist; judge when the hand has lifted, or let go."""
        scene, changes, limits = tick.scene, tick.changes(), self.settings
        self._feel(scene)
        self._fingers.update(scene.time_ns, scene.values[self._joints])
        position = scene.pose(limits.hand.link)[:3]
        rests = self._rest.update(scene.time_ns, position)
        closing = self._closing
        if closing is None:
            self._await_closing(scene)
            return changes
        self._most_open = max(self._most_open, self._fingers.closing)
        opened = self._most_open - self._fingers.closing >= limits.release_opening
        if closing.closed_ns is None:
            if scene.time_ns - self._fingers.still_since_ns >= _REST_NS:
                closing.closed_ns, closing.height = scene.time_ns, float(position[2])
        elif rests and position[2] - closing.height >= limits.lift and not closing.judged:
            closing.judged = True
            changes.events += self._judge(closing, scene)
        if opened:
            if not closing.judged:
                changes.events += self._judge(closing, None, scene.time_ns)
            self._closing, self._most_open = None, self._fingers.closing
        return changes

    def _feel(self, scene: Snapshot) -> None:
        rows = scene.wrenches
        if not len(rows):
            return
        of = rows[:, 1].astype(int)
        own = next((sensor for sensor in self._carriers if (of == sensor).any()), -1)
        self._strange = own < 0
        if own >= 0:
            self._sensor = own
            mine = rows[of == own]
            if self.settings.inverted:
                mine[:, 2:5] *= -1.0
            self._felt.add(mine)

    def _await_closing(self, scene: Snapshot) -> None:
        closing, now_ns = self._fingers.closing, scene.time_ns
        if closing <= self._most_open:
            self._most_open = closing
        if closing - self._most_open <= 0.5 * self.settings.min_closing:
            self._open_ns = now_ns
        elif closing - self._most_open >= self.settings.min_closing:
            before = settled(self._felt, self._open_ns)
            self._closing = Closing(before, self._down(scene), self._open_ns)
            self._most_open = closing

    def _down(self, scene: Snapshot) -> Floats | None:
        if self._sensor < 0:
            return None
        w, x, y, z = scene.pose(scene.layout.entities[self._sensor].name)[3:7]
        return gravity_direction((x, y, z, w))

    def _judge(self, closing: Closing, scene: Snapshot | None, now_ns: int = 0) -> list[Event]:
        """Judge the claims; without a scene, the hand has let go before it rose."""
        time_ns = now_ns if scene is None else scene.time_ns
        held = claim(
            "held", [self._weight(closing, scene), self._shortfall(scene)], self.settings.prior
        )
        released = claim("released", [self._release(closing, time_ns)], self.settings.prior)
        return [self._event(one, time_ns) for one in (held, released)]

    def _weight(self, closing: Closing, scene: Snapshot | None) -> Voice:
        name = "weight_change"
        if self._sensor < 0:
            return silent(name, self._no_sensor())
        if scene is None:
            return silent(name, "the hand did not rise and stand still before it opened")
        after, down = settled(self._felt, scene.time_ns), self._down(scene)
        if closing.down is None or down is None:
            return silent(name, "no wrench was received before the fingers closed")
        for felt in (closing.before, after):
            if why := felt.unusable():
                return silent(name, why)
        turned = float(np.degrees(np.arccos(np.clip(closing.down @ down, -1.0, 1.0))))
        if turned > self.settings.largest_turn:
            return silent(
                name, f"the wrist turned by {turned:.0f} deg, and what the hand weighs is not known"
            )
        change = weight_change(closing.before.forces, after.forces, down)
        return voice(name, change, float(after.stamps[-1]))

    def _release(self, closing: Closing, time_ns: int) -> Voice:
        name = "abrupt_release"
        if self._sensor < 0:
            return silent(name, self._no_sensor())
        felt = self._felt.between(closing.closed_ns or closing.begun_ns, time_ns)
        if why := felt.unusable():
            return silent(name, why)
        pull = float(np.linalg.norm(felt.forces - felt.forces[0], axis=1).max())
        if pull < self.settings.least_pull:
            return silent(name, f"no pull above {self.settings.least_pull:g} N")
        try:
            share = abrupt_release(felt.stamps, felt.forces)
        except ValueError as error:
            return silent(name, str(error))
        return voice(name, share, float(felt.stamps[-1]))

    def _shortfall(self, scene: Snapshot | None) -> Voice:
        name, hand, watch = "finger_shortfall", self.settings.hand, self.settings.watch
        if not self.settings.empty:
            return silent(name, "where the fingers end when they close on nothing is not known")
        if scene is None:
            return silent(name, "the hand had opened again")
        robots = None if watch is None else WatchLayout.from_json(watch)
        if robots is None or any(robots.unit(joint) != "rad" for joint in hand.joints):
            return silent(name, "its curve is of fingers that turn, and these do not")
        signs = np.sign(np.subtract(hand.closed, hand.opened))
        end = signs * scene.values[self._joints]
        short = finger_shortfall(end, signs * np.array(self.settings.empty))
        return voice(name, short, scene.time_ns / 1e9)

    def _no_sensor(self) -> str:
        return (
            "wrenches are in no frame of a link that carries this hand"
            if self._strange
            else "no wrench is received"
        )

    def _event(self, found: Claim, time_ns: int) -> Event:
        voices: list[Json] = [
            {
                "source": one.source,
                "quantity": one.quantity,
                "unit": one.unit,
                "log_ratio": one.log_ratio,
                "stamp": one.stamp_s,
                "reason": one.reason,
            }
            for one in found.voices
        ]
        arguments: dict[str, Json] = {
            "claim": found.name,
            "hand": self.settings.hand.name,
            "known": found.known,
            "probability": found.probability,
            "reason": found.reason,
            "voices": voices,
        }
        return Event(JUDGED, time_ns, arguments=arguments)


def _carriers(layout: Layout, link: str) -> tuple[int, ...]:
    """The links that may have a hand's sensor, nearest first: those fixed to its link, and those that carry it."""
    entities = {entity.name: entity for entity in layout.entities}
    chain = [link]
    while entities[chain[-1]].parent:
        chain.append(entities[chain[-1]].parent)
    beside = [
        name
        for name, one in entities.items()
        if name not in chain and one.parent in chain and not one.joint and one.owner
    ]
    return tuple(layout.entity_id(name) for name in (*chain, *beside) if name in entities)
