"""A node that has none of hetwin's Python is a model of a run over ROS 2, and what it gets wrong is named."""

from __future__ import annotations

import json
import re
import socket
import sys
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.nodes_by_hand import CONDUCTOR, started, words
from support.plugins import in_examples
from support.ros_domains import new_domain

HERE = Path(__file__).resolve().parents[2] / "examples" / "bare_node"
LIFT, SCENARIO = HERE / "lift.py", HERE / "lift.yaml"
pytestmark = in_examples


def run(lift: Path, out: Path, scenario: Path = SCENARIO) -> tuple[int, str]:
    """The conductor's exit code and what it printed, with the lift as the only other node."""
    domain = new_domain()
    given = {"scenario": scenario, "start_at_once": True, "duration": 1.5, "out": out}
    conductor = words(CONDUCTOR, in_process="all", **given)
    node = [sys.executable, str(lift)]
    with started(conductor, domain) as one, started(node, domain):
        said, errors = one.communicate(timeout=120)
    return one.returncode, said + errors


def altered(folder: Path, before: str, after: str) -> Path:
    """The lift with another text in it."""
    text = LIFT.read_text()
    assert text.count(before) == 1
    made = folder / "lift.py"
    made.write_text(text.replace(before, after))
    return made


def test_a_bare_node_takes_moves_and_gives_back(tmp_path: Path) -> None:
    text = LIFT.read_text()
    imports = re.findall(r"^(?:from|import) (\S+)", text, re.MULTILINE)
    assert {name for name in imports if "hetwin" in name} == {"hetwin.msg", "hetwin.srv"}
    code, said = run(LIFT, tmp_path)
    assert code == 0, said
    (summary,) = tmp_path.glob("*/summary.json")
    told = json.loads(summary.read_text())
    assert [(h["from"], h["to"]) for h in told["handovers"]] == [
        ("physics", "lift"),
        ("lift", "physics"),
    ]
    (lifted,) = [event for event in told["events"] if event["name"] == "lifted"]
    assert lifted["arguments"] == {"object": "box"}
    assert told["failures"] == []


@pytest.mark.parametrize(
    ("before", "after", "call", "words"),
    [
        ('{"reads": []}', '{"reeds": []}', "initialize", "reeds: unknown key; found 'reeds'"),
        (
            '{"reads": []}',
            '{"entities": [{"name": "x"}]}',
            "initialize",
            "entities.0.kind: a key is missing",
        ),
        (
            "(slot, -1, now, 13)",
            "(99999, -1, now, 13)",
            "step",
            "is not a valid ModelOutput: IndexError",
        ),
    ],
)
def test_what_a_bare_node_gets_wrong_is_named(
    tmp_path: Path, before: str, after: str, call: str, words: str
) -> None:
    code, said = run(altered(tmp_path, before, after), tmp_path / "out")
    assert code == 1
    assert "Traceback" not in said
    assert words in said
    assert f"the run failed: lift: {call} failed at " in said
    assert f"(node /lift on host {socket.gethostname()}, process " in said


def test_a_node_that_is_not_there_is_named_on_the_console(tmp_path: Path) -> None:
    impatient = (
        "from conductor_node import main, reached_node; reached_node.APPEAR_S = 1.0; main.main()"
    )
    given = {"scenario": SCENARIO, "start_at_once": True, "out": tmp_path}
    command = [sys.executable, "-c", impatient, *words(CONDUCTOR, in_process="all", **given)[3:]]
    with started(command, new_domain()) as conductor:
        said = "".join(conductor.communicate(timeout=60))
    assert conductor.returncode == 1
    assert "the run failed: lift: register failed at " in said
    assert "its node '/lift' did not appear within 1 s" in said
    assert f"(seen by /conductor on host {socket.gethostname()})" in said


def test_a_bare_node_needs_a_run_over_ros(tmp_path: Path) -> None:
    ended = hetwin("run", SCENARIO, "--out", tmp_path / "run", "--duration", "0.1", "--no-report")
    assert ended.code == 2
    assert "this model is a ROS node, which this run cannot reach" in ended.err
    assert "--transport ros" in ended.err
