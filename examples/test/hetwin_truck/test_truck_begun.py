"""Loads that a robot has begun to unload."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_truck.packets import Load, Packet, draw_load
from hetwin_truck.partly_unloaded import partly_unloaded
from hetwin_truck.planning.library import draw_cut_out
from hetwin_truck.site import Site

WHOLE = draw_load(Load(40, 1.2), np.random.default_rng(1))


def _begun(actions: int) -> list[Packet]:
    return partly_unloaded(WHOLE, actions, np.random.default_rng(3))


def test_what_was_unloaded_is_missing_and_the_rest_has_its_size_and_mass() -> None:
    rest = _begun(2)
    known = {packet.name: packet for packet in WHOLE}
    assert len(WHOLE) / 2 <= len(rest) < len(WHOLE)
    assert all((p.size, p.mass) == (known[p.name].size, known[p.name].mass) for p in rest)
    assert any(abs(np.subtract(p.at, known[p.name].at)).max() > 0.05 for p in rest)


def test_it_lies_in_a_new_site_as_it_lay_in_the_old_one() -> None:
    rest = _begun(2)
    site = Site(rest)
    site.settle()
    moved = np.abs(site.poses()[:, :3] - [packet.at for packet in rest]).max(axis=1)
    # What was still rolling goes on.
    assert np.quantile(moved, 0.9) < 0.005


def test_a_load_that_nobody_has_touched_is_whole() -> None:
    assert _begun(0) == WHOLE


@pytest.mark.long
def test_at_least_half_of_a_load_is_left() -> None:
    assert len(_begun(10)) >= len(WHOLE) / 2


@pytest.mark.long
def test_the_same_seed_draws_the_same_moment() -> None:
    assert draw_cut_out(5, 12) == draw_cut_out(5, 12)
    assert draw_cut_out(5, 12) != draw_cut_out(6, 12)
