"""Runs the simulated robot in real time until it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from hetwin_commanding.obeying.faults import Fault
from hetwin_commanding.obeying.publishing import RobotTopics
from hetwin_commanding.obeying.robot import ObeyingRobot
from hetwin_suite.robot import PlanarPose
from hetwin_suite.runs import event_line, find_scenario, load_scenario


class RunningRobot:
    """A simulated robot and its topics.

    Attributes:
        robot: the robot.
        notes: notes for the user.
        topics: full names of the published topics.
    """

    def __init__(self, robot: ObeyingRobot, topics: RobotTopics) -> None:
        self.robot, self._topics = robot, topics
        self.notes = robot.notes
        self.topics = topics.names

    def run(self, say: Callable[[str], None], over: Callable[[], bool] = lambda: False) -> None:
        """Step and publish in real time.

        Args:
            say: prints a line about refused commands.
            over: returns whether to stop; called at each step.
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
    """Open the simulated robot of a scenario; it is closed at the end of the context.

    Args:
        scenario: path of a scenario file, or name of one of hetwin's.
        namespace: namespace of its topics.
        seed: seed of the mismatch between this robot and its description.
        fault: the fault; None: none.
        packages: package name -> its folder, in addition to those of the scenario.
        start: actual initial pose of its base; None: the scenario's.

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
