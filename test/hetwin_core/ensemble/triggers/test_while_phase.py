"""while: phase looks again at every step as long as the operation lasts, and acts when the condition becomes true."""

from __future__ import annotations

import pytest
from support.small_ensemble import run, scenario

from hetwin_core.ensemble.errors import BadInput

TEXT = """
scenario: lasting
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.5, actions: [
    {name: move, at: 0.05, phase: begin, from: 0.998}, {name: move, at: 0.3, phase: end}]}}
triggers:
  - name: t
    on: {action: move}
    while: phase
    if: "CONDITION"
    do: [{raise: {event: acted, arguments: {height: "$height('ball')"}}}]
"""


def acted(condition: str, text: str = TEXT) -> list[float]:
    events = run(text.replace("CONDITION", condition)).record.events
    return [e.time_ns / 1e9 for e in events if e.name == "acted"]


def test_it_acts_once_when_the_condition_becomes_true() -> None:
    # the ball has fallen 0.2 m after a bit more than 0.2 s
    times = acted("height('ball') < 0.8")
    assert times == [pytest.approx(0.2, abs=0.011)]


def test_it_acts_at_once_if_the_condition_holds_already() -> None:
    assert acted("true") == [0.05]


def test_it_does_not_act_after_the_end() -> None:
    assert acted("height('ball') < 0.3") == []


def test_it_acts_again_when_the_condition_has_been_false() -> None:
    # the hand moves 1 mm per step: true in every fourth step
    condition = "int(attribute('hand', 'pose') * 1000.0 + 0.5) % 4 == 0"
    assert acted(condition) == pytest.approx([0.08, 0.12, 0.16, 0.2, 0.24, 0.28])


def test_an_announcement_neither_begins_nor_ends_it() -> None:
    lasting = TEXT.replace(
        "{name: move, at: 0.3, phase: end}",
        "{name: move, at: 0.01, phase: announced}, {name: move, at: 0.1, phase: announced}",
    )
    assert acted("true", lasting) == [0.05]
    assert acted("height('ball') < 0.8", lasting) == [pytest.approx(0.2, abs=0.011)]
    with_any = lasting.replace("{action: move}", "{action: move, phase: any}")
    assert acted("true", with_any.replace("    while: phase\n", "")) == [0.05]


def test_it_sees_the_arguments_of_the_beginning() -> None:
    assert acted("height('ball') < event.from") == [0.05]


def test_it_begins_anew_with_the_operation() -> None:
    again = TEXT.replace("phase: end}]", "phase: end}, {name: move, at: 0.4, phase: begin}]")
    assert acted("true", again) == [0.05, 0.4]


@pytest.mark.parametrize("on", ["{event: move}", "{action: move, phase: end}"])
def test_it_goes_with_the_beginning_of_an_operation_only(on: str) -> None:
    with pytest.raises(BadInput, match="while: phase only with"):
        scenario(TEXT.replace("{action: move}", on).replace("CONDITION", "true"))
