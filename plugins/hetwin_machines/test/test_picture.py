"""A drawing has every state and arc once, nothing on top of another, and shows what a trace did."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations, pairwise

import pytest
from random_networks import random_network, random_rows

from hetwin_machines.drawing.chart import chart_of
from hetwin_machines.drawing.graph import Node
from hetwin_machines.drawing.layout import Point, Wire, lay_out
from hetwin_machines.drawing.picture import draw
from hetwin_machines.drawing.traces import summarize
from hetwin_machines.network import Network
from hetwin_machines.observation.watch import Watch
from hetwin_machines.reading import read_network

SVG = "{http://www.w3.org/2000/svg}"
PLAN = {
    "events": ["go", "skip"],
    "machines": {
        "m": {
            "initial": "A",
            "init": {"n": 0},
            "states": {
                "A": [
                    {"if": "go && n > 0", "do": {"n": "n - 1"}, "push": ["B", "C"], "to": "C"},
                    {"if": "go && n <= 0", "pop": "all", "to": "B"},
                    {"if": "!go", "to": "A"},
                ],
                "B": [{"if": "skip", "pop": 2, "to": "TOP"}, {"if": "n < 1 && !skip", "to": "B"}],
                "C": [],
            },
        }
    },
}


def groups(picture: str, kind: str) -> list[ET.Element]:
    root = ET.fromstring(picture)
    return [g for g in root.iter(f"{SVG}g") if kind in g.get("class", "").split()]


def texts(group: ET.Element) -> list[str]:
    return ["".join(text.itertext()) for text in group.iter(f"{SVG}text")]


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_every_state_and_arc_is_there_once(seed: int) -> None:
    network = read_network(random_network(seed))
    picture = draw(network, "random")
    arcs = [len(arcs) for machine in network.machines for arcs in machine.states.values()]
    assert len(groups(picture, "arc")) == sum(arcs)
    assert len(groups(picture, "state")) == len(arcs)


@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_nothing_lies_on_another(seed: int) -> None:
    for machine in read_network(random_network(seed)).machines:
        for one, two in combinations(lay_out(chart_of(machine)).nodes, 2):
            assert apart(one, two)


def apart(one: Node, two: Node) -> bool:
    beside = one.x + one.right <= two.x - two.left or two.x + two.right <= one.x - one.left
    return beside or one.bottom <= two.top or two.bottom <= one.top


@pytest.mark.parametrize("seed", range(0, 120, 3))
def test_lines_run_on_each_other_only_to_the_same_state(seed: int) -> None:
    for machine in read_network(random_network(seed)).machines:
        wires = lay_out(chart_of(machine)).wires
        for one, two in combinations(wires, 2):
            if one.points[0] != two.points[0] and one.points[-1] != two.points[-1]:
                met = (on_each_other(a, b) for a in pieces(one) for b in pieces(two))
                assert not any(met), (one, two)


def pieces(wire: Wire) -> list[tuple[Point, Point]]:
    return [(min(a, b), max(a, b)) for a, b in pairwise(wire.points) if a != b]


def on_each_other(one: tuple[Point, Point], two: tuple[Point, Point]) -> bool:
    """Whether two pieces in one direction have more than a point in common, or are hardly apart."""
    for along, across in ((0, 1), (1, 0)):
        both = (one, two)
        if all(begin[across] == end[across] for begin, end in both):
            near = abs(one[0][across] - two[0][across]) < 3
            shared = min(end[along] for _, end in both) - max(begin[along] for begin, _ in both)
            return near and shared > 1
    return False


def test_decisions_bubbles_and_hexagons_are_those_of_the_paper() -> None:
    picture = draw(read_network(PLAN), "plan")
    assert [texts(group) for group in groups(picture, "decision")] == [["go"], ["n > 0"], ["skip"]]
    first = groups(picture, "arc")[0]
    assert texts(first) == ["yes", "n\N{SUPERSCRIPT PLUS SIGN} = n - 1", "B", "C"]
    popped = [len(list(g.iter(f"{SVG}circle"))) for g in groups(picture, "arc")]
    assert sorted(popped) == [0, 0, 0, 0, 2]
    assert len(groups(picture, "hexagon")) == 1
    assert (
        len(list(groups(picture, "arc")[1].iter(f"{SVG}path"))) == 2
    )  # its line, and the stack emptied
    assert [len(list(g.iter(f"{SVG}rect"))) for g in groups(picture, "state")] == [1, 1, 2]


def test_what_is_no_decision_keeps_its_guard() -> None:
    states = {"A": [{"if": "n > 1", "to": "B"}, {"if": "n < 1 || n == 7", "to": "B"}], "B": []}
    network = read_network({"inputs": ["n"], "machines": {"m": {"initial": "A", "states": states}}})
    picture = draw(network, "fan")
    assert not groups(picture, "decision")
    assert [texts(g) for g in groups(picture, "arc")] == [["n > 1"], ["n < 1 || n == 7"]]


def traced(network: Network, rows: list[dict[str, bool]]) -> str:
    watch = Watch(network)
    seen = [each for row in rows for each in watch.step(row)]
    return draw(network, "traced", *summarize(network, seen))


def test_a_trace_shows_the_way_and_the_fault() -> None:
    network = read_network({**PLAN, "advance": "once"})
    picture = traced(network, [{}, {}, {"go": True}, {}, {"skip": True}])
    counts = Counter(g.get("class") for g in groups(picture, "arc"))
    assert counts == {"arc taken": 3, "arc idle": 2}
    assert [
        t for g in groups(picture, "arc") for t in texts(g) if t.endswith("\N{MULTIPLICATION SIGN}")
    ] == [*("1\N{MULTIPLICATION SIGN}", "2\N{MULTIPLICATION SIGN}", "1\N{MULTIPLICATION SIGN}")]
    (fault,) = groups(picture, "fault")
    assert texts(fault)[:3] == [
        *("__INCOMPLETE__", "in cycle 5:", "arc 0 of B pops 2 and goes to TOP, but")
    ]
    assert [texts(g)[0] for g in groups(picture, "failing")] == ["B"]


def test_names_are_escaped_and_long_ones_broken() -> None:
    states = {"A": [{"if": "a < b && " * 6 + "a < b", "do": {"x": "a < b ? 1 : 2"}, "to": "A"}]}
    network = read_network(
        {"inputs": ["a", "b"], "machines": {"m": {"initial": "A", "states": states}}}
    )
    picture = draw(network, "<a & b>")
    (arc,) = groups(picture, "arc")
    assert max(len(text) for text in texts(arc)) <= 40
    assert ET.fromstring(picture).findtext(f"{SVG}title") == "<a & b>"


def test_a_machine_of_many_states_is_drawn_in_time() -> None:
    names = [f"S{i}" for i in range(20)]
    states = {
        name: [
            {"if": "go", "to": names[(7 * i + 3) % 20]},
            {"if": "!go", "to": names[(i + 1) % 20]},
        ]
        for i, name in enumerate(names)
    }
    network = read_network(
        {"events": ["go"], "machines": {"m": {"initial": "S0", "states": states}}}
    )
    assert len(groups(draw(network, "many"), "state")) == 20


def test_rows_at_random_are_drawn_with_their_faults() -> None:
    for seed in (5, 15, 25):
        network = read_network(random_network(seed))
        picture = traced(network, random_rows(seed, 8))
        ET.fromstring(picture)
