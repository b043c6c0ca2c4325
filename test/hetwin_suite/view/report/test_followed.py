"""Recorded against twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from support.made_episode import concern, made_episode, seconds

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats
from hetwin_suite.view.figures import Chart, Panel, Plot
from hetwin_suite.view.report.followed import robot_plots

JOINTS = tuple(f"joint_{i}" for i in range(8))
ARM = Entity("arm", EntityKind.ROBOT, joints=JOINTS)
SHARES = np.array([1.0, -3.0, 0.0, 2.0, 8.0, 7.0, 6.0, 5.0])
WAVE = np.outer(np.sin(seconds()), SHARES)


def plots(values: dict[str, Floats], *concerns: dict[str, Any]) -> list[Plot]:
    attributes = {("arm", AttributeSpec(name, 8)): data for name, data in values.items()}
    return list(robot_plots(made_episode([ARM], attributes, concerns=concerns)))


def panels(plot: Plot) -> Sequence[Panel]:
    assert isinstance(plot.figure, Chart)
    return plot.figure.panels


def test_a_robot_that_was_not_watched_has_none() -> None:
    assert plots({"joint_efforts": WAVE}) == []


def test_the_worst_joints_come_first() -> None:
    (plot,) = plots({"joint_deviation": 1e-4 * WAVE})
    (panel,) = panels(plot)
    assert [line.name for line in panel.lines] == [f"joint_{i}" for i in (4, 5, 6, 7, 1, 3)]
    assert "joint_4 deviates most, by 0.8 mrad or mm." in plot.text
    assert "1 joints that deviate less are left out." in plot.text
    assert np.abs(np.asarray(panel.lines[0].y)).max() == pytest.approx(0.8, rel=1e-3)


def test_expected_efforts_are_measured_less_residual() -> None:
    (plot,) = plots({"joint_efforts": 5.0 + WAVE, "effort_residual": WAVE})
    measured, expected, residual = panels(plot)[0].lines
    assert [line.name for line in panels(plot)[0].lines] == ["measured", "expected", "residual"]
    np.testing.assert_allclose(np.asarray(expected.y), 5.0, atol=1e-12)
    np.testing.assert_allclose(np.asarray(measured.y) - np.asarray(residual.y), expected.y)
    assert [panel.title for panel in panels(plot)] == [f"joint_{i}" for i in (4, 5, 6, 7)]
    assert sum(panel.share for panel in panels(plot)) == pytest.approx(1.0)


def test_the_times_at_which_it_stands_out_are_marked_at_their_joint() -> None:
    stands_out = concern("unexpected_effort", "warning", 3.0, 3.2, joint="joint_5")
    elsewhere = concern("unexpected_effort", "warning", 4.0, 4.2, joint="joint_0")
    jump = concern("jump", "warning", 5.0, 5.0, joint="joint_5")
    deviation, effort = plots(
        {"joint_deviation": WAVE, "effort_residual": WAVE}, stands_out, elsewhere, jump
    )
    first, second = panels(effort)[:2]
    assert [first.title, second.title] == ["joint_5", "joint_0"]
    assert [(tint.begin, tint.end) for tint in first.tints] == [(3.0, 3.2)]
    assert [(tint.begin, tint.end) for tint in second.tints] == [(4.0, 4.2)]
    (tint,) = panels(deviation)[0].tints
    assert tint.begin < 5.0 < tint.end


def test_without_a_value_there_is_no_plot() -> None:
    assert plots({"joint_deviation": 1e-7 * WAVE, "effort_residual": WAVE * np.nan}) == []
