"""The model that observes robots, recordings and objects for the user of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Protocol

import numpy as np

from hetwin_core.ensemble.concern_words import COVERAGE, TOUCH_ENDED, TOUCHED
from hetwin_core.ensemble.conductor.reporting.concerns import FROM, SEVERITY, TO, Severity
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats
from hetwin_core.ensemble.scene.watch import DEFAULT_WATCH_RATE, Finding, WatchLayout
from hetwin_core.ensemble.sentences.catalogue import group
from model_nodes.robot_health.coverage import Coverage
from model_nodes.robot_health.gripper_claims import GripperClaims
from model_nodes.robot_health.joints import DeviationFinder, LimitFinder
from model_nodes.robot_health.objects import ObjectStory
from model_nodes.robot_health.settings import Scale, Settings
from model_nodes.robot_health.touched import LinkPairs, LinkTouches, TouchReports
from model_nodes.robot_health.unexpected_effort import UnexpectedEffort
from model_nodes.robot_health.view import View, Viewer

STARTS_INSIDE = "starts_inside"


class Findings:
    """Raises an event for each finding of the recording, at the first step at or after it.

    An object that is held at the start may be inside the fingers that hold it.

    Args:
        settings: a scale for each kind of finding.
        pairs: selects the scale of links and their partners.
        layout: contains the findings.
    """

    def __init__(self, settings: Settings, pairs: LinkPairs, layout: WatchLayout) -> None:
        self._pairs, self._layout = pairs, layout
        self._measures = {
            STARTS_INSIDE: ("depth", settings.starts_inside),
            "jump": ("step", settings.jump),
            "gap": ("duration", settings.gap),
            "contradiction": ("size", settings.contradiction),
            "mended": ("count", settings.mended),
            "left_out": ("share", settings.left_out),
            "breaks_off": ("share", settings.breaks_off),
            "other_units": ("factor", settings.other_units),
            "clock_offset": ("offset", settings.clock_offset),
        }
        known = [finding for finding in layout.findings if finding.name in self._measures]
        self._waiting = sorted(known, key=lambda finding: finding.from_ns)

    def watch(self, view: View) -> list[Event]:
        """Return the events of findings up to the time of the view."""
        events: list[Event] = []
        while self._waiting and self._waiting[0].from_ns <= view.time_ns:
            finding = self._waiting.pop(0)
            severity = self._severity(finding, view)
            if severity is not None:
                times = {FROM: finding.from_ns / 1e9, TO: finding.to_ns / 1e9}
                known = {**finding.arguments, **times}
                if isinstance(joint := known.get("joint"), str):
                    known["unit"] = self._layout.unit(joint)
                arguments = {SEVERITY: severity.value, **known}
                events.append(Event(finding.name, finding.from_ns, arguments=arguments))
        return events

    def _severity(self, finding: Finding, view: View) -> Severity | None:
        key, scale = self._measures[finding.name]
        chosen = scale if finding.name != STARTS_INSIDE else self._inside(finding, scale, view)
        measure = finding.arguments.get(key)
        if chosen is None or not isinstance(measure, int | float):
            return None
        return chosen.severity(abs(measure))

    def _inside(self, finding: Finding, scale: Scale, view: View) -> Scale | None:
        """Return the scale for a link or an object that starts inside something; None if that is intended."""
        if finding.arguments.get("object") in view.held:
            return None
        link, partner = finding.arguments.get("link"), str(finding.arguments.get("partner"))
        if link is None:
            return self._pairs.object_scale(partner, scale)
        return self._pairs.scale(str(link), partner, scale)


RAISES = (
    (
        "link_touches",
        "a link touches what it should not: link, partner, depth [m], moved [m] of an object, x, y, z [m] of the point",
    ),
    (
        "starts_inside",
        "a link or an object is inside something before the first step: link or object, partner, depth [m]",
    ),
    (
        "beyond_limit",
        "the recording is beyond a limit: joint, quantity (position, velocity or effort), found, limit, unit",
    ),
    ("deviates", "a joint of the twin deviates from the recorded position: joint, deviation, unit"),
    (
        "jump",
        "the recording has a step that is too fast for a robot: joint, topic, step, unit, velocity",
    ),
    ("gap", "the recording has no samples for a while: topic, joints, duration [s]"),
    ("contradiction", "two topics differ about a joint: topic, other, joint, size, unit"),
    (
        "mended",
        "messages that were out of order, misdated or not numbers: what (was done), topic, count, of, size, joints",
    ),
    (
        "left_out",
        "samples that are not used: joint (of which most are not), share (of its), count, of, joints",
    ),
    ("breaks_off", "a file of the recording breaks off: file, share (that is lost), until [s]"),
    (
        "clock_offset",
        "times of a topic are off those of joint states: topic, other, offset, size, within [s], way",
    ),
    ("other_units", "positions look to be in other units: unit, factor, topic, joints"),
    (
        "unexpected_effort",
        "something acts on a joint that the scene does not know: joint, residual, unit (N m or N), share of its limit",
    ),
    (
        "unexplained_load",
        "a joint bears a load that the scene does not know: joint, residual, unit, share",
    ),
    (
        "no_friction",
        "efforts exceed those expected of a robot whose description has no friction: robot",
    ),
    (
        "effort_no_torque",
        "the recorded efforts are not torques: robot, ratio of measured to expected efforts",
    ),
    (
        "stalled_on_nothing",
        "a gripper says that it stalled, and the twin's hand is empty and closed: gripper, hand, position, unit",
    ),
    (
        "closed_but_holds",
        "a gripper says that it reached an end, and the twin's hand holds: gripper, hand, object, position, unit",
    ),
    (
        "flung",
        "an object is faster than all that touched it explains: object, speed [m/s], explained [m/s]",
    ),
    ("fell", "an object fell, and has landed or left the world: object, height [m]"),
    ("toppled", "an object toppled: object, angle [rad]"),
    (
        "coverage",
        "what is checked from then on, or why not: claim, subject, checked, from, of, why, matters; no concern",
    ),
    ("left_the_world", "an object left the world: object, speed [m/s], x, y, z [m]"),
)
"""Event -> its meaning, and its arguments."""
_TOUCH = "link, object (any entity), depth [m], force [N] where it is deepest, hand of the link"
TOUCHES = {
    TOUCHED: f"a link begins to touch something: {_TOUCH}",
    TOUCH_ENDED: f"a link ceases to touch something: {_TOUCH}, from, to [s]",
}
"""Event without a severity -> its meaning, and its arguments."""

JOINT_DEVIATION, EFFORT_RESIDUAL = "joint_deviation", "effort_residual"


def _attributes(joints: int) -> tuple[AttributeSpec, AttributeSpec]:
    return (
        AttributeSpec(JOINT_DEVIATION, joints, "rad or m"),
        AttributeSpec(EFFORT_RESIDUAL, joints, "Nm or N"),
    )


class Part(Protocol):
    """Observes one kind of condition."""

    def watch(self, view: View) -> list[Event]:
        """Return the events of this step."""


class RobotHealth(Model[Settings]):
    """Raises events about faults of robots, recordings and objects.

    Each event except ``touched`` and ``touch_ended`` has a ``severity`` (``note``, ``warning`` or ``absurd``). A
    lasting condition has one event at its start, one whenever it has become much worse, with ``from`` [s], and one at
    its end, with ``from`` and ``to`` [s].
    """

    summary = "Observes what no healthy robot and no object left alone does; added to every run by itself."
    rate = DEFAULT_WATCH_RATE
    provides = _attributes(0)
    raises: ClassVar[Mapping[str, str]] = TOUCHES | {
        name: text if name == COVERAGE else f"{text}; severity, and at its end from, to [s]"
        for name, text in RAISES
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute ``joint_deviation`` and ``effort_residual`` of the watched robots."""
        given = settings.watch
        self._layout = None if given is None else WatchLayout.from_json(given)
        for robot, count in () if self._layout is None else self._layout.robots:
            for attribute in _attributes(count) if count else ():
                scene.set(robot, attribute, np.zeros(count))

    def start(self, scene: Snapshot) -> None:
        """Create the observers, and load the sentences now, so that the first step does not wait for them."""
        for name in ("coverage", "concern", "event"):
            group(name)
        self._viewer = Viewer(scene, self._layout)
        self._robots = () if self._layout is None else tuple(self._layout.parts())
        self._parts = _parts(self.settings, self._layout, scene)
        self._efforts = _Efforts(self.settings, scene, self._layout)
        coverage = Coverage(self._layout, scene, self._efforts)
        self._parts = (*self._parts, self._efforts, coverage)

    def step(self, tick: Tick) -> Changes:
        """Pass the scene to all observers, and write deviations and residuals."""
        view = self._viewer.view(tick)
        changes = tick.changes()
        for part in self._parts:
            changes.events += part.watch(view)
        if view.watch is not None and len(view.positions):
            watch = view.watch
            deviation = _known(view.positions - watch.recorded)
            residual = _known(watch.measured_efforts - watch.expected_efforts)
            for robot, own in self._robots:
                if not self._efforts.is_torque(robot):
                    residual[own] = 0.0
                for name, numbers in ((JOINT_DEVIATION, deviation), (EFFORT_RESIDUAL, residual)):
                    changes.set(robot, name, numbers[own])
        return changes


