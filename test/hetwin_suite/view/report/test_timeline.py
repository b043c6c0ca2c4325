"""The time line's rows of concerns, and its labels."""

from __future__ import annotations

from support.made_episode import concern, made_episode, observed

from hetwin_suite.view.report.timeline import timeline

CONCERNS = [
    concern("jump", "warning", 2.0, 2.0, text="elbow jumps"),
    concern("flung", "absurd", 1.5, 4.0, text="box is flung", count=2),
    concern("gap", "note", 6.0, 7.0, text="nothing is recorded"),
]


def test_concerns_have_rows_of_their_own_that_do_not_overlap() -> None:
    drawn = timeline(made_episode([], {}, concerns=CONCERNS))
    assert drawn["layout"]["yaxis"]["categoryarray"][::-1] == ["concerns", "concerns 2"]
    (bars,) = drawn["data"]
    assert list(zip(bars["y"], bars["base"], strict=True)) == [
        ("concerns", 1.5),
        ("concerns 2", 2.0),
        ("concerns", 6.0),
    ]
    assert bars["x"][0] == 2.5
    assert bars["x"][1] > 0.0
    assert len(set(bars["marker"]["color"])) == 3
    assert "<b>box is flung</b>" in bars["hovertext"][0]
    assert "absurd, 2 times" in bars["hovertext"][0]


def test_what_models_observe_is_named_once() -> None:
    events = [observed("spilled", 3.0 + 0.5 * i, cup="jug") for i in range(9)]
    watched = observed("flung", 4.0, "robot_health", object="box", severity="absurd")
    drawn = timeline(made_episode([], {}, events=[*events, watched]))
    assert [label["text"] for label in drawn["layout"]["annotations"]] == ["spilled"]
    (dots,) = [trace for trace in drawn["data"] if trace["type"] == "scatter"]
    assert len(dots["x"]) == 9
