"""Runs the stand-in in real time until it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from hetwin_commanding.obeying.faults import Fault
from hetwin_commanding.obeying.publishing import RobotTopics
from hetwin_commanding.obeying.robot import ObeyingRobot
from hetwin_suite.robot import PlanarPose
from hetwin_suite.runs import event_line, find_scenario, load_scenario


class RunningRobot:
    """A robot and its topics.

    Attributes:
        robot: itself.
        notes: notes for the user.
        topics: full names of what it publishes.
    """

    def __init__(self, robot: ObeyingRobot, topics: RobotTopics) -> None:
        self.robot, self._topics = robot, topics
        self.notes = robot.notes
        self.topics = topics.names

    def run(self, say: Callable[[str], None], over: Callable[[], bool] = lambda: False) -> None:
        """Step and publish in real time.

        Args:
            say: prints a line about what it refused.
            over: whether to stop; asked at each step.
        """
        robot = self.robot
        robot.start_clock()
        step = 0
        while not over():
            robot.wait()
            if not robot.silent:
                self._topics.publish(step)
            for event in robot.step():
                say(event_line(event))
            step += 1


@contextmanager
def obeying(
    scenario: str,
    namespace: str = "",
    seed: int = 0,
    fault: Fault | None = None,
    packages: Mapping[str, str] | None = None,
    start: PlanarPose | None = None,
) -> Iterator[RunningRobot]:
    """The robot of a scenario, ready to obey; it is closed at the end.

    Args:
        scenario: scenario file, or name of one of hetwin's.
        namespace: namespace of its topics.
        seed: of what the twin does not know of it.
        fault: what goes wrong; None: nothing.
        packages: name of a package:// -> its folder, beside those of the scenario.
        start: where its base truly begins; None: where the scenario has it.

    Raises:
        BadInput: if the scenario, its files or its robot cannot be used.
    """
    loaded = load_scenario(find_scenario(scenario))
    robot = ObeyingRobot(loaded, namespace, seed, fault, packages, start)
    try:
        topics = RobotTopics(namespace, robot)
        try:
            yield RunningRobot(robot, topics)
        finally:
            topics.close()
    finally:
        robot.close()
