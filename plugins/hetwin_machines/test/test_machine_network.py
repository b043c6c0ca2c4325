"""A network of state machines beside the twin: it senses the scene and events, and acts by events and attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.scene_of import scene_of

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning, pose_value
from hetwin_machines.machine_network import MachineNetwork

PERIOD_NS = 50_000_000
GATE = """
inputs: [height, low, beam, wanted]
events: [go]
outputs: [open, forward]
advance: once
machines:
  gate:
    initial: SHUT
    init: {open: false, forward: 0.0, idle: true, number: 0}
    states:
      SHUT:
        - {if: "!go", to: SHUT}
        - {if: go, do: {open: true, forward: height, idle: false, number: number + 1}, to: WIDE}
      WIDE:
        - {if: "height < low", to: WIDE}
        - {if: "height >= low", do: {open: false, idle: true, forward: 0.0}, to: SHUT}
"""
INPUTS: dict[str, Any] = {
    "height": "box.pose[2]",
    "low": 1,
    "beam": {"of": "eye.scan", "index": "number"},
    "wanted": 0.0,
}
EVENTS = {"go": {"of": "boss.go", "waits_for": "idle", "values": {"wanted": "to.height"}}}
RAISES = {
    "opened": {
        "when": "open",
        "arguments": {
            "of": "number",
            "beam": "beam",
            "z": "box.pose[2]",
            "word": {"signal": "number", "words": {1: "first"}},
            "is": True,
        },
    }
}


def box(height: float) -> Snapshot:
    scene = scene_of(
        [Entity("box", EntityKind.OBJECT), Entity("eye", EntityKind.LINK)],
        {"box": pose_value((0.0, 0.0, height)).data},
        attributes=[
            ("eye", AttributeSpec("scan", 4, "m")),
            ("box", AttributeSpec("held", 1, "", Meaning.TRUTH)),
        ],
    )
    scene.values[scene.layout.range_of("eye", "scan")] = [4.0, 3.0, 2.0, 1.0]
    return scene


def go(height: float = 0.5, source: str = "boss") -> Event:
    return Event("go", 0, source=source, arguments={"to": {"height": height}})


class Bench:
    """A network of its own file, stepped as the conductor would."""

    def __init__(self, folder: Path, text: str = GATE, **parameters: Any) -> None:
        (folder / "net.yaml").write_text(text, encoding="utf-8")
        given = {"inputs": INPUTS, "events": EVENTS, "raises": RAISES, **parameters}
        defaults = {r.name: r.default for r in MachineNetwork().requests() if not r.required}
        self.model = MachineNetwork()
        self.contribution = self.model.contribute(
            {**defaults, **given, "file": folder / "net.yaml"}, 0
        )
        self.model.start(box(0.0))
        self.time_ns = 0

    def step(self, height: float = 0.0, *events: Event) -> Changes:
        self.time_ns += PERIOD_NS
        return self.model.step(Tick(self.time_ns, PERIOD_NS, box(height), events))


def named(output: Changes, name: str) -> list[dict[str, Any]]:
    return [dict(event.arguments) for event in output.events if event.name == name]


def test_states_are_reported_when_they_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    first = named(bench.step(), "machine_state")
    assert first == [{"machine": "gate", "state": "SHUT", "stack": []}]
    assert named(bench.step(), "machine_state") == []
    (opened,) = named(bench.step(0.2, go()), "machine_state")
    assert (opened["state"], opened["why"]) == ("WIDE", "arc 1: go")


def test_a_signal_raises_an_event_with_what_its_arguments_name(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.step(0.25)
    (said,) = named(bench.step(0.25, go()), "opened")
    assert said == {"of": 1, "beam": 4.0, "z": 0.25, "word": "first", "is": True}


def test_an_index_that_the_network_chooses_selects_a_beam(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.step(0.0, go())
    assert named(bench.step(), "opened")[0]["beam"] == 3.0


def test_events_of_others_do_not_count(tmp_path: Path) -> None:
    assert named(Bench(tmp_path).step(0.0, go(source="clerk")), "opened") == []


def test_events_that_wait_are_not_lost_and_come_one_by_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.step()
    states = [named(bench.step(0.0, go(0.1), go(0.2)), "machine_state")]
    wanted = [bench.model._inputs["wanted"]]
    for _ in range(4):
        states.append(named(bench.step(2.0), "machine_state"))
        wanted.append(bench.model._inputs["wanted"])
    told = [s["state"] for found in states for s in found]
    assert told == ["WIDE", "SHUT", "WIDE", "SHUT"]
    assert wanted == [0.1, 0.1, 0.2, 0.2, 0.2]


def test_only_events_with_these_arguments_count(tmp_path: Path) -> None:
    events = {"go": {"of": "go", "only": {"to.height": 0.5}}}
    bench = Bench(tmp_path, events=events)
    assert named(bench.step(0.0, go(0.4)), "opened") == []
    assert named(bench.step(0.0, go(0.5)), "opened") != []


def test_a_message_on_a_topic_is_an_event(tmp_path: Path) -> None:
    events = {"go": {"topic": "/go", "values": {"wanted": "data"}}}
    bench = Bench(tmp_path, events=events)
    bench.step(0.0, Event("go", 0, source="boss", arguments={"data": 3.0}))
    assert bench.model._inputs["wanted"] == 0.0
    bench.step(0.0, Event("/go", 0, EventKind.TOPIC, "/go", arguments={"data": 2.0}))
    assert bench.model._inputs["wanted"] == 2.0


def test_velocities_drive_the_base_when_they_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path, drives={"forward": "forward", "turn": "beam"})
    bench.step()
    assert named(bench.step(0.25, go()), "drive_base")[0]["forward"] == 0.25
    bench.step(0.25)
    assert named(bench.step(0.25), "drive_base") == []
    assert named(bench.step(2.0), "drive_base")[0]["forward"] == 0.0


def test_a_signal_gives_an_attribute(tmp_path: Path) -> None:
    bench = Bench(tmp_path, attributes={"door.open": "open"}, concepts=["door"])
    assert [e.name for e in bench.contribution.entities] == ["door"]
    assert bench.step(0.0).values["door", "open"].data.tolist() == [0.0]
    assert bench.step(0.0, go()).values["door", "open"].data.tolist() == [1.0]


def test_the_least_of_several_numbers(tmp_path: Path) -> None:
    inputs = {**INPUTS, "height": {"of": "eye.scan[1:3]", "take": "min"}}
    bench = Bench(tmp_path, inputs=inputs, drives={"forward": "forward", "turn": "number"})
    assert named(bench.step(0.0, go()), "drive_base")[0]["forward"] == 2.0


def test_a_fault_is_an_event_and_the_run_goes_on(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path, text=GATE.replace('if: "!go", to: SHUT', 'if: "!go && low > 1", to: SHUT')
    )
    (fault,) = named(bench.step(), "machine_fault")
    why = fault.pop("why")
    assert fault == {"machine": "gate", "fault": "incomplete", "state": None}
    assert "no arc of SHUT fires: arc 0 if !go && low > 1 is false" in why
    assert named(bench.step(), "machine_fault") == []


def test_an_argument_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with pytest.raises(
        RunFailed, match=r"boss.*go.*to\.height is None; a network expects a finite number"
    ):
        bench.step(0.0, Event("go", 0, source="boss"))


@pytest.mark.parametrize(
    ("parameters", "where"),
    [
        ({"inputs": {k: v for k, v in INPUTS.items() if k != "low"}}, "inputs"),
        ({"inputs": {**INPUTS, "lwo": 1}}, "inputs"),
        ({"events": {}}, "inputs|events"),
        ({"events": {"go": {"of": "go", "waits_for": "idel"}}}, r"events\.go\.waits_for"),
        ({"events": {"go": {"of": "go", "values": {"wnated": "x"}}}}, r"events\.go\.values"),
        ({"raises": {"opened": {"when": "opne"}}}, r"raises\.opened\.when"),
        ({"drives": {"forward": "forward", "turn": "trun"}}, "drives"),
        ({"inputs": {**INPUTS, "beam": {"of": "eye.scan", "index": "nubmer"}}}, r"inputs\.beam"),
        ({"inputs": {**INPUTS, "beam": "eye.scan"}}, r"inputs\.beam.*several"),
        ({"inputs": {**INPUTS, "height": "bxo.pose[2]"}}, r"inputs\.height.*no such entity"),
        ({"inputs": {**INPUTS, "height": {"of": "eye.scan"}}}, "take: min or max"),
        ({"attributes": {"open": "open"}}, r"attributes\.open"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, parameters: dict[str, Any], where: str) -> None:
    with pytest.raises(BadInput, match=where):
        Bench(tmp_path, **parameters)


def test_a_bad_network_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"net\.yaml.*line \d+.*states"):
        Bench(tmp_path, text=GATE.replace("to: WIDE", "to: WIED"))
