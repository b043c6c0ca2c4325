"""Written C and Lua, and the ROS 2 node, go the way of the interpreter, cycle by cycle, faults included."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from random_networks import random_network, random_rows
from written_networks import c_lines, lines_of, lua_lines, typed

from hetwin_machines.network import Network
from hetwin_machines.reading import read_network
from hetwin_machines.writing.c_code import c_code
from hetwin_machines.writing.ros_code import ros_code

STEPS = 12
EDGES: dict[str, Any] = {
    "inputs": ["a", "b"],
    "advance": "once",
    "machines": {
        f"m{i}": {
            "initial": "A",
            "states": {"A": [{"if": "true", "do": {f"x{i}": text}, "to": "A"}]},
        }
        for i, text in enumerate(
            [
                *(
                    "a + b",
                    "a - b",
                    "a * b",
                    "a / b",
                    "a % b",
                    "-a",
                    "abs(a)",
                    "min(a, b)",
                    "max(a, b, 1)",
                ),
                *("a < b", "a >= b", "a == b", "a != b", "a > 0 ? a : b", "a < 1 || 1 / a > 0"),
                *("a != 0 && b / a > 1", "9223372036854775807", "-9223372036854775808", "1.5e300"),
            ]
        )
    },
}
VALUES = (
    0,
    1,
    -1,
    7,
    -2,
    3.5,
    -0.5,
    1e300,
    2**53 + 1,
    float(2**53),
    2**63 - 1,
    -(2**63),
    True,
    False,
)
PAIRS = [{"a": a, "b": b} for a in VALUES for b in VALUES]


MANY = range(200)
"""Networks that `make test-long` draws."""


def drawn(seed: int) -> tuple[Network, list[dict[str, Any]]]:
    return read_network(random_network(seed)), random_rows(seed, STEPS)


@pytest.mark.parametrize("seed", range(0, 100, 17))
def test_c_goes_the_same_way(seed: int, tmp_path: Path) -> None:
    network, rows = drawn(seed)
    assert c_lines(network, rows, tmp_path) == lines_of(network, rows)


@pytest.mark.long
def test_c_goes_the_same_way_in_200_networks(tmp_path: Path) -> None:
    for seed in MANY:
        network, rows = drawn(seed)
        assert c_lines(network, rows, tmp_path) == lines_of(network, rows), seed
        assert not re.search(r"\b(malloc|calloc|realloc|free|alloca|strdup)\b", c_code(network, ""))


def test_c_allocates_nothing_and_prints_only_as_a_program() -> None:
    code = c_code(drawn(3)[0], "random.yaml")
    assert not re.search(r"\b(malloc|calloc|realloc|free|alloca|strdup)\b", code)


def test_lua_goes_the_same_way() -> None:
    pytest.importorskip("lupa")
    for seed in MANY:
        network, rows = drawn(seed)
        assert lua_lines(network, rows) == lines_of(network, rows), seed


def test_lua_has_the_same_numbers_at_the_edges() -> None:
    pytest.importorskip("lupa")
    network = read_network(EDGES)
    for row in PAIRS:
        assert lua_lines(network, [row]) == lines_of(network, [row]), row


def test_c_has_the_same_numbers_at_the_edges(tmp_path: Path) -> None:
    reset = {
        name: {**machine, "on_inactive": "reset"} for name, machine in EDGES["machines"].items()
    }
    network = read_network({**EDGES, "machines": reset})
    assert c_lines(network, PAIRS, tmp_path) == lines_of(network, PAIRS)


@pytest.mark.parametrize("seeds", [MANY[::18], pytest.param(MANY, marks=pytest.mark.long)])
def test_the_node_goes_the_same_way(
    seeds: range, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rclpy = pytest.importorskip("rclpy")
    from std_msgs.msg import String
    from support.ros_domains import new_domain

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ROS_DOMAIN_ID", str(new_domain()))
    context = rclpy.context.Context()
    rclpy.init(args=[], context=context)
    try:
        for seed in seeds:
            network, rows = drawn(seed)
            (tmp_path / f"node_{seed}.py").write_text(ros_code(network, "random.yaml"), "utf-8")
            node = importlib.import_module(f"node_{seed}").NetworkNode(context=context)
            node.on_inputs(String(data='{"level": NaN}'))
            node.on_inputs(String(data="no JSON"))
            lines: list[Any] = []
            for row in rows:
                node.on_inputs(String(data=json.dumps(row)))
                lines += node.tick()
            node.destroy_node()
            assert [typed(line) for line in lines] == lines_of(network, rows), seed
    finally:
        rclpy.try_shutdown(context=context)


def test_the_command_writes_what_the_ending_says(tmp_path: Path) -> None:
    from support.hetwin_command import hetwin

    for name, begin in (
        ("a.c", "/* The network"),
        ("a.lua", "-- The network"),
        ("a.py", '"""The net'),
    ):
        hetwin("machines", "code", "counter", "--out", tmp_path / name)
        assert (tmp_path / name).read_text("utf-8").startswith(begin)
    hetwin("machines", "draw", "counter", "--out", tmp_path / "a.drawio")
    assert "findings" in hetwin("machines", "check", tmp_path / "a.drawio", "--json").json
    again = tmp_path / "b.drawio"
    hetwin("machines", "draw", tmp_path / "a.drawio", "--out", again)
    assert again.read_bytes() == (tmp_path / "a.drawio").read_bytes()
