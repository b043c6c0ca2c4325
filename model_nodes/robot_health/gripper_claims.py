"""Reports claims of grippers that contradict the twin's belief about their hands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.conductor.reporting.concerns import FROM, SEVERITY, TO
from hetwin_core.ensemble.events import ACTION, GRIPPER_SAYS, ROBOT, Event, EventKind, Json
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View

STALLED_ON_NOTHING, CLOSED_BUT_HOLDS = "stalled_on_nothing", "closed_but_holds"
_HOLDING, _HELD = "holding", "held_object"
_TOLERANCE = 0.05
"""Maximum difference of positions that count as equal, as a fraction of the travel."""

_CLOSED_FRACTION = 0.86
"""Grippers whose fingers meet report at least this closed fraction of their travel."""


@dataclass(slots=True)
class _Claim:
    name: str
    since_ns: int
    arguments: dict[str, Json]


class _PositionCheck(NamedTuple):
    """Comparison of a gripper's claim with the twin's finger.

    Attributes:
        at_end: whether the twin's finger is at an end of its travel.
        reports_end: whether the gripper reports an end of its travel.
        fits: whether the reported position fits the twin's finger; None if they cannot be compared.
    """

    at_end: bool = False
    reports_end: bool = False
    fits: bool | None = None


class GripperClaims:
    """Raises ``stalled_on_nothing`` and ``closed_but_holds``.

    ``stalled_on_nothing``: a gripper reports a stall, while in the twin its hand neither holds anything nor has
    stopped before its goal. Not raised if gripper and twin are both at an end of the travel, where any gripper stalls.

    ``closed_but_holds``: a gripper reports that it reached its goal at an end of its travel, while in the twin its hand
    holds an object, with its fingers elsewhere.

    Only hands whose fingers were recorded and whose grip a model watches are judged.

    Args:
        scale: time for which the twin must contradict a claim before it is reported [s].
        layout: layout of the scene.
        watched: state of the robots that is monitored.
    """

    def __init__(self, scale: Scale, layout: Layout, watched: WatchLayout) -> None:
        self._scale, self._layout, self._watched = scale, layout, watched
        driven = dict(zip(watched.joints, watched.driven, strict=True))
        self._hands = [
            hand
            for hand in layout.of_kind(EntityKind.HAND)
            if layout.has(hand.name, _HOLDING) and any(driven.get(j) for j in hand.joints)
        ]
        self._stopped_short: set[str] = set()
        self._claims: dict[str, _Claim] = {}

    def watch(self, view: View) -> list[Event]:
        """Return events about claims that the twin has now contradicted for long enough."""
        for event in view.events:
            self._update(event, view)
        return list(self._contradicted(view)) if self._claims else []

    def _update(self, event: Event, view: View) -> None:
        name = str(event.arguments.get("hand"))
        if event.name == CLOSED_ON_SOMETHING:
            self._stopped_short.add(name)
        elif event.name == LET_GO_OF_SOMETHING:
            self._stopped_short.discard(name)
        elif event.kind is EventKind.ACTION and event.name == GRIPPER_SAYS:
            hand = hand_of(event, self._hands)
            if hand is not None:
                self._claims.pop(hand.name, None)
                self._claim(hand, event, view)

    def _claim(self, hand: Entity, event: Event, view: View) -> None:
        report = event.arguments
        arguments: dict[str, Json] = {"gripper": _name(event), "hand": hand.name}
        position = report.get("position")
        joint = str(report.get("joint") or hand.joints[0])
        if isinstance(position, float):
            unit = self._watched.unit(joint)
            arguments |= {"position": position, "unit": unit}
        check = self._check_position(joint, position, report, view)
        stopped = report.get("stalled") or report.get("grasped")
        if stopped and not (check.at_end and check.fits is not False):
            name = STALLED_ON_NOTHING
            arguments["says"] = "grasped something" if report.get("grasped") else "stalled"
        elif report.get("reached_goal") and check.reports_end and check.fits is False:
            name = CLOSED_BUT_HOLDS
        else:
            return
        self._claims[hand.name] = _Claim(name, event.time_ns, arguments)

    def _check_position(
        self, joint: str, position: Json, report: Mapping[str, Json], view: View
    ) -> _PositionCheck:
        """Compare a claimed position with the twin's finger.

        A gripper with sliding fingers may report a finger's position or the gap between two fingers; both are accepted.
        """
        watched = self._watched
        index = watched.joints.index(joint) if joint in watched.joints else -1
        lower, upper = (watched.lower[index], watched.upper[index]) if index >= 0 else (None, None)
        if lower is None or upper is None:
            return _PositionCheck()
        tolerance, actual = _TOLERANCE * (upper - lower), float(view.positions[index])
        at_end = min(abs(actual - lower), abs(actual - upper)) <= tolerance
        if isinstance(closing := report.get("closing"), float):
            closed = closing >= _CLOSED_FRACTION
            return _PositionCheck(at_end, closed, at_end is (closed or closing <= _TOLERANCE))
        if not isinstance(position, float) or not (
            report.get("joint") or self._is_prismatic(index)
        ):
            return _PositionCheck(at_end)
        reports_end = min(abs(position - lower), abs(position - upper)) <= tolerance
        fits = min(abs(position - actual), abs(position - 2.0 * actual)) <= tolerance
        return _PositionCheck(at_end, reports_end, fits)

    def _is_prismatic(self, index: int) -> bool:
        return bool(self._watched.slides) and self._watched.slides[index]

    def _contradicted(self, view: View) -> Iterator[Event]:
        for hand, claim in list(self._claims.items()):
            held = self._held(hand, view)
            empty = held is None
            stopped = hand in self._stopped_short
            agrees = empty if claim.name == CLOSED_BUT_HOLDS else not empty or stopped
            duration_s = (view.time_ns - claim.since_ns) / 1e9
            if agrees:
                del self._claims[hand]
            elif duration_s >= self._scale.least:
                del self._claims[hand]
                severity = self._scale.severity(duration_s)
                assert severity is not None
                times: dict[str, Json] = {FROM: claim.since_ns / 1e9, TO: view.time_ns / 1e9}
                held_object: dict[str, Json] = {} if held is None else {"object": held}
                arguments = {SEVERITY: severity.value, **claim.arguments, **held_object, **times}
                yield Event(claim.name, claim.since_ns, arguments=arguments)

    def _held(self, hand: str, view: View) -> str | None:
        """Return the object in a hand: empty if it is unknown, None if the hand holds nothing."""
        layout, values = self._layout, view.snapshot.values
        if not values[layout.slots[layout.slot_id(hand, _HOLDING)].offset]:
            return None
        if not layout.has(hand, _HELD):
            return ""
        number = int(values[layout.slots[layout.slot_id(hand, _HELD)].offset])
        return layout.entities[number].name if number >= 0 else ""


def hand_of(event: Event, hands: Sequence[Entity]) -> Entity | None:
    """Return the hand that a gripper's claim is about; None if that is not clear.

    It is the hand with the claim's joint, else the only hand of its robot, else the hand that shares the most words
    with the action's name, if no other hand shares as many.
    """
    robot, joint = event.arguments.get(ROBOT), event.arguments.get("joint")
    own = [hand for hand in hands if robot in (None, hand.owner)]
    by_joint = [hand for hand in own if joint in hand.joints]
    if by_joint or len(own) == 1:
        return (by_joint or own)[0]
    words = _words(_name(event))
    counts = [len(words & _words(" ".join((h.name, h.parent, *h.joints)))) for h in own]
    if not counts or counts.count(max(counts)) > 1:
        return None
    return own[counts.index(max(counts))]


def _name(event: Event) -> str:
    """Return the action of a gripper, or the topic of its status."""
    return str(event.arguments.get(ACTION) or event.arguments.get("gripper"))


def _words(text: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", text.lower())) - {""}
