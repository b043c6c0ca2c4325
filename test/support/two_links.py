"""A robot of two links in the plane, as a URDF that tests change, and CSV files for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

URDF = """<robot name="two_links">
  <link name="foot"/>
  <link name="upper"/>
  <link name="lower"/>
  <link name="hand"/>
  <joint name="shoulder" type="revolute">
    <parent link="foot"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1.5" effort="10"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0.4 0 0"/>
    <parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="2.5" velocity="2" effort="10"/>
  </joint>
  <joint name="wrist" type="fixed">
    <origin xyz="0.3 0 0"/><parent link="lower"/><child link="hand"/>
  </joint>
</robot>
"""


def write_urdf(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write the robot, with texts in it replaced."""
    text = URDF
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    file = folder / "two_links.urdf"
    file.write_text(text)
    return file


def write_csv(
    folder: Path, header: str, *rows: Sequence[object] | str, name: str = "in.csv"
) -> Path:
    """Write a CSV file."""
    lines = [row if isinstance(row, str) else ",".join(map(str, row)) for row in rows]
    file = folder / name
    file.write_text("\n".join([header, *lines]) + "\n")
    return file
