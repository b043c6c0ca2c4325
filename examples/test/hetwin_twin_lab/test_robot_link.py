"""The link as a model: a command goes to both robots, and the answer that counts comes back with all that it says."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from support.scene_of import scene_of

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_twin_lab.event_names import NOT_UNDERSTOOD
from hetwin_twin_lab.robot_link import RobotLink
from hetwin_twin_lab.topic_pair import from_text

PERIOD_NS = 50_000_000


class Bench:
    """A link with a commander `l1` and robots `twin` and `robot`."""

    def __init__(self, **parameters: Any) -> None:
        self.link = RobotLink()
        defaults = {r.name: r.default for r in self.link.requests() if not r.required}
        names = {"commander": "l1", "virtual": "twin", "real": "robot", "timeout": 0.2}
        self.link.contribute({**defaults, **names, **parameters}, 0)
        self.time_ns = 0

    def step(self, *events: Event) -> list[Event]:
        self.time_ns += PERIOD_NS
        scene = scene_of([], {})
        assert np.size(scene.values) == 0
        return self.link.step(Tick(self.time_ns, PERIOD_NS, scene, events)).events


def command(id_: int, operation: int = 1) -> Event:
    said = {"id": id_, "operation": operation, "rotation": 0.5, "displacement": 1.0}
    return Event("command", 0, source="l1", arguments=said)


def answer(source: str, id_: int, code: int = 1, **more: float) -> Event:
    return Event("reply", 0, source=source, arguments={"id": id_, "code": code, **more})


def of(events: list[Event], name: str) -> list[dict[str, Any]]:
    return [dict(event.arguments) for event in events if event.name == name]


def test_a_command_goes_to_both_and_the_real_answer_comes_back() -> None:
    bench = Bench()
    assert of(bench.step(command(1)), "command") == [dict(command(1).arguments)]
    assert of(bench.step(answer("twin", 1, x=1.0)), "reply") == []
    said = bench.step(answer("robot", 1, x=2.0))
    assert of(said, "reply") == [{"id": 1, "code": 1, "x": 2.0}]
    (row,) = of(said, "logged")
    assert (row["state"], row["lap_real"], row["lap_virtual"]) == ("AHEAD", 0.1, 0.05)
    assert (row["rotation"], row["displacement"], row["answer"]) == (0.5, 1.0, "done")


def test_without_a_real_robot_the_virtual_answer_comes_back() -> None:
    bench = Bench(real=None)
    bench.step(command(1))
    assert of(bench.step(answer("twin", 1, x=1.0)), "reply") == [{"id": 1, "code": 1, "x": 1.0}]


def test_what_is_not_in_time_is_a_reply_with_its_own_code() -> None:
    bench = Bench()
    bench.step(command(1))
    found = [bench.step(answer("twin", 1)), *(bench.step() for _ in range(4))]
    assert of(found[-1], "reply") == [{"id": 1, "code": 0}]
    assert of(found[-1], "alarm") == [{"alarm": "timeout", "side": "real", "id": 1}]
    assert of(bench.step(answer("robot", 1)), "alarm")[0]["alarm"] == "out_of_context"


def test_other_words_are_inconsistent_and_other_numbers_are_not() -> None:
    bench = Bench()
    bench.step(command(1), command(2))
    assert of(bench.step(answer("twin", 1, x=1.0), answer("robot", 1, x=2.0)), "alarm") == []
    assert of(bench.step(answer("twin", 2, 1), answer("robot", 2, 2)), "alarm") == [
        {"alarm": "inconsistent", "side": "both", "id": 2}
    ]


def test_the_virtual_robot_is_put_where_the_real_one_was_before_the_next_command() -> None:
    bench = Bench()
    bench.step(command(1))
    pose = {"x": 1.0, "y": 2.0, "qw": 1.0, "qz": 0.0}
    assert of(bench.step(answer("robot", 1, **pose)), "align_base") == []
    bench.step(answer("twin", 1))
    assert of(bench.step(command(2)), "align_base") == [{"x": 1.0, "y": 2.0, "yaw": 0.0}]


def test_it_is_not_put_anywhere_while_it_still_moves() -> None:
    bench = Bench()
    bench.step(command(1))
    bench.step(answer("robot", 1, x=1.0, y=2.0, qw=1.0, qz=0.0))
    assert of(bench.step(command(2)), "align_base") == []


def test_a_command_without_a_number_ends_the_run_by_name() -> None:
    bench = Bench()
    with pytest.raises(RunFailed, match="its argument id is None; expected a whole number"):
        bench.step(Event("command", 0, source="l1"))
    with pytest.raises(RunFailed, match="1 rotation displacement, two finite numbers"):
        bench.step(Event("command", 0, source="l1", arguments={"id": 1, "operation": 1}))


def test_a_robot_that_is_gone_is_done_without_until_it_answers() -> None:
    bench = Bench(gives_up=2)
    found: list[Event] = []
    for number in (1, 2, 3):
        found += bench.step(command(number))
        found += bench.step(answer("twin", number, x=1.0))
        for _ in range(4):
            found += bench.step()
    assert of(found, "robot_lost") == [{"model": "robot", "timeouts": 2}]
    assert [row.get("x") for row in of(found, "reply")] == [None, None, 1.0]
    bench.step(command(4))
    assert of(bench.step(answer("robot", 4)), "robot_back") == [{"model": "robot"}]


MALFORMED = (
    *('{"id": 1}', '{"id": ID, "code": "1"}', '{"id": ID, "code": 1.5}', '{"id": ID, "code": NaN}'),
    *(
        '{"id": ID, "code": true}',
        '{"id": "x", "code": 1}',
        "no JSON",
        "[]",
        "",
        "{" * 5000,
        "[" * 99999,
    ),
    *(
        '{"id": ID, "code": 1, "x": 1e999}',
        f'{{"id": ID, "code": {10**30}}}',
        '{"id": null, "code": 1}',
    ),
    f'{{"id": ID, "code": 1, "x": {10**400}, "y": 1, "qw": 1, "qz": 0}}',
)


def heard(text: str) -> Event:
    """What a robot's message becomes, as `RemoteRobot` has it."""
    try:
        return Event("reply", 0, source="robot", arguments=from_text(text))
    except ValueError as error:
        return Event(NOT_UNDERSTOOD, 0, source="robot", arguments={"remark": str(error)})


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_answer_is_an_alarm_and_no_answer(text: str) -> None:
    bench = Bench()
    bench.step(command(1))
    found = bench.step(heard(text.replace("ID", "1")))
    (alarm,) = of(found, "alarm")
    assert (alarm["alarm"], alarm["side"]) == ("malformed", "real")
    assert alarm["remark"]
    assert of(found, "reply") == []
    assert of(bench.step(answer("robot", 1, x=2.0)), "reply") == [{"id": 1, "code": 1, "x": 2.0}]


