"""The result of `hetwin urdf describe` for a robot or a world."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_calibration.robot.contents import Contents, contents_of_robot, contents_of_world
from hetwin_calibration.robot.denavit_hartenberg import DhTable, dh_table
from hetwin_calibration.robot.dimensions import Dimension, Part, compare, links_of, things_of
from hetwin_suite.command import BadInput
from hetwin_suite.engine import Notes, read_world
from hetwin_suite.robot import is_robot, read_robot, read_urdf
from hetwin_suite.tables import read_table


@dataclass(frozen=True, slots=True)
class Description:
    """A description.

    Attributes:
        contents: links, joints and sensors.
        table: Denavit-Hartenberg table of a chain; None: not requested.
        dimensions: dimensions of the model and of the real thing.
    """

    contents: Contents
    table: DhTable | None
    dimensions: tuple[Dimension, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `hetwin urdf describe --json`."""
        return {
            **self.contents.to_json(),
            "dh": None if self.table is None else _table_json(self.table),
            "dimensions": [dimension.to_json() for dimension in self.dimensions],
        }


def describe_file(
    file: Path, base: str | None = None, tip: str | None = None, measured: Path | None = None
) -> Description:
    """Describe a robot or a world.

    Args:
        file: file of the robot or the world.
        base, tip: links of the chain whose table is computed; None: no table.
        measured: CSV file of measured dimensions; None: no comparison.

    Raises:
        BadInput: if a file is invalid, or there is no such chain.
    """
    if not is_robot(file):
        return _world(file, base or tip, measured)
    robot = read_robot(file)
    table = None if base is None and tip is None else dh_table(robot.chain(base, tip).segments)
    contents = contents_of_robot(robot)
    if measured is None:
        return Description(contents, table, ())
    rows = read_table(measured)
    _need_meshes(file, contents.missing_meshes)
    parts = links_of(read_urdf(file, Notes()))
    return Description(contents, table, tuple(compare(parts, rows)))


def _world(file: Path, link: str | None, measured: Path | None) -> Description:
    if link is not None:
        raise BadInput(
            "chains are read from a URDF",
            file=file,
            where="--base, --tip",
            found=link,
            expected="no chain, or the URDF of a robot",
        )
    notes = Notes()
    world = read_world(file, notes)
    contents = contents_of_world(world, notes.left_out_meshes())
    if measured is None:
        return Description(contents, None, ())
    rows = read_table(measured)
    _need_meshes(file, contents.missing_meshes)
    parts: dict[str, Part] = things_of(world.bodies)
    return Description(contents, None, tuple(compare(parts, rows)))


def _need_meshes(file: Path, missing: tuple[str, ...]) -> None:
    """Raise BadInput if a mesh was not found: dimensions would leave it out."""
    if missing:
        raise BadInput(
            "a mesh is missing, and dimensions need all of them",
            file=file,
            where="<mesh>",
            found=missing[0],
            expected="a file that is there",
        )


def _table_json(table: DhTable) -> dict[str, Any]:
    rows = [
        {
            "joint": row.joint,
            "alpha": row.alpha,
            "a": row.a,
            "d": row.d,
            "theta": row.theta,
        }
        for row in table.rows
    ]
    return {"base": table.base.tolist(), "rows": rows, "tool": table.tool.tolist()}
