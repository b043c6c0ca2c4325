"""The tasks of a robot's program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.tasks import Status
from model_nodes.robot_program.errors import Failed
from model_nodes.robot_program.telling import Telling


class Task:
    """A task: a block of a program as a context manager, or from `begin` to `end`.

    ``with robot.task("deliver", goal='on("box", "tray")') as task:`` is active during the block, and done after it. If
    the block raises `Failed`, or anything else, it has failed, and the exception goes on.

    Attributes:
        id: unique in the episode, e.g. ``deliver.1``.
        operation: e.g. ``deliver``.
        variables: those that it has been given, by name.
    """

    def __init__(
        self,
        telling: Telling,
        active: list[Task],
        operation: str,
        goal: str,
        after: Sequence[str],
        variables: Mapping[str, Json],
    ) -> None:
        self._telling, self._active = telling, active
        self.id, self.operation = telling.name(operation), operation
        self.variables = dict(variables)
        self._goal, self._after = goal, tuple(after)
        self._parent = active[-1].id if active else ""
        self._ended = False
        self._say(Status.CREATED)

    def begin(self) -> Self:
        """Say that it is active; returns itself."""
        self._say(Status.ACTIVE)
        return self

    def set(self, **variables: Json) -> None:
        """Give variables of the task other values: what the program believes now."""
        self.variables.update(variables)
        self._say(Status.ACTIVE)

    def end(self) -> None:
        """Say that it is done."""
        self._finish(Status.DONE)

    def fail(self, reason: str) -> None:
        """Say that it has failed, and why; the program goes on."""
        self._finish(Status.FAILED, reason)

    def cancel(self) -> None:
        """Say that it is given up."""
        self._finish(Status.CANCELLED)

    def __enter__(self) -> Self:
        self._active.append(self)
        return self.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._active.remove(self)
        if error is None:
            self.end()
        elif isinstance(error, Failed):
            error.told = True
            self.fail(str(error))
        else:
            self.fail(f"{type(error).__name__}: {error}")

    def _finish(self, status: Status, reason: str = "") -> None:
        if not self._ended:
            self._ended = True
            self._say(status, reason)

    def _say(self, status: Status, reason: str = "") -> None:
        self._telling.task(
            self.id,
            status,
            self.operation,
            goal=self._goal,
            parent=self._parent,
            after=self._after,
            reason=reason,
            variables=self.variables,
        )
