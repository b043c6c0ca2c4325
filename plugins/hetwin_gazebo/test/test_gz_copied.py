"""States of an engine's parts are copies, which stay what they are while the parts go on."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Fidelity
from hetwin_gazebo.drives import JointSpline
from hetwin_gazebo.proxies.selection import ProxySelection
from model_nodes.main_physics.engines.shared import CopiedPart, Touches


class Whole(CopiedPart):
    """A part with parts."""

    saved_fields = ("_spline", "_absent", "_speeds")

    def __init__(self) -> None:
        self._spline, self._absent = JointSpline(1, 0.1), None
        self._speeds = {"a": [np.zeros(2)]}

    def go_on(self, number: float) -> None:
        self._spline.command(np.full(1, number), np.zeros(1))
        self._speeds["a"][0][:] = number
        self._speeds["a"].append(np.ones(1))

    def shown(self) -> tuple[float, list[list[float]]]:
        return float(self._spline.at(1.0)[0]), [one.tolist() for one in self._speeds["a"]]


def test_a_state_is_restored_as_often_as_one_likes() -> None:
    part, other = Whole(), Whole()
    part.go_on(1.0)
    state, expected = part.save(), part.shown()
    for one in (part, other, part):
        one.go_on(2.0)
        assert one.shown() != expected
        one.restore(state)
        assert one.shown() == expected
    part.go_on(3.0)
    assert other.shown() == expected


def test_sets_and_rows_are_copied_too() -> None:
    selection = ProxySelection(["box", "ball"])
    selection.off.add("box")
    selection.levels["ball"] = Fidelity.LOW
    state = selection.save()
    selection.off.clear()
    selection.levels.clear()
    selection.restore(state)
    assert (selection.off, selection.level("ball")) == ({"box"}, Fidelity.LOW)
    touches = Touches()
    touches.record((1, 2), 10, 0.5)
    rows = touches.save()
    touches.record((1, 2), 20, 0.7)
    touches.restore(rows)
    assert touches.take()[:, 2:5].tolist() == [[10.0, 10.0, 0.5]]
