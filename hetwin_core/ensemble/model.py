"""The contract that every model keeps (Bauer et al. (2022), section 3.2: interfaces of models)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.parameters import ParameterKind as ParameterKind
from hetwin_core.ensemble.parameters import ParameterRequest as ParameterRequest
from hetwin_core.ensemble.parameters import Parameters
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.layout import EVERYTHING, Entity, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import Table
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats, Value
from hetwin_core.ensemble.scene.watch import WatchLayout


class ModelKind(StrEnum):
    """What a model does."""

    SIMULATION = "simulation"
    """Predicts the next state."""
    OBSERVER = "observer"
    """Evaluates predicates on the current state."""


class Stepping(StrEnum):
    """What makes a model step."""

    SERVICE = "service"
    """The conductor calls and waits."""
    CLOCK = "clock"
    """The model follows the clock; the run does not wait, missed steps are counted."""
    FREE = "free"
    """The model runs at its own pace."""


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """What a model declares about itself.

    Attributes:
        kind: simulation or observer.
        summary: one sentence for `hetwin list models`.
        stepping: how it steps unless the scenario says otherwise.
        rate: steps per simulated second unless the scenario says otherwise; None: as the main model.
        provides: attributes that it can be responsible for.
        can_be_main: whether it can time the others.
        watched: whether it reports about its robot, see `Contribution.watch`.
        raises: events that it raises, by name: what has happened, and the event's arguments.
    """

    kind: ModelKind
    summary: str
    stepping: Stepping = Stepping.SERVICE
    rate: float | None = None
    provides: tuple[AttributeSpec, ...] = ()
    can_be_main: bool = False
    watched: bool = False
    raises: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttributeStart:
    """An attribute that a model brings into the scene, with its value at the start."""

    entity: str
    attribute: AttributeSpec
    value: Value


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a model adds to the scene at initialization.

    Attributes:
        entities: new entities; none may exist already.
        attributes: new attributes of entities, its own or another model's; the model owns them at the start.
        reads: what its snapshots must hold, the `tables` of the world as well; all else may be out of date in them.
        warnings: elements of its input that it ignores, by name.
        duration_ns: main model only: when the source ends, if that is known.
        robot_description: main model only: the URDF of the only robot.
        engine: main model only: name and version of what it computes with.
        shown: main model only: where other programs see what it computes, as text by name: ``by`` a program, and more.
        reproducible: whether the same input gives the same bits, in any process.
        watch: main model only: the robots about which its outputs report.
        robot_descriptions: main model only: the URDF of each of several robots, by name.
    """

    entities: tuple[Entity, ...] = ()
    attributes: tuple[AttributeStart, ...] = ()
    reads: tuple[Selection, ...] = EVERYTHING
    warnings: tuple[str, ...] = ()
    duration_ns: int | None = None
    robot_description: str = ""
    engine: str = ""
    shown: Mapping[str, str] = field(default_factory=dict)
    reproducible: bool = True
    watch: WatchLayout | None = None
    robot_descriptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepInput:
    """What a model gets for one step.

    Attributes:
        time_ns: the time to step to, in nanoseconds since the start of the run.
        period_ns: simulated time since the model's last step.
        scene: the snapshot that the model works on.
        events: all events since the model's last step, in order.
        foreign: main model only: (entity, attribute) -> value of what others are responsible for.
    """

    time_ns: int
    period_ns: int
    scene: Snapshot
    events: tuple[Event, ...] = ()
    foreign: Mapping[tuple[str, str], Value] = field(default_factory=dict)


class RequestKind(StrEnum):
    """What a model asks of the conductor about a responsibility."""

    TAKE = "take"
    GIVE_BACK = "give_back"


@dataclass(frozen=True, slots=True)
class Request:
    """A model asks for a responsibility, or gives one back to the main model."""

    kind: RequestKind
    entity: str
    attribute: str


@dataclass(slots=True, kw_only=True)
class StepOutput:
    """What a step of a model returns; only what the model is responsible for is written back.

    Fields are given by keyword. What is the main model's only fails the step of any other model.

    Attributes:
        time_ns: the time that the model is at now; must be the time asked for.
        values: (entity, attribute) -> value.
        block: main model only: the numbers of all that it contributed, in that order, poses in the world frame;
            instead of `values`.
        tables: main model only: those that it has made in this step, by name; see `scene.tables`.
        events: what it observed.
        requests: responsibilities that it asks for or gives back.
        ended: main model only: the source has ended.
        input_ns: main model of a live robot only: when the newest joint sample in its state was measured, in the
            system time of this machine [ns].
        late: main model of a live robot only: the twin is too far behind; other models should step less often.
    """

    time_ns: int
    values: dict[tuple[str, str], Value] = field(default_factory=dict)
    block: Floats | None = None
    tables: dict[str, Table] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    ended: bool = False
    input_ns: int | None = None
    late: bool = False


