"""The contract of models in version 0.1, which is still supported.

A class that is derived from this `Model` runs like a current one: its description becomes its declaration, and its
`StepInput`, `StepOutput` and `Contribution` are converted from and to the current classes. This module will be
removed with the minor version after the next.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    MainChanges,
    MainContribution,
    MainTick,
    Stepping,
)
from hetwin_core.ensemble.model import Model as CurrentModel
from hetwin_core.ensemble.model_abilities import rebuild_attributes, record_attributes, take_anew
from hetwin_core.ensemble.parameters import File, Hand, ParameterRequest, Pose
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot, Table
from hetwin_core.ensemble.scene.values import AttributeSpec, Value

StepInput = MainTick
ResolvedHand = Hand
"""See `parameters.Hand`."""
ResolvedPath = File
"""See `parameters.File`."""
ResolvedPose = Pose
"""See `parameters.Pose`."""
PAGE = "docs/writing_a_model.md"


class ModelKind(StrEnum):
    """The role of a model; it has no effect."""

    SIMULATION = "simulation"
    OBSERVER = "observer"


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The declaration of a model; see the attributes of `Model`."""

    kind: ModelKind
    summary: str
    stepping: Stepping = Stepping.SERVICE
    rate: float | None = None
    provides: tuple[AttributeSpec, ...] = ()
    can_be_main: bool = False
    watched: bool = False
    raises: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Contribution(MainContribution):
    """The contribution of a model to the scene; `reads_proximity` adds the proximity table to `reads`."""

    reads_proximity: bool = field(default=True, kw_only=True)


class StepOutput(MainChanges):
    """The output of a step; `proximity` becomes the table of this name."""

    def __init__(self, *, time_ns: int, proximity: Any = None, **fields: Any) -> None:
        super().__init__(time_ns, **fields)
        if proximity is not None:
            self.tables[PROXIMITY] = Table(proximity)


class Model(CurrentModel):
    """A model written against the contract of version 0.1."""

    watched: ClassVar[bool]
    requested: ClassVar[Sequence[ParameterRequest]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        text = f"{cls.__module__}:{cls.__qualname__} keeps the contract of models of hetwin 0.1"
        warnings.warn(f"{text}; {PAGE} shows the current one", DeprecationWarning, stacklevel=3)

    @classmethod
    @abstractmethod
    def describe(cls) -> ModelDescription:
        """The declaration of the model; called before an instance exists."""

    @classmethod
    def declare(cls) -> None:
        """Declare the model's description."""
        described = cls.describe()
        cls.summary, cls.rate, cls.stepping = described.summary, described.rate, described.stepping
        cls.provides, cls.raises = described.provides, described.raises
        cls.can_be_main, cls.watched = described.can_be_main, described.watched
        cls.requested = cls().parameters()

    def parameters(self) -> Sequence[ParameterRequest]:
        """The parameters that `initialize` needs."""
        return self.settings_class.requests()

    @classmethod
    def requests(cls) -> Sequence[ParameterRequest]:
        """The parameters that the conductor resolves."""
        return cls.requested

    @abstractmethod
    def initialize(  # type: ignore[override]
        self, parameters: Mapping[str, Any], seed: int
    ) -> Contribution:
        """Prepare the model with the resolved parameters."""

    def contribute(self, values: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model, as the conductor does."""
        contribution = self.initialize(values, seed)
        if not isinstance(contribution, Contribution):
            raise TypeError(f"it returns {type(contribution).__name__}; expected a Contribution")
        if contribution.reads_proximity:
            contribution.reads = (*contribution.reads, Selection("*", PROXIMITY))
        return contribution

    @abstractmethod
    def step(self, tick: StepInput) -> StepOutput:
        """Advance to `tick.time_ns`."""

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """See `Responsible.take`."""
        raise Refused(f"{type(self).__name__} cannot be responsible for {entity}.{attribute}")

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """See `Responsible.release`."""
        raise Refused(f"{type(self).__name__} is not responsible for {entity}.{attribute}")

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """See `Commanded.command`."""
        raise Refused(f"{type(self).__name__} has no command {name!r}")

    place = take_anew
    save = record_attributes
    restore = rebuild_attributes
