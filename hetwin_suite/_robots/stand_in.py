"""A model that stands in for the real robot of its scenario; `hetwin robot obey` runs it without the twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.scenario import Scenario


class Obeying(Protocol):
    """A robot that takes commands in real time."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user."""

    @property
    def topics(self) -> Sequence[str]:
        """Full names of its topics."""

    def run(self, say: Callable[[str], None], over: Callable[[], bool]) -> None:
        """Obey until it is over.

        Args:
            say: prints a line about refused commands.
            over: whether to stop; asked at each step.
        """


@runtime_checkable
class StandIn(Protocol):
    """A class of models that can be run alone, as the robot that another model commands."""

    def obeying(
        self, scenario: Scenario, controller: str, namespace: str, seed: int | None
    ) -> AbstractContextManager[Obeying]:
        """Return the robot, ready to obey; it is closed at the end.

        Args:
            scenario: with the robot.
            controller: name of the model that moves it.
            namespace: of its topics.
            seed: of its hidden parameters; None: none.

        Raises:
            BadInput: if the scenario has no such robot.
            ImportError: if ROS 2 is not there.
        """
