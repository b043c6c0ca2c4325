"""Protocol of models that simulate the real robot of a scenario; `hetwin robot obey` runs one without the twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.scenario import Scenario


class CommandedRobot(Protocol):
    """A simulated robot that executes commands in real time."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user."""

    @property
    def topics(self) -> Sequence[str]:
        """Fully qualified names of its topics."""

    def run(self, say: Callable[[str], None], over: Callable[[], bool]) -> None:
        """Execute commands until `over` returns True.

        Args:
            say: prints a line about a refused command.
            over: returns whether to stop; called at each step.
        """


@runtime_checkable
class StandIn(Protocol):
    """A model class that can run alone, as the robot that the scenario's controller commands."""

    def obeying(
        self, scenario: Scenario, controller: str, namespace: str, seed: int | None
    ) -> AbstractContextManager[CommandedRobot]:
        """Return the robot, ready for commands, as a context that closes it.

        Args:
            scenario: the scenario with the robot.
            controller: name of the model that moves the robot.
            namespace: namespace of its topics.
            seed: seed of its hidden parameters; None: it has none.

        Raises:
            BadInput: if the scenario has no such robot.
            ImportError: if ROS 2 is not installed.
        """
