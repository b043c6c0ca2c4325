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

_MAX_NAMED = 4
"""Maximum number of links or joints that a reason names; more are counted."""
_MULTI_FINGERED = 4
"""Minimum number of fingers of a hand whose holding fingers cannot be identified."""
_TOPIC_TIMEOUT_NS = 2_000_000_000
"""Time to wait for a topic before it counts as missing [ns]."""
_MIN_GAP_NS = 1_000_000_000
"""Minimum length of a gap in a recording during which motion counts as unobserved [ns]."""
_FINGERS, _EFFORTS, _SHAPES, _CONTACTS = "finger positions", "efforts", "shapes", "contacts"


class Torques(Protocol):
    """Reports whether the efforts of a robot are torques."""

    def is_torque(self, robot: str) -> bool:
        """Return whether the efforts are torques, as far as is known."""


class Coverage:
    """Raises an event whenever a claim about a subject becomes checked or unchecked.

    Args:
        layout: robots on which the main model reports; None without any.
        scene: snapshot at the start.
        torques: reports whether recorded efforts are torques.
    """

    def __init__(self, layout: WatchLayout | None, scene: Snapshot, torques: Torques) -> None:
        self._layout, self._torques = layout, torques
        self._scene = entities = scene.layout
        self._objects = [
            e for e in entities.of_kind(EntityKind.OBJECT) if entities.has(e.name, "pose")
        ]
        self._hands = entities.of_kind(EntityKind.HAND)
        self._reported: dict[tuple[str, str], CoverageRow] = {}
        self._current: dict[tuple[str, str], CoverageRow] = {}
        findings = () if layout is None else layout.findings
        self._gaps = [f for f in findings if f.name == "gap" and f.to_ns - f.from_ns >= _MIN_GAP_NS]
        self._active_gaps: list[Finding] = []
        self._start_ns = scene.time_ns
        count = 0 if layout is None else len(layout.joints)
        self._effort_seen: NDArray[np.bool_] = np.zeros(count, np.bool_)
        self._effort_inputs: tuple[bool, ...] = ()
        self._robots = () if layout is None else tuple(layout.parts())
        self._names = [robot for robot, _ in self._robots]
        self._initial_rows = tuple(self._static_rows())

    def watch(self, view: View) -> list[Event]:
        """Return events about claims whose coverage has changed since the last view."""
        rows = [] if self._reported else list(self._initial_rows)
        if self._layout is not None and view.watch is not None:
            rows += self._effort_rows(self._layout, view.watch)
        pending = [(row, view.time_ns) for row in rows]
        for event in view.events:
            changed = self._grip_after_event(event)
            pending += [] if changed is None else [(changed, event.time_ns)]
        if self._gaps:
            active = [gap for gap in self._gaps if gap.from_ns <= view.time_ns < gap.to_ns]
            if active != self._active_gaps:
                self._active_gaps = active
                pending = [*((row, view.time_ns) for row in self._current.values()), *pending]
        events = []
        for row, time_ns in pending:
            self._current[row.claim, row.subject] = row
            effective = self._during_gaps(row)
            if self._is_new(effective):
                events.append(self._event(effective, time_ns))
        return events

    def _during_gaps(self, row: CoverageRow) -> CoverageRow:
        """Return a row of coverage, changed to unchecked while the recording of its joints has a gap."""
        joints = set(row.of)
        if row.claim is Claim.TOUCH and self._layout is not None:
            joints = {
                joint
                for robot, part in self._robots
                for joint in self._layout.joints[part]
                if robot == row.subject
            }
        for gap in self._active_gaps:
            names = gap.arguments.get("joints")
            if row.checked and isinstance(names, list) and not joints.isdisjoint(map(str, names)):
                unrecorded = some([str(name) for name in names], _MAX_NAMED)
                start, end = gap.from_ns / 1e9, gap.to_ns / 1e9
                why = say("coverage.silent", begun=start, ended=end, names=unrecorded)
                return replace(row, checked=False, why=why)
        return row

    def _is_new(self, row: CoverageRow) -> bool:
        return self._reported.get((row.claim, row.subject)) != row

    def _event(self, row: CoverageRow, time_ns: int) -> Event:
        self._reported[row.claim, row.subject] = row
        return coverage_event(row, time_ns)

    def _static_rows(self) -> Iterator[CoverageRow]:
        """Yield the coverage that follows from the scene and the robots' descriptions, before the first step."""
        if self._layout is not None:
            for robot, part in self._robots:
                yield from self._robot_rows(self._layout, robot, part)
        for hand in self._hands:
            yield self._grip_row(hand)
        for entity in self._objects:
            yield from self._object_rows(entity)

    # ------------------------------------------------------------------ robots

    def _robot_rows(self, layout: WatchLayout, robot: str, part: slice) -> Iterator[CoverageRow]:
        driven = [
            j
            for j, is_driven in zip(layout.joints[part], layout.driven[part], strict=True)
            if is_driven
        ]
        if not driven:
            return
        repairs = _repair_text(layout, driven)
        yield CoverageRow(Claim.TIME, robot, True, sources=("stamps",), why=repairs)
        missing = [j for j in layout.joints[part] if j not in driven]
        why = say("coverage.not_recorded", names=some(missing, _MAX_NAMED)) if missing else ""
        yield CoverageRow(
            Claim.MOTION, robot, True, sources=("positions",), of=tuple(driven), why=why
        )
        yield self._touch_row(robot)
        if robot in {mobile.name for mobile in mobile_robots(self._scene)}:
            yield CoverageRow(Claim.BASE, robot, True, sources=("odometry",))
        else:
            yield CoverageRow(
                Claim.BASE, robot, False, why=say("coverage.no_odometry"), matters=False
            )

    def _touch_row(self, robot: str) -> CoverageRow:
        links = [e for e in self._scene.of_kind(EntityKind.LINK) if e.owner == robot]
        groups = _rigid_groups(links)
        shapeless = [root for root, group in groups.items() if not any(map(_collides, group))]
        shaped = tuple(e.name for e in links if _collides(e))
        if not shapeless:
            return CoverageRow(Claim.TOUCH, robot, True, sources=(_SHAPES, _CONTACTS), of=shaped)
        why = say("coverage.no_shapes", names=some(shapeless, _MAX_NAMED))
        return CoverageRow(
            Claim.TOUCH,
            robot,
            False,
            sources=(_SHAPES,) if shaped else (),
            of=shaped,
            why=why,
        )

    def _effort_rows(self, layout: WatchLayout, watch: Watch) -> Iterator[CoverageRow]:
        """Yield the coverage of efforts, once it is known and whenever it changes."""
        timed_out = watch.time_ns - self._start_ns >= _TOPIC_TIMEOUT_NS
        inputs = (timed_out, *map(self._torques.is_torque, self._names))
        known = np.isfinite(watch.measured_efforts) & (watch.measured_efforts != 0.0)
        if inputs == self._effort_inputs and not np.count_nonzero(known > self._effort_seen):
            return
        self._effort_seen |= known
        self._effort_inputs = inputs
        for robot, part in self._robots:
            seen = self._effort_seen[part]
            driven = np.array(layout.driven[part], np.bool_)
            if not driven.any() or not (seen.any() or timed_out):
                continue
            yield self._effort_row(layout, robot, part, seen, driven)

    def _effort_row(
        self,
        layout: WatchLayout,
        robot: str,
        part: slice,
        seen: NDArray[np.bool_],
        driven: NDArray[np.bool_],
    ) -> CoverageRow:
        joints, limits = layout.joints[part], layout.effort[part]
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
        why = say("coverage.some_no_limits", names=some(missing, _MAX_NAMED)) if missing else ""
        return CoverageRow(
            Claim.EFFORT, robot, True, sources=(_EFFORTS,), of=tuple(judged), why=why
        )

    # ------------------------------------------------------------------ hands and objects

    def _grip_row(self, hand: Entity) -> CoverageRow:
        tool = fixed_tool(hand.parent)
        if tool and not hand.joints:
            return CoverageRow(Claim.GRIP, hand.name, False, why=tool)
        if not self._scene.has(hand.name, "holding"):
            return CoverageRow(Claim.GRIP, hand.name, False, why=say("coverage.no_grip_model"))
        recorded = self._is_any_recorded(hand.joints)
        if not recorded:
            why = say("coverage.fingers_not_recorded")
            return CoverageRow(Claim.GRIP, hand.name, False, why=why)
        if not self._objects:
            why = say("coverage.no_object")
            return CoverageRow(
                Claim.GRIP, hand.name, True, sources=(_FINGERS,), of=hand.joints, why=why
            )
        unrecorded = self._unrecorded_arm_joints(hand)
        if unrecorded:
            why = say("coverage.hand_not_recorded", names=some(unrecorded, _MAX_NAMED))
            return CoverageRow(
                Claim.GRIP, hand.name, False, sources=(_FINGERS,), of=hand.joints, why=why
            )
        if not any(_collides(self._scene.entities[i]) for i in hand_links(self._scene, hand.name)):
            why = say("coverage.fingers_without_shapes")
            return CoverageRow(Claim.GRIP, hand.name, False, sources=(_FINGERS,), why=why)
        sources = (_FINGERS, _SHAPES, _CONTACTS)
        count = finger_count(self._scene.of_kind(EntityKind.LINK), hand)
        why = say("coverage.which_fingers", n=count) if count >= _MULTI_FINGERED else ""
        return CoverageRow(Claim.GRIP, hand.name, True, sources=sources, of=hand.joints, why=why)

    def _unrecorded_arm_joints(self, hand: Entity) -> list[str]:
        """Return joints beyond the hand's mount, except fingers and continuous joints, that were not recorded."""
        layout = self._layout
        if layout is None or not hand.joints:
            return []
        links = [e for e in self._scene.of_kind(EntityKind.LINK) if e.owner == hand.owner]
        beyond_mount = {hand.parent}
        for link in links:  # parents come before their children
            if link.parent in beyond_mount:
                beyond_mount.add(link.name)
        arm_joints = {link.joint for link in links if link.name in beyond_mount} - {*hand.joints}
        return [
            joint
            for joint, driven, lower in zip(layout.joints, layout.driven, layout.lower, strict=True)
            if joint in arm_joints and not driven and lower is not None
        ]

    def _grip_after_event(self, event: Event) -> CoverageRow | None:
        """Return the coverage of a grip after an event of its fingers; None for other events."""
        hand = str(event.arguments.get("hand"))
        entity = next((e for e in self._hands if e.name == hand), None)
        if entity is None or event.name not in (CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING):
            return None
        if event.name == LET_GO_OF_SOMETHING:
            return self._grip_row(entity)
        gap = event.arguments.get("gap") if self._are_prismatic(entity.joints) else None
        width = gap if isinstance(gap, float) else None
        closing, time = event.arguments.get("closing"), event.time_ns / 1e9
        why = say("coverage.closed_on_something", time=time, gap=width, closing=closing)
        return CoverageRow(
            Claim.GRIP, hand, False, sources=(_FINGERS,), of=entity.joints, why=why, width=width
        )

    def _are_prismatic(self, joints: Sequence[str]) -> bool:
        """Return whether the fingers' joints are prismatic, so that they give the gap between the fingers."""
        if self._layout is None:
            return False
        prismatic = dict(zip(self._layout.joints, self._layout.slides, strict=False))
        return bool(joints) and all(prismatic.get(joint, False) for joint in joints)

    def _is_any_recorded(self, joints: Sequence[str]) -> bool:
        if self._layout is None:
            return False
        driven = dict(zip(self._layout.joints, self._layout.driven, strict=True))
        return any(driven.get(joint, False) for joint in joints)

    def _object_rows(self, entity: Entity) -> Iterator[CoverageRow]:
        has, name = self._scene.has, entity.name
        unchecked = [row for row in map(self._grip_row, self._hands) if not row.checked]
        why = "; ".join(
            say("coverage.hand_unseen", hand=row.subject, why=row.why) for row in unchecked
        )
        collides = _collides(entity)
        no_shapes = "" if collides else say("coverage.no_shapes", names=None)
        is_checked, poses = not (no_shapes or why), ("poses",) if collides else ()
        yield CoverageRow(Claim.DROP, name, is_checked, sources=poses, why=no_shapes or why)
        for claim, attribute in (
            (Claim.SUPPORT, "on"),
            (Claim.CONNECTION, "connected"),
            (Claim.CONTAINER, "in_container"),
        ):
            if has(name, attribute):
                sources = (_SHAPES, "poses") if collides else ()
                yield CoverageRow(claim, name, collides, sources=sources, why=no_shapes)


