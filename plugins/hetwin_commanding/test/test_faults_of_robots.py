"""What a fault makes of a commanded motion, and what may be asked for."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_commanding.command import read_fault
from hetwin_commanding.obeying.faults import Fault, FaultKind, Faulty
from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.commanded_base import TwistCommand
from model_nodes.main_physics.sources.part import JointMotion

FORWARD = TwistCommand(0.5, 0.0, 0.0)
DRIFTING = np.array([True, False])


def going(time: float) -> JointMotion:
    """Two joints at 1 rad/s."""
    ones = np.ones(2)
    return JointMotion(time * ones, ones, 0 * ones, np.nan * ones)


def positions(kind: FaultKind, at: float = 0.5) -> list[list[float]]:
    """Where the joints are at 0, 0.1 ... 1.2 s of a motion that begins at 0.25 s."""
    faulty = Faulty(Fault(kind, at), DRIFTING)
    found = []
    for i in range(13):
        if i == 2:
            faulty.moves(0.25)
        found.append(faulty.spoiled(going(i / 10), FORWARD, i / 10)[0].positions.tolist())
    return found


@pytest.mark.parametrize("kind", FaultKind)
def test_nothing_is_wrong_before_its_second_of_the_motion(kind: FaultKind) -> None:
    assert [row[0] for row in positions(kind)[:8]] == pytest.approx([i / 10 for i in range(8)])


def test_frozen_joints_stay_where_they_were() -> None:
    assert {row[0] for row in positions(FaultKind.FREEZE)[8:]} == {0.8}


def test_commanded_joints_drift_off() -> None:
    last = positions(FaultKind.DRIFT)[-1]
    assert last == pytest.approx([1.2 + 0.45 * 0.05, 1.2])


def test_a_lagging_robot_is_half_a_second_behind() -> None:
    found = [row[0] for row in positions(FaultKind.LAG)]
    assert found[12] == pytest.approx(0.7)


def test_a_silent_robot_goes_on() -> None:
    faulty = Faulty(Fault(FaultKind.SILENCE, 0.5), DRIFTING)
    faulty.moves(0.2)
    assert not faulty.is_now(FaultKind.SILENCE, 0.69)
    assert faulty.is_now(FaultKind.SILENCE, 0.71)
    assert positions(FaultKind.SILENCE)[-1] == pytest.approx([1.2, 1.2])


@pytest.mark.parametrize(
    ("kind", "twist"),
    [
        (FaultKind.FREEZE, TwistCommand(0.0, 0.0, 0.0)),
        (FaultKind.DRIFT, TwistCommand(0.5, 0.0, 0.05)),
        (FaultKind.LAG, TwistCommand(0.0, 0.0, 0.1)),
        (FaultKind.SILENCE, FORWARD),
    ],
)
def test_a_fault_concerns_the_base_too(kind: FaultKind, twist: TwistCommand) -> None:
    faulty = Faulty(Fault(kind, 0.0), DRIFTING)
    faulty.moves(0.0)
    faulty.spoiled(going(0.0), TwistCommand(0.0, 0.0, 0.1), 0.0)
    assert faulty.spoiled(going(0.4), FORWARD, 0.4)[1] == twist


@pytest.mark.parametrize("text", ["", "freeze", "freeze:", "melt:1", "drift:-1", "drift:nan"])
def test_what_is_no_fault_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="one of freeze, drift, lag, silence and seconds"):
        read_fault(text)
    assert read_fault("drift:1.5") == Fault(FaultKind.DRIFT, 1.5)
