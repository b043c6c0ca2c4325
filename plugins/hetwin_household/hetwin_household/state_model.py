"""The skeleton of models that keep one state of each entity with a functional attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hetwin_core.ensemble.model import (
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_household.truths import Truths, truth

Entities = Mapping[str, Mapping[str, Any]]
"""The entities with a functional attribute, and its parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a model keeps.

    Attributes:
        name: of the attribute of the scene, which is true or false.
        begins, ends: events when it has come to hold and ceased to, each with its description.
        summary: of the model.
        rate: of the model [1/s].
        kind: of the model.
        known: whether it is known from the start not to hold, so that its first change is an event.
    """

    name: str
    begins: tuple[str, str]
    ends: tuple[str, str]
    summary: str
    rate: float
    kind: ModelKind = ModelKind.OBSERVER
    known: bool = False


class StateModel(Model):
    """Says at each step of each entity whether a state holds, and raises events when that changes."""

    state: ClassVar[State]

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        state = cls.state
        return ModelDescription(
            kind=state.kind,
            summary=state.summary,
            rate=state.rate,
            provides=(truth(state.name),),
            raises={event: f"{words}: object" for event, words in (state.begins, state.ends)},
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Contribute the state of all entities."""
        self.entities = self.read_settings(parameters)
        begins, ends = self.state.begins[0], self.state.ends[0]
        self.truths = Truths(self.state.name, self.entities, begins, ends, known=self.state.known)
        return Contribution(attributes=self.truths.starts(), reads=tuple(self.reads()))

    def step(self, tick: StepInput) -> StepOutput:
        """Look at each entity."""
        output = StepOutput(time_ns=tick.time_ns)
        for name in self.entities:
            self.truths.put(name, holds=self.holds(name, tick), output=output)
        return output

    @abstractmethod
    def read_settings(self, parameters: Mapping[str, Any]) -> Entities:
        """Read the settings; return the entities."""

    @abstractmethod
    def reads(self) -> Iterable[Selection]:
        """What of the scene `holds` looks at."""

    @abstractmethod
    def holds(self, name: str, tick: StepInput) -> bool:
        """Whether the state of an entity holds now."""
