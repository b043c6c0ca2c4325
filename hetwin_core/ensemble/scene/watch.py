"""Reports of the main model about its robots: recorded motion, efforts and clearances.

`WatchLayout` is constant during a run; `Watch` is in tables of the scene, which are updated at some of the main
model's steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, ROBOT_JOINTS, TOUCHES, Table, no_rows
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats

REPORTS = (ROBOT_JOINTS, CLEARANCES, TOUCHES)
"""Names of the tables of a report."""
DEFAULT_WATCH_RATE = 25.0
"""Default number of reports per simulated second, see the main model's `watch_rate`."""


def watch_every(rate: float, watch_rate: float) -> int:
    """Return the number of main steps from one report to the next; 0 without reports.

    Args:
        rate: steps of the main model per simulated second.
        watch_rate: reports per simulated second, at most one per step; 0: none.
    """
    return 0 if watch_rate <= 0.0 else max(1, round(rate / watch_rate))


@dataclass(frozen=True, slots=True)
class Finding:
    """An irregularity that the source has found in its recording before the run.

    Attributes:
        name: ``jump`` {joint, topic, step, velocity}, ``gap`` {topic, joints, duration}, ``contradiction`` {topic,
            other, joint, size}, ``mended`` {what, topic, count, of, size, joints}, ``left_out`` {joint, share,
            count, of, joints}, ``breaks_off`` {file, share, until}, ``other_units`` {unit, factor, topic, joints}
            or ``clock_offset`` {topic, other, offset, size, way, within}.
        from_ns, to_ns: start and end, in run time.
        arguments: in SI units.
    """

    name: str
    from_ns: int
    to_ns: int
    arguments: Mapping[str, Json] = field(default_factory=dict)


_UNITS = {"position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "effort": ("N m", "N")}
"""Units of a revolute and of a prismatic joint."""


@dataclass(frozen=True, slots=True)
class WatchLayout:
    """The watched robots; n is the number of all their joints.

    Attributes:
        robots: name of each robot's entity, and its number of joints.
        joints: (n,) names, in the order of the entities' `joints`, robot by robot.
        driven: (n,) whether the source moves the joint.
        lower, upper: (n,) limits of the position [rad or m]; None: no limit.
        velocity: (n,) maximum speed [rad/s or m/s]; None: no limit.
        effort: (n,) maximum effort [Nm or N]; None: no limit.
        has_inertias: whether its description has inertias, without which there are no expected efforts.
        findings: irregularities that the source has found in its recording.
        slides: (n,) whether the joint is prismatic, in m, rather than revolute, in rad; empty if unknown.
        delay_ns: delay of the efforts in a report [ns].
        rubs: (n,) whether the description has friction of the joint; empty if unknown.
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
    delay_ns: int = 0
    rubs: tuple[bool, ...] = ()

    @classmethod
    def without_robot(cls, findings: tuple[Finding, ...]) -> WatchLayout:
        """The layout of a scene that has findings but no robot."""
        return cls((), (), (), (), (), (), (), findings=findings)

    @property
    def names(self) -> str:
        """The robots' names, for a sentence."""
        return " with ".join(name for name, _ in self.robots)

    def parts(self) -> Iterator[tuple[str, slice]]:
        """Iterate over the robots: name, and slice of its joints among all n."""
        begin = 0
        for name, count in self.robots:
            yield name, slice(begin, begin + count)
            begin += count

    def unit(self, joint: str, quantity: str = "position") -> str:
        """The unit of a joint's position, velocity or effort; both possible units for an unknown joint."""
        kinds = dict(zip(self.joints, self.slides, strict=False))
        revolute, slides = _UNITS[quantity]
        if joint not in kinds:
            return f"{revolute} or {slides}"
        return slides if kinds[joint] else revolute

    def of(self, robot: str) -> WatchLayout:
        """The layout of one of the robots; its findings include those of the others."""
        joints_slice = dict(self.parts())[robot]
        return replace(
            self,
            robots=((robot, joints_slice.stop - joints_slice.start),),
            joints=self.joints[joints_slice],
            driven=self.driven[joints_slice],
            lower=self.lower[joints_slice],
            upper=self.upper[joints_slice],
            velocity=self.velocity[joints_slice],
            effort=self.effort[joints_slice],
            slides=self.slides[joints_slice],
            rubs=self.rubs[joints_slice],
        )

    def to_json(self) -> dict[str, Any]:
        """The layout as plain JSON."""
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
            rubs=tuple(data.get("rubs", ())),
            has_inertias=data["has_inertias"],
            findings=tuple(Finding(**finding) for finding in data["findings"]),
            delay_ns=data.get("delay_ns", 0),
        )


