"""Wrenches of a wrist as evidence of loads, pulls, pushes and touches."""

from __future__ import annotations

from math import sqrt

import numpy as np

from hetwin_evidence.closings import Closing, Forces, Recent
from hetwin_evidence.likelihood import Voice, silent, voice
from hetwin_evidence.quantities import (
    SETTLED_S,
    abrupt_release,
    contact_force,
    gravity_direction,
    pull_after_push,
    pull_test,
    snaps,
    weight_change,
)
from hetwin_suite.model import Floats, Layout, Snapshot

GRAVITY = 9.81
_ASIDE_N = 2.0
"""Minimum force across gravity, if it also exceeds that along gravity, which does not come from a load [N]."""
_MISFIT = 0.3
"""Maximum increase of the forces' variation by subtracting the weight of the tool, for a valid tool mass [N]."""


class Wrist:
    """The force sensor at one hand's wrist, if it has one.

    Args:
        layout: layout of the scene.
        link: link of the hand.
        inverted: whether the sensor reports the force that the hand exerts.
        tool_mass: mass that the sensor carries, including the hand [kg]; 0: not known.
        largest_turn: maximum rotation against gravity at which a load can be told from a tool of unknown mass [deg].
        least_pull: minimum pull or push that counts as evidence [N].

    Attributes:
        sensor: index of the link in whose frame the sensor reports; -1: not known yet.
    """

    def __init__(
        self,
        layout: Layout,
        link: str,
        inverted: bool,
        tool_mass: float,
        largest_turn: float,
        least_pull: float,
    ) -> None:
        self._carriers = _carriers(layout, link)
        self._sign = -1.0 if inverted else 1.0
        self._weight, self._largest_turn = tool_mass * GRAVITY, largest_turn
        self._least_pull = least_pull
        self.sensor, self._strange = -1, False
        self._felt, self._poses, self._newest_ns = Recent(4), Recent(8), -1.0

    def feel(self, scene: Snapshot) -> None:
        """Store new wrenches, and the pose of the sensor."""
        rows = scene.wrenches
        if not len(rows):
            return
        own, own_rows = self._own(rows)
        self._strange = own < 0
        if own < 0:
            return
        if own != self.sensor:
            self.sensor, self._link = own, scene.layout.entities[own].name
        fresh = own_rows[own_rows[:, 0].searchsorted(self._newest_ns, side="right") :, [0, 2, 3, 4]]
        if not len(fresh):
            return
        self._newest_ns = float(fresh[-1, 0])
        fresh[:, 0] /= 1e9
        if self._sign < 0.0:
            fresh[:, 1:] *= -1.0
        self._felt.add(fresh)
        pose = np.empty((1, 8))
        pose[0, 0], pose[0, 1:] = scene.time_ns / 1e9, scene.pose(self._link)[:7]
        self._poses.add(pose)

    def _own(self, rows: Floats) -> tuple[int, Floats]:
        """Return the link of the nearest sensor that carries the hand, -1 if there is none, and its rows."""
        of = rows[:, 1]
        if of[0] == of[-1] == self.sensor:  # rows are by sensor
            return self.sensor, rows
        own = next((sensor for sensor in self._carriers if (of == sensor).any()), -1)
        return own, rows[of == own]

    def settled(self, until_ns: int) -> Forces:
        """Return the wrenches of the last `SETTLED_S` before a time."""
        return _copied(self._felt.between(until_ns / 1e9 - SETTLED_S, until_ns / 1e9))

    def _between(self, from_ns: int, to_ns: int) -> Forces:
        """Return the wrenches in a time interval."""
        return _copied(self._felt.between(from_ns / 1e9, to_ns / 1e9))

    def down(self) -> Floats | None:
        """Return the direction of gravity in the sensor's frame; None without a sensor."""
        if self.sensor < 0:
            return None
        w, x, y, z = self._poses.rows[-1, 4:8]
        return gravity_direction((x, y, z, w))

    def weight(self, closing: Closing, time_ns: int | None) -> Voice:
        """Return the evidence of the change of weight for a load.

        Args:
            closing: the closing.
            time_ns: time when the hand rested after the lift; None: it opened before that.
        """
        name = "weight_change"
        if self.sensor < 0:
            return silent(name, self._no_sensor())
        if time_ns is None:
            return silent(name, "the hand did not rise and stand still before it opened")
        after, down = self.settled(time_ns), self.down()
        if closing.down is None or down is None:
            return silent(name, "no wrench was received before the fingers closed")
        for felt in (closing.before, after):
            if why := felt.unusable:
                return silent(name, why)
        turned = float(np.degrees(np.arccos(np.clip(closing.down @ down, -1.0, 1.0))))
        if turned > self._largest_turn and not self._weight:
            return silent(
                name, f"the wrist turned by {turned:.0f} deg, and what the hand weighs is not known"
            )
        before = closing.before.mean - self._weight * closing.down
        now = after.mean - self._weight * down
        change, pulled = weight_change(before, now, down), now - before
        aside = sqrt(max(0.0, float(pulled @ pulled) - change**2))
        if aside > max(_ASIDE_N, abs(change)):
            why = (
                f"the hand is pulled across gravity with {aside:.1f} N, and {change:.1f} N along it"
            )
            return silent(
                name, f"{why}: something holds it, or the wrench is in another frame than it names"
            )
        return voice(name, change, float(after.stamps[-1]))

    def lost_weight(self, closing: Closing, time_ns: int) -> Voice:
        """Return the evidence of the weight lost since the hand was found to hold an object."""
        name, now = "weight_loss", self.weight(closing, time_ns)
        if now.quantity is None or closing.weight is None:
            return silent(name, now.reason or "the weight of what it holds was not measured")
        return voice(name, closing.weight - now.quantity, now.stamp_s)

    def release(self, closing: Closing, time_ns: int) -> Voice:
        """Return the evidence of how the strongest pull since a closing ended, for an abrupt release."""
        name = "abrupt_release"
        if self.sensor < 0:
            return silent(name, self._no_sensor())
        felt = self._between(closing.closed_ns or closing.started_ns, time_ns)
        if why := felt.unusable:
            return silent(name, why)
        pull = float(np.linalg.norm(felt.forces - felt.forces[0], axis=1).max())
        if pull < self._least_pull:
            return silent(name, f"no pull above {self._least_pull:g} N")
        try:
            share = abrupt_release(felt.stamps, felt.forces)
        except ValueError as error:
            return silent(name, str(error))
        return voice(name, share, float(felt.stamps[-1]))

    def contact(self, from_ns: int, to_ns: int) -> Voice:
        """Return the evidence of deviating forces for a touch in a time interval."""
        name = "contact_force_of_known_tool" if self._weight else "contact_force"
        felt = self._between(from_ns, to_ns)
        if why := self._no_sensor() if self.sensor < 0 else felt.unusable:
            return silent(name, why)
        downs = self._downs(felt.stamps)
        turned = float(np.degrees(np.arccos(np.clip((downs @ downs[0]).min(), -1.0, 1.0))))
        forces = felt.forces - self._weight * downs
        if self._weight and _spread(forces) > _spread(felt.forces) + _MISFIT:
            why = f"without a tool of {self._weight / GRAVITY:.2f} kg forces vary more than with it: it is another one"
            return silent(name, why)
        if turned > self._largest_turn and not self._weight:
            return silent(name, f"the wrist turned by {turned:.0f} deg with an unknown tool")
        try:
            return voice(name, contact_force(felt.stamps, forces), float(felt.stamps[-1]))
        except ValueError as error:
            return silent(name, str(error))

    def connection(self, closing: Closing, time_ns: int) -> list[Voice]:
        """Return the evidence of a push and a subsequent pull for a connection; empty without a push."""
        if self.sensor < 0 or closing.closed_ns is None:
            return []
        felt = self._between(closing.closed_ns, time_ns)
        if felt.unusable:
            return []
        at = self._at(felt.stamps)
        first = felt.forces[felt.stamps <= felt.stamps[0] + 0.1].mean(axis=0)
        own, axes = felt.forces - first, at[:, 5:8]
        turned = 2.0 * np.cross(axes, own)
        world = own + at[:, 4:5] * turned + np.cross(axes, turned)
        found = pull_after_push(world, at[:, 1:4], self._least_pull)
        if found is None:
            return []
        came = pull_test(*found) if len(found[0]) else None
        pulled = (
            silent("pull_test", f"nobody pulled with {self._least_pull:g} N")
            if came is None
            else voice("pull_test", came, float(felt.stamps[-1]))
        )
        try:
            snapped = voice("snap", float(bool(snaps(felt.stamps, felt.forces))))
        except ValueError as error:
            snapped = silent("snap", str(error))
        return [snapped, pulled]

    def _at(self, stamps: Floats) -> Floats:
        """Return time and pose (n, 8) of the sensor at times; positions are interpolated, rotations are the latest."""
        poses = self._poses.rows
        index = np.clip(np.searchsorted(poses[:, 0], stamps, side="right") - 1, 0, None)
        found = poses[index].copy()
        for axis in (1, 2, 3):
            found[:, axis] = np.interp(stamps, poses[:, 0], poses[:, axis])
        return found

    def _downs(self, stamps: Floats) -> Floats:
        """Return the direction of gravity (n, 3) in the sensor's frame at times."""
        w, x, y, z = self._at(stamps)[:, 4:8].T
        return np.column_stack(
            (2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0)
        )

    def _no_sensor(self) -> str:
        return (
            "wrenches are in no frame of a link that carries this hand"
            if self._strange
            else "no wrench is received"
        )


def _copied(rows: Floats) -> Forces:
    return Forces(rows[:, 0].copy(), rows[:, 1:].copy())


def _spread(forces: Floats) -> float:
    return float(np.linalg.norm(np.std(forces, axis=0)))


def _carriers(layout: Layout, link: str) -> tuple[int, ...]:
    """Return the links that may have a hand's sensor: its link and all above, then links fixed to one of these."""
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
