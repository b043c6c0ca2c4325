"""The online filter of a drive converges with correct standard deviations, and rejects outliers."""

from __future__ import annotations

import numpy as np
from made_up_drives import SHEET, World, driven

from hetwin_calibration.drives.drive import Drive, DriveFilter, Recording, learned_along

HIDDEN = Drive(0.0507, 0.0515, 0.285)
NAMES = ("left_radius", "right_radius", "base")


def recording(seed: int) -> Recording:
    return driven(HIDDEN, 120.0, np.random.default_rng(seed), World(slip=0.02))


def test_it_learns_while_it_drives() -> None:
    along = learned_along([recording(0)], SHEET)
    for name in NAMES:
        off = along.drive.parameters[name] - HIDDEN.parameters[name]
        assert abs(off) < 4.0 * along.sd[name]
        assert along.sd[name] < 0.01 * HIDDEN.parameters[name]
    assert along.refused <= 2


def test_it_knows_more_after_more_recordings() -> None:
    once, twice = (learned_along(list(map(recording, seeds)), SHEET) for seeds in ((0,), (0, 1)))
    assert all(twice.sd[name] < once.sd[name] for name in NAMES)


def test_absurd_poses_do_not_count_until_they_are_many() -> None:
    along = DriveFilter(HIDDEN)
    along.see(np.zeros(3))
    for _ in range(10):
        along.roll(1.0, 1.0, 0.1)
    before = along.drive
    far = np.array([50.0, 0.0, 0.0])
    assert [along.see(far) for _ in range(5)] == [False] * 5
    assert along.drive == before
    assert along.see(far)  # the robot was carried
    assert along.drive == before
    assert along.refused == 5
