"""Reports which claims of a run can be checked, by which evidence, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.concern_words import (
    BREAKS_OFF,
    CLOSED_ON_SOMETHING,
    LET_GO_OF_SOMETHING,
    MENDED,
    concern_text,
)
from hetwin_core.ensemble.conductor.reporting.coverage import (
    Claim,
    CoverageRow,
    coverage_event,
)
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.mobile_robots import mobile_robots
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.hands import finger_count, fixed_tool, hand_links
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.watch import Finding, Watch, WatchLayout
from hetwin_core.ensemble.sentences.catalogue import say
from model_nodes.robot_health.view import View

_MOST_NAMED = 4
"""Maximum number of links or joints that a reason names; more are counted."""
_SEVERAL = 4
"""Minimum number of fingers of a hand for which it is not known which fingers hold."""
_DECIDED_NS = 2_000_000_000
"""Time within which a topic must be received; afterwards it counts as missing [ns]."""
_SILENT_NS = 1_000_000_000
"""Minimum length of a gap in a recording within which motion counts as unobserved [ns]."""
_FINGERS, _EFFORTS, _SHAPES, _CONTACTS = "finger positions", "efforts", "shapes", "contacts"


class Torques(Protocol):
    """Reports whether the efforts of a robot are torques."""

    def is_torque(self, robot: str) -> bool:
        """Return whether the efforts are torques, as far as is known."""


class Coverage:
    """Raises an event for each claim and subject: that it is checked from a time on, or that it is not.

    Args:
        layout: the robots; None if the main model reports about none.
        scene: at the start.
        torques: reports whether recorded efforts are torques.
    """

    def __init__(self, layout: WatchLayout | None, scene: Snapshot, torques: Torques) -> None:
        self._layout, self._torques = layout, torques
        self._scene = entities = scene.layout
        self._objects = [
            e for e in entities.of_kind(EntityKind.OBJECT) if entities.has(e.name, "pose")
        ]
        self._hands = entities.of_kind(EntityKind.HAND)
        self._said: dict[tuple[str, str], CoverageRow] = {}
        self._known: dict[tuple[str, str], CoverageRow] = {}
        findings = () if layout is None else layout.findings
        self._gaps = [f for f in findings if f.name == "gap" and f.to_ns - f.from_ns >= _SILENT_NS]
        self._silent: list[Finding] = []
        self._begun_ns = scene.time_ns
        count = 0 if layout is None else len(layout.joints)
        self._effort_seen: NDArray[np.bool_] = np.zeros(count, np.bool_)
        self._effort_decides: tuple[bool, ...] = ()
        self._robots = () if layout is None else tuple(layout.parts())
        self._names = [robot for robot, _ in self._robots]
        self._at_first = tuple(self._at_once())

    def watch(self, view: View) -> list[Event]:
        """Return events about claims whose coverage has changed since the last view."""
        found = [] if self._said else list(self._at_first)
        if self._layout is not None and view.watch is not None:
            found += self._efforts(self._layout, view.watch)
        said = [(one, view.time_ns) for one in found]
        for happened in view.events:
            changed = self._of_fingers(happened)
            said += [] if changed is None else [(changed, happened.time_ns)]
        if self._gaps:
            silent = [gap for gap in self._gaps if gap.from_ns <= view.time_ns < gap.to_ns]
            if silent != self._silent:
                self._silent = silent
                said = [*((one, view.time_ns) for one in self._known.values()), *said]
        events = []
        for one, time_ns in said:
            self._known[one.claim, one.subject] = one
            heard = self._as_heard(one)
            if self._is_new(heard):
                events.append(self._event(heard, time_ns))
        return events

    def _as_heard(self, one: CoverageRow) -> CoverageRow:
        """Return a row of coverage, changed to unchecked while some of its joints are not recorded."""
        joints = set(one.of)
        if one.claim is Claim.TOUCH and self._layout is not None:
            joints = {
                joint
                for robot, own in self._robots
                for joint in self._layout.joints[own]
                if robot == one.subject
            }
        for gap in self._silent:
            names = gap.arguments.get("joints")
            if one.checked and isinstance(names, list) and not joints.isdisjoint(map(str, names)):
                silent = some([str(name) for name in names], _MOST_NAMED)
                begun, ended = gap.from_ns / 1e9, gap.to_ns / 1e9
                why = say("coverage.silent", begun=begun, ended=ended, names=silent)
                return replace(one, checked=False, why=why)
        return one

    def _is_new(self, one: CoverageRow) -> bool:
        return self._said.get((one.claim, one.subject)) != one

    def _event(self, one: CoverageRow, time_ns: int) -> Event:
        self._said[one.claim, one.subject] = one
        return coverage_event(one, time_ns)

    def _at_once(self) -> Iterator[CoverageRow]:
        """Yield the coverage that follows from the scene and the robots' descriptions, before the first step."""
        if self._layout is not None:
            for robot, own in self._robots:
                yield from self._of_robot(self._layout, robot, own)
        for hand in self._hands:
            yield self._grip(hand)
        for entity in self._objects:
            yield from self._of_object(entity)

    # ------------------------------------------------------------------ robots

    def _of_robot(self, layout: WatchLayout, robot: str, own: slice) -> Iterator[CoverageRow]:
        driven = [
            j
            for j, is_driven in zip(layout.joints[own], layout.driven[own], strict=True)
            if is_driven
        ]
        if not driven:
            return
        mended = _mended(layout, driven)
        yield CoverageRow(Claim.TIME, robot, True, sources=("stamps",), why=mended)
        others = [j for j in layout.joints[own] if j not in driven]
        why = say("coverage.not_recorded", names=some(others, _MOST_NAMED)) if others else ""
        yield CoverageRow(
            Claim.MOTION, robot, True, sources=("positions",), of=tuple(driven), why=why
        )
        yield self._touch(robot)
        if robot in {mobile.name for mobile in mobile_robots(self._scene)}:
            yield CoverageRow(Claim.BASE, robot, True, sources=("odometry",))
        else:
            yield CoverageRow(
                Claim.BASE, robot, False, why=say("coverage.no_odometry"), matters=False
            )

    def _touch(self, robot: str) -> CoverageRow:
        links = [e for e in self._scene.of_kind(EntityKind.LINK) if e.owner == robot]
        groups = _rigid_groups(links)
        bare = [root for root, group in groups.items() if not any(map(_collides, group))]
        seen = tuple(e.name for e in links if _collides(e))
        if not bare:
            return CoverageRow(Claim.TOUCH, robot, True, sources=(_SHAPES, _CONTACTS), of=seen)
        why = say("coverage.no_shapes", names=some(bare, _MOST_NAMED))
        return CoverageRow(
            Claim.TOUCH, robot, False, sources=(_SHAPES,) if seen else (), of=seen, why=why
        )

    def _efforts(self, layout: WatchLayout, watch: Watch) -> Iterator[CoverageRow]:
        """Yield the coverage of efforts, once it is known and whenever it changes."""
        is_late = watch.time_ns - self._begun_ns >= _DECIDED_NS
        decides = (is_late, *map(self._torques.is_torque, self._names))
        known = np.isfinite(watch.measured_efforts) & (watch.measured_efforts != 0.0)
        if decides == self._effort_decides and not np.count_nonzero(known > self._effort_seen):
            return
        self._effort_seen |= known
        self._effort_decides = decides
        for robot, own in self._robots:
            seen = self._effort_seen[own]
            driven = np.array(layout.driven[own], np.bool_)
            if not driven.any() or not (seen.any() or is_late):
                continue
            yield self._effort(layout, robot, own, seen, driven)

    def _effort(
        self,
        layout: WatchLayout,
        robot: str,
        own: slice,
        seen: NDArray[np.bool_],
        driven: NDArray[np.bool_],
    ) -> CoverageRow:
        joints, limits = layout.joints[own], layout.effort[own]
        if not layout.has_inertias:
            return CoverageRow(Claim.EFFORT, robot, False, why=say("coverage.no_masses"))
        if not seen.any():
            return CoverageRow(Claim.EFFORT, robot, False, why=say("coverage.no_efforts"))
        if not self._torques.is_torque(robot):
            return CoverageRow(Claim.EFFORT, robot, False, why=say("coverage.no_torques"))
        judged = [j for j, s, limit in zip(joints, seen, limits, strict=True) if s and limit]
        missing = [j for j, d in zip(joints, driven, strict=True) if d and j not in judged]
        if not judged:
            return CoverageRow(Claim.EFFORT, robot, False, why=say("coverage.no_limits"))
        why = say("coverage.some_no_limits", names=some(missing, _MOST_NAMED)) if missing else ""
        return CoverageRow(
            Claim.EFFORT, robot, True, sources=(_EFFORTS,), of=tuple(judged), why=why
        )

    # ------------------------------------------------------------------ hands and objects

    def _grip(self, hand: Entity) -> CoverageRow:
        tool = fixed_tool(hand.parent)
        if tool and not hand.joints:
            return CoverageRow(Claim.GRIP, hand.name, False, why=tool)
        if not self._scene.has(hand.name, "holding"):
            return CoverageRow(Claim.GRIP, hand.name, False, why=say("coverage.no_grip_model"))
        recorded = self._recorded(hand.joints)
        if not recorded:
            why = say("coverage.fingers_not_recorded")
            return CoverageRow(Claim.GRIP, hand.name, False, why=why)
        if not self._objects:
            why = say("coverage.no_object")
            return CoverageRow(
                Claim.GRIP, hand.name, True, sources=(_FINGERS,), of=hand.joints, why=why
            )
        loose = self._loose(hand)
        if loose:
            why = say("coverage.hand_not_recorded", names=some(loose, _MOST_NAMED))
            return CoverageRow(
                Claim.GRIP, hand.name, False, sources=(_FINGERS,), of=hand.joints, why=why
            )
        if not any(_collides(self._scene.entities[i]) for i in hand_links(self._scene, hand.name)):
            why = say("coverage.fingers_without_shapes")
            return CoverageRow(Claim.GRIP, hand.name, False, sources=(_FINGERS,), why=why)
        sources = (_FINGERS, _SHAPES, _CONTACTS)
        count = finger_count(self._scene.of_kind(EntityKind.LINK), hand)
        why = say("coverage.which_fingers", n=count) if count >= _SEVERAL else ""
        return CoverageRow(Claim.GRIP, hand.name, True, sources=sources, of=hand.joints, why=why)

    def _loose(self, hand: Entity) -> list[str]:
        """Return joints beyond the hand's mount, except fingers and continuous joints, that were not recorded."""
        layout = self._layout
        if layout is None or not hand.joints:
            return []
        links = [e for e in self._scene.of_kind(EntityKind.LINK) if e.owner == hand.owner]
        beyond = {hand.parent}
        for link in links:  # parents come before their children
            if link.parent in beyond:
                beyond.add(link.name)
        inside = {link.joint for link in links if link.name in beyond} - {*hand.joints}
        return [
            joint
            for joint, driven, lower in zip(layout.joints, layout.driven, layout.lower, strict=True)
            if joint in inside and not driven and lower is not None
        ]

    def _of_fingers(self, event: Event) -> CoverageRow | None:
        """Return the coverage of a grip after an event of its fingers; None for other events."""
        hand = str(event.arguments.get("hand"))
        entity = next((e for e in self._hands if e.name == hand), None)
        if entity is None or event.name not in (CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING):
            return None
        if event.name == LET_GO_OF_SOMETHING:
            return self._grip(entity)
        gap = event.arguments.get("gap") if self._slide(entity.joints) else None
        width = gap if isinstance(gap, float) else None
        closing, time = event.arguments.get("closing"), event.time_ns / 1e9
        why = say("coverage.closed_on_something", time=time, gap=width, closing=closing)
        return CoverageRow(
            Claim.GRIP, hand, False, sources=(_FINGERS,), of=entity.joints, why=why, width=width
        )

    def _slide(self, joints: Sequence[str]) -> bool:
        """Return whether the fingers' joints are prismatic, so that they give the gap between the fingers."""
        if self._layout is None:
            return False
        kinds = dict(zip(self._layout.joints, self._layout.slides, strict=False))
        return bool(joints) and all(kinds.get(joint, False) for joint in joints)

    def _recorded(self, joints: Sequence[str]) -> bool:
        if self._layout is None:
            return False
        driven = dict(zip(self._layout.joints, self._layout.driven, strict=True))
        return any(driven.get(joint, False) for joint in joints)

    def _of_object(self, entity: Entity) -> Iterator[CoverageRow]:
        has, name = self._scene.has, entity.name
        blind = [one for one in map(self._grip, self._hands) if not one.checked]
        why = "; ".join(say("coverage.hand_unseen", hand=o.subject, why=o.why) for o in blind)
        collides = _collides(entity)
        bare = "" if collides else say("coverage.no_shapes", names=None)
        seen, poses = not (bare or why), ("poses",) if collides else ()
        yield CoverageRow(Claim.DROP, name, seen, sources=poses, why=bare or why)
        for claim, attribute in (
            (Claim.SUPPORT, "on"),
            (Claim.CONNECTION, "connected"),
            (Claim.CONTAINER, "in_container"),
        ):
            if has(name, attribute):
                sources = (_SHAPES, "poses") if collides else ()
                yield CoverageRow(claim, name, collides, sources=sources, why=bare)


