"""A model that judges whether a probe was inserted into its socket, by its depth after the first resistance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hetwin_evidence.likelihood import Voice, claim, judged
from hetwin_evidence.meeting import FirstRest, Meeting, Resistance, below
from hetwin_suite.model import (
    JUDGED,
    Amount,
    Changes,
    Contribution,
    EntityKind,
    EntityName,
    Event,
    Floats,
    Hand,
    Model,
    Parameters,
    Snapshot,
    Tick,
    Vector3,
    parameter,
    relative_to,
    rotate,
)

_BASELINE_NS = 300_000_000
"""Time before a probe comes near its socket over which the signals of free motion are recorded."""
_SATURATES_N = 20.0
_STILL = 0.03
"""Maximum opening of fingers that still push, as a share of their travel; then a strained arm springs back."""
STRAINS = "strains"
"""Event of the robot with the position errors of its joints' controllers."""


class MatingSettings(Parameters):
    """Parameters of the model."""

    hand: Hand = parameter("the hand that pushes")
    probe: EntityName = parameter("the object that is inserted")
    socket: EntityName = parameter("the object into which the probe is inserted")
    axis: Vector3 = parameter(
        "direction in which the probe goes in, in the socket's frame", (0.0, 0.0, -1.0)
    )
    goes_in: Amount = parameter(
        "minimum depth at its release from which the probe slides in by itself", 0.009, "m"
    )
    near_radius: Amount = parameter(
        "radius of the cylinder about the connected pose in which the probe may touch the socket",
        0.03,
        "m",
    )
    near_length: Amount = parameter("half the length of that cylinder, along the axis", 0.06, "m")
    least_push: Amount = parameter(
        "minimum change of the wrist's force along the axis that counts as resistance", 1.0, "N"
    )
    least_effort: Amount = parameter(
        "minimum change of the arm's efforts, as a norm, that counts as resistance", 1.5, "N m"
    )
    least_strain: Amount = parameter(
        "minimum change of the position errors of the arm's controllers, as a norm, that counts as resistance",
        0.006,
        "rad",
    )
    release_opening: Amount = parameter(
        "minimum opening of the fingers that counts as a release", 0.2, "of the travel"
    )
    prior: float = parameter("probability of a connection without evidence", 0.5, gt=0, lt=1)


