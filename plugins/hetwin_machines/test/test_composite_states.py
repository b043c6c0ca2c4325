"""A machine inside a state of another one goes the way of figure 3: master and slave, which shake hands."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hetwin_machines.drawio.draft import sheets_of
from hetwin_machines.drawio.file import read_sheets, text_of_sheets
from hetwin_machines.drawio.interpretation import network_of
from hetwin_machines.drawio.sheets import Box, Kind, Shape
from hetwin_machines.errors import NetworkError
from hetwin_machines.network import Network
from hetwin_machines.network_files import find_network, load_network
from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun

INNER: dict[str, Any] = {
    "initial": "FIRST",
    "states": {
        "FIRST": [{"if": "step", "to": "SECOND"}, {"if": "!step", "to": "FIRST"}],
        "SECOND": [{"if": "step", "to": "END"}, {"if": "!step", "to": "SECOND"}],
        "END": [],
    },
}
OUTER: dict[str, Any] = {
    "initial": "BEFORE",
    "init": {"early": False},
    "states": {
        "BEFORE": [
            {"if": "go && slave_ready", "do": {"early": False}, "to": "SUB"},
            {"if": "!(go && slave_ready)", "to": "BEFORE"},
        ],
        "SUB": [
            {"if": "quit", "do": {"early": True}, "to": "BEFORE"},
            {"if": "!quit && slave_ready", "to": "BEFORE"},
            {"if": "!quit && !slave_ready", "to": "SUB"},
        ],
    },
}
PLACE = {"in": "master.SUB", "gives_up": ["FIRST"]}
EVENTS = ("go", "step", "quit")


def network(**inner: Any) -> Network:
    machines = {"master": OUTER, "slave": {**INNER, **PLACE, **inner}}
    return read_network({"events": [*EVENTS], "advance": "once", "machines": machines})


def trace(network: Network, steps: int = 400) -> list[Any]:
    """Signals and states in each cycle, in the words of figure 3."""
    rng, run, lines = random.Random(3), NetworkRun(network), []
    for _ in range(steps):
        (line,) = run.step({name: rng.random() < 0.35 for name in EVENTS})
        signals = {k.removeprefix("slave_"): v for k, v in line["signals"].items()}
        states = [m["state"].replace("CALL_SUB", "CALL") for m in line["machines"].values()]
        stacks = [m["stack"] for m in line["machines"].values()]
        lines.append((signals, states, stacks))
    return lines


def test_it_goes_the_way_of_figure_3() -> None:
    found = trace(network())
    assert found == trace(load_network(find_network("master_slave")))
    assert {states[0] for _, states, _ in found} == {"BEFORE", "CALL", "SUB"}
    assert {states[1] for _, states, _ in found} == {"IDLE", "FIRST", "SECOND", "END"}


def test_a_page_whose_note_names_a_state_is_drawn_inside_it(tmp_path: Any) -> None:
    data = {"events": [*EVENTS], "advance": "once"}
    parts = read_network({**data, "machines": {"master": OUTER, "slave": INNER}})
    sheets = sheets_of(parts)
    note = Shape("note", Kind.NOTE, "in: master.SUB\ngives_up: FIRST", Box(), "text")
    slave = type(sheets[1])(sheets[1].name, (*sheets[1].shapes, note), sheets[1].wires)
    file = tmp_path / "composite.drawio"
    file.write_text(text_of_sheets((sheets[0], slave)), encoding="utf-8")
    read = read_sheets(file)
    assert trace(network_of(read)) == trace(network())
    assert text_of_sheets(read) == file.read_text(encoding="utf-8")


def test_inside_another_inner_machine_and_from_the_stack() -> None:
    machines: dict[str, Any] = {
        "a": {
            "initial": "GO",
            "states": {
                "GO": [{"if": "true", "push": ["DONE", "OUT"], "to": "TOP"}],
                "OUT": [{"if": "b_ready", "to": "TOP"}, {"if": "!b_ready", "to": "OUT"}],
                "DONE": [],
            },
        },
        "b": {
            "in": "a.OUT",
            "initial": "MID",
            "states": {
                "MID": [{"if": "c_ready", "to": "END"}, {"if": "!c_ready", "to": "MID"}],
                "END": [],
            },
        },
        "c": {
            "in": "b.MID",
            "initial": "WORK",
            "init": {"n": 0},
            "states": {
                "WORK": [
                    {"if": "n < 2", "do": {"n": "n + 1"}, "to": "WORK"},
                    {"if": "n >= 2", "to": "END"},
                ],
                "END": [],
            },
        },
    }
    run = NetworkRun(read_network({"machines": machines}))
    run.advance({})
    line = run.monitor()
    assert [m["state"] for m in line["machines"].values()] == ["DONE", "IDLE", "IDLE"]
    assert line["signals"]["n"] == 2
    assert not line["signals"]["b_active"]
    assert line["signals"]["b_ready"]


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ({"in": "master"}, "machines.slave.in: not a state; found 'master'"),
        ({"in": "master.NOWHERE"}, "machines.slave.in: there is no such state"),
        ({"in": "slave.FIRST"}, "machines.slave.in: it works inside itself"),
        ({"in": None}, "machines.slave.in: gives_up is only allowed together with in"),
        ({"gives_up": ["END"]}, "machines.slave.gives_up: there is no such state, or no arc"),
        ({"states": {**INNER["states"], "IDLE": []}}, "states.IDLE: composite states need"),
    ],
)
def test_what_is_wrong_is_named(place: dict[str, Any], says: str) -> None:
    with pytest.raises(NetworkError, match=says.replace(".", r"\.")):
        network(**place)
