"""The twin lab beside a robot over ROS 2: how far apart both robots start, and the figures of the lab in wall time.

python benchmarks/twin_lab_live.py [--seconds S] [--seed N] [--json]

`hetwin robot obey twin_lab` moves in one process, and `hetwin run twin_lab --variant live --pace 1` commands it from
another. A robot has started when a wheel has turned by `TURNED`; the real one is seen on its joint states, the virtual
one in the run's log, which has every step. The wall time of a step is that at which its command was heard.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_suite.episode import open_episode

HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")
SCENARIO = """\
extends: twin_lab
log: {state_rate: 100}
"""
TURNED = 0.01
"""By so much a wheel has turned when a robot has started [rad]."""
CYCLE_S = 0.05
SOON_S = 2.0
"""A command that starts nothing within this time is no move [s]."""
MOVE = 1
LIMIT_S = 900.0


class Listener:
    """Hears what the link commands and how the real robot's joints move.

    Attributes:
        commands: wall time [s] and id of each.
        joints: wall time [s] and positions [rad] of each message.
    """

    def __init__(self) -> None:
        import rclpy
        from sensor_msgs.msg import JointState
        from std_msgs.msg import String

        self.commands: list[tuple[float, int]] = []
        self.joints: list[tuple[float, list[float]]] = []
        self._over = threading.Event()
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node("lab_listener", context=self._context)
        self._node.create_subscription(String, "lab/command", self._hear_command, 100)
        self._node.create_subscription(JointState, JOINT_STATES.name, self._hear_joints, 1000)
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _hear_command(self, message: Any) -> None:
        said = json.loads(message.data)
        if said["operation"] == MOVE:
            self.commands.append((time.monotonic(), said["id"]))

    def _hear_joints(self, message: Any) -> None:
        self.joints.append((time.monotonic(), list(message.position)))

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


@contextmanager
def robot(seed: int | None) -> Iterator[None]:
    """The real robot, ready to obey."""
    hidden = () if seed is None else ("--seed", str(seed))
    command = [*HETWIN, "robot", "obey", "twin_lab", *hidden]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if "obeys" not in process.stdout.readline():
                raise SystemExit("the robot did not start")
            yield
        finally:
            process.terminate()


def run(folder: Path, seconds: float) -> dict[str, Any]:
    """Run the twin; returns its outcome."""
    scenario = folder / "live.yaml"
    scenario.write_text(SCENARIO)
    options = ("--variant", "live", "--pace", "1", "--duration", str(seconds), "--no-page")
    command = [*HETWIN, "run", str(scenario), *options, "--json", "--out", str(folder / "run")]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=LIMIT_S, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def started(times: Floats, angles: Floats, sent: float) -> float | None:
    """When a wheel has turned since a time, by interpolation; None if it does not soon.

    Args:
        times: (n,) of the angles [s].
        angles: (n, k) of joints [rad].
        sent: a time at which they stood still [s].
    """
    begin = max(int(np.searchsorted(times, sent)) - 1, 0)
    end = int(np.searchsorted(times, sent + SOON_S))
    turned = np.abs(angles[begin:end] - angles[begin]).max(axis=1)
    over = np.flatnonzero(turned >= TURNED)
    if not over.size:
        return None
    last = int(over[0])
    return float(
        np.interp(TURNED, turned[last - 1 : last + 1], times[begin + last - 1 : begin + last + 1])
    )


def differences(listener: Listener, outcome: dict[str, Any], folder: Path) -> list[float]:
    """By how much the real robot starts later than the virtual one, for each move that both begin [s]."""
    episode = open_episode(folder / "run")
    seconds = np.asarray(episode.times, np.float64) * 1e-9
    virtual = episode.attribute("lab_robot", "joint_positions")
    times = np.array([at for at, _ in listener.joints])
    real = np.array([positions for _, positions in listener.joints])
    sent = {
        row["arguments"]["id"]: row["time"]
        for row in outcome["events"]
        if row["source"] == "link" and row["name"] == "command"
    }
    found = []
    for heard, number in listener.commands:
        cycle = sent[number] + CYCLE_S
        ours = started(seconds, virtual, cycle)
        theirs = started(times, real, heard)
        if ours is not None and theirs is not None:
            found.append((theirs - heard) - (ours - cycle))
    return found


def measure(seconds: float, seed: int | None) -> dict[str, Any]:
    """Run both, and return the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with robot(seed):
            listener = Listener()
            try:
                outcome = run(folder, seconds)
            finally:
                listener.close()
        late = differences(listener, outcome, folder)
    return {
        "moves": len(late),
        "real_later_ms": [round(1e3 * value, 1) for value in sorted(late)],
        "median_ms": round(1e3 * statistics.median(late), 1) if late else None,
        "within_one_cycle": sum(abs(value) <= CYCLE_S for value in late),
        "real_time_factor": outcome["real_time_factor"],
        "lab": outcome["lab"],
        "on": machine(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=90.0, help="of the run")
    parser.add_argument("--seed", type=int, help="of what is hidden; default: as in the data sheet")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    found = measure(options.seconds, options.seed)
    print(json.dumps(found) if options.json else json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
