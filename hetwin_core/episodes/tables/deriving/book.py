"""What was found in a log so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.deriving.scene_index import SceneIndex
from hetwin_core.episodes.tables.deriving.spans import Change
from hetwin_core.episodes.tables.occasion_list import Stretch
from hetwin_core.episodes.tables.rows import DERIVED, Happening
from hetwin_core.episodes.tables.timeline import Timeline


@dataclass
class Book:
    """Occasions and events, each of which keeps its number.

    Attributes:
        stretches: occasions.
        of_fluent: the numbers of those of each fluent.
        happenings: events.
        places: thing -> its occasions of ``loc``, each with the pose (7,) in the world.
    """

    stretches: list[Stretch] = field(default_factory=list)
    of_fluent: dict[str, list[int]] = field(default_factory=dict)
    happenings: list[Happening] = field(default_factory=list)
    places: defaultdict[str, list[tuple[Stretch, Floats]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def begin_occasion(self, fluent: str, a: str, b: str, from_ns: int) -> Stretch:
        """Enter an occasion that begins."""
        stretch = Stretch(fluent, a, b, from_ns)
        self.of_fluent.setdefault(fluent, []).append(len(self.stretches))
        self.stretches.append(stretch)
        return stretch

    def happen(
        self, time_ns: int, name: str, arguments: Mapping[str, Json], source: str = DERIVED
    ) -> None:
        """Enter an event."""
        row = len(self.happenings)
        self.happenings.append(Happening(row, time_ns, name, source, arguments))


@dataclass(frozen=True, slots=True)
class Batch:
    """The states that follow.

    Attributes:
        states: of a chunk.
        first: number of the first of them in the log.
        timeline: times of all states, these included.
        index: of the scene.
    """

    states: States
    first: int
    timeline: Timeline
    index: SceneIndex

    @property
    def newest(self) -> int:
        """Number of the last state."""
        return len(self.timeline) - 1


Names = Callable[[int], tuple[str, str]]


class StretchesByKey:
    """Enters the spans of one fluent as occasions.

    Args:
        fluent: its name.
        names: key -> the entities that it is about.
        book: to enter them in.
    """

    def __init__(self, fluent: str, names: Names, book: Book) -> None:
        self._fluent = fluent
        self._names = names
        self._book = book
        self._open: dict[int, Stretch] = {}

    def enter(self, changes: Iterable[Change], timeline: Timeline) -> list[tuple[Stretch, Change]]:
        """Enter changes; returns each with its occasion."""
        entered = []
        for change in changes:
            time_ns = timeline.time(change.state)
            if change.begins:
                stretch = self._book.begin_occasion(self._fluent, *self._names(change.key), time_ns)
                self._open[change.key] = stretch
            else:
                stretch = self._open.pop(change.key)
                stretch.to_ns = time_ns
            entered.append((stretch, change))
        return entered