class Model(ABC):
    """A simulation or an observer.

    The conductor drives it: `parameters`, `initialize`, `start`, then `step` with `take`, `release` and
    `command` between steps, and `stop`. The constructor takes no arguments and does nothing costly.
    Randomness comes only from a generator seeded with `initialize`'s seed.

    Attributes:
        settings_class: the parameters as a class, if the model has them so; `initialize` reads them with its `read`.
        thresholds: parameters that `compares` compares with something, so that they can be learned from episodes.
        watching: parameters with which it changes nothing of what it compares, for learning them.
    """

    settings_class: ClassVar[type[Parameters] | None] = None
    thresholds: ClassVar[tuple[str, ...]] = ()
    watching: ClassVar[Mapping[str, Json]] = {}

    @classmethod
    @abstractmethod
    def describe(cls) -> ModelDescription:
        """What the model is; called before an instance exists."""

    def parameters(self) -> Sequence[ParameterRequest]:
        """Which parameters `initialize` needs."""
        return () if self.settings_class is None else self.settings_class.requests()

    @abstractmethod
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Get ready with the resolved parameters.

        Raises:
            BadInput: if a parameter cannot be used.
        """

    def start(self, scene: Snapshot) -> None:
        """The run begins; the layout of `scene` holds until `stop`."""

    @abstractmethod
    def step(self, tick: StepInput) -> StepOutput:
        """Advance to `tick.time_ns`."""

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Become responsible for an attribute, with its value.

        Raises:
            Refused: if the model cannot; nothing has changed then.
        """
        raise Refused(f"{type(self).__name__} cannot be responsible for {entity}.{attribute}")

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Stop being responsible for an attribute, and return its value at `scene.time_ns`.

        Poses are returned in the world frame.

        Raises:
            Refused: if the model is not responsible for it, or keeps it.
        """
        raise Refused(f"{type(self).__name__} is not responsible for {entity}.{attribute}")

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Go on from another value of an attribute that the model is responsible for.

        Raises:
            Refused: if the model cannot; it goes on from its own value then.
        """
        before = self.release(entity, attribute, scene)
        try:
            self.take(entity, attribute, value, scene)
        except Refused:
            self.take(entity, attribute, before, scene)
            raise

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Go on with other values of some of the parameters that `initialize` got; of none, it may get ready to.

        Raises:
            Refused: if the model cannot change one of them in a run; none has changed then.
        """
        if parameters:
            names = ", ".join(parameters)
            raise Refused(f"{type(self).__name__} cannot change {names} in a run")

    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return what is compared with each of `thresholds` now; the model acts where all are at most theirs.

        Called between two steps of a run from which thresholds are learned.

        Returns:
            Parameter -> quantity, in the parameter's unit; None if it would not act now, whatever they are.
        """
        return None

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command of the model's own, for a trigger.

        Raises:
            Refused: if the model has no such command.
        """
        raise Refused(f"{type(self).__name__} has no command {name!r}")

    def save(self) -> Mapping[str, Plain]:
        """Return all that the model has computed or learned since `start`, for `restore`; called between two steps.

        This implementation records the model's attributes and what hangs on them: numbers, texts, collections, arrays,
        generators of random numbers, and instances of classes written in Python. A model whose state is elsewhere,
        such as in a library, does it itself.

        Returns:
            Data without objects: what JSON can express, and numpy arrays.

        Raises:
            Refused: if the state cannot be saved; the text says what cannot.
        """
        saved = record(self, name=type(self).__name__)
        assert isinstance(saved, dict)
        return saved

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Continue from a saved state; called after `start`, with the parameters and the scene of the saved model.

        Its next step gives what the saved model's next step would have given, to the bit.

        Args:
            saved: as `save` returned it.
            scene: as it was at that time.

        Raises:
            Refused: if it is not a state of this model.
        """
        name, package = type(self).__name__, type(self).__module__.partition(".")[0]
        if rebuild(dict(saved), self, (package,), name, [scene.layout]) is not self:
            raise Unsaveable(f"this is not the state of a {name}")

    def stop(self) -> None:
        """The run is over; free what is held."""
