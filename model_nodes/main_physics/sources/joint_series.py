"""Joint samples in the order of time, validated; one series for all joints of the same messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_table import Group, JointTable


@dataclass(frozen=True, slots=True)
class Series:
    """Samples of some joints at the same times.

    Attributes:
        names: the joints.
        times_ns: (n,) run time [ns], strictly increasing.
        positions: (n, joints) in rad or m.
        efforts: (n, joints) in Nm or N, NaN where not recorded.
    """

    names: tuple[str, ...]
    times_ns: Int64s
    positions: Floats
    efforts: Floats


def build_series(table: JointTable, file: Path) -> list[Series]:
    """Build one series for each set of joints that the same groups of messages contain.

    Of samples at the same time the last one is used.

    Raises:
        BadInput: if a position is not finite, or time goes back.
    """
    groups = list(table.groups.values())
    for group in groups:
        _check_finite(group, table, file)
    carriers: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        for name in group.names:
            carriers.setdefault(name, []).append(i)
    together: dict[tuple[int, ...], list[str]] = {}
    for name, indices in carriers.items():
        together.setdefault(tuple(indices), []).append(name)
    return [
        _one_series(tuple(names), [groups[i] for i in indices], table, file)
        for indices, names in together.items()
    ]


def _check_finite(group: Group, table: JointTable, file: Path) -> None:
    positions = group.position_table()
    if np.isfinite(positions).all():
        return
    row, column = np.argwhere(~np.isfinite(positions))[0]
    raise BadInput(
        f"the position of joint {group.names[column]} is not a number",
        file=file,
        where=table.place(group.messages[row]),
        found=float(positions[row, column]),
        expected="a finite position",
    )


def _one_series(
    names: tuple[str, ...], groups: Sequence[Group], table: JointTable, file: Path
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
    times = table.times_ns[messages]
    _check_order(names, messages, times, table, file)
    if not (last := np.append(np.diff(times) > 0, True)).all():
        times, positions, efforts = times[last], positions[last], efforts[last]
    return Series(names, times, positions, efforts)


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
