"""The skeleton of models that keep one state of each entity with a functional attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from hetwin_household.truths import Truths
from hetwin_suite.model import Changes, Contribution, Model, Parameters, Selection, Tick

Settings = TypeVar("Settings", bound=Parameters)
Entities = Mapping[str, Mapping[str, Any]]
"""The entities with a functional attribute, and its parameters."""


class StateModel(Model[Settings], Generic[Settings]):
    """Says at each step of each entity whether a state holds, and raises events when that changes.

    The state is the first attribute that the model provides; of the events that it raises, the first is of the state's
    beginning and the second of its end.

    Attributes:
        known: whether it is known from the start not to hold, so that its first change is an event.
    """

    known: ClassVar[bool] = False

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the state of all entities."""
        self.entities = self.affected(settings)
        begins, ends = self.raises
        name = self.provides[0].name
        self.truths = Truths(name, self.entities, begins, ends, known=self.known)
        self.truths.begin(scene)
        scene.needs(*self.reads())

    def step(self, tick: Tick) -> Changes:
        """Look at each entity."""
        changes = tick.changes()
        for name in self.entities:
            self.truths.put(name, holds=self.holds(name, tick), changes=changes)
        return changes

    @abstractmethod
    def affected(self, settings: Settings) -> Entities:
        """Return the entities."""

    @abstractmethod
    def reads(self) -> Iterable[Selection]:
        """What of the scene `holds` looks at."""

    @abstractmethod
    def holds(self, name: str, tick: Tick) -> bool:
        """Whether the state of an entity holds now."""