class Mating(Model[MatingSettings]):
    """Judges whether a probe that a hand pushed into a socket is connected.

    The position of the socket's face is known to some millimetres only. It is therefore measured: it is the position
    of the hand along the axis at the first resistance, and the probe's depth at its release counts from there. The
    most precise available source is used, with its own standard deviation: the wrist's force, the efforts of the
    arm's joints, the position errors of their controllers, or the first rest of the hand. The model raises ``judged``
    for the claim ``connected`` when the fingers open, whatever the simulated probe does.
    """

    summary = "Judges by resistance and depth whether a probe went into its socket."
    rate = 50.0
    raises: ClassVar[Mapping[str, str]] = {
        JUDGED: "a claim was judged: claim, hand, known (true, false, or null), probability, reason, voices"
    }

    def initialize(self, settings: MatingSettings, scene: Contribution) -> None:
        """Declare the attributes that the model reads."""
        scene.needs(
            (settings.hand.robot, "joint_efforts"),
            (settings.hand.robot, "joint_positions"),
            ("*", "pose"),
            ("*", "wrenches"),
        )

    def start(self, scene: Snapshot) -> None:
        """Find the joints and links that carry the hand."""
        layout, hand = scene.layout, self.settings.hand
        entities = {entity.name: entity for entity in layout.entities}
        chain = [hand.link]
        while entities[chain[-1]].parent:
            chain.append(entities[chain[-1]].parent)
        self._sensors = {
            number: entity.name
            for number, entity in enumerate(layout.entities)
            if entity.kind is EntityKind.LINK and entity.name in chain
        }
        joints = layout.entity(hand.robot).joints
        arm = [entities[link].joint for link in chain if entities[link].joint in joints]
        self._places = [joints.index(joint) for joint in arm]
        self._arm = frozenset(arm)
        self._has_efforts = layout.has(hand.robot, "joint_efforts")
        self._strains: dict[str, dict[str, float]] = {}
        self._free: dict[str, list[tuple[int, Floats]]] = {}
        self._fingers = [joints.index(joint) for joint in hand.joints]
        self._opened, self._travel = np.array(hand.opened), np.subtract(hand.closed, hand.opened)
        self._meeting: Meeting | None = None
        self._most_closed = 0.0

    def step(self, tick: Tick) -> Changes:
        """Track the hand along the axis, and judge the connection when the hand releases the probe."""
        scene, changes = tick.scene, tick.changes()
        self._note(tick.events)
        felt = self._felt(scene)
        carried = scene.parent(self.settings.probe) == self.settings.hand.name
        if self._meeting is None:
            self._remember(felt, scene.time_ns)
            if carried and self._is_near(scene):
                self._meeting = self._begin()
                self._most_closed = 0.0
        if self._meeting is not None:
            closing = self._closing(scene)
            self._most_closed = max(self._most_closed, closing)
            if self._most_closed - closing <= _STILL:
                self._meeting.go_on(scene.time_ns, self._along(scene), felt)
            elif self._most_closed - closing >= self.settings.release_opening:
                changes.events.append(self._judge(self._meeting, scene.time_ns))
                self._meeting = None
        return changes

    def _closing(self, scene: Snapshot) -> float:
        """Return the closing of the fingers, as a share of their travel."""
        at = scene.get(self.settings.hand.robot, "joint_positions")[self._fingers]
        moving = np.abs(self._travel) > 0.0
        return float(((at - self._opened)[moving] / self._travel[moving]).mean())

    def _note(self, events: tuple[Event, ...]) -> None:
        for event in events:
            errors = event.arguments.get("errors")
            if event.name == STRAINS and isinstance(errors, dict):
                own = {k: float(v) for k, v in errors.items() if isinstance(v, int | float)}
                if self._arm & own.keys():
                    self._strains[event.source] = own

    def _felt(self, scene: Snapshot) -> dict[str, Floats]:
        """Return the current signals of the arm, by available source."""
        found: dict[str, Floats] = {}
        rows = scene.wrenches
        own = rows[np.isin(rows[:, 1].astype(int), list(self._sensors))] if len(rows) else rows
        recent = own[own[:, 0] > scene.time_ns - 20_000_000] if len(own) else own
        if len(recent) and np.isfinite(recent[:, 2:5]).all():
            force = recent[:, 2:5].mean(axis=0)
            w, x, y, z = scene.pose(self._sensors[int(recent[-1, 1])])[3:7]
            force = np.array(rotate((w, x, y, z), tuple(force)))
            found["wrist"] = np.array([force @ self._axis(scene)])
        if self._has_efforts and self._places:
            efforts = scene.get(self.settings.hand.robot, "joint_efforts")[self._places]
            if np.isfinite(efforts).all() and efforts.any():
                found["efforts"] = efforts
        strains = {name: one for own in self._strains.values() for name, one in own.items()}
        if strains:
            found["strain"] = np.array([strains.get(name, 0.0) for name in sorted(self._arm)])
        return found

    def _remember(self, felt: Mapping[str, Floats], time_ns: int) -> None:
        for source, value in felt.items():
            kept = self._free.setdefault(source, [])
            kept.append((time_ns, value))
            while kept[0][0] < time_ns - _BASELINE_NS:
                kept.pop(0)

    def _begin(self) -> Meeting:
        limits = self.settings
        least = {
            "wrist": limits.least_push,
            "efforts": limits.least_effort,
            "strain": limits.least_strain,
        }
        free = {
            source: np.median([value for _, value in kept], axis=0)
            for source, kept in self._free.items()
            if kept and not (source == "wrist" and _stands(kept))
        }
        return Meeting(
            [Resistance(source, free[source], least[source]) for source in least if source in free],
            FirstRest(),
        )

    def _axis(self, scene: Snapshot) -> Floats:
        w, x, y, z = scene.pose(self.settings.socket)[3:7]
        axis = np.array(rotate((w, x, y, z), self.settings.axis))
        return np.asarray(axis / np.linalg.norm(axis))

    def _along(self, scene: Snapshot) -> float:
        """Return the hand's position along the axis [m], from an arbitrary origin."""
        return float(scene.pose(self.settings.hand.link)[:3] @ self._axis(scene))

    def _is_near(self, scene: Snapshot) -> bool:
        limits = self.settings
        place = relative_to(scene.pose(limits.socket), scene.pose(limits.probe))[:3]
        axis = np.array(limits.axis) / np.linalg.norm(limits.axis)
        axial = float(place @ axis)
        radial = float(np.linalg.norm(place - axial * axis))
        return radial <= limits.near_radius and abs(axial) <= limits.near_length

    def _judge(self, meeting: Meeting, time_ns: int) -> Event:
        voices: list[Voice] = [below(depth, self.settings.goes_in) for depth in meeting.depths()]
        found = claim("connected", voices, self.settings.prior)
        return judged(found, self.settings.hand.name, time_ns)


def _stands(kept: list[tuple[int, Floats]]) -> bool:
    """Return whether a force is large and without noise, so that the sensor is saturated."""
    forces = np.array([value for _, value in kept])
    return len(forces) > 1 and not np.ptp(forces) and bool(abs(forces[0]) >= _SATURATES_N)
