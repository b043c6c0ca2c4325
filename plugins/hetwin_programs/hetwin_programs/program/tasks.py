"""Messages of a robot's program about its tasks and beliefs, as a real robot publishes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from hetwin_programs.program.messages import Failed
from hetwin_suite.model import WORLD, Event, Json
from hetwin_suite.source import (
    ANNOTATIONS,
    BELIEFS,
    LOC,
    PERCEPT,
    TASKS,
    BeliefFields,
    TaskFields,
    TaskStatus,
    announce,
    belief_event,
    task_event,
)

VISIBLE = "visible"


@dataclass
class Outbox:
    """Collects messages; they get their time when they are sent.

    Attributes:
        scope: prefix of all ids.
        events: messages that have not been sent yet.
    """

    scope: str = ""
    events: list[Event] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)

    def take(self) -> list[Event]:
        """Return the messages since the last call."""
        taken, self.events = self.events, []
        return taken

    def name(self, operation: str) -> str:
        """Return an id for a task or an action, e.g. ``place.2``."""
        self._counts[operation] += 1
        return f"{self.scope}{operation}.{self._counts[operation]}"

    def task(
        self,
        name: str,
        status: TaskStatus,
        operation: str,
        *,
        goal: str = "",
        parent: str = "",
        after: Sequence[str] = (),
        reason: str = "",
        variables: Mapping[str, Json] | None = None,
    ) -> None:
        """Report the status of a task, see ``hetwin/msg/Task``."""
        fields = TaskFields(
            name,
            parent,
            tuple(after),
            operation,
            goal,
            status.value,
            reason,
            json.dumps(dict(variables)) if variables else "",
        )
        self.events.append(task_event(fields, 0, TASKS.logged_name))

    def action(self, operation: str, phase: str, arguments: Mapping[str, Json]) -> None:
        """Report the phase of an action, see ``hetwin/msg/ActionAnnotation``."""
        self.events.append(announce(operation, phase, arguments, 0, ANNOTATIONS.logged_name))

    def believe(self, fluent: str, *entities: str, holds: bool = True, origin: str = "") -> None:
        """Report that a fluent holds, or does not, as the robot believes; see ``hetwin/msg/Belief``."""
        self._belief(BeliefFields(fluent, entities, holds, origin=origin))

    def believe_at(
        self,
        entity: str,
        pose: Sequence[float],
        *,
        frame: str = WORLD,
        origin: str = "",
    ) -> None:
        """Report the believed pose of an entity: x y z [m], qw qx qy qz in a frame."""
        self._belief(
            BeliefFields(LOC, (entity,), True, frame, tuple(map(float, pose)), origin=origin)
        )

    def perceive(self, entity: str, pose: Sequence[float], confidence: float) -> None:
        """Report a percept, with its pose in the world."""
        position = tuple(map(float, pose))
        self._belief(BeliefFields(LOC, (entity,), True, WORLD, position, confidence, PERCEPT))

    def _belief(self, fields: BeliefFields) -> None:
        self.events.append(belief_event(fields, 0, BELIEFS.logged_name))


class Task:
    """A task: a block of a program as a context manager, or from `begin` to `end`.

    ``with robot.task("deliver", goal='on("box", "tray")') as task:`` is active during the block, and done after it. If
    the block raises `Failed` or any other exception, the task has failed, and the exception propagates.

    Attributes:
        id: unique in the episode, for example ``deliver.1``.
        operation: for example ``deliver``.
        variables: variables of the task, by name.
    """

    def __init__(
        self,
        outbox: Outbox,
        active: list[Task],
        operation: str,
        goal: str,
        after: Sequence[str],
        variables: Mapping[str, Json],
    ) -> None:
        self._outbox, self._active = outbox, active
        self.id, self.operation = outbox.name(operation), operation
        self.variables = dict(variables)
        self._goal, self._after = goal, tuple(after)
        self._parent = active[-1].id if active else ""
        self._ended = False
        self._report(TaskStatus.CREATED)

    def begin(self) -> Self:
        """Report that the task is active; returns the task."""
        self._report(TaskStatus.ACTIVE)
        return self

    def set(self, **variables: Json) -> None:
        """Change variables of the task, that is, the program's current beliefs."""
        self.variables.update(variables)
        self._report(TaskStatus.ACTIVE)

    def end(self) -> None:
        """Report that the task is done."""
        self._finish(TaskStatus.DONE)

    def fail(self, reason: str) -> None:
        """Report that the task has failed, and why; the program continues."""
        self._finish(TaskStatus.FAILED, reason)

    def cancel(self) -> None:
        """Report that the task is cancelled."""
        self._finish(TaskStatus.CANCELLED)

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
            error.reported = True
            self.fail(str(error))
        else:
            self.fail(f"{type(error).__name__}: {error}")

    def _finish(self, status: TaskStatus, reason: str = "") -> None:
        if not self._ended:
            self._ended = True
            self._report(status, reason)

    def _report(self, status: TaskStatus, reason: str = "") -> None:
        self._outbox.task(
            self.id,
            status,
            self.operation,
            goal=self._goal,
            parent=self._parent,
            after=self._after,
            reason=reason,
            variables=self.variables,
        )
