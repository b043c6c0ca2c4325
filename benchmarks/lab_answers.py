"""Sends a twin lab thousands of random answers of a robot over ROS 2: lost, late, doubled and malformed ones.

The lab runs in a process of its own, beside this one, which is its real robot. It counts what it has sent, by kind, and
what the run's events say of it: each message must be there, and the run must end as it was asked to.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from machine import machine
from std_msgs.msg import String

from hetwin_suite.model import Json
from hetwin_suite.runs import find_scenario
from hetwin_twin_lab.event_names import COMMAND, REPLY
from hetwin_twin_lab.topic_pair import TopicPair, as_text

PER_SECOND = 250.0
"""Answers a second: what the twin hears in a step of 50 ms is less than its topics keep."""
_DRAIN_S = 5.0
"""After the last answer the run goes on for so long; then it is interrupted."""
MALFORMED = (
    *("", "null", "[]", "{}", "no JSON", '"1"', '{"id": 1', '{"id": "1", "code": 1}'),
    *('{"id": 1}', '{"id": 1, "code": "done"}', '{"id": 1, "code": 1.5}', '{"id": 1.5, "code": 1}'),
    *('{"id": 1, "code": NaN}', '{"id": 1, "code": 1, "x": Infinity}', '{"id": 1, "code": true}'),
    *('{"id": 1, "code": 1, "x": 1e300}', '{"id": 9999999999999999999999, "code": 1}', "[" * 3000),
)
L2 = """
inputs: [result]
events: [reported]
outputs: [give, mission, target, over]
advance: once
machines:
  deliberation:
    initial: BEGIN
    init: {give: false, mission: 2, target: 1, over: false}
    states:
      BEGIN: [{if: "true", do: {give: true}, to: GIVE}]
      GIVE: [{if: "true", do: {give: false}, to: UNDERWAY}]
      UNDERWAY: [{if: "!reported", to: UNDERWAY}, {if: reported, to: BEGIN}]
"""
"""One mission after the other, whatever came of those before."""
EXAMPLES = """examples:
  python benchmarks/lab_answers.py
  python benchmarks/lab_answers.py --answers 500 --json
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What was sent, and what came of it.

    Attributes:
        sent: answers by kind.
        heard: events of the robot's model: answers and what could not be read.
        alarms: of the link, by kind.
        ended: how the run ended.
        code: exit code of the run.
    """

    sent: Mapping[str, int]
    heard: Mapping[str, int]
    alarms: Mapping[str, int]
    ended: str
    code: int

    @property
    def is_fine(self) -> bool:
        """Whether the run went on to its end, and all is in its log."""
        return (
            (self.code, self.ended) == (128 + signal.SIGINT, "stopped")
            and sum(self.heard.values()) == sum(self.sent.values())
            and self.alarms.get("malformed", 0) == self.sent.get("malformed", 0)
        )


class Robot:
    """A robot that answers at random.

    Args:
        seed: of what it answers.

    Attributes:
        sent: answers by kind.
        is_heard: whether a twin listens.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._wire = TopicPair("", "lab_robot", REPLY, COMMAND)
        self._publisher = self._wire.node.create_publisher(String, REPLY, 1000)
        self._late: list[tuple[float, dict[str, Json]]] = []
        self.sent: Counter[str] = Counter()

    @property
    def is_heard(self) -> bool:
        """Whether a twin listens to both of its publishers."""
        return self._wire.has_subscriber and bool(self._publisher.get_subscription_count())

    def close(self) -> None:
        """Stop."""
        self._wire.close()

    def answer(self) -> None:
        """Answer what was commanded, or send something that nobody has asked for."""
        for command in self._wire.take_received():
            self._obey(command)
        now = time.monotonic()
        due = [said for at, said in self._late if at <= now]
        self._late = [(at, said) for at, said in self._late if at > now]
        for said in due:
            self._send("late", as_text(said))
        if self._random.random() < 0.6:
            self._send("malformed", self._random.choice(MALFORMED))
        else:
            said = {"id": self._random.randint(-5, 400), "code": self._random.randint(-3, 9)}
            self._send("unasked", as_text(said))

    def _obey(self, command: Mapping[str, Json]) -> None:
        said = {"id": command["id"], "code": self._random.randint(0, 6), "x": 0.0, "y": 0.0}
        match self._random.choice(("lost", "late", "doubled", "answer")):
            case "late":
                self._late.append((time.monotonic() + self._random.uniform(0.5, 4.0), said))
            case "doubled":
                self._send("doubled", as_text(said))
                self._send("doubled", as_text(said))
            case "answer":
                self._send("answer", as_text(said))

    def _send(self, kind: str, text: str) -> None:
        self._publisher.publish(String(data=text))
        self.sent[kind] += 1


