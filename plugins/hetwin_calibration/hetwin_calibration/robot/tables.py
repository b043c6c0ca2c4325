"""CSV files of joint positions and of poses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_suite.command import perhaps
from hetwin_suite.model import Floats
from hetwin_suite.tables import need_columns, read_table

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_UNIT = 1e-3
"""Quaternions may be so much longer or shorter than 1, as those with few digits are."""


def read_joints(
    file: Path, joints: Sequence[str], others: Sequence[str] = ()
) -> tuple[Floats, list[str]]:
    """Read positions of joints.

    Args:
        file: with the joints' names as header.
        joints: whose positions are needed.
        others: joints of the robot that may be there and are passed over.

    Returns:
        (m, n) the positions [rad or m], and the columns that were passed over.

    Raises:
        BadInput: if a column is missing or unknown, or a number is not finite.
    """
    table = read_table(file)
    for column in table.columns:
        if column not in (*joints, *others):
            raise table.bad_header(
                "the robot has no such joint that moves",
                column,
                f"{', '.join(joints)}{perhaps(column, joints)}",
            )
    need_columns(table, joints)
    return table.numbers(joints), [name for name in table.columns if name not in joints]


def read_poses(file: Path) -> Floats:
    """Return (m, 7) poses x y z [m], qw qx qy qz, the quaternions made exactly 1 long.

    Raises:
        BadInput: if a column is missing or unknown, a number is not finite, or a quaternion's length is not 1.
    """
    table = read_table(file)
    for column in table.columns:
        if column not in POSE:
            raise table.bad_header("poses have no such column", column, ",".join(POSE))
    need_columns(table, POSE)
    poses = table.numbers(POSE)
    lengths = np.linalg.norm(poses[:, 3:], axis=1)
    for i in np.flatnonzero(np.abs(lengths - 1.0) > _UNIT).tolist():
        raise table.bad(
            "the quaternion qw,qx,qy,qz is not of length 1",
            i,
            f"{poses[i, 3:].tolist()} of length {lengths[i]:.6g}",
            "length 1, within 0.001",
        )
    poses[:, 3:] /= lengths[:, None]
    return poses
