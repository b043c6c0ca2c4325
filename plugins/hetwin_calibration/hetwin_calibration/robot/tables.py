"""CSV files of joint positions and of poses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_suite.command import perhaps
from hetwin_suite.model import Floats
from hetwin_suite.tables import check_columns, read_table

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_UNIT = 1e-3
"""Tolerance of a quaternion's length, for files with few digits."""


def read_joints(
    file: Path, joints: Sequence[str], others: Sequence[str] = ()
) -> tuple[Floats, list[str]]:
    """Read positions of joints.

    Args:
        file: CSV file with the joints' names as header.
        joints: names of the required joints.
        others: other joints of the robot, whose columns are ignored.

    Returns:
        the positions (m, n) [rad or m], and the names of the ignored columns.

    Raises:
        BadInput: if a column is missing or unknown, or a number is not finite.
    """
    table = read_table(file)
    for column in table.columns:
        if column not in (*joints, *others):
            raise table.header_error(
                "the robot has no such joint that moves",
                column,
                f"{', '.join(joints)}{perhaps(column, joints)}",
            )
    check_columns(table, joints)
    return table.numbers(joints), [name for name in table.columns if name not in joints]


def read_poses(file: Path) -> Floats:
    """Return the poses (m, 7) in a file, x y z [m], qw qx qy qz, with normalized quaternions.

    Raises:
        BadInput: if a column is missing or unknown, a number is not finite, or a quaternion's length is not 1.
    """
    table = read_table(file)
    for column in table.columns:
        if column not in POSE:
            raise table.header_error("poses have no such column", column, ",".join(POSE))
    check_columns(table, POSE)
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
