"""Nodes of both kinds join a run over ROS 2, leave it and are killed; one that is not admitted hears why."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.nodes_by_hand import CONDUCTOR, MODEL, started, words
from support.plugins import in_examples
from support.ros_domains import new_domain
from support.watcher import Watcher, watching

from hetwin.msg import Event, SceneState

LIFT = Path(__file__).resolve().parents[2] / "examples" / "bare_node" / "lift.py"
SCENARIO = """
scenario: guests
rate: 100
models:
  host: {type: "support.guests:Host", main: true}
admit:
  ours: {type: "support.guests:Guest", owns: [{entity: x, attribute: heat}]}
  "bare_*": {type: node, provides: [heat], owns: [{entity: "[yz]", attribute: heat}]}
"""
ASKS = """\
        if not self.asked:
            self.asked, more = True, {"requests": [["take", self.given["object"], "pose"]]}
"""
BARE = {
    'super().__init__("lift")': 'super().__init__("bare_bob")',
    'name="lift"': 'name="bare_bob"',
    "[-13:]": "[-1:]",
    "(slot, -1, now, 13)": "(slot, -1, now, 1)",
    'now, speed, more = call.index[0], self.given["speed"], {}': "now, more = call.index[0], {}",
    ASKS: "",
}
"""What makes a node of the lift that keeps what it gets, and leaves when it has it for a second."""


def bare_node(folder: Path) -> Path:
    text = LIFT.read_text()
    for before, after in BARE.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    begin, end = (
        text.index("        for slot, pose in"),
        text.index("        self.fill(output, now, self.c"),
    )
    steps = '        self.steps = getattr(self, "steps", 0) + 1\n        if self.steps == 100:\n'
    text = f'{text[:begin]}{steps}            more["requests"] = [["leave", "", ""]]\n{text[end:]}'
    made = folder / "bare.py"
    made.write_text(text)
    return made


def wait_for(watcher: Watcher, events: list[Event], *names: str) -> None:
    """Wait until these events, of these models, have been heard, in any order: ``joined ours``."""

    def told() -> list[str]:
        return [f"{e.name} {e.source}" for e in events if e.name in ("joined", "left")]

    watcher.wait(lambda: sorted(told()) == sorted(names), lambda: f"{names}, not {told()}", 60.0)


@in_examples
def test_nodes_join_leave_and_are_killed(tmp_path: Path) -> None:
    scenario, domain = tmp_path / "guests.yaml", new_domain()
    scenario.write_text(SCENARIO)
    given = {"scenario": scenario, "start_at_once": True, "duration": 600.0, "out": tmp_path}
    conductor = words(CONDUCTOR, in_process="all", pace=1.0, **given)
    ours = words(MODEL, "-r", "__node:=ours", type="support.guests:Guest")
    stranger = words(MODEL, "-r", "__node:=stranger", type="support.guests:Guest")
    bare = [sys.executable, str(bare_node(tmp_path))]
    with started(conductor, domain) as run, watching(domain, run) as watcher:
        events = watcher.listen(Event, "/hetwin/events")
        states = watcher.listen(SceneState, "/hetwin/state")
        watcher.wait(lambda: states, "a state")
        with started(stranger, domain) as refused:
            _, said = refused.communicate(timeout=60)
        assert "has no model 'stranger' and admits none of that name" in said
        assert refused.returncode == 1
        with started(bare, domain) as other:
            wait_for(watcher, events, "joined bare_1")
            assert states[-1].owners.tolist().count(2) in (0, 2)
            with started(ours, domain) as mine:
                wait_for(watcher, events, "joined bare_1", "joined ours", "left bare_1")
                mine.kill()
                mine.wait(30)
            assert other.wait(30) == 0
        watcher.wait(lambda: not any(states[-1].owners), "everything with the host")
        with started(bare, domain):
            before = ("joined bare_1", "joined ours", "left bare_1", "joined bare_1")
            wait_for(watcher, events, *before, "left bare_1")
        run.terminate()
        run.communicate(timeout=60)
    (summary,) = tmp_path.glob("*/summary.json")
    told = json.loads(summary.read_text())
    assert (told["ended"], told["error"]) == ("stopped", None)
    assert [failure["model"] for failure in told["failures"]] == ["ours"]
    moves = [(h["entity"], h["from"], h["to"]) for h in told["handovers"]]
    once = [("y", "host", "bare_1"), ("z", "host", "bare_1")]
    back = [("y", "bare_1", "host"), ("z", "bare_1", "host")]
    assert [move for move in moves if move[0] != "x"] == [*once, *back] * 2
    assert [move for move in moves if move[0] == "x"] == [
        ("x", "host", "ours"),
        ("x", "ours", "host"),
    ]
