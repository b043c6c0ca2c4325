"""On a terminal a few lines stay: what was handed over in its owner's colour, the action under way, the lag."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text
from support.shown_runs import ShownRun
from support.waiting import wait_until

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_suite.running.terminal_block import Block
from hetwin_suite.view.live.hands import HandOver, Step


def drawn(block: Block, *, colours: bool = False) -> str:
    """The block as a terminal shows it."""
    out = io.StringIO()
    system = "truecolor" if colours else None
    console = Console(file=out, force_terminal=True, color_system=system, width=80)  # type: ignore[arg-type]
    console.print(block)
    return out.getvalue()


def test_before_the_run_there_is_the_head_alone() -> None:
    assert drawn(Block(Text("a bar"))).split() == ["a", "bar"]


def test_what_was_handed_over_stands_in_its_owners_colour() -> None:
    running = ShownRun()
    block = Block(Text("a bar"), running.live)
    assert "ball.pose" not in drawn(block)
    assert running.ask(HandOver("ball", "pose", "watcher")) is None
    begun = running.live.begun
    assert begun is not None
    slot = begun.layout.slot_id("ball", "pose")
    wait_until(lambda: running.now().owners[slot] == 1, "the new owner")
    assert "ball.pose: watcher" in drawn(block)
    assert "38;2;232;131;58mwatcher" in drawn(block, colours=True)
    assert "paused" in drawn(block)
    running.end()


def test_the_action_under_way_stands_until_it_ends() -> None:
    running = ShownRun()
    block = Block(Text("a bar"), running.live)

    def act(phase: str) -> None:
        arguments = {"phase": phase, "object": "ball"}
        running.conductor.notify(Event("reach", 0, EventKind.ACTION, "robot", arguments=arguments))
        assert running.ask(Step(1)) is None

    act("begin")
    wait_until(lambda: "reach ball" in drawn(block), "the action")
    act("end")
    wait_until(lambda: "reach ball" not in drawn(block), "its end")
    running.end()
