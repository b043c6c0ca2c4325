"""Futures in which a model dies, hangs or raises: counted as failed, named, and neither successes nor failures."""

from __future__ import annotations

import json
from pathlib import Path

from support.hetwin_command import hetwin

from hetwin_core.ensemble.scenario.scenario import find_scenario

MODEL = """
import os, signal, time
from hetwin_suite.model import Model, Parameters


class MoodySettings(Parameters):
    mood: str = "well"


class Moody(Model[MoodySettings]):
    summary = "does well, dies, hangs or raises"

    def initialize(self, settings, scene):
        self.mood = settings.mood

    def change(self, parameters):
        self.mood = parameters.get("mood", self.mood)

    def step(self, tick):
        match self.mood:
            case "dies":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hangs":
                time.sleep(600.0)
            case "raises":
                raise ValueError("ValueError: in no mood")
"""
SCENARIO = """extends: {base}
scenario: moody
models: {{moody: {{type: "moods:Moody", rate: 50, deadline: 3.0}}}}
uncertainty: {{moody: {{mood: {{values: [well, dies, hangs, raises]}}}}}}
outcomes: {{delivered: "holds(on('box', 'table'), at(end))"}}
"""


def test_they_are_counted_and_named(tmp_path: Path) -> None:
    (tmp_path / "moods.py").write_text(MODEL)
    file = tmp_path / "moody.yaml"
    file.write_text(SCENARIO.format(base=find_scenario("pick_and_place")))
    asked = ("--at", "0.1", "--duration", "0.03", "-n", "8", "--seed", "1", "--jobs", "4")
    said = hetwin("predict", file, *asked, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    counts, named = (
        found["futures"],
        [line for line in said.err.splitlines() if "warning: future " in line],
    )
    assert counts["finished"] + counts["failed"] == counts["asked"] == 8
    assert len(named) == counts["failed"]
    for words in (
        "SIGKILL",
        "moody: step failed at 0.120000 s: no answer within its deadline of 3 s",
        "ValueError: in no mood",
    ):
        assert any(words in line for line in named), said.err
    on = next(row for row in found["predicates"] if row["name"] == "on(box, table)")
    assert (on["p"], on["of"]) == (1.0, counts["finished"])
    assert found["failures"] == []
    assert not found["deterministic"]
