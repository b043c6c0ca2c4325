"""Joint samples in the order of time, validated; one series for all joints of the same messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s, Publisher
from model_nodes.main_physics.sources.contradictions import Contradictions
from model_nodes.main_physics.sources.joint_table import Group, JointTable


@dataclass(frozen=True, slots=True)
class Series:
    """Samples of some joints at the same times.

    Attributes:
        names: the joints.
        times_ns: (n,) run time [ns], strictly increasing.
        positions: (n, joints) in rad or m.
        efforts: (n, joints) in Nm or N, NaN where not recorded.
        topic: where they were recorded.
    """

    names: tuple[str, ...]
    times_ns: Int64s
    positions: Floats
    efforts: Floats
    topic: str = ""


def build_series(
    table: JointTable, file: Path, left_out: Contradictions | None = None
) -> list[Series]:
    """Build one series for each set of joints that the same groups of messages contain.

    Of samples at the same time the last one is used.

    Args:
        table: all samples.
        file: of the recording, for errors.
        left_out: what is not used of them.

    Raises:
        BadInput: if a publisher's time goes back.
    """
    unused = set() if left_out is None else left_out.unused
    strange = np.array([] if left_out is None else sorted(left_out.strange), np.int64)
    groups = list(table.groups.values())
    carriers: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        for name in group.names:
            if (group.publisher, name) not in unused:
                carriers.setdefault(name, []).append(i)
    together: dict[tuple[int, ...], list[str]] = {}
    for name, indices in carriers.items():
        together.setdefault(tuple(indices), []).append(name)
    series = [
        _one_series(tuple(names), [groups[i] for i in indices], table, strange, file)
        for indices, names in together.items()
    ]
    return [one for one in series if len(one.times_ns)]


def check_finite(table: JointTable, file: Path) -> None:
    """Check that all positions are numbers.

    Raises:
        BadInput: if one is not.
    """
    for group in table.groups.values():
        positions = group.position_table()
        if np.isfinite(positions).all():
            continue
        row, column = np.argwhere(~np.isfinite(positions))[0]
        raise BadInput(
            f"the position of joint {group.names[column]} is not a number",
            file=file,
            where=table.place(group.messages[row]),
            found=float(positions[row, column]),
            expected="a finite position",
        )


def _one_series(
    names: tuple[str, ...],
    groups: Sequence[Group],
    table: JointTable,
    strange: Int64s,
    file: Path,
) -> Series:
    columns = [[group.names.index(name) for name in names] for group in groups]
    each = list(zip(groups, columns, strict=True))
    messages = groups[0].message_numbers()
    positions = _columns(groups[0].position_table(), columns[0])
    efforts = _columns(groups[0].effort_table(), columns[0])
    if len(groups) > 1:
        messages = np.concatenate([group.message_numbers() for group in groups])
        positions = np.concatenate([_columns(g.position_table(), c) for g, c in each])
        efforts = np.concatenate([_columns(g.effort_table(), c) for g, c in each])
        order = np.argsort(messages)
        messages, positions, efforts = messages[order], positions[order], efforts[order]
    if len(strange) and (kept := ~np.isin(messages, strange)).size:
        messages, positions, efforts = messages[kept], positions[kept], efforts[kept]
    times = table.times_ns[messages]
    publishers = {group.publisher: None for group in groups}
    if len(publishers) == 1:
        _check_order(names, messages, times, table, file)
    else:
        # Each publisher is delayed in its own way, so that their messages may pass each other.
        for publisher in publishers:
            own = np.isin(messages, _messages_of(publisher, groups))
            _check_order(names, messages[own], times[own], table, file)
        order = np.argsort(times, kind="stable")
        times, positions, efforts = times[order], positions[order], efforts[order]
    if not (last := np.append(np.diff(times) > 0, True)[: len(times)]).all():
        times, positions, efforts = times[last], positions[last], efforts[last]
    topic = ", ".join(dict.fromkeys(publisher.topic for publisher in publishers))
    return Series(names, times, positions, efforts, topic)


def _messages_of(publisher: Publisher, groups: Sequence[Group]) -> Int64s:
    return np.concatenate([g.message_numbers() for g in groups if g.publisher == publisher])


def _columns(values: Floats, columns: list[int]) -> Floats:
    return values if columns == list(range(values.shape[1])) else values[:, columns]


def _check_order(
    names: tuple[str, ...], messages: Int64s, times: Int64s, table: JointTable, file: Path
) -> None:
    back = np.flatnonzero(np.diff(times) < 0)
    if not len(back):
        return
    first = int(back[0])
    raise BadInput(
        f"time goes back for joint {names[0]}",
        file=file,
        where=table.place(int(messages[first + 1])),
        found=f"{times[first + 1] / 1e9:.9f} s of run time",
        expected=f"at least {times[first] / 1e9:.9f} s, the time of the message before",
    )
