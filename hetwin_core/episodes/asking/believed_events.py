"""Events that the robot believes to have happened."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.episodes.asking.happenings import Happenings
from hetwin_core.episodes.asking.parsing.goal_reader import GoalReader
from hetwin_core.episodes.asking.terms import Atom
from hetwin_core.episodes.tables.rows import Happening, Interval, Status
from hetwin_core.episodes.tables.tables import Tables

PERCEIVED = "perceived"
ENDS = {"pick_up": "held", "picked_up": "held", "set_down": "on", "put_down": "on"}
"""Event -> the fluent of the goal at whose end the robot believes it."""
SECOND = {"held": "hand", "on": "support"}
"""Fluent -> name of its second argument, as of the event."""
SOURCE = "tasks"
"""Source of events that follow from the ends of tasks."""


class BelievedEvents:
    """Finds events in what the robot tells.

    Args:
        tables: of the episode.
        happenings: finds events.
        goals: reads the goals of tasks.
    """

    def __init__(self, tables: Tables, happenings: Happenings, goals: GoalReader) -> None:
        self._tables = tables
        self._happenings = happenings
        self._goals = goals

    def find(self, pattern: Atom, span: Interval) -> list[Happening]:
        """Return the events of a pattern in an interval.

        An event that follows from a task has the task's row.

        Raises:
            BadInput: if it is no event that the robot can believe.
        """
        if pattern.name == PERCEIVED:
            return self._happenings.find(pattern, span)
        if pattern.name not in ENDS:
            known = [PERCEIVED, *ENDS]
            raise BadInput(
                "the robot has no beliefs about this event",
                found=pattern.name,
                expected=one_of(pattern.name, known),
            )
        self._happenings.find(pattern, Interval(0, 0))  # which sees whether its entities are known
        made = self._ends(pattern.name)
        return [
            event
            for event in made
            if span.from_ns <= event.time_ns < span.to_ns
            and self._happenings.matches(event, pattern)
        ]

    def _ends(self, name: str) -> Iterator[Happening]:
        fluent = ENDS[name]
        for task in self._tables.tasks:
            if task.status is not Status.DONE or not task.goal.startswith(fluent):
                continue
            goal = self._goals.read(task)
            if isinstance(goal, Atom) and goal.name == fluent:
                names = ("object", SECOND[fluent])
                texts = [a for a in goal.arguments if isinstance(a, str)]
                arguments = dict(zip(names, texts, strict=False))
                yield Happening(
                    task.row, task.span.to_ns, name, SOURCE, {**arguments, "task": task.id}
                )
