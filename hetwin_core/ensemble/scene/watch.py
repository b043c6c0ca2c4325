"""Reports of the main model about its robots, beside the scene: recorded motion, efforts and clearances.

Most of it never changes during a run (`WatchLayout`); the rest (`Watch`) travels as one flat array of numbers at some
of the main model's steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats

CLEARANCE_COLUMNS = 9
"""Columns of `Watch.clearances`."""
TOUCH_COLUMNS = 9
"""Columns of `Watch.touches`."""
DEFAULT_WATCH_RATE = 25.0
"""Reports per simulated second unless the main model's `watch_rate` says otherwise."""
_HEAD = 5
_PER_JOINT = 4
_FORCE = 5
"""The column of a touch that may be unknown."""


def no_clearances() -> Floats:
    """A table of clearances without rows."""
    return np.empty((0, CLEARANCE_COLUMNS), np.float64)


def no_touches() -> Floats:
    """A table of touches without rows."""
    return np.empty((0, TOUCH_COLUMNS), np.float64)


def watch_every(rate: float, watch_rate: float) -> int:
    """Return how many steps of the main model come between two reports; 0 if there are none.

    Args:
        rate: steps of the main model per simulated second.
        watch_rate: reports per simulated second; 0 for none, at most one at each step.
    """
    return 0 if watch_rate <= 0.0 else max(1, round(rate / watch_rate))


@dataclass(frozen=True, slots=True)
class Finding:
    """What the source found in its recording before the run.

    Attributes:
        name: ``jump`` {joint, topic, step, velocity}, ``gap`` {topic, joints, duration},
            ``contradiction`` {topic, other, joint, size}, ``mended`` {what, topic, count, of, size, joints},
            ``left_out`` {joint, share, count, of, joints}, ``breaks_off`` {file, share, until},
            ``other_units`` {unit, factor, topic, joints} or ``clock_offset`` {topic, other, offset, size, way, within}.
        from_ns, to_ns: when, in run time.
        arguments: in SI units.
    """

    name: str
    from_ns: int
    to_ns: int
    arguments: Mapping[str, Json] = field(default_factory=dict)


