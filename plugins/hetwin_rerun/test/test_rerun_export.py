"""A finished run as a recording of Rerun."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused
from support.small_run import SmallRun

from hetwin_rerun.shapes import shape_archetype
from hetwin_suite.episode import open_episode
from hetwin_suite.model import Shape, ShapeKind

rerun = pytest.importorskip("rerun", reason="the extra rerun is not installed")


def labelled(file: Path) -> dict[str, list[str]]:
    """The names of the states of each part that is shown as states."""
    from rerun.chunk import RrdReader

    column = "StateConfiguration:labels"
    tables = {
        str(c.entity_path): c.to_record_batch() for c in RrdReader(file).stream() if c.is_static
    }
    return {
        path: table.column(column).to_pylist()[0]
        for path, table in tables.items()
        if column in table.schema.names
    }


def rows_of(file: Path) -> Counter[str]:
    """How many rows each part of the recording has over time."""
    from rerun.chunk import RrdReader

    rows: Counter[str] = Counter()
    for chunk in RrdReader(file).stream():
        if not chunk.is_static:
            rows[str(chunk.entity_path)] += chunk.num_rows
    return rows


def test_it_has_a_transform_for_each_state_and_owners_over_time(
    small_run: SmallRun, tmp_path: Path
) -> None:
    file = tmp_path / "run.rrd"
    said = hetwin("show", small_run.out, "--out", file)
    assert said.code == 0, said.err
    states = len(open_episode(small_run.out).times)
    assert said.out == f"{file}: {states} states\n"
    rows = rows_of(file)
    for body in ("box", "ball", "upper", "base", "gripper"):
        assert rows[f"/scene/{body}"] == states
    assert rows["/owners/box.pose"] == rows["/scene/box/shape\\ 0"] == 3  # it is held in between
    assert rows["/owners/ball.pose"] == 1
    assert rows["/scene/contacts"] == rows["/values/arm/joint_positions"] == states
    assert rows["/handovers"] == 2
    assert rows["/events"] > 0
    assert labelled(file) == {
        f"/owners/{body}.pose": ["physics", "in_hand", "handling"] for body in ("box", "ball")
    }


@pytest.mark.parametrize(
    ("kind", "size", "half"),
    [(ShapeKind.BOX, (2.0, 4.0, 6.0), [1, 2, 3]), (ShapeKind.PLANE, (2.0, 4.0), [1, 2, 0.0005])],
)
def test_flat_sides_are_as_long_as_they_are(
    kind: ShapeKind, size: tuple[float, ...], half: list[float]
) -> None:
    found = shape_archetype(rerun, Shape(kind, size, pose=(1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0)))
    (sizes,), (centre,) = (
        part.as_arrow_array().to_pylist() for part in (found.half_sizes, found.centers)
    )
    assert sizes == pytest.approx(half)
    assert centre == [1.0, 2.0, 3.0]


def test_what_cannot_be_written_is_said(small_run: SmallRun, tmp_path: Path) -> None:
    run, taken = small_run.out, tmp_path / "taken.rrd"
    taken.write_text("mine")
    refused(tmp_path, "show", run, "--out", taken, says=("cannot be written", "a new file"))
    refused(tmp_path, "show", run, "--out", "run.mp4", says=("--out", "X.rrd"))
    nothing = tmp_path / "nothing"
    refused(
        tmp_path,
        "show",
        nothing,
        "--out",
        tmp_path / "a.rrd",
        says=("no such folder", "a folder of a run"),
    )
