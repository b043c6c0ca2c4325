"""Recorded against twin."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from support.made_episode import concern, made_episode, seconds

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats
from hetwin_suite.view.report.followed import followed
from hetwin_suite.view.report.plot import Plot

JOINTS = tuple(f"joint_{i}" for i in range(8))
ARM = Entity("arm", EntityKind.ROBOT, joints=JOINTS)
SHARES = np.array([1.0, -3.0, 0.0, 2.0, 8.0, 7.0, 6.0, 5.0])
WAVE = np.outer(np.sin(seconds()), SHARES)


def plots(values: dict[str, Floats], *concerns: dict[str, Any]) -> list[Plot]:
    attributes = {("arm", AttributeSpec(name, 8)): data for name, data in values.items()}
    return list(followed(made_episode([ARM], attributes, concerns=concerns)))


def numbers(packed: dict[str, str]) -> Any:
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def test_a_robot_that_was_not_watched_has_none() -> None:
    assert plots({"joint_efforts": WAVE}) == []


def test_the_worst_joints_come_first() -> None:
    (plot,) = plots({"joint_deviation": 1e-4 * WAVE})
    assert [trace["name"] for trace in plot.figure["data"]] == [
        f"joint_{i}" for i in (4, 5, 6, 7, 1, 3)
    ]
    assert "joint_4 deviates most, by 0.8 mrad or mm." in plot.text
    assert "1 joints that deviate less are left out." in plot.text
    assert np.abs(numbers(plot.figure["data"][0]["y"])).max() == pytest.approx(0.8, rel=1e-3)


def test_expected_efforts_are_measured_less_residual() -> None:
    (plot,) = plots({"joint_efforts": 5.0 + WAVE, "effort_residual": WAVE})
    measured, expected, residual = plot.figure["data"][:3]
    assert [t["name"] for t in (measured, expected, residual)] == [
        "measured", "expected", "residual",
    ]  # fmt: skip
    np.testing.assert_allclose(numbers(expected["y"]), 5.0, atol=1e-5)
    np.testing.assert_allclose(
        numbers(measured["y"]) - numbers(residual["y"]), numbers(expected["y"]), atol=1e-5
    )
    layout = plot.figure["layout"]
    assert [label["text"] for label in layout["annotations"]] == [
        f"<b>joint_{i}</b>" for i in (4, 5, 6, 7)
    ]
    assert layout["yaxis"]["domain"][0] > layout["yaxis2"]["domain"][1]
    assert layout["yaxis4"]["domain"][0] >= 0.0
    assert layout["xaxis"]["anchor"] == "y4"


def test_the_times_at_which_it_stands_out_are_marked_at_their_joint() -> None:
    stands_out = concern("unexpected_effort", "warning", 3.0, 3.2, joint="joint_5")
    elsewhere = concern("unexpected_effort", "warning", 4.0, 4.2, joint="joint_0")
    jump = concern("jump", "warning", 5.0, 5.0, joint="joint_5")
    deviation, effort = plots(
        {"joint_deviation": WAVE, "effort_residual": WAVE}, stands_out, elsewhere, jump
    )
    marks = effort.figure["layout"]["shapes"]
    assert [(mark["x0"], mark["x1"], mark["yref"]) for mark in marks] == [
        (3.0, 3.2, "y domain"),
        (4.0, 4.2, "y2 domain"),
    ]
    first = [label["text"] for label in effort.figure["layout"]["annotations"][:2]]
    assert first == ["<b>joint_5</b>", "<b>joint_0</b>"]
    (mark,) = deviation.figure["layout"]["shapes"]
    assert mark["x0"] < 5.0 < mark["x1"]


def test_without_a_value_there_is_no_plot() -> None:
    assert plots({"joint_deviation": 1e-7 * WAVE, "effort_residual": WAVE * np.nan}) == []
