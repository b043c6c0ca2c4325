"""A plan of one's own decides which futures of a moment there are."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.moment import Moment
from hetwin_suite.futures.predicting.root import Fork, Now, at_moment


def test_it_moves_the_tray_in_three_ways() -> None:
    def nearer(now: Now, fork: Fork) -> list[Future]:
        x, y, z, *turn = now.scene.pose("tray")[:7].tolist()
        shifts = (0.0, 0.1, 0.2)
        return fork(
            [
                Draw(index, 0, {"shift": shift}, {"tray": {"pose": [x, y - shift, z, *turn]}})
                for index, shift in enumerate(shifts)
            ]
        )

    scenario = load_scenario(find_scenario("pick_and_place"))
    found = at_moment(scenario, RunOptions(), Moment(at_s=1.0), nearer, horizon_s=0.1)
    assert sorted(future.inputs["shift"] for future in found) == [0.0, 0.1, 0.2]
    assert all(future.state["holding(gripper)"] is False for future in found)