def _repair_text(layout: WatchLayout, joints: Sequence[str]) -> str:
    """Describe the repairs of messages with the given joints; empty if there are none."""
    sentences = [
        concern_text(finding.name, finding.arguments)
        for finding in layout.findings
        if finding.name in (MENDED, BREAKS_OFF)
        and (not (names := _joint_names(finding.arguments)) or not set(joints).isdisjoint(names))
    ]
    return "; ".join(sentences)


def _joint_names(arguments: Mapping[str, Json]) -> list[str]:
    names = arguments.get("joints")
    return [str(name) for name in names] if isinstance(names, list) else []


def _collides(entity: Entity) -> bool:
    return any(shape.collides for shape in entity.shapes)


def _rigid_groups(links: Sequence[Entity]) -> dict[str, list[Entity]]:
    """Return the groups of rigidly connected links by the link that a joint moves; the root's group is left out."""
    root_of: dict[str, str] = {}
    groups: dict[str, list[Entity]] = {}
    pending = list(links)
    while pending:
        unresolved = []
        for link in pending:
            if link.joint:
                root_of[link.name] = link.name
            elif not link.parent or link.parent not in {other.name for other in links}:
                root_of[link.name] = ""
            elif link.parent in root_of:
                root_of[link.name] = root_of[link.parent]
            else:
                unresolved.append(link)
                continue
            groups.setdefault(root_of[link.name], []).append(link)
        if len(unresolved) == len(pending):
            break
        pending = unresolved
    groups.pop("", None)
    return groups
