"""Containers: what is inside of their rims, and by how much."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transforms3d.quaternions import rotate_vector

from hetwin_bauer2022.containers import CONTAINERS, Container, container
from hetwin_bauer2022.drops.program import aim_point
from hetwin_stand_ins.solids import read_solids

WORLD = Path(__file__).resolve().parents[3] / "worlds" / "tennis_table.sdf"
places = st.tuples(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4)).map(np.array)
some = st.sampled_from(CONTAINERS)


@given(one=some, start=places, step=places)
def test_margin_changes_by_no_more_than_the_way(
    one: Container, start: np.ndarray, step: np.ndarray
) -> None:
    change = one.margin(start + step) - one.margin(start)
    assert abs(change) <= np.linalg.norm(step) + 1e-12


@given(one=some, share=st.floats(0.0, 3.0), edge=st.integers(0, 100))
def test_rim_is_where_the_margin_changes_its_sign(one: Container, share: float, edge: int) -> None:
    corner = one.corners[edge % len(one.corners)]
    margin = one.margin(corner * share)
    if abs(share - 1.0) > 1e-9:
        assert (margin > 0) == (share < 1)


@given(one=some, aim=st.floats(-0.1, 0.06), bearing=st.floats(0, 6.28))
def test_aim_point_has_the_margin_that_was_asked_for(
    one: Container, aim: float, bearing: float
) -> None:
    pose = np.array([0.0, 0.0, 0.75, 1.0, 0.0, 0.0, 0.0])
    assert one.margin(aim_point(one, pose, aim, bearing)) == pytest.approx(aim, abs=1e-6)


def test_aim_point_turns_with_the_container() -> None:
    crate = container("crate")
    turned = np.array([0.5, -0.4, 0.75, np.cos(0.25), 0.0, 0.0, np.sin(0.25)])
    ahead = aim_point(crate, turned, 0.0, 0.0) - turned[:2]
    np.testing.assert_allclose(ahead, 0.11 * np.array([np.cos(0.5), np.sin(0.5)]), atol=1e-9)


@pytest.mark.parametrize("one", CONTAINERS, ids=lambda one: one.name)
def test_walls_leave_no_gap_for_the_ball_and_the_middle_free(one: Container) -> None:
    solids = read_solids(WORLD)
    walls = [s for s in solids if s.model == one.name and s.name.startswith("wall")]
    assert len(walls) == len(one.corners)
    edges = np.linalg.norm(np.roll(one.corners, -1, axis=0) - one.corners, axis=1)
    for wall, edge in zip(walls, edges, strict=True):
        at = wall.position - wall.origin[:3]
        assert wall.size[1] >= edge
        assert np.hypot(*at[:2]) > 0.04
        up = rotate_vector([0.0, 0.0, 1.0], wall.quaternion)[2]
        assert at[2] + wall.size[2] / 2 * up == pytest.approx(one.height, abs=1e-4)


def test_unknown_container_is_refused() -> None:
    with pytest.raises(KeyError, match="cup"):
        container("cup")
