"""Missions by a topic, a service and a button of the page drive the lab; contradictions make L1 look again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from short_lab import changed_lab, short_lab
from support.hetwin_command import hetwin
from support.ros_domains import new_domain
from support.shown_runs import ShownRun
from support.waiting import wait_until

from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_suite.view.live.hands import Raise

NEAR = {"paths": {1: [[-1.8, -0.7]], 2: [[-1.8, -0.9]]}}
"""Paths of one leg of 20 cm."""


def test_missions_by_topic_service_and_button_drive_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(new_domain()))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    from hetwin.msg import Event
    from hetwin.srv import NotifyEvent
    from hetwin_twin_lab.mission_desk import MISSION, REPORT, SERVICE
    from hetwin_twin_lab.topic_pair import TopicPair

    lab = changed_lab(tmp_path, "missions", guide=NEAR, link={"real": None}, real=None)
    twin = ShownRun(load_scenario(lab, variant="missions"))
    person = TopicPair("", "person", MISSION, REPORT)
    reports: list[dict[str, Any]] = []

    def reported(count: int) -> bool:
        reports.extend(person.take_received())
        return len(reports) >= count

    try:
        wait_until(lambda: person.has_subscriber, "the desk hears")
        twin.conductor.resume()
        person.send({"id": 5, "mission": 2, "target": 1})
        wait_until(lambda: reported(1), "the report of the topic's mission")
        client = person.node.create_client(NotifyEvent, SERVICE)
        assert client.wait_for_service(30.0)
        request = NotifyEvent.Request(event=Event(arguments='{"mission": 2, "target": 2}'))
        assert client.call(request, 30.0).accepted
        wait_until(lambda: reported(2), "the report of the service's mission")
        begun = twin.live.begun
        assert begun is not None
        button: Any = begun.buttons["follow path 1"]
        assert twin.ask(Raise(**button)) is None
        wait_until(lambda: reported(3), "the report of the button's mission")
    finally:
        person.close()
        twin.conductor.stop()
        summary = twin.end()
    assert summary.ended == "stopped"
    assert [(each["target"], each["result"]) for each in reports] == [
        (i, "done") for i in (1, 2, 1)
    ]


def test_l1_asks_where_the_robot_is_after_a_contradiction(tmp_path: Path) -> None:
    lab = short_lab(tmp_path)
    data = yaml.safe_load(lab.read_text(encoding="utf-8"))
    data["triggers"] = []
    data["scene"] = {"crate_blue": {"pose": [-1.8, -0.35, 0.15, 1, 0, 0, 0]}}
    data["models"]["guide"]["parameters"]["paths"][2] = [[-1.8, -0.5], [-1.6, -0.5]]
    lab.write_text(yaml.safe_dump(data), encoding="utf-8")
    out = ("--out", tmp_path / "run", "--duration", 14)
    outcome = hetwin("run", lab, "--variant", "same", "--no-page", "--json", *out).json
    said = [(row["source"], row["name"], row["arguments"]) for row in outcome["events"]]
    assert [a["id"] for s, n, a in said if (s, n) == ("link", "alarm")] == [1]
    commands = [a for s, n, a in said if (s, n) == ("execution", "command")]
    moves = [(a["id"], a["operation"], abs(a["displacement"]) > 0.1) for a in commands[:3]]
    assert moves == [(1, 1, True), (2, 1, False), (3, 1, True)]
    states = [a["state"] for s, n, a in said if n == "machine_state" and a["machine"] == "doubter"]
    assert states == ["TRUST", "DOUBT", "TRUST"]
