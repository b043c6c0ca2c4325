"""The base class of models that observe one state of each entity with a functional attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from hetwin_household.boolean_attribute import BooleanAttribute
from hetwin_suite.model import Changes, Contribution, Model, Parameters, Selection, Tick

Settings = TypeVar("Settings", bound=Parameters)
Entities = Mapping[str, Mapping[str, Any]]
"""Entity with a functional attribute -> the parameters of the attribute."""


class StateModel(Model[Settings], Generic[Settings]):
    """Observes at each step whether a state of each entity holds, and raises events when it changes.

    The state is the first attribute in `provides`. The first event in `raises` is raised when the state starts to hold,
    the second when it ends.

    Attributes:
        is_false_at_start: whether the state is known not to hold at the start, so that its first change is an event.
    """

    is_false_at_start: ClassVar[bool] = False

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the state of all entities."""
        self.entities = self.affected(settings)
        begin_event, end_event = self.raises
        name = self.provides[0].name
        self.attribute = BooleanAttribute(
            name, self.entities, begin_event, end_event, is_false_at_start=self.is_false_at_start
        )
        self.attribute.contribute(scene)
        scene.needs(*self.reads())

    def step(self, tick: Tick) -> Changes:
        """Evaluate the state of each entity."""
        changes = tick.changes()
        for name in self.entities:
            self.attribute.write(name, holds=self.holds(name, tick), changes=changes)
        return changes

    @abstractmethod
    def affected(self, settings: Settings) -> Entities:
        """Return the entities with their parameters."""

    @abstractmethod
    def reads(self) -> Iterable[Selection]:
        """Return the selections of the scene that `holds` reads."""

    @abstractmethod
    def holds(self, name: str, tick: Tick) -> bool:
        """Whether the state of an entity holds now."""
