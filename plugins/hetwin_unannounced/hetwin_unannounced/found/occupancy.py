"""Converts an occupancy grid to static geometry: boxes over the occupied cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from hetwin_suite.model import BadInput, Ints, Name, check, compose
from hetwin_suite.source import FoundObject, SceneRequest
from hetwin_unannounced.found.frames import state_of
from hetwin_unannounced.found.messages import FinderParameters, first_message
from hetwin_unannounced.found.sdf import Part, model_text

OCCUPANCY_GRID = "nav_msgs/msg/OccupancyGrid"
MAX_BOXES = 10_000


class OccupancyParameters(FinderParameters):
    """Parameters of `scene: {from: {occupancy_grid: ...}}`.

    Attributes:
        height: height of occupied cells above the map [m].
        occupied: minimum value of an occupied cell, 1 to 100.
        name: name of the entity.
    """

    height: Annotated[float, Field(gt=0, le=100)] = 1.0
    occupied: Annotated[int, Field(ge=1, le=100)] = 65
    name: Name = "map"


class Rectangle(NamedTuple):
    """Cells from (column, row), inclusive, to (right, top), exclusive."""

    column: int
    row: int
    right: int
    top: int


def occupancy_grid(request: SceneRequest) -> Mapping[str, FoundObject]:
    """Return the occupied cells of a map as one static object; unknown cells are free, and a note counts them.

    Raises:
        BadInput: if there is no map, its data does not match its width and height, or it needs too many boxes.
    """
    parameters = check(OccupancyParameters, dict(request.parameters))
    grid, frames = first_message(
        request, parameters, OCCUPANCY_GRID, lambda grid: bool(len(grid.data))
    )
    cells, resolution = _cells(grid)
    rectangles = list(merge_cells(cells >= parameters.occupied))
    if len(rectangles) > MAX_BOXES:
        raise BadInput(
            f"the occupied cells need {len(rectangles)} boxes",
            where="occupied",
            found=parameters.occupied,
            expected=f"a map that needs at most {MAX_BOXES} boxes: coarser, or with less noise",
        )
    if not rectangles:
        return {}
    unknown = int((cells < 0).sum())
    note = (
        f"{len(rectangles)} boxes, {parameters.height:g} m high;"
        f" {unknown} of {cells.size} cells are not known and count as free"
    )
    pose = compose(frames.find(grid.header.frame_id), state_of(grid.info.origin))
    parts = [_part(cells, resolution, parameters.height) for cells in rectangles]
    return {parameters.name: FoundObject(model_text(parameters.name, pose, parts), note)}


def merge_cells(occupied: np.ndarray[Any, np.dtype[np.bool_]]) -> Iterator[Rectangle]:
    """Yield rectangles that cover each cell of an occupied mask (rows, columns) once.

    A rectangle joins equal runs of adjacent rows.
    """
    open_runs: dict[tuple[int, int], int] = {}
    rows = occupied.shape[0]
    for row in range(rows + 1):
        runs = set(_runs(occupied[row])) if row < rows else set()
        for run in [run for run in open_runs if run not in runs]:
            yield Rectangle(run[0], open_runs.pop(run), run[1], row)
        for run in sorted(runs):
            open_runs.setdefault(run, row)


def _runs(row: np.ndarray[Any, np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Return (start, stop) of each run of occupied cells in a row."""
    steps = np.diff(np.concatenate(([0], row.astype(np.int8), [0])))
    starts, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def _cells(grid: Any) -> tuple[Ints, float]:
    """Return the values (rows, columns) of a map, and the side of a cell [m]."""
    width, height, resolution = grid.info.width, grid.info.height, float(grid.info.resolution)
    values = np.asarray(grid.data, np.int64)
    if values.size != width * height or not 0.0 < resolution < np.inf:
        raise BadInput(
            "the map cannot be used",
            where="topic",
            found=f"{values.size} cells, {width} x {height} of {resolution:g} m",
            expected="as many cells as width x height, of a side above 0",
        )
    return values.reshape(height, width).astype(np.int32), resolution


def _part(cells: Rectangle, resolution: float, height: float) -> Part:
    width, depth = (cells.right - cells.column) * resolution, (cells.top - cells.row) * resolution
    pose = np.array(
        [
            (cells.column + cells.right) * resolution / 2.0,
            (cells.row + cells.top) * resolution / 2.0,
            height / 2.0,
            *(1.0, 0.0, 0.0, 0.0),
        ]
    )
    return Part("box", (("size", f"{width!r} {depth!r} {height!r}"),), pose)
