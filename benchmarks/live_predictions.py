"""Measures predictions beside a live twin: how early they come, whether they are those of a replay, and what they cost.

Each drop is played twice by `hetwin robot` in real time, without and with `--announce`, while the twin follows it. Of
the announced release, the first answer and the last one before the hand opens count. The same question is then put to a
replay of the recording (`replayed_announcements`), and as many futures are predicted from the recording at the same
moment by `hetwin predict`, which knows how fingers moved and pressed after it. The lag is that of the twin's states
behind the robot.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine import machine
from replayed_announcements import asked_of_a_replay

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_core.ensemble.topics import PREDICTIONS

HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")
ACTION, AHEAD_S = "release", 1.5
LIMIT_S = 300.0
MANY = 24
LIVE = {"live": "", "timeout": 2.5, "on_silence": "end"}
EXAMPLES = """examples:
  python benchmarks/live_predictions.py --count 3
  python benchmarks/live_predictions.py --count 20 --seed 9100 --json
  python benchmarks/live_predictions.py --futures-only
"""


class Heard:
    """Listens to the predictions of a twin.

    Attributes:
        answers: about the action, in the order in which they came.
    """

    def __init__(self) -> None:
        import rclpy
        from std_msgs.msg import String

        self.answers: list[dict[str, Any]] = []
        self._over = threading.Event()
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node("predictions_heard", context=self._context)
        self._node.create_subscription(String, PREDICTIONS.name, self._hear, 100)
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _hear(self, message: Any) -> None:
        answer = json.loads(message.data)
        if answer["operation"] == ACTION:
            self.answers.append(answer)

    def _spin(self) -> None:
        from rclpy.executors import SingleThreadedExecutor

        executor = SingleThreadedExecutor(context=self._context)
        executor.add_node(self._node)
        while not self._over.is_set():
            executor.spin_once(0.1)
        executor.shutdown()

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        self._thread.join()
        self._node.destroy_node()
        self._context.try_shutdown()


def play(episode: LabelledEpisode, *, compares: bool) -> dict[str, Any]:
    """Play an episode without and with announcements, or only with them and compare nothing; returns its row."""
    plain = lag_of(follow(episode, ())) if compares else None
    heard = Heard()
    try:
        run = follow(episode, ("--announce", str(AHEAD_S)))
    finally:
        heard.close()
    before = [answer for answer in heard.answers if answer["before_effect_s"] > 0.0]
    last = before[-1] if before else None
    row = {
        "episode": episode.name,
        "answers": len(heard.answers),
        "first_before_effect_s": before[0]["before_effect_s"] if before else None,
        "final_futures": 0 if last is None else last["futures"]["finished"],
    }
    row |= dict.fromkeys(("equal_to_replay", "success", "success_in_hindsight"))
    if last is not None and compares:
        row |= compared(episode, last, begun_at(run))
    return {**row, "lag_95_ms": lag_of(run), "lag_95_plain_ms": plain}


def compared(episode: LabelledEpisode, answer: Mapping[str, Any], at_s: float) -> dict[str, Any]:
    """Compare an answer with what a replay says, and with what the recording says in hindsight.

    Args:
        episode: that was played.
        answer: the last one before the action.
        at_s: when the action began, in the time of the twin [s].
    """
    count = answer["futures"]["finished"]
    replayed, recorded_s = asked_of_a_replay(episode, ACTION, AHEAD_S, count)
    hindsight = in_hindsight(episode, answer, answer["at"] - at_s + recorded_s)
    return {
        "equal_to_replay": numbers(replayed) == numbers(answer),
        "success": answer["success"]["p"],
        "success_in_hindsight": (hindsight["success"] or {}).get("p"),
    }


def lag_of(run: Mapping[str, Any]) -> float | None:
    """Return how far the states of a run were behind the robot, 95 % of them at most [ms]."""
    return (run.get("live") or {}).get("lag_p95_ms")


def begun_at(run: Mapping[str, Any]) -> float:
    """Return when the action began in a run [s]."""
    return next(float(event["time"]) for event in run["events"] if event["name"] == ACTION)


def follow(episode: LabelledEpisode, announce: Sequence[str]) -> dict[str, Any]:
    """Let a twin follow the episode in real time; returns what its run says."""
    with _robot(episode, announce), tempfile.TemporaryDirectory(prefix="hetwin_live_") as folder:
        asked = [*HETWIN, "run", episode.scenario, "--source", json.dumps(LIVE)]
        asked += ["--scene", json.dumps(episode.scene), "--json", "--no-page"]
        done = subprocess.run(
            [*asked, "--out", f"{folder}/run"],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            env=os.environ,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@contextmanager
def _robot(episode: LabelledEpisode, announce: Sequence[str]) -> Iterator[None]:
    process = subprocess.Popen(
        [*HETWIN, "robot", "play", str(episode.folder), "--wait-for-twin", *announce],
        env=os.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10.0)


def in_hindsight(
    episode: LabelledEpisode, answer: Mapping[str, Any], at_s: float
) -> dict[str, Any]:
    """Return what as many futures from the recording say.

    Args:
        episode: that was played.
        answer: the one beside the twin.
        at_s: the same moment, in the time of the recording [s].
    """
    asked = ["predict", episode.scenario, "--source", str(episode.folder), "--at", str(at_s)]
    asked += ["-n", str(answer["futures"]["asked"]), "--duration", str(answer["horizon"])]
    asked += ["--seed", str(answer["seed"]), "--json"]
    done = subprocess.run(
        [*HETWIN, *asked], capture_output=True, text=True, timeout=LIMIT_S, env=os.environ
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def numbers(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an answer says, but for when and how fast."""
    truths = {row["name"]: row["p"] for row in answer["predicates"] if row["p"] > 0.0}
    shares = sorted((row["cause"], row["share"]) for row in answer["failures"])
    return {"truths": truths, "failures": shares, "success": answer["success"]["p"]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=20, help="drops (default: 20)")
    parser.add_argument("--seed", type=int, default=9100, help="of the recorder (default: 9100)")
    parser.add_argument(
        "--futures-only", action="store_true", help="count futures, and compare no answers"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    if given.count < 1:
        parser.error(f"--count: found {given.count}, expected at least 1")
    os.environ["ROS_DOMAIN_ID"] = str(215 + os.getpid() % 17)  # tests use those up to 101
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    on, rows = machine(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(prefix="hetwin_episodes_") as text:
        folder = Path(text, "episodes")
        record = ["record", "drop", "-n", str(given.count), "--seed", str(given.seed)]
        subprocess.run([*HETWIN, *record, "--out", str(folder)], check=True, capture_output=True)
        for episode in find_episodes(folder):
            rows.append(play(episode, compares=not given.futures_only))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    if given.json:
        print(json.dumps({"machine": on, "rows": rows}))
    else:
        print(
            "| episode | answers | first before [s] | futures | as replayed | success | in hindsight"
            " | lag 95 % [ms] | plain |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for row in rows:
            print("| " + " | ".join(str(value) for value in row.values()) + " |")
        many = sum(row["final_futures"] >= MANY for row in rows)
        print(f"\n{MANY} futures or more before the release: {many} of {len(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
