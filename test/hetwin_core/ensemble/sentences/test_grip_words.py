"""What is said of fingers that stopped short where the scene has nothing."""

from __future__ import annotations

from hetwin_core.ensemble.concern_words import grip_sentences


def row(name: str, time: float) -> dict[str, object]:
    arguments = {"hand": "claw"}
    return {"name": name, "time": time, "kind": "model", "source": "grasp", "arguments": arguments}


def test_fingers_that_were_not_seen_to_close_are_not_said_to_have_closed() -> None:
    rows = [row("closed_on_something", 0.02), row("let_go_of_something", 1.3)]
    (said,) = grip_sentences(rows)
    assert said.startswith("claw was partly closed from the start, on something or as commanded,")
    assert "until 1.30 s" in said


def test_fingers_that_closed_are_said_to_have() -> None:
    (said,) = grip_sentences([row("closed_on_something", 3.12)])
    assert said.startswith("claw closed on something at 3.12 s, or stopped there as commanded,")