class _Efforts:
    """Observes the efforts of each robot separately: those of one may be torques while those of another are not."""

    def __init__(self, settings: Settings, scene: Snapshot, layout: WatchLayout | None) -> None:
        self._robots = (
            {}
            if layout is None
            else {
                robot: (own, UnexpectedEffort(settings, scene.layout, layout.of(robot)))
                for robot, own in layout.parts()
            }
        )

    def is_torque(self, robot: str) -> bool:
        """Return whether the recorded efforts of a robot are torques, as far as is known."""
        return self._robots[robot][1].is_torque

    def watch(self, view: View) -> list[Event]:
        """Return the events about efforts at this step."""
        if view.watch is None:
            return []
        if len(self._robots) == 1:
            ((_, efforts),) = self._robots.values()
            return efforts.watch(view)  # whose joints are all that the report is about
        events: list[Event] = []
        for own, efforts in self._robots.values():
            events += efforts.watch(replace(view, watch=view.watch.of(own)))
        return events


def _parts(settings: Settings, layout: WatchLayout | None, scene: Snapshot) -> Sequence[Part]:
    """Return the observers of a run; those of robots only if the main model reports about robots."""
    if layout is None:
        return [ObjectStory(settings, scene)]
    pairs = LinkPairs(settings, scene.layout)
    links = LinkTouches(settings.link_touches, pairs, layout, scene.layout)
    touched = TouchReports(links, scene.layout)
    return [
        touched,
        ObjectStory(settings, scene, touched.open),
        Findings(settings, pairs, layout),
        links,
        LimitFinder(settings, layout),
        DeviationFinder(settings.deviates, layout),
        GripperClaims(settings.gripper_says, scene.layout, layout),
    ]


def _known(numbers: Floats) -> Floats:
    """Replace unknown numbers by 0, in place."""
    numbers[numbers != numbers] = 0.0
    return numbers
