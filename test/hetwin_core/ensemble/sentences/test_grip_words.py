"""What is said of fingers that stopped short where the scene has nothing."""

from __future__ import annotations

from hetwin_core.ensemble.concern_words import grip_sentences


def row(name: str, time: float, **others: str) -> dict[str, object]:
    arguments = {"hand": "claw", **others}
    return {"name": name, "time": time, "kind": "model", "source": "grasp", "arguments": arguments}


def test_fingers_that_were_not_seen_to_close_are_not_said_to_have_closed() -> None:
    rows = [row("closed_on_something", 0.02), row("let_go_of_something", 1.3)]
    (said,) = grip_sentences(rows)
    assert said.startswith("claw was partly closed from the start, on something or as commanded,")
    assert "until 1.30 s" in said


def test_fingers_that_closed_are_said_to_have() -> None:
    (said,) = grip_sentences([row("closed_on_something", 3.12)])
    assert said.startswith("claw closed on something at 3.12 s, or stopped there as commanded,")


def test_an_object_that_stands_for_it_is_named_instead() -> None:
    rows = [
        row("closed_on_something", 3.12),
        row("appeared", 3.15, object="thing_0", source="claw"),
        row("let_go_of_something", 3.2),
    ]
    (said,) = grip_sentences(rows)
    assert said == "claw closed on something at 3.12 s, or stopped there as commanded: thing_0"
    rows[1] = row("appeared", 3.15, object="thing_0", source="/detections")
    (said,) = grip_sentences(rows)
    assert "until 3.20 s" in said
