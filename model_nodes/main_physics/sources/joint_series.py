"""Joint samples in chronological order; one series for all joints that occur in the same messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.contradictions import Contradictions
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_table import Group, JointTable
from model_nodes.main_physics.sources.repairs import Bools, Repair, RepairKind, UsageReport

KEPT_RECORDINGS = 2
"""Maximum number of recordings whose motion is kept in memory for further runs."""
_KEPT_SIZE = 2_000_000
"""Maximum number of positions in a recording whose motion is kept, about ten minutes of seven joints at 500 Hz."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Samples of some joints at the same times, compared by identity.

    Attributes:
        names: the joints.
        times_ns: (n,) run time [ns], strictly increasing.
        positions: (n, joints) in rad or m.
        efforts: (n, joints) in Nm or N, NaN where not recorded.
        topic: topic on which they were recorded.
    """

    names: tuple[str, ...]
    times_ns: Int64s
    positions: Floats
    efforts: Floats
    topic: str = ""


def are_kept(series: Iterable[Series]) -> bool:
    """Whether a recording's motion is small enough to be kept in memory for further runs."""
    return sum(part.positions.size for part in series) <= _KEPT_SIZE


def build_series(
    table: JointTable, facts: JointFacts, contradictions: Contradictions | None = None
) -> tuple[list[Series], UsageReport]:
    """Build one series for each set of joints that occur in the same messages.

    Samples that are not finite are left out. Of several samples with the same time only the last one is used.

    Args:
        table: all samples.
        facts: the robots' joints; other joints are not reported.
        contradictions: contradictions, with the samples that must not be used.

    Returns:
        The series, and the report on used and unused samples.
    """
    unused = set() if contradictions is None else contradictions.unused
    contradictory = np.array(
        [] if contradictions is None else sorted(contradictions.foreign), np.int64
    )
    groups = list(table.groups.values())
    carriers: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        for name in group.names:
            if (group.publisher, name) not in unused:
                carriers.setdefault(name, []).append(i)
    by_groups: dict[tuple[int, ...], list[str]] = {}
    for name, indices in carriers.items():
        by_groups.setdefault(tuple(indices), []).append(name)
    usage = UsageReport()
    series = [
        joined
        for indices, names in by_groups.items()
        for joined in _Samples.joined(
            names, [groups[i] for i in indices], table, contradictory
        ).series(facts, usage)
    ]
    _count_messages(table, carriers, facts, usage)
    return series, usage


def _count_messages(
    table: JointTable, known: Mapping[str, object], facts: JointFacts, usage: UsageReport
) -> None:
    """Record repairs and losses of whole messages, for topics with joints of the robot."""
    topics = {
        group.publisher.topic
        for group in table.groups.values()
        if any(facts.has(name) for name in group.names)
    }
    usage.repairs += [repair for repair in table.repairs if repair.topic in topics]
    lost = list(table.lost.items())
    for topic, count in table.left_out.items():
        first = next((g for g in table.groups.values() if g.publisher.topic == topic), None)
        lost += [] if first is None else [((first.publisher, first.names), count)]
    for (publisher, names), count in lost:
        if publisher.topic in topics:
            usage.count([n for n in names if n in known and facts.has(n)], count, 0)


