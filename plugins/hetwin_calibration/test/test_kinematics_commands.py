"""`hetwin urdf forward` and `hetwin urdf inverse`: what they print, and each bad input with its line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import hetwin, refused
from support.two_links import write_csv, write_urdf

POSE = "x,y,z,qw,qx,qy,qz"
BENT = (0.7 * np.cos(0.5), 0.7 * np.sin(0.5), 0, np.cos(0.25), 0, 0, np.sin(0.25))
"""Pose of the hand with the shoulder at 0.5 rad and the elbow straight."""


def solved(folder: Path, *words: object, header: str = POSE, rows: object = (BENT,)) -> dict:  # type: ignore[type-arg]
    poses = write_csv(folder, header, *rows)  # type: ignore[misc]
    said = hetwin(
        "urdf", "inverse", write_urdf(folder), "--poses", poses, *map(str, words), "--json"
    )
    assert said.code == 0, said.err
    return json.loads(said.out)  # type: ignore[no-any-return]


def test_forward_prints_poses_with_w_first(tmp_path: Path) -> None:
    joints = write_csv(tmp_path, "elbow,shoulder", (0, 0.5), (np.pi / 2, 0))
    words = (
        "urdf",
        "forward",
        write_urdf(tmp_path),
        "--base",
        "foot",
        "--tip",
        "hand",
        "--joints",
        joints,
    )
    poses = json.loads(hetwin(*words, "--json").out)["poses"]
    half = np.sqrt(0.5)
    np.testing.assert_allclose(poses, [BENT, (0.4, 0.3, 0, half, 0, 0, half)], atol=1e-12)
    assert hetwin(*words).out.splitlines()[1].split()[:3] == ["0.614308", "0.335598", "0.000000"]


def test_forward_names_what_is_not_of_the_chain(tmp_path: Path) -> None:
    joints = write_csv(tmp_path, "elbow,shoulder", (np.pi / 2, 0.3))
    words = ("--base", "upper", "--tip", "hand", "--joints", joints, "--json")
    said = hetwin("urdf", "forward", write_urdf(tmp_path), *words)
    np.testing.assert_allclose(json.loads(said.out)["poses"][0][:2], [0.4, 0.3], atol=1e-12)
    assert "not of this chain: shoulder" in said.err


@pytest.mark.parametrize("words", [(), ("--one-by-one",), ("--least-motion",)])
def test_inverse_solves_what_can_be_reached_and_says_how_far_the_rest_is(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    far = (2, 0, 0, 1, 0, 0, 0)
    printed = solved(tmp_path, *words, rows=(BENT, far))
    assert printed["joints"] == ["shoulder", "elbow"]
    np.testing.assert_allclose(printed["solutions"][0], [0.5, 0.0], atol=1e-4)
    assert printed["solutions"][1] is None
    assert printed["error_m"][1] == pytest.approx(1.3, abs=0.2)
    assert (printed["solved"], printed["of"]) == (1, 2)
    assert set(printed["cpu_ms"]) == {"mean", "median", "p95", "p99"}


def test_inverse_starts_where_it_is_told(tmp_path: Path) -> None:
    start = write_csv(tmp_path, "shoulder,elbow", (0.45, 0.02), name="from.csv")
    printed = solved(tmp_path, "--start", start, "--seed", 3, "--budget", 1)
    np.testing.assert_allclose(printed["solutions"][0], [0.5, 0.0], atol=1e-4)


def test_people_read_a_table(tmp_path: Path) -> None:
    poses = write_csv(tmp_path, POSE, BENT, (2, 0, 0, 1, 0, 0, 0))
    lines = hetwin("urdf", "inverse", write_urdf(tmp_path), "--poses", poses).out.splitlines()
    assert lines[0].split() == ["shoulder", "elbow", "error"]
    assert "not reached" in lines[2]
    assert lines[3].startswith("1 of 2 solved")


ROW = "1,0,0,1,0,0,0"
WRONG = [
    ((), POSE, ("0,0,0,0.9,0,0,0",), (), ("in.csv: line 2", "not of length 1", "0.9")),
    ((), POSE, (ROW, "nan,0,0,1,0,0,0"), (), ("in.csv: line 3, column x", "finite", "'nan'")),
    ((), POSE, (), (), ("in.csv", "has no rows", "only a header")),
    ((), "", (), (), ("in.csv", "has no rows", "nothing")),
    ((), POSE, ("1,0,0",), (), ("line 2", "3 cells", "7 cells")),
    ((), "x,y,z,w,qx,qy,qz", (ROW,), (), ("line 1", "no such column", "'w'", POSE)),
    ((), "x,y,z,qw,qx,qy", ("1,0,0,1,0,0",), (), ("line 1", "missing", "qz as well")),
    ((), POSE, (ROW,), ("--base", "foots"), ("--base", "no such link", "'foots'", "'foot'")),
    ((), POSE, (ROW,), ("--base", "hand", "--tip", "foot"), ("--tip", "not below hand", "'foot'")),
    ((), POSE, (ROW,), ("--base", "lower"), ("no joint moves", "lower to hand")),
    (
        (('lower="-2" upper="2"', 'lower="2" upper="-2"'),),
        POSE,
        (ROW,),
        (),
        ("line 8", "lower above upper"),
    ),
    (
        (('lower="-2" upper="2" ', ""),),
        POSE,
        (ROW,),
        (),
        ("line 8", "joint shoulder has no limits"),
    ),
    ((('<parent link="lower"/>', '<parent link="hand"/>'),), POSE, (ROW,), (), ("loop",)),
    ((('<child link="hand"/>', '<child link="upper"/>'),), POSE, (ROW,), (), ("two parents",)),
    ((("</robot>", ""),), POSE, (ROW,), (), ("two_links.urdf", "not well-formed")),
    ((('type="revolute"', 'type="planar"'),), POSE, (ROW,), (), ("several axes", "planar")),
]


@pytest.mark.parametrize(("changes", "header", "rows", "words", "says"), WRONG)
def test_bad_input_ends_with_2_and_its_line(
    tmp_path: Path,
    changes: tuple[tuple[str, str], ...],
    header: str,
    rows: tuple[str, ...],
    words: tuple[str, ...],
    says: tuple[str, ...],
) -> None:
    urdf, poses = write_urdf(tmp_path, *changes), write_csv(tmp_path, header, *rows)
    refused(tmp_path, "urdf", "inverse", urdf, "--poses", poses, *words, says=says)


@pytest.mark.parametrize(
    ("header", "rows", "says"),
    [
        ("shoulder,elbows", ("0,0",), ("line 1", "no such joint", "'elbows'", "'elbow'")),
        ("shoulder", ("0",), ("line 1", "missing", "elbow as well")),
        ("shoulder,elbow,shoulder", ("0,0,0",), ("line 1", "twice", "'shoulder'")),
        ("shoulder,elbow", ("0,0", "0,0", "0,0"), ("--start", "'3 rows'", "1 or 1")),
    ],
)
def test_bad_starts_end_with_2(
    tmp_path: Path, header: str, rows: tuple[str, ...], says: tuple[str, ...]
) -> None:
    poses = write_csv(tmp_path, POSE, BENT)
    start = write_csv(tmp_path, header, *rows, name="from.csv")
    words = ("urdf", "inverse", write_urdf(tmp_path), "--poses", poses, "--start", start)
    refused(tmp_path, *words, says=("from.csv", *says))


def test_no_file_is_bad_input(tmp_path: Path) -> None:
    words = ("--poses", tmp_path / "none.csv")
    refused(
        tmp_path,
        "urdf",
        "inverse",
        write_urdf(tmp_path),
        *words,
        says=("none.csv", "cannot be read"),
    )
