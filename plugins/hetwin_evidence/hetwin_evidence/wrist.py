"""Wrenches of a wrist as evidence of loads, pulls, pushes and touches."""

from __future__ import annotations

import numpy as np

from hetwin_evidence.closings import Closing, Felt, settled
from hetwin_evidence.likelihood import Voice, silent, voice
from hetwin_evidence.quantities import (
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
_KEPT = 200
"""So many poses of the sensor are kept, one of each step."""
_MISFIT = 0.3
"""The weight of a known tool must not make forces vary by so much more than they did with it [N]."""


class Wrist:
    """The force sensor at one hand's wrist, if it has one.

    Args:
        layout: the scene's.
        link: of the hand.
        inverted: whether the sensor gives the force that the hand exerts.
        tool_mass: of all that hangs on the sensor [kg]; 0: not known.
        largest_turn: from which on an unknown tool is not known from its load [deg].
        least_pull: a pull or push below it is no evidence [N].

    Attributes:
        sensor: index of the link in whose frame it feels; -1: none is known.
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
        self._felt, self.sensor, self._strange = Felt(), -1, False
        self._poses = np.zeros((0, 8))

    def feel(self, scene: Snapshot) -> None:
        """Take note of its wrenches, and of its pose."""
        rows = scene.wrenches
        if not len(rows):
            return
        of = rows[:, 1].astype(int)
        own = next((sensor for sensor in self._carriers if (of == sensor).any()), -1)
        self._strange = own < 0
        if own < 0:
            return
        self.sensor = own
        mine = rows[of == own]
        mine[:, 2:5] *= self._sign
        self._felt.add(mine)
        pose = scene.pose(scene.layout.entities[own].name)[:7]
        self._poses = np.vstack((self._poses, [scene.time_ns / 1e9, *pose]))[-_KEPT:]

    def settled(self, until_ns: int) -> Felt:
        """Return the wrenches of the last 0.3 s before a time."""
        return settled(self._felt, until_ns)

    def down(self) -> Floats | None:
        """Return the direction of gravity in the sensor's frame; None without a sensor."""
        if self.sensor < 0:
            return None
        w, x, y, z = self._poses[-1, 4:8]
        return gravity_direction((x, y, z, w))

    def weight(self, closing: Closing, time_ns: int | None) -> Voice:
        """Return the evidence of the weight about a load; without a time, the hand had let go before it rose."""
        name = "weight_change"
        if self.sensor < 0:
            return silent(name, self._no_sensor())
        if time_ns is None:
            return silent(name, "the hand did not rise and stand still before it opened")
        after, down = self.settled(time_ns), self.down()
        if closing.down is None or down is None:
            return silent(name, "no wrench was received before the fingers closed")
        for felt in (closing.before, after):
            if why := felt.unusable():
                return silent(name, why)
        turned = float(np.degrees(np.arccos(np.clip(closing.down @ down, -1.0, 1.0))))
        if turned > self._largest_turn and not self._weight:
            return silent(
                name, f"the wrist turned by {turned:.0f} deg, and what the hand weighs is not known"
            )
        before = closing.before.forces - self._weight * closing.down
        change = weight_change(before, after.forces - self._weight * down, down)
        return voice(name, change, float(after.stamps[-1]))

    def lost_weight(self, closing: Closing, time_ns: int) -> Voice:
        """Return the evidence of the weight that is missing since it was found that the hand holds something."""
        name, now = "weight_loss", self.weight(closing, time_ns)
        if now.quantity is None or closing.weight is None:
            return silent(name, now.reason or "the weight of what it holds was not measured")
        return voice(name, closing.weight - now.quantity, now.stamp_s)

    def release(self, closing: Closing, time_ns: int) -> Voice:
        """Return the evidence of the end of the strongest pull since a closing."""
        name = "abrupt_release"
        if self.sensor < 0:
            return silent(name, self._no_sensor())
        felt = self._felt.between(closing.closed_ns or closing.begun_ns, time_ns)
        if why := felt.unusable():
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
        """Return the evidence of forces beside the usual one for a touch in a time."""
        name = "contact_force_of_known_tool" if self._weight else "contact_force"
        felt = self._felt.between(from_ns, to_ns)
        if why := self._no_sensor() if self.sensor < 0 else felt.unusable():
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
        """Return the evidence of a push, and of a pull after it, for a connection; empty if nothing was pushed."""
        if self.sensor < 0 or closing.closed_ns is None:
            return []
        felt = self._felt.between(closing.closed_ns, time_ns)
        if felt.unusable():
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
        """(n, 8) time and pose of the sensor at times; places between two steps on a line, turns of the earlier one."""
        poses = self._poses
        index = np.clip(np.searchsorted(poses[:, 0], stamps, side="right") - 1, 0, None)
        found = poses[index].copy()
        for axis in (1, 2, 3):
            found[:, axis] = np.interp(stamps, poses[:, 0], poses[:, axis])
        return found

    def _downs(self, stamps: Floats) -> Floats:
        """(n, 3) direction of gravity in the sensor's frame at times."""
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


def _spread(forces: Floats) -> float:
    return float(np.linalg.norm(np.std(forces, axis=0)))


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