@dataclass(frozen=True, slots=True)
class _Samples:
    """Samples of joints from the same groups, in chronological order, without unused ones.

    Attributes:
        names: names of the joints.
        topic: topics on which they were recorded.
        recorded: number of samples that were recorded.
        times_ns: (n,) run time [ns], not decreasing.
        positions, efforts: (n, joints) in SI units.
    """

    names: Sequence[str]
    topic: str
    recorded: int
    times_ns: Int64s
    positions: Floats
    efforts: Floats

    @classmethod
    def joined(
        cls, names: Sequence[str], groups: Sequence[Group], table: JointTable, contradictory: Int64s
    ) -> _Samples:
        """Join the samples of some groups, without the messages in `contradictory`."""
        columns = [[group.names.index(name) for name in names] for group in groups]
        paired = list(zip(groups, columns, strict=True))
        messages = groups[0].message_numbers()
        positions = _columns(groups[0].position_table(), columns[0])
        efforts = _columns(groups[0].effort_table(), columns[0])
        if len(groups) > 1:
            messages = np.concatenate([group.message_numbers() for group in groups])
            positions = np.concatenate([_columns(g.position_table(), c) for g, c in paired])
            efforts = np.concatenate([_columns(g.effort_table(), c) for g, c in paired])
            order = np.argsort(messages)
            messages, positions, efforts = messages[order], positions[order], efforts[order]
        if len(contradictory) and (kept := ~np.isin(messages, contradictory)).size:
            messages, positions, efforts = messages[kept], positions[kept], efforts[kept]
        recorded = len(messages)
        if not (kept := table.kept[messages]).all():
            messages, positions, efforts = messages[kept], positions[kept], efforts[kept]
        times = table.times_ns[messages]
        if (np.diff(times) < 0).any():
            order = np.argsort(times, kind="stable")
            times, positions, efforts = times[order], positions[order], efforts[order]
        topic = ", ".join(dict.fromkeys(group.publisher.topic for group in groups))
        return cls(names, topic, recorded, times, positions, efforts)

    def series(self, facts: JointFacts, usage: UsageReport) -> Iterator[Series]:
        """Yield a series for each set of joints that are finite in the same messages; left-out samples are reported."""
        finite = np.isfinite(self.positions)
        efforts = self.efforts
        if (infinite := np.isinf(efforts)).any():
            efforts = np.where(infinite, np.nan, efforts)
            self._record_dropped(RepairKind.EFFORTS_NOT_A_NUMBER, infinite, facts, usage)
        if finite.all():
            yield from self._series_of_columns(slice(None), slice(None), efforts, facts, usage)
            return
        self._record_dropped(RepairKind.NOT_A_NUMBER, ~finite, facts, usage)
        by_finite_rows: dict[bytes, list[int]] = {}
        for column in range(len(self.names)):
            by_finite_rows.setdefault(finite[:, column].tobytes(), []).append(column)
        for columns in by_finite_rows.values():
            rows = np.flatnonzero(finite[:, columns[0]])
            yield from self._series_of_columns(rows, columns, efforts, facts, usage)

    def _series_of_columns(
        self,
        rows: Int64s | slice,
        columns: list[int] | slice,
        efforts: Floats,
        facts: JointFacts,
        usage: UsageReport,
    ) -> Iterator[Series]:
        names = tuple(np.array(self.names, object)[columns])
        robot_joints = [name for name in names if facts.has(name)]
        times = self.times_ns[rows]
        positions, efforts = self.positions[rows][:, columns], efforts[rows][:, columns]
        lost = 0
        if not (last := np.append(np.diff(times) > 0, True)[: len(times)]).all():
            lost = self._record_conflicts(times, positions, ~last, robot_joints, usage)
            times, positions, efforts = times[last], positions[last], efforts[last]
        repeated = int(np.count_nonzero(~last)) - lost
        usage.count(robot_joints, self.recorded, len(times) + repeated)
        if len(times):
            yield Series(names, times, positions, efforts, self.topic)

    def _record_conflicts(
        self,
        times: Int64s,
        positions: Floats,
        earlier: Bools,
        robot_joints: Sequence[str],
        usage: UsageReport,
    ) -> int:
        """Count the samples that differ from the next one with the same time, and record them."""
        duplicates = np.flatnonzero(earlier)
        changed = (positions[duplicates] != positions[duplicates + 1]).any(axis=1)
        conflicting = duplicates[changed]
        if len(conflicting) and robot_joints:
            first, last = int(times[conflicting[0]]), int(times[conflicting[-1]])
            usage.repairs.append(
                Repair(
                    RepairKind.SAME_TIME,
                    self.topic,
                    len(conflicting),
                    len(times),
                    first,
                    last,
                    joints=tuple(robot_joints),
                )
            )
        return len(conflicting)

    def _record_dropped(
        self, kind: RepairKind, dropped: Bools, facts: JointFacts, usage: UsageReport
    ) -> None:
        """Record that some (n, joints) values of the robot's joints are dropped."""
        columns = [
            i for i, name in enumerate(self.names) if facts.has(name) and dropped[:, i].any()
        ]
        if not columns:
            return
        rows = np.flatnonzero(dropped[:, columns].any(axis=1))
        first, last = int(self.times_ns[rows[0]]), int(self.times_ns[rows[-1]])
        usage.repairs.append(
            Repair(
                kind,
                self.topic,
                int(np.count_nonzero(dropped[:, columns])),
                self.recorded * len(columns),
                first,
                last,
                joints=tuple(self.names[i] for i in columns),
            )
        )


def _columns(values: Floats, columns: list[int]) -> Floats:
    return values if columns == list(range(values.shape[1])) else values[:, columns]
