"""A plan of one's own decides which futures of a moment there are."""

from __future__ import annotations

from hetwin_suite._study.draw import Draw
from hetwin_suite._study.root import at_moment
from hetwin_suite._study.run_result import Moment, RunAtMoment, RunResult
from hetwin_suite._study.study import Study


def test_it_moves_the_tray_in_three_ways() -> None:
    def nearer(now: RunAtMoment) -> list[RunResult]:
        x, y, z, *turn = now.scene.pose("tray")[:7].tolist()
        shifts = (0.0, 0.1, 0.2)
        draws = [
            Draw(index, 0, {"shift": shift}, {"tray": {"pose": [x, y - shift, z, *turn]}})
            for index, shift in enumerate(shifts)
        ]
        return list(now.runs(draws))

    found = at_moment(Study("pick_and_place", horizon_s=0.1), Moment(at_s=1.0), nearer)
    assert sorted(future.inputs["shift"] for future in found) == [0.0, 0.1, 0.2]
    assert all(future.state["holding(gripper)"] is False for future in found)
