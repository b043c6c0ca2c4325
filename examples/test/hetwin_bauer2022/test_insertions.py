"""Recorded insertions: the probe goes in, or stays out, for physical reasons."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hetwin_bauer2022.episodes import Kind, record_episodes
from hetwin_bauer2022.insertions.draw import Draw, draw
from hetwin_bauer2022.insertions.episode import Insertion, _shift_function, execute_draw
from hetwin_bauer2022.two_hands.joints import ALL
from hetwin_core.ensemble.errors import BadInput

ROOT = Path(__file__).resolve().parents[3]


def ordinary(**changes: Any) -> Draw:
    drawn = draw(np.random.default_rng(0))
    plain = replace(
        drawn,
        socket=np.array([0.48, -0.3, 0.81]),
        socket_error=np.array([0.003, -0.002, 0.001]),
        dip_error=np.zeros(3),
        dip_turn=np.zeros(3),
        search_radius=0.0,
        softness=4.0,
        force=8.0,
        gravity_factors=np.ones(len(ALL)),
    )
    return replace(plain, **changes)


def carried_out(drawn: Draw) -> Insertion:
    return execute_draw(drawn, np.random.default_rng(1), ROOT)


@pytest.fixture(scope="module")
def inserted() -> Insertion:
    return carried_out(ordinary())


@pytest.mark.long
def test_chamfer_and_compliance_bring_the_probe_in(inserted: Insertion) -> None:
    assert inserted.success
    assert max(inserted.distances) < 0.001


def test_probe_is_held_from_the_start_by_fingers(inserted: Insertion) -> None:
    opened = inserted.program.time_of("release")
    free = [s for s in inserted.samples if 0.0 <= s.time < 2.0]
    for sample in free:
        assert sample.fingers.min() > 1.0
    moved = np.ptp([s.in_palm[:3] for s in free], axis=0)
    assert np.all(moved < 0.001)
    late = [s for s in inserted.samples if s.time > opened + 0.4]
    assert all(np.all(s.fingers == 0.0) for s in late)


def test_socket_moves_the_arm_and_not_the_arm_the_socket(inserted: Insertion) -> None:
    """The tip ends in the middle of the true hole, 3.6 mm beside the believed one."""
    opened = inserted.program.time_of("release")
    tip = next(s.pose for s in inserted.samples if s.time >= opened - 0.02)
    aside = tip[:2] - inserted.drawn.socket_pose(True)[:2]
    assert np.abs(aside).max() < 2e-4
    believed = tip[:2] - inserted.drawn.socket_pose(False)[:2]
    assert np.linalg.norm(believed) == pytest.approx(0.0036, abs=4e-4)


def test_socket_far_from_where_it_is_believed_is_missed() -> None:
    missed = carried_out(ordinary(socket_error=np.array([-0.012, 0.006, 0.0])))
    assert missed.success is False
    assert missed.distances[0] > 0.035
    opened = missed.program.time_of("release")
    pressing = [s for s in missed.samples if opened - 0.3 < s.time < opened]
    assert min(s.others for s in pressing) > 1.0, "it presses on the socket's face"


@pytest.mark.parametrize(
    ("short", "success"),
    [((0.001, 0.001), True), ((0.04, 0.3), False), ((0.006, 0.0), None), ((0.03, 0.0), None)],
)
def test_half_in_is_neither(
    inserted: Insertion, short: tuple[float, float], success: bool | None
) -> None:
    assert replace(inserted, distances=short).success is success


@pytest.mark.long
def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        record_episodes(Kind.INSERTION, 1, 7, tmp_path / name)
    for file in ("recording/recording.mcap", "scene.json", "truth.json"):
        one, other = (tmp_path / name / "insertion_0001" / file for name in ("a", "b"))
        assert one.read_bytes() == other.read_bytes(), file
    scene = json.loads((tmp_path / "a/insertion_0001/scene.json").read_text())
    truth = json.loads((tmp_path / "a/insertion_0001/truth.json").read_text())
    assert scene["scenario"] == "insertion"
    assert set(scene["scene"]) == {"spu", "dip"}
    dip = np.array(truth["path"][0][1:4])
    assert np.linalg.norm(dip - scene["scene"]["dip"]["pose"][:3]) < 0.01, "it is in the hand"
    assert truth["held"][0][0] == 0.0


def test_socket_alone_is_shifted_in_truth() -> None:
    shifted = _shift_function({"spu": (0.01, -0.002)})
    assert shifted is not None
    moved = shifted(ordinary()).socket_pose(True) - ordinary().socket_pose(True)
    assert np.allclose(moved, [0.01, -0.002, 0, 0, 0, 0, 0])
    assert np.array_equal(shifted(ordinary()).socket, ordinary().socket)
    assert _shift_function({}) is None
    with pytest.raises(BadInput, match="found 'dip'; expected spu"):
        _shift_function({"dip": (0.0, 0.1)})
