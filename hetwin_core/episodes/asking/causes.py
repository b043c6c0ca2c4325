"""What caused an event: the touch or the release before it, what moved that in turn, and the task that did it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hetwin_core.episodes.asking.happenings import Happenings
from hetwin_core.episodes.asking.task_tree import TaskTree
from hetwin_core.episodes.expecting import Expectations
from hetwin_core.episodes.expecting.bodies import Bodies
from hetwin_core.episodes.tables.rows import Happening, Task

Cause: TypeAlias = "Happening | Task"

COLLISION = "collision"
LETTING_GO = ("released", "lost", "grip_lost", "let_go", "slipped")
"""Events after which an object may move by itself."""
BY_TASKS = (
    *(*LETTING_GO, "picked_up", "put_down", "pick_up", "set_down", "grasped", "grip_closed"),
    "perceived",
)
"""Events that tasks cause, without another event between."""
BEFORE_NS = 2_000_000_000
"""An event is caused by what happened at most so long before."""
SAME_NS = 150_000_000
"""Reports of one moment come so far apart, in any order."""
MOST = 8
"""A chain is never longer."""


class Causes:
    """Follows events back to tasks.

    An event about an object is caused by what touched the object last, or let go of it, within `BEFORE_NS`; what
    touched it is a link, or another object, whose own motion has a cause in turn. The first event of a chain is caused
    by the innermost task that went on; of several by that which may cause it, or else names one of its entities. A task
    is caused by those that it is a part of.

    Args:
        happenings: events of the episode.
        tree: its tasks.
        expectations: knows which tasks went on, and what they name.
    """

    def __init__(self, happenings: Happenings, tree: TaskTree, expectations: Expectations) -> None:
        self._happenings = happenings
        self._tree = tree
        self._expectations = expectations
        self._bodies: Bodies = expectations.bodies

    def of(self, effect: Happening) -> tuple[Cause, ...]:
        """Return the causes of an event, the nearest first; empty if none is known."""
        events = list(self._events(effect))
        first = events[-1] if events else effect
        task = self._task(first)
        return (*events, *((task, *self._tree.above(task)) if task is not None else ()))

    def _events(self, effect: Happening) -> Iterator[Happening]:
        """Yield the events that led to one, the nearest first."""
        seen = {effect.row}
        moved = self._moved(effect)
        time_ns = _begin(effect)
        while moved and len(seen) < MOST:
            cause = self._last(moved, time_ns, seen)
            if cause is None:
                return
            yield cause
            seen.add(cause.row)
            moved = [] if cause.name != COLLISION else self._others(cause, moved)
            time_ns = cause.time_ns

    def _moved(self, event: Happening) -> list[str]:
        """Return the objects about whose motion an event is; none of one that a task causes."""
        if event.name in BY_TASKS:
            return []
        named = [value for value in event.arguments.values() if isinstance(value, str)]
        if event.name == COLLISION and any(name in self._bodies.links for name in named):
            return []
        return [name for name in named if self._bodies.is_movable(name)]

    def _others(self, collision: Happening, moved: Sequence[str]) -> list[str]:
        """Return what touched an object, if it is an object that something else must have moved."""
        named = [value for value in collision.arguments.values() if isinstance(value, str)]
        return [name for name in named if name not in moved and self._bodies.is_movable(name)]

    def _last(self, moved: Sequence[str], time_ns: int, seen: set[int]) -> Happening | None:
        """Return the last event until a moment that can have moved one of some objects."""
        found = [
            event
            for name in (COLLISION, *LETTING_GO)
            for event in self._happenings.named(name)
            if time_ns - BEFORE_NS <= event.time_ns <= time_ns + SAME_NS
            and event.row not in seen
            and self._moves(event, moved)
        ]
        touches = [event for event in found if self._is_by_robot(event)]
        return max(touches or found, key=lambda event: (event.time_ns, event.row), default=None)

    def _moves(self, event: Happening, moved: Sequence[str]) -> bool:
        named = [value for value in event.arguments.values() if isinstance(value, str)]
        if not any(name in named for name in moved):
            return False
        others = [name for name in named if name not in moved]
        can_move = [n for n in others if self._bodies.is_movable(n) or n in self._bodies.links]
        return event.name in LETTING_GO or bool(can_move)

    def _is_by_robot(self, event: Happening) -> bool:
        named = event.arguments.values()
        return event.name in LETTING_GO or any(name in self._bodies.links for name in named)

    def _task(self, event: Happening) -> Task | None:
        """Return the innermost task that went on: that which may cause an event, names its entities, or began last."""
        near = self._expectations.near(event.time_ns)
        on = [task for task in near if task.span.from_ns <= event.time_ns <= task.span.to_ns]
        named = {value for value in event.arguments.values() if isinstance(value, str)}
        named |= {hand for name in named if (hand := self._bodies.hand_of(name))}
        may = [t for t in near if self._expectations.of(t, event.name, event.arguments)]
        about = [t for t in on or near if named & {*self._expectations.named.entities(t)}]
        best = [task for task in may if task in on] or may or about or on or near
        return max(best, key=lambda task: (task.span.from_ns, task.row), default=None)


def _begin(event: Happening) -> int:
    """Return when what an event reports began, which it may say itself."""
    begin = event.arguments.get("from")
    is_time = isinstance(begin, int | float) and not isinstance(begin, bool)
    return min(event.time_ns, round(begin * 1e9)) if is_time else event.time_ns  # type: ignore[operator]