_UNITS = {"position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "effort": ("N m", "N")}
"""Units of a joint that turns and of one that slides."""


@dataclass(frozen=True, slots=True)
class WatchLayout:
    """The watched robots; n is the number of all their joints.

    Attributes:
        robots: name of each robot's entity, and how many joints it has.
        joints: (n,) names, in the order of the entities' `joints`, robot by robot.
        driven: (n,) whether the source moves the joint.
        lower, upper: (n,) limits of the position [rad or m]; None: there is none.
        velocity: (n,) largest speed [rad/s or m/s]; None: there is none.
        effort: (n,) largest effort [Nm or N]; None: there is none.
        has_inertias: whether its description has inertias, without which no efforts are expected.
        findings: what the source found in its recording.
        slides: (n,) whether the joint slides, in m, and does not turn, in rad; empty if that is not known.
    """

    robots: tuple[tuple[str, int], ...]
    joints: tuple[str, ...]
    driven: tuple[bool, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    velocity: tuple[float | None, ...]
    effort: tuple[float | None, ...]
    has_inertias: bool = False
    findings: tuple[Finding, ...] = ()
    slides: tuple[bool, ...] = ()

    @classmethod
    def without_robot(cls, findings: tuple[Finding, ...]) -> WatchLayout:
        """The layout of a scene that has no robot, but in which something was found."""
        return cls((), (), (), (), (), (), (), findings=findings)

    @property
    def names(self) -> str:
        """The robots' names, for a sentence."""
        return " with ".join(name for name, _ in self.robots)

    def parts(self) -> Iterator[tuple[str, slice]]:
        """Iterate over the robots: name, and which of the n joints are its own."""
        begin = 0
        for name, count in self.robots:
            yield name, slice(begin, begin + count)
            begin += count

    def unit(self, joint: str, quantity: str = "position") -> str:
        """The unit of a joint's position, velocity or effort; both that it may be if its kind is not known."""
        kinds = dict(zip(self.joints, self.slides, strict=False))
        turns, slides = _UNITS[quantity]
        if joint not in kinds:
            return f"{turns} or {slides}"
        return slides if kinds[joint] else turns

    def of(self, robot: str) -> WatchLayout:
        """The layout of one of the robots; its findings are those of all."""
        own = dict(self.parts())[robot]
        return replace(
            self,
            robots=((robot, own.stop - own.start),),
            joints=self.joints[own],
            driven=self.driven[own],
            lower=self.lower[own],
            upper=self.upper[own],
            velocity=self.velocity[own],
            effort=self.effort[own],
            slides=self.slides[own],
        )

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        findings = [asdict(finding) for finding in self.findings]
        return {**asdict(self), "findings": findings}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WatchLayout:
        """Inverse of `to_json`.

        Raises:
            KeyError, TypeError: if the data is not a layout.
        """
        return cls(
            robots=tuple((name, count) for name, count in data["robots"]),
            joints=tuple(data["joints"]),
            driven=tuple(data["driven"]),
            lower=tuple(data["lower"]),
            upper=tuple(data["upper"]),
            velocity=tuple(data["velocity"]),
            effort=tuple(data["effort"]),
            slides=tuple(data.get("slides", ())),
            has_inertias=data["has_inertias"],
            findings=tuple(Finding(**finding) for finding in data["findings"]),
        )


@dataclass(frozen=True, slots=True)
class Watch:
    """One report about the robots; n joints as in the layout, rad or m, and per second, Nm or N.

    Attributes:
        time_ns: simulated time of the report.
        recorded: (n,) positions that the source commands; NaN: it does not move the joint.
        recorded_velocities: (n,) likewise.
        measured_efforts: (n,) as recorded, `delay_ns` before the report; NaN: not recorded.
        expected_efforts: (n,) what the recorded motion needed at that time, gravity included, by inverse dynamics of
            the robot alone; NaN: unknown. Computed only for a recording with efforts; for a joint that another one
            mimics, its share of the other's is included.
        clearances: (m, 9) where links of the robot are near to or inside static bodies and other links: index of the
            link's entity, index of the partner's, distance [m] (negative: inside), nearest point on the partner
            x y z [m], normal x y z from the partner to the link.
        delay_ns: how far the efforts are behind the report [ns].
        touches: (k, 9) what links of the robot touched in any physics step since the last report: index of the link's
            entity, index of what it touched, time of the first and of the last step in which it did [ns], and of the
            step in which it was deepest inside: depth [m], force [N] (NaN: unknown), point x y z [m].
    """

    time_ns: int
    recorded: Floats
    recorded_velocities: Floats
    measured_efforts: Floats
    expected_efforts: Floats
    clearances: Floats
    delay_ns: int = 0
    touches: Floats = field(default_factory=no_touches)

    def of(self, own: slice) -> Watch:
        """The report about the joints of one robot; its clearances and touches are those of all."""
        return replace(
            self,
            recorded=self.recorded[own],
            recorded_velocities=self.recorded_velocities[own],
            measured_efforts=self.measured_efforts[own],
            expected_efforts=self.expected_efforts[own],
        )

    def encode(self) -> Floats:
        """Return all numbers as one flat array; inverse of `decode`."""
        counts = len(self.recorded), len(self.clearances), len(self.touches)
        return np.concatenate(
            (
                (self.time_ns, self.delay_ns, *counts),
                self.recorded,
                self.recorded_velocities,
                self.measured_efforts,
                self.expected_efforts,
                self.clearances.ravel(),
                self.touches.ravel(),
            )
        )

    @classmethod
    def decode(cls, flat: Floats, layout: WatchLayout) -> Watch:
        """Return the report as views of a flat array.

        Raises:
            ValueError: if the array is not a report about the layout's robots.
        """
        wrong = wrong_watch(flat)
        if wrong is None and flat[2] != len(layout.joints):
            wrong = f"is about {int(flat[2])} joints; {layout.names} has {len(layout.joints)}"
        if wrong is not None:
            raise ValueError(f"the watch {wrong}")
        count = len(layout.joints)
        joints = flat[_HEAD : _HEAD + _PER_JOINT * count].reshape(_PER_JOINT, count)
        begin, touches = _HEAD + _PER_JOINT * count, flat.size - TOUCH_COLUMNS * int(flat[4])
        clearances = flat[begin:touches].reshape(-1, CLEARANCE_COLUMNS)
        touched = flat[touches:].reshape(-1, TOUCH_COLUMNS)
        recorded, velocities, measured, expected = joints
        delay_ns = int(flat[1])
        return cls(
            int(flat[0]), recorded, velocities, measured, expected, clearances, delay_ns, touched
        )


def wrong_watch(flat: Floats) -> str | None:
    """Return what is wrong with a report as a flat array, as the end of a sentence about it; None if nothing is."""
    if flat.dtype != np.float64 or flat.ndim != 1 or flat.size < _HEAD:
        return f"is {flat.dtype} of shape {flat.shape}; expected flat float64"
    head = flat[:_HEAD].tolist()
    _, _, count, rows, touches = head
    at = _HEAD + _PER_JOINT * count
    size = at + CLEARANCE_COLUMNS * rows + TOUCH_COLUMNS * touches
    if flat.size != size or not all(n.is_integer() and n >= 0.0 for n in head):
        said = f"{count:g} joints, {rows:g} clearances and {touches:g} touches"
        return f"has {flat.size} numbers; its head says {said}"
    known = np.isfinite(flat[int(at) :])
    known[CLEARANCE_COLUMNS * int(rows) + _FORCE :: TOUCH_COLUMNS] = True
    if not known.all():
        return "has a clearance or a touch that is not finite"
    if np.isinf(flat).any():
        return "has an infinite number for a joint"
    return None
