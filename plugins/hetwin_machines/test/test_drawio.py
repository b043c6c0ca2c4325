"""Networks that are drawn in draw.io run as those in YAML, and keep their layout."""

from __future__ import annotations

import base64
import urllib.parse
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from random_networks import random_network, random_rows

import hetwin_machines
from hetwin_machines.drawing.decisions import opposite
from hetwin_machines.drawio.draft import sheets_of
from hetwin_machines.drawio.file import read_sheets, text_of_sheets
from hetwin_machines.drawio.interpretation import network_of
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Arc, Network
from hetwin_machines.network_files import load_network
from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun
from hetwin_machines.table import read_rows
from hetwin_suite.command import BadInput
from hetwin_suite.expressions import Binary, Node, Unary, conjuncts, text_of

FOLDER = Path(hetwin_machines.__file__).with_name("scenarios") / "networks"
FIGURES = (
    *("counter", "l0_l1_link", "lidar_sweep", "master_slave", "plan", "real_time"),
    "smart_logger",
)


def trace(network: Network, rows: Iterable[dict[str, Value]]) -> list[dict[str, Any]]:
    run, lines = NetworkRun(network), []
    for row in rows:
        lines += list(run.step(row))
        if run.is_over:
            break
    return lines


def plain(node: Node) -> Node:
    """A condition without two signs that say one thing."""
    if isinstance(node, Unary) and node.sign == "!":
        turned = opposite(node.of)
        return turned if isinstance(turned, Binary) else node
    return node


def meaning(arc: Arc) -> object:
    guard = frozenset(repr(plain(part)) for part in conjuncts(arc.guard.node))
    do = frozenset((name, text_of(e.node)) for name, e in arc.assignments.items())
    return guard - {"Literal(value=True)"}, do, arc.pop, arc.push, arc.to


def same(one: Network, two: Network) -> bool:
    """Whether two networks are the same but for the order of arcs and the form of their guards."""
    heads = [(n.inputs, n.events, n.outputs, n.advance, n.max_cycles) for n in (one, two)]
    bodies = [
        [
            (m.name, m.initial, dict(m.init), m.on_inactive, m.states.keys())
            for m in network.machines
        ]
        for network in (one, two)
    ]
    arcs = [
        [
            sorted(map(str, map(sortable, arcs)))
            for m in n.machines
            for _, arcs in sorted(m.states.items())
        ]
        for n in (one, two)
    ]
    return heads[0] == heads[1] and bodies[0] == bodies[1] and arcs[0] == arcs[1]


def sortable(arc: Arc) -> object:
    guard, do, *rest = meaning(arc)  # type: ignore[misc]
    return sorted(guard), sorted(do), rest


@pytest.mark.parametrize("name", FIGURES)
def test_figures_run_as_they_are_drawn(name: str, tmp_path: Path) -> None:
    network = load_network(FOLDER / f"{name}.yaml")
    file = tmp_path / f"{name}.drawio"
    file.write_text(text_of_sheets(sheets_of(network)), encoding="utf-8")
    drawn = load_network(file)
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(read_rows(lines, network.inputs, network.events))
    assert same(drawn, network)
    assert trace(drawn, rows) == trace(network, rows)
    assert read_again(file)


def read_again(file: Path) -> bool:
    """Whether a drawing that is read and written is the same, in what it means and where it is."""
    sheets = read_sheets(file)
    again = file.with_suffix(".xml")
    again.write_text(text_of_sheets(sheets), encoding="utf-8")
    return read_sheets(again) == sheets and network_of(read_sheets(again)) == network_of(sheets)


@pytest.mark.parametrize("block", range(10))
def test_networks_at_random_survive(block: int, tmp_path: Path) -> None:
    for seed in range(10 * block, 10 * block + 10):
        network, rows = read_network(random_network(seed)), random_rows(seed, 12)
        file = tmp_path / "random.drawio"
        file.write_text(text_of_sheets(sheets_of(network)), encoding="utf-8")
        drawn = load_network(file)
        assert same(drawn, network), seed
        assert trace(drawn, rows) == trace(network, rows), seed
        assert read_again(file), seed


BY_HAND = Path(__file__).with_name("by_hand.drawio").read_text(encoding="utf-8")


def drawn(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "by_hand.drawio"
    file.write_text(text, encoding="utf-8")
    return file


def test_what_a_student_draws_is_understood(tmp_path: Path) -> None:
    file = drawn(tmp_path, BY_HAND)
    network = load_network(file)
    rows: list[dict[str, Value]] = [{"plan1": True}, {"plan1": False}] * 3
    angles = [line["signals"]["P"] for line in trace(network, rows)][::2]
    assert angles == [0, 15, 30]
    assert read_again(file)


def test_a_compressed_page_is_read(tmp_path: Path) -> None:
    begin, end = BY_HAND.index("<mxGraphModel>"), BY_HAND.index("</diagram>")
    inner = urllib.parse.quote(BY_HAND[begin:end]).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = base64.b64encode(packer.compress(inner) + packer.flush()).decode()
    text = f"{BY_HAND[:begin]}{packed}{BY_HAND[end:]}"
    plain_file = load_network(drawn(tmp_path, BY_HAND))
    assert load_network(drawn(tmp_path, text)) == plain_file


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ('target="b"/>', "/>", r"arc 'plan1\(\) P\+ = C\[J\]'.*tip is not connected to a shape"),
        ("C[J]", "D[J]", r"arc 'plan1.*there is no table D"),
        ("plan1()&lt;div", "plan1( &lt;div", "arc 'plan1.*the expression is wrong"),
        ("yes; ", "", "diamond 'J < 2'.*an arc has neither yes nor no"),
        ('value="AIM"', 'value="A IM"', "circle 'A IM'.*not a valid name"),
        ('value="AIM"', 'value="WAIT"', "circle 'WAIT'.*two circles have the same name and size"),
        ("strokeWidth=3;", "", "arc 'J = 0'.*tail is not connected to a shape"),
        ('value="J = 0"', 'value="J = x"', "arc 'J = x'.*not an initial value"),
        ("rhombus", "hexagon", "hexagon 'J < 2'.*2 arcs leave it"),
        ("<mxfile>", '<!DOCTYPE a [<!ENTITY e "x">]><mxfile>', "declares the entity"),
        ('id="d"', 'id="b"', "has the id of another shape"),
    ],
)
def test_errors_name_the_shape_and_its_text(old: str, new: str, match: str, tmp_path: Path) -> None:
    assert old in BY_HAND
    with pytest.raises(BadInput, match=f"(?s){match}") as error:
        load_network(drawn(tmp_path, BY_HAND.replace(old, new, 1)))
    assert "by_hand.drawio" in str(error.value)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = base64.b64encode(packer.compress(b" " * (17 << 20)) + packer.flush()).decode()
    text = f'<mxfile><diagram name="m">{packed}</diagram></mxfile>'
    with pytest.raises(BadInput, match="unpacks to more than"):
        load_network(drawn(tmp_path, text))
