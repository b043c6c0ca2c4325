"""A robot's program that records its tasks while it is planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from hetwin_stand_ins.motion import Program
from hetwin_suite.episode import ProgramMessages
from hetwin_suite.model import Json


@dataclass
class Service:
    """A program and its tasks; tasks and actions are named by their operation and a count, e.g. ``place.1``.

    Attributes:
        program: motion and annotations.
        messages: messages about tasks.
        times: task or action -> its start and end [s].
    """

    program: Program
    messages: ProgramMessages = field(default_factory=ProgramMessages)
    times: dict[str, tuple[float, float]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _active: list[str] = field(default_factory=list)

    @contextmanager
    def task(
        self,
        operation: str,
        *,
        goal: str = "",
        after: Sequence[str] = (),
        failure: str = "",
        **variables: Json,
    ) -> Iterator[None]:
        """Record a task that is active while the block is planned, as a part of the enclosing one.

        Args:
            operation: name of the operation, e.g. ``place``.
            goal: an expression.
            after: tasks that must end before.
            failure: reason why the task fails at its end; empty: it succeeds.
            variables: variables of the task.
        """
        name, begin = self._next_name(operation), self.program.now
        self.messages.task(
            *(begin, name, "active", operation),
            goal=goal,
            parent=self._active[-1] if self._active else "",
            after=after,
            variables=variables,
        )
        self._active.append(name)
        yield
        self._active.pop()
        end = self.program.now
        self.messages.task(end, name, "failed" if failure else "done", reason=failure)
        self.times[name] = begin, end

    @contextmanager
    def doing(self, operation: str, arguments: Mapping[str, Json]) -> Iterator[None]:
        """Annotate an action with its start and end, as a part of the active task."""
        name, begin = self._next_name(operation), self.program.now
        parent = {"parent": self._active[-1]} if self._active else {}
        with self.program.doing(operation, {**arguments, "task": name, **parent}):
            yield
        self.times[name] = begin, self.program.now

    def _next_name(self, operation: str) -> str:
        self._counts[operation] += 1
        return f"{operation}.{self._counts[operation]}"