def measure(answers: int, seed: int) -> Result:
    """Run the lab beside a robot that sends so many answers.

    Raises:
        RuntimeError: if the lab does not come.
    """
    seconds = 5.0 * answers / PER_SECOND + 60.0
    with tempfile.TemporaryDirectory(prefix="lab_answers_") as folder:
        lab = str(_endless_lab(Path(folder)))
        command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", lab, "--json"]
        options = ["--variant", "live", "--pace", "1", "--duration", str(seconds), "--no-page"]
        said = Path(folder, "said.json")
        robot = Robot(seed)
        try:
            with said.open("w", encoding="utf-8") as out:
                run = subprocess.Popen(
                    [*command, *options, "--out", str(Path(folder, "run"))],
                    stdout=out,
                    stderr=subprocess.DEVNULL,
                )
            _wait(robot, run)
            while sum(robot.sent.values()) < answers and run.poll() is None:
                robot.answer()
                time.sleep(1.0 / PER_SECOND)
            time.sleep(_DRAIN_S)
            run.send_signal(signal.SIGINT)
            code = run.wait(120.0)
        finally:
            robot.close()
        return _result(robot, json.loads(said.read_text(encoding="utf-8")), code)


def _endless_lab(folder: Path) -> Path:
    """Write a lab whose missions never end, and whose link waits 2 s for answers."""
    (folder / "l2.yaml").write_text(L2, encoding="utf-8")
    text = find_scenario("twin_lab").read_text(encoding="utf-8")
    for old, new in (
        ("scenarios/networks/lab_l2.yaml", "l2.yaml"),
        ("real: real, timeout: 16.0", "real: real, timeout: 2.0"),
    ):
        if old not in text:
            raise RuntimeError(f"the lab does not say {old!r}")
        text = text.replace(old, new)
    lab = folder / "endless.yaml"
    lab.write_text(text, encoding="utf-8")
    return lab


def _wait(robot: Robot, run: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60.0
    while not robot.is_heard:
        if time.monotonic() > end or run.poll() is not None:
            raise RuntimeError("the lab does not listen to lab/reply within 60 s")
        time.sleep(0.05)
    time.sleep(1.0)


def _result(robot: Robot, outcome: Mapping[str, Any], code: int) -> Result:
    events = outcome["events"]
    heard = Counter(e["name"] for e in events if e["source"] == "real")
    alarms = Counter(
        e["arguments"]["alarm"] for e in events if (e["source"], e["name"]) == ("link", "alarm")
    )
    return Result(dict(robot.sent), dict(heard), dict(alarms), outcome["ended"], code)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the answers (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    result = measure(given.answers, given.seed)
    if given.json:
        print(json.dumps({"machine": machine(), **asdict(result)}, indent=1))
    else:
        print(f"sent {sum(result.sent.values())}: {dict(result.sent)}")
        print(f"heard {sum(result.heard.values())}: {dict(result.heard)}")
        print(f"alarms: {dict(result.alarms)}; the run: {result.ended}, code {result.code}")
    sys.exit(0 if result.is_fine else 1)


if __name__ == "__main__":
    main()