@dataclass(frozen=True, slots=True)
class Watch:
    """One report about the robots; n joints as in the layout, rad or m, and per second, Nm or N.

    Attributes:
        time_ns: simulated time of the report.
        recorded: (n,) positions that the source commands; NaN: it does not move the joint.
        recorded_velocities: (n,) likewise.
        measured_efforts: (n,) as recorded, `delay_ns` before the report; NaN: not recorded.
        expected_efforts: (n,) efforts that the recorded motion needed at that time, gravity included, by inverse
            dynamics of the robot alone; NaN: unknown. Computed only for a recording with efforts. The effort of a
            joint includes the share of the joints that mimic it.
        clearances: (m, 9) links of the robot that are near or inside static bodies and other links: index of the
            link's entity, index of the other entity, distance [m] (negative: inside), nearest point on the other
            entity x y z [m], normal x y z from the other entity to the link.
        delay_ns: delay of the efforts in the report [ns].
        touches: (k, 9) touches of the robot's links in any physics step since the last report: index of the link's
            entity, index of the touched entity, time of the first and of the last touching step [ns], and for the
            step of deepest penetration: depth [m], force [N] (NaN: unknown), point x y z [m].
    """

    time_ns: int
    recorded: Floats
    recorded_velocities: Floats
    measured_efforts: Floats
    expected_efforts: Floats
    clearances: Floats
    delay_ns: int = 0
    touches: Floats = field(default_factory=lambda: no_rows(TOUCHES))

    def of(self, joints_slice: slice) -> Watch:
        """The report about the joints of one robot; its clearances and touches include those of the others."""
        return replace(
            self,
            recorded=self.recorded[joints_slice],
            recorded_velocities=self.recorded_velocities[joints_slice],
            measured_efforts=self.measured_efforts[joints_slice],
            expected_efforts=self.expected_efforts[joints_slice],
        )

    def tables(self) -> dict[str, Table]:
        """Return the report as tables of a step; inverse of `read`."""
        columns = (
            self.recorded,
            self.recorded_velocities,
            self.measured_efforts,
            self.expected_efforts,
        )
        time_ns = self.time_ns
        return {
            ROBOT_JOINTS: Table(np.array(columns).T.copy(), time_ns=time_ns),
            CLEARANCES: Table(self.clearances, time_ns=time_ns),
            TOUCHES: Table(self.touches, time_ns=time_ns),
        }

    @classmethod
    def read(cls, tables: Mapping[str, Table], layout: WatchLayout) -> Watch | None:
        """Return the report in the tables of a scene, as views; None if there is none.

        Raises:
            ValueError: if it is not about the layout's robots.
        """
        table = tables.get(ROBOT_JOINTS)
        if table is None:
            return None
        joints, count = table.rows(), len(layout.joints)
        if len(joints) != count:
            raise ValueError(f"the watch is about {len(joints)} joints; {layout.names} has {count}")
        clearances, touches = tables[CLEARANCES].rows(), tables[TOUCHES].rows()
        recorded, velocities, measured, expected = joints.T
        delay_ns = layout.delay_ns
        return cls(
            table.time_ns, recorded, velocities, measured, expected, clearances, delay_ns, touches
        )


UNKNOWN = -1.0
"""Value of a figure for which nothing was compared."""


class Consistency(NamedTuple):
    """RMS and maximum of differences, and the lag of a robot behind its twin; `UNKNOWN` if nothing was compared.

    Attributes:
        joints_rms, joints_max: positions of joints [rad or m].
        tip_rms, tip_max: distances between the tips [m].
        base_rms, base_max: distances between the bases [m].
        heading_rms, heading_max: angles between the bases [rad].
        lag_median, lag_p95: lag of the robot behind its twin [s].
    """

    joints_rms: float = UNKNOWN
    joints_max: float = UNKNOWN
    tip_rms: float = UNKNOWN
    tip_max: float = UNKNOWN
    base_rms: float = UNKNOWN
    base_max: float = UNKNOWN
    heading_rms: float = UNKNOWN
    heading_max: float = UNKNOWN
    lag_median: float = UNKNOWN
    lag_p95: float = UNKNOWN

    @classmethod
    def of(cls, data: Floats) -> Self:
        """Return the figures in an attribute's value."""
        return cls(*data.tolist())

    def row(self) -> dict[str, Json] | None:
        """Return the figures for a summary, null where unknown; None if nothing was compared."""
        if all(value == UNKNOWN for value in self):
            return None
        return {
            "joints": _figures("rms", self.joints_rms, "max", self.joints_max),
            "tip": _figures("rms", self.tip_rms, "max", self.tip_max),
            "base": _figures("rms", self.base_rms, "max", self.base_max),
            "heading": _figures("rms", self.heading_rms, "max", self.heading_max),
            "lag": _figures("median", self.lag_median, "p95", self.lag_p95),
        }


CONSISTENCY = AttributeSpec("consistency", len(Consistency._fields), "rad or m, s")
"""See `Consistency`."""


def _figures(
    first_name: str, value: float, second_name: str, second: float
) -> dict[str, Json] | None:
    return (
        None if value == UNKNOWN else {first_name: round(value, 9), second_name: round(second, 9)}
    )