def test_whatever_a_robot_says_the_twin_goes_on_and_the_log_has_it() -> None:
    rng, bench, found = random.Random(4), Bench(gives_up=100_000), list[Event]()
    sent, said = 0, Counter[str]()
    for number in range(1, 10_001):
        events = [command(number), answer("twin", number)]
        kind = rng.choice(["fine", "lost", "late", "doubled", "malformed"])
        fine = heard(json.dumps({"id": number, "code": 1, "x": 1.0}))
        late = heard(json.dumps({"id": number - rng.randint(1, 50), "code": 2}))
        garbage = heard(rng.choice(MALFORMED).replace("ID", str(number)))
        events += {"fine": [fine], "lost": [], "late": [late], "doubled": [fine, fine]}.get(
            kind, [garbage]
        )
        said[kind] += 1
        sent += 1
        found += bench.step(*events)
    for _ in range(6):
        found += bench.step()
    alarms = Counter(alarm["alarm"] for alarm in of(found, "alarm"))
    rows = of(found, "logged")
    assert len(rows) == sent == len(of(found, "reply"))
    assert alarms["malformed"] == said["malformed"]
    known = sum(row["lap_real"] is not None for row in rows)
    answers = said["fine"] + said["late"] + 2 * said["doubled"]
    assert known + alarms["out_of_context"] == answers
    assert alarms["timeout"] == sent - known