def _mended(layout: WatchLayout, joints: Sequence[str]) -> str:
    """Return in words how messages of some joints were mended; empty if none were."""
    said = [
        concern_text(finding.name, finding.arguments)
        for finding in layout.findings
        if finding.name in (MENDED, BREAKS_OFF)
        and (not (own := _listed(finding.arguments)) or not set(joints).isdisjoint(own))
    ]
    return "; ".join(said)


def _listed(arguments: Mapping[str, Json]) -> list[str]:
    names = arguments.get("joints")
    return [str(name) for name in names] if isinstance(names, list) else []


def _collides(entity: Entity) -> bool:
    return any(shape.collides for shape in entity.shapes)


def _rigid_groups(links: Sequence[Entity]) -> dict[str, list[Entity]]:
    """Return the groups of rigidly connected links by the link that a joint moves; the root's group is left out."""
    root_of: dict[str, str] = {}
    groups: dict[str, list[Entity]] = {}
    waiting = list(links)
    while waiting:
        rest = []
        for link in waiting:
            if link.joint:
                root_of[link.name] = link.name
            elif not link.parent or link.parent not in {other.name for other in links}:
                root_of[link.name] = ""
            elif link.parent in root_of:
                root_of[link.name] = root_of[link.parent]
            else:
                rest.append(link)
                continue
            groups.setdefault(root_of[link.name], []).append(link)
        if len(rest) == len(waiting):
            break
        waiting = rest
    groups.pop("", None)
    return groups
