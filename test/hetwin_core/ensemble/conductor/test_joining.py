"""Models join a run while it goes on, leave it and are killed; every attribute has an owner all the time."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.guests import THINGS
from support.random_examples import examples
from support.small_ensemble import Recorder, conduct, scenario

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.scene.snapshot import Snapshot

BASE = """
scenario: guests
rate: 100
models:
  host: {type: "support.guests:Host", main: true}
  other: {type: "support.guests:Guest"}
admit:
"""
ONE = BASE + '  guest: {type: "support.guests:Guest", rate: 50, OWNS}\n'
OWNS_X = "owns: [{entity: x, attribute: heat}]"
TEXT = (
    BASE
    + """\
  here: {type: "support.guests:Guest", owns: [{entity: x, attribute: heat}]}
  apart: {type: "support.guests:Guest", rate: 50, process: own, owns: [{entity: "*", attribute: heat}]}
  "many_*": {type: "support.guests:Guest", places: 2, process: own, coupling: beside, every: 3}
"""
)
SEATS = ("here", "apart", "many_1", "many_2")
SEQUENCES = 100


def at(conductor: Conductor, acts: dict[int, list[tuple[str, ...]]]) -> list[str | None]:
    """Let models join and leave at some steps; returns what becomes of it."""
    became: list[str | None] = []

    def come(between: BetweenSteps) -> None:
        for call, *names in acts.get(between.step, ()):
            getattr(conductor, call)(*names, became.append)

    conductor.at_barriers(come)
    return became


def run_one(
    owns: str, acts: dict[int, list[tuple[str, ...]]]
) -> tuple[RunSummary, Recorder, list[str | None]]:
    conductor, _, record = conduct(ONE.replace("OWNS", owns), duration=0.3)
    became = at(conductor, acts)
    return conductor.run(), record, became


def test_a_model_joins_takes_what_it_may_own_and_leaves() -> None:
    acts = {5: [("join", "guest")], 25: [("leave", "guest")]}
    summary, record, became = run_one(OWNS_X, acts)
    assert (summary.ended, summary.error, became) == ("recording", None, [None, None])
    moves = [(h.entity, h.from_model, h.to_model, h.cause) for h in record.handovers]
    assert moves == [
        ("x", "host", "guest", "join of guest"),
        ("x", "guest", "host", "leave of guest"),
    ]
    joined, left = [e for e in record.events if e.name in ("joined", "left")]
    assert (joined.time_ns, left.time_ns) == (60_000_000, 260_000_000)
    # 100 main steps a second, 50 of its own: from 0.08 s to 0.26 s it has heated for 0.2 s
    assert record.scenes[-1].get("x", "heat")[0] == pytest.approx(0.2)
    assert not summary.deterministic


def test_a_run_without_any_that_joins_is_the_same() -> None:
    bare, _, _record = conduct(ONE.partition("admit:")[0], duration=0.3)
    summary, _, _ = run_one(OWNS_X, {})
    assert bare.run().deterministic
    assert summary.deterministic
    assert [row["model"] for row in summary.processes] == ["host", "other"]


def test_what_came_from_another_model_goes_back_to_it() -> None:
    acts = {
        2: [("hand_over", "x", "heat", "other")],
        5: [("join", "guest")],
        9: [("leave", "guest")],
    }
    _, record, became = run_one(OWNS_X, acts)
    assert became == [None, None, None]
    assert [h.to_model for h in record.handovers] == ["other", "guest", "other"]


def test_who_may_not_join_hears_why() -> None:
    conductor, _, _ = conduct(ONE.replace("OWNS", OWNS_X), duration=0.1)
    with pytest.raises(Refused, match="no simulation is running"):
        conductor.join("guest")
    conductor.prepare()
    with pytest.raises(Refused, match=r"no model 'stranger' and admits none .* admit: guest"):
        conductor.join("stranger")
    with pytest.raises(Refused, match="other is a model of the scenario"):
        conductor.join("other")
    became = at(conductor, {2: [("leave", "guest"), ("leave", "other")]})
    conductor.join("guest", became.append)
    with pytest.raises(Refused, match="guest taken"):
        conductor.join("guest")
    conductor.run()
    assert became[:2] == [None, None]
    assert "only one that has joined may leave" in str(became[2])


def test_a_model_that_asks_leaves_and_another_may_not() -> None:
    asks = OWNS_X + ", parameters: {leaves_at: 0.1}"
    summary, heard, _ = run_one(asks, {2: [("join", "guest")]})
    assert [e.name for e in heard.events] == ["joined", "left"]
    assert summary.failures == ()
    text = ONE.replace("OWNS", OWNS_X).replace(
        'other: {type: "support.guests:Guest"',
        'other: {type: "support.guests:Guest", parameters: {leaves_at: 0.28}',
    )
    conductor, _, record = conduct(text, duration=0.3)
    assert conductor.run().ended == "recording"
    assert "only one that has joined may leave" in record.notes[-1][3]


def test_one_that_adds_to_the_scene_does_not_join() -> None:
    _, record, became = run_one(OWNS_X + ", parameters: {brings: true}", {2: [("join", "guest")]})
    assert "cannot add to its scene; found 'spoon'" in str(became)
    assert record.handovers == []


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("main: true", "neither main: true nor on_failure"),
        ("on_failure: restart", "neither main: true nor on_failure"),
        ("owns: [{entity: x, attribute: pose}]", "owns.0.attribute: it cannot be responsible"),
        ("places: 3", "no model can join under this name"),
        ("parameters: {warmth: 1}", "no such parameter"),
        ("owns: [{entity: q, attribute: heat}]", "owns.0: .*matches no attribute"),
    ],
)
def test_an_entry_that_cannot_be_is_named(entry: str, words: str) -> None:
    with pytest.raises(BadInput, match=f"(?s)guest.*{words}"):
        conduct(ONE.replace("OWNS", entry), duration=0.1)[0].prepare()


class Watches(Recorder):
    """Checks at every step that each attribute has an owner that is in service."""

    conductor: Conductor

    def stepped(self, step: int, scene: Snapshot) -> None:
        super().stepped(step, scene)
        run = self.conductor._run
        assert run is not None
        assert all(run.in_service(owner) for owner in scene.owners.tolist())


seen: Counter[str] = Counter()


def kill_one(record: Recorder, random: Random) -> None:
    """Kill a process of a model that has joined."""
    texts = [re.search(r"process (\d+)", text) for *_, text in record.notes]
    pids = sorted({int(found[1]) for found in texts if found})
    alive = [pid for pid in pids if _is_child(pid)]
    if alive:
        os.kill(random.choice(alive), signal.SIGKILL)
        seen["killed"] += 1


def _is_child(pid: int) -> bool:
    """Whether it is a process of this one's that has not ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return status[0] != "Z" and int(status[1]) == os.getpid()


