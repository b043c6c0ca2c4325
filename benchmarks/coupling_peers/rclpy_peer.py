"""The trivial ensemble as bare nodes of rclpy in lock-step: what ROS 2 costs in Python, without anything of hetwin's.

One message asks the source for a step, one all followers; each returns a message. The messages have an array of numbers
each, and neither log nor checks nor deadlines are behind them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import rclpy
from rclpy.qos import QoSProfile
from rclpy.task import Future
from std_msgs.msg import Float64MultiArray

from conductor_node.shared_memory import fast_dds_variables
from coupling_peers.arguments import SHARE, read, tell
from hetwin_core.wire.names import make_executor

DEPTH = QoSProfile(depth=100)
POLL_S = 0.0002
MATCHING_S = 0.5
"""The other ends need as long to know of this one; what they publish before is lost."""


def main() -> None:
    """Start the other nodes, run and print."""
    given = read("subprocess")
    os.environ.update(fast_dds_variables())
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    command = [sys.executable, "-m", "coupling_peers.rclpy_peer", "serve"]
    nodes = [subprocess.Popen([*command, str(i)]) for i in range(given.models)]
    try:
        _run(given.models, given.steps)
    finally:
        for node in nodes:
            node.kill()
            node.wait()


def _run(models: int, steps: int) -> None:
    rclpy.init()
    node, executor = rclpy.create_node("conductor"), make_executor()
    executor.add_node(node)
    levels = [0.0] * models
    expected = 0

    def received(message: Float64MultiArray) -> None:
        nonlocal expected
        number, level = message.data
        levels[int(number)] = level
        expected -= 1

    node.create_subscription(Float64MultiArray, "outputs", received, DEPTH)
    first = node.create_publisher(Float64MultiArray, "first", DEPTH)
    others = node.create_publisher(Float64MultiArray, "others", DEPTH)

    def matched() -> bool:
        here: bool = first.get_subscription_count() == 1
        here = here and others.get_subscription_count() == models - 1
        return here and bool(node.count_publishers("outputs") == models)

    while not matched():
        executor.spin_once(0.01)
    time.sleep(MATCHING_S)
    begun = time.perf_counter()
    for _ in range(steps):
        for publisher, count in ((first, 1), (others, models - 1)):
            expected = count
            publisher.publish(Float64MultiArray(data=[levels[0]]))
            end = time.perf_counter() + POLL_S if count == 1 else 0.0
            while expected and time.perf_counter() < end:
                executor.spin_once(0.0)
            while expected:
                executor.spin_once(1.0)
    tell(time.perf_counter() - begun, levels[:2])
    rclpy.shutdown()


def serve(number: int) -> None:
    """One model: the first counts up, the others follow it."""
    rclpy.init()
    node, executor = rclpy.create_node(f"tank_{number}"), make_executor()
    executor.add_node(node)
    output = node.create_publisher(Float64MultiArray, "outputs", DEPTH)
    level = 0.0

    def step(message: Float64MultiArray) -> None:
        nonlocal level
        level += 1.0 if number == 0 else SHARE * (message.data[0] - level)
        output.publish(Float64MultiArray(data=[float(number), level]))

    topic = "first" if number == 0 else "others"
    node.create_subscription(Float64MultiArray, topic, step, DEPTH)
    while True:
        executor.spin_until_future_complete(Future(), 0.2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]))
    else:
        main()
