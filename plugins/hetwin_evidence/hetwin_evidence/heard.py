"""Evidence from a hand's reports: fingers compared with empty closings and commands, gripper, other sensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from hetwin_evidence.likelihood import CURVES, Voice, silent, voice
from hetwin_evidence.quantities import finger_shortfall
from hetwin_suite.harness import HandDescription
from hetwin_suite.model import (
    COMMANDED,
    FEELS,
    GRIPPER_SAYS,
    Entity,
    Event,
    EventKind,
    Floats,
    Json,
    hand_of_event,
    some,
)

TACTILE = "tactile"
"""Name of a tactile sensor, whose quantity is its third highest taxel, relative to that in empty closings."""


class _Reading(NamedTuple):
    """A reading of a sensor, reported by another package or reader."""

    quantity: float
    unit: str
    log_ratio: float | None
    time_ns: int


class Reports:
    """Stores the reports about one hand.

    Args:
        hand: description of the hand.
        hands: all hands of the scene, for a gripper that does not name its joint.
        empty: (closings, joints) end positions of the fingers in empty closings [rad or m].
        tactile: maximum of the third highest taxel in empty closings; None: not known.
        slides: whether the fingers are prismatic.
    """

    def __init__(
        self,
        hand: HandDescription,
        hands: Sequence[Entity],
        empty: Sequence[Sequence[float]],
        tactile: float | None,
        slides: bool,
    ) -> None:
        self._hand, self._hands = hand, hands
        self._empty, self._tactile, self._slides = empty, tactile, slides
        self._gripper: tuple[bool, int] | None = None
        self._commanded: dict[str, float] = {}
        self._others: tuple[str, ...] = ()
        self._felt: dict[tuple[str, str], _Reading] = {}

    def note(self, events: Sequence[Event]) -> None:
        """Store the robot's reports."""
        for event in events:
            if event.kind is not EventKind.ACTION:
                continue
            if event.name == GRIPPER_SAYS:
                self._note_gripper(event)
            elif event.name == COMMANDED:
                self._note_command(event)
            elif event.name == FEELS and event.arguments.get("hand") in (None, self._hand.name):
                self._note_felt(event)

    def _note_gripper(self, event: Event) -> None:
        hand, arguments = hand_of_event(event, self._hands), event.arguments
        if hand is None or hand.name != self._hand.name:
            return
        stopped = bool(arguments.get("stalled") or arguments.get("grasped"))
        is_conclusive = (
            stopped or arguments.get("reached_goal") or arguments.get("grasped") is False
        )
        self._gripper = (stopped, event.time_ns) if is_conclusive else None

    def _note_command(self, event: Event) -> None:
        positions = event.arguments.get("positions")
        if not isinstance(positions, dict):
            positions = self._by_order(event)
        own_positions = {k: v for k, v in positions.items() if k in self._hand.joints}
        self._commanded |= {
            k: float(v) for k, v in own_positions.items() if isinstance(v, int | float)
        }
        if not own_positions:
            self._others = tuple(positions)

    def _by_order(self, event: Event) -> dict[str, Json]:
        """Return the values of a command without names, if it is for this hand and has one for each joint."""
        values, joints = event.arguments.get("values"), self._hand.joints
        hand = hand_of_event(event, self._hands)
        if hand is None or hand.name != self._hand.name or not isinstance(values, list):
            return {}
        return dict(zip(joints, values, strict=True)) if len(values) == len(joints) else {}

    def _note_felt(self, event: Event) -> None:
        arguments = event.arguments
        quantity, ratio = arguments.get("quantity"), arguments.get("log_ratio")
        if not isinstance(quantity, int | float):
            return
        known = float(ratio) if isinstance(ratio, int | float) else None
        source = str(arguments.get("source", event.source))
        if source == TACTILE and self._tactile is not None:
            source, quantity = "tactile_rise", quantity - self._tactile
        key = str(arguments.get("claim", "held")), source
        self._felt[key] = _Reading(
            float(quantity), str(arguments.get("unit", "")), known, event.time_ns
        )

    def voices(self, end: Floats, time_ns: int) -> list[Voice]:
        """Return the evidence for the claim that the hand holds an object.

        Args:
            end: positions of the finger joints [rad or m].
            time_ns: current time.
        """
        shortfall = self.shortfall(end, time_ns)
        if shortfall.quantity is not None:  # a gripper's report or a command adds nothing to that
            return [shortfall]
        return [shortfall, self._feedback(), self._error(end, time_ns)]

    def felt(self, claim: str) -> list[Voice]:
        """Return the evidence of other sensors for a claim."""
        return [
            _of_sensor(source, found)
            for (about, source), found in self._felt.items()
            if about == claim
        ]

    def shortfall(self, end: Floats, time_ns: int) -> Voice:
        """Return the evidence of fingers that stop before the end of an empty closing."""
        name = "gap_left" if self._slides else "finger_shortfall"
        if not len(self._empty):
            return silent(name, "where the fingers end when they close on nothing is not known")
        signs = np.sign(np.subtract(self._hand.closed, self._hand.opened))
        short = finger_shortfall(signs * end, signs * np.array(self._empty))
        return voice(name, short, time_ns / 1e9)

    def _feedback(self) -> Voice:
        name = "gripper_feedback"
        if self._gripper is None:
            return silent(name, "the gripper says nothing of it")
        stopped, time_ns = self._gripper
        return voice(name, float(stopped), time_ns / 1e9)

    def _error(self, end: Floats, time_ns: int) -> Voice:
        name, hand = "position_error", self._hand
        if not self._commanded:
            why = "no command of its fingers was received"
            other = f"; commands are of {some(self._others)}" if self._others else ""
            return silent(name, why + other)
        if not all(map(isfinite, self._commanded.values())):
            return silent(name, "the commanded position is not a number")
        errors = [
            min(1.0, (self._commanded[joint] - opened) / (closed - opened))
            - (at - opened) / (closed - opened)
            for joint, at, opened, closed in zip(
                hand.joints, end.tolist(), hand.opened, hand.closed, strict=True
            )
            if joint in self._commanded and closed != opened
        ]
        if not errors:
            return silent(name, "the joints that are commanded have no travel")
        return voice(name, float(np.mean(errors)), time_ns / 1e9)


def _of_sensor(source: str, found: _Reading) -> Voice:
    """Return the evidence of a sensor: its log-likelihood ratio, else that of the curve with its name."""
    stamp_s = found.time_ns / 1e9
    if found.log_ratio is not None and isfinite(found.log_ratio):
        return Voice(source, found.quantity, found.unit, found.log_ratio, stamp_s)
    if source in CURVES:
        return voice(source, found.quantity, stamp_s)
    return Voice(source, None, found.unit, 0.0, stamp_s, "by which quantity it speaks is not known")