def act(conductor: Conductor, record: Recorder, random: Random) -> None:
    name = random.choice(SEATS)
    match random.choice(("join", "join", "leave", "move", "kill", "wait", "wait")):
        case "join":
            conductor.join(random.choice((name, "many_friends")))
        case "leave":
            conductor.leave(name)
        case "move":
            to = random.choice((*SEATS, "host", "other"))
            conductor.hand_over(random.choice(THINGS), "heat", to)
        case "kill":
            kill_one(record, random)


def check_sequence(random: Random) -> None:
    record, options = Watches(), RunOptions(duration=0.3)
    conductor = session(scenario(TEXT), options=options, listeners=[record], own_processes=True)
    record.conductor = conductor

    def come(_: BetweenSteps) -> None:
        try:
            act(conductor, record, random)
        except Refused:
            seen["refused"] += 1

    conductor.at_barriers(come)
    summary = conductor.run()
    assert (summary.ended, summary.error) == ("recording", None)
    names = Counter(event.name for event in record.events)
    assert names["left"] <= names["joined"]
    assert len(record.summaries) == len(record.starts) == 1
    owner = dict.fromkeys(THINGS, "host")
    for handover in record.handovers:  # one story, in which each leaves the one that had it
        assert handover.from_model == owner[handover.entity]
        owner[handover.entity] = handover.to_model
    last, layout = record.scenes[-1], record.scenes[-1].layout
    found = {slot.entity: last.models[o] for slot, o in zip(layout.slots, last.owners, strict=True)}
    assert found == owner
    seen.update(names)
    seen["failures"] += len(summary.failures)
    seen["sequences"] += 1


@examples(SEQUENCES // 40, random=SEQUENCES // 10)
@given(st.integers(0, 2**32))
def check_sequences(seed: int) -> None:
    for number in range(10):
        check_sequence(Random(seed * 10 + number))


@pytest.mark.hypothesis
def test_random_sequences_of_joining_leaving_and_killing() -> None:
    seen.clear()
    check_sequences()
    assert seen["sequences"] >= SEQUENCES // 5
    least = min(seen[what] for what in ("joined", "left", "killed", "failures"))
    assert least > seen["sequences"] / 4, seen
