"""A run is held to some times real time, whatever it could do."""

from __future__ import annotations

import pytest
from support.held_runs import Held
from support.small_ensemble import HEADER, run, scenario

from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.controls import CATCH_UP_S, Pace
from hetwin_core.ensemble.errors import Refused

SECOND = 1_000_000_000


class Clock:
    """A wall clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def test_each_step_waits_for_its_time() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.set(2.0)
    assert pace.wait_s(0) == 0.0
    assert pace.wait_s(SECOND) == pytest.approx(0.5)
    clock.s += 0.5
    assert pace.wait_s(SECOND) == pytest.approx(0.0)
    assert pace.wait_s(2 * SECOND) == pytest.approx(0.5)


def test_without_a_pace_nothing_waits() -> None:
    pace = Pace(Clock())
    pace.set(1.0)
    assert pace.wait_s(0) == 0.0
    pace.set(None)
    assert pace.wait_s(SECOND) == 0.0


def test_only_a_little_is_made_good() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.set(1.0)
    pace.wait_s(0)
    clock.s += 10.0
    assert pace.wait_s(SECOND) == 0.0
    behind = round((1.0 + CATCH_UP_S) * SECOND)
    assert pace.wait_s(behind) == pytest.approx(0.0, abs=1e-6)
    assert pace.wait_s(behind + SECOND) == pytest.approx(1.0)


def test_it_counts_anew_after_the_run_stood_still() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.set(1.0)
    pace.wait_s(0)
    clock.s += 60.0
    pace.restart_measurement()
    assert pace.wait_s(SECOND) == 0.0
    assert pace.wait_s(2 * SECOND) == pytest.approx(1.0)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_pace_is_above_zero(factor: float) -> None:
    with pytest.raises(Refused, match="positive number, or none"):
        Pace().set(factor)


def test_a_run_waits_and_its_digest_stays() -> None:
    waits: list[float] = []
    read = scenario(HEADER)
    clock = Clock()

    def idle(seconds: float) -> None:
        waits.append(seconds)
        clock.s += seconds

    conductor = session(read, idle=idle)
    conductor.pace._now = clock
    conductor.limit_pace(0.5)
    summary = conductor.run()
    assert sum(waits) == pytest.approx(0.19 / 0.5)  # nothing waits for the end of the last step
    assert summary.deterministic
    assert summary.digest == run(HEADER).summary.digest
    assert [(e["name"], e["arguments"]) for e in summary.events] == [("paced", {"factor": 0.5})]


def test_a_paced_run_can_be_paused_and_stopped() -> None:
    held = Held(Conductor.stop)
    held.conductor.limit_pace(1e-3)
    assert held.run().ended == "stopped"


def test_the_twin_of_a_live_robot_has_its_own_pace() -> None:
    with pytest.raises(Refused, match="held to a pace: the robot does not wait"):
        Held(source="live").conductor.limit_pace(1.0)
