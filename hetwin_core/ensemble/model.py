"""The contract of all models (Bauer et al. (2022), section 3.2: interfaces of models).

Further abilities, such as taking a responsibility, are in `model_abilities`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeAlias, get_args

import numpy as np
from typing_extensions import TypeVar

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.parameters import ParameterRequest, Parameters
from hetwin_core.ensemble.scene.layout import EVERYTHING, Entity, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot, Table
from hetwin_core.ensemble.scene.values import WORLD, AttributeSpec, Floats, Value
from hetwin_core.ensemble.scene.watch import WatchLayout

Settings = TypeVar("Settings", bound=Parameters, default=Any)
Attribute: TypeAlias = AttributeSpec | str
"""An attribute of an entity, or its name."""
Numbers: TypeAlias = float | Sequence[float] | Floats
"""The numbers of an attribute; they are copied."""


class Stepping(StrEnum):
    """How a model is stepped."""

    SERVICE = "service"
    """The conductor calls and waits."""
    CLOCK = "clock"
    """The model follows the clock; the run does not wait, missed steps are counted."""
    FREE = "free"
    """The model runs at its own pace."""


@dataclass(frozen=True, slots=True)
class AttributeStart:
    """An attribute that a model brings into the scene, with its value at the start."""

    entity: str
    attribute: AttributeSpec
    value: Value


@dataclass(slots=True)
class Contribution:
    """A model's contribution to the scene at initialization.

    Attributes:
        entities: new entities; none may exist already.
        attributes: new attributes of entities, its own or another model's; the model owns them at the start.
        reads: attributes and `tables` of the world that its snapshots must hold; everything else in them may be
            outdated.
        warnings: names of elements of its input that it ignores.
        reproducible: whether the same input gives the same bits, in any process.
        provides: attributes that the model declares.
    """

    entities: Sequence[Entity] = ()
    attributes: Sequence[AttributeStart] = ()
    reads: Sequence[Selection] = EVERYTHING
    warnings: Sequence[str] = field(default=(), kw_only=True)
    reproducible: bool = field(default=True, kw_only=True)
    provides: Sequence[AttributeSpec] = field(default=(), kw_only=True)

    def add(self, entity: Entity) -> None:
        """Add an entity that the scene does not have."""
        self.entities = (*self.entities, entity)

    def set(self, entity: str, attribute: Attribute, numbers: Numbers, frame: str = WORLD) -> None:
        """Add an attribute to an entity, with its value at the start.

        Raises:
            ValueError: if the attribute is given by a name that the model does not provide.
        """
        spec = attribute if isinstance(attribute, AttributeSpec) else self._provided(attribute)
        start = AttributeStart(
            entity, spec, Value(np.array(numbers, np.float64, ndmin=1), 0, frame)
        )
        self.attributes = (*self.attributes, start)

    def _provided(self, name: str) -> AttributeSpec:
        known = {spec.name: spec for spec in self.provides}
        if name not in known:
            names = ", ".join(known) or "nothing"
            raise ValueError(f"the model does not provide {name!r}; it provides {names}")
        return known[name]

    def needs(self, *selections: tuple[str, str]) -> None:
        """Declare the attributes that `step` reads of the scene; without this call, everything.

        Args:
            selections: entity and attribute, or patterns of them; ``*`` and a table of the world. No selection:
                nothing.
        """
        self.reads = tuple(Selection(*selection) for selection in selections)

    def warn(self, text: str) -> None:
        """Add a warning about a part of the model's input that it ignores."""
        self.warnings = (*self.warnings, text)


@dataclass(slots=True)
class MainContribution(Contribution):
    """The main model's contribution to the scene, with its source and its robots.

    Attributes:
        duration_ns: end of the source, if known.
        robot_description: the URDF of the only robot.
        engine: name and version of its physics engine.
        shown: addresses at which other programs show its world, by name: ``by`` (the program), and more.
        watch: the robots that its steps report about.
        robot_descriptions: the URDF of each of several robots, by name.
    """

    duration_ns: int | None = field(default=None, kw_only=True)
    robot_description: str = field(default="", kw_only=True)
    engine: str = field(default="", kw_only=True)
    shown: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    watch: WatchLayout | None = field(default=None, kw_only=True)
    robot_descriptions: Mapping[str, str] = field(default_factory=dict, kw_only=True)


class RequestKind(StrEnum):
    """A model's request to the conductor about a responsibility."""

    TAKE = "take"
    GIVE_BACK = "give_back"
    LEAVE = "leave"
    """To leave the run that the model has joined, with all its responsibilities; without entity and attribute."""


@dataclass(frozen=True, slots=True)
class Request:
    """A model's request to take a responsibility, or to give one back to the main model."""

    kind: RequestKind
    entity: str
    attribute: str


@dataclass(slots=True)
class Changes:
    """The output of a model's step; made by `Tick.changes`.

    Attributes:
        time_ns: the time of the step.
        values: (entity, attribute) -> value; only attributes that the model is responsible for are written.
        events: its observations.
        requests: responsibilities that it requests or gives back.
    """

    time_ns: int
    values: dict[tuple[str, str], Value] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def set(self, entity: str, attribute: Attribute, numbers: Numbers, frame: str = WORLD) -> Self:
        """Set an attribute; for a pose, `frame` is the entity in whose frame it is given."""
        name = attribute if isinstance(attribute, str) else attribute.name
        self.values[entity, name] = Value(
            np.array(numbers, np.float64, ndmin=1), self.time_ns, frame
        )
        return self

    def event(self, name: str, since_ns: int | None = None, /, **arguments: Json) -> Self:
        """Raise an event at the time of the step, or at an earlier time [ns]."""
        at = self.time_ns if since_ns is None else since_ns
        self.events.append(Event(name, at, arguments=arguments))
        return self

    def take(self, entity: str, attribute: Attribute) -> Self:
        """Request a responsibility."""
        return self._request(RequestKind.TAKE, entity, attribute)

    def give_back(self, entity: str, attribute: Attribute) -> Self:
        """Give a responsibility back to the main model."""
        return self._request(RequestKind.GIVE_BACK, entity, attribute)

    def leave(self) -> Self:
        """Request to leave the run; only for a model that has joined it."""
        return self._request(RequestKind.LEAVE, "", "")

    def _request(self, kind: RequestKind, entity: str, attribute: Attribute) -> Self:
        name = attribute if isinstance(attribute, str) else attribute.name
        self.requests.append(Request(kind, entity, name))
        return self


@dataclass(slots=True)
class MainChanges(Changes):
    """The output of the main model's step; any other model that returns one fails.

    Attributes:
        block: the numbers of all that it contributed, in that order, poses in the world frame; instead of `values`.
        tables: tables that it has made in this step, by name; see `scene.snapshot.TABLES`.
        ended: the source has ended.
        input_ns: with a live robot: when the newest joint sample in its state was measured, in the system time of
            this machine [ns].
        late: with a live robot: the twin is too far behind; other models should step less often.
        quiet_ns: before this time, steps without new input yield nothing but a state, so that several of them may
            be requested in one call with their total period [ns]; None: no such steps.
        await_input: with a live robot, within one process: waits for the robot's next samples, for at most some
            milliseconds, and returns the new `quiet_ns`.
    """

    block: Floats | None = field(default=None, kw_only=True)
    tables: dict[str, Table] = field(default_factory=dict, kw_only=True)
    ended: bool = field(default=False, kw_only=True)
    input_ns: int | None = field(default=None, kw_only=True)
    late: bool = field(default=False, kw_only=True)
    quiet_ns: int | None = field(default=None, kw_only=True)
    await_input: Callable[[], int | None] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Tick:
    """The input of one step of a model.

    Attributes:
        time_ns: the time to step to, in nanoseconds since the start of the run.
        period_ns: simulated time since the model's last step.
        scene: the snapshot that the model works on.
        events: all events since the model's last step, in order.
    """

    time_ns: int
    period_ns: int
    scene: Snapshot
    events: tuple[Event, ...] = ()

    @property
    def time(self) -> float:
        """The time to step to [s]."""
        return self.time_ns / 1e9

    @property
    def period(self) -> float:
        """Simulated time since the model's last step [s]."""
        return self.period_ns / 1e9

    def changes(self) -> Changes:
        """Return the output of this step, initially empty."""
        return Changes(self.time_ns)


@dataclass(frozen=True, slots=True)
class MainTick(Tick):
    """The input of one step of the main model.

    Attributes:
        foreign: (entity, attribute) -> value of attributes that others are responsible for.
    """

    foreign: Mapping[tuple[str, str], Value] = field(default_factory=dict)


class Model(ABC, Generic[Settings]):
    """Computes attributes of the scene, observes it, or both; ``class Coffee(Model[CoffeeSettings])``.

    The conductor calls `initialize`, `start`, then `step` for each step, and `stop`. The constructor takes no
    arguments and does nothing costly.

    Attributes:
        summary: one sentence for `hetwin list models`; by default the first line of the class's docstring.
        rate: steps per simulated second if the scenario sets none; None: the main model's rate.
        stepping: stepping mode, unless the scenario sets another.
        provides: attributes that it can be responsible for.
        raises: events that it raises, by name: the meaning, and the event's arguments.
        settings_class: class of its parameters, given in brackets after `Model`.
        can_be_main: whether it can time the others; see `MainModel`.
        settings: the values of its parameters in this run.
        seed: seed of the model in this run.
    """

    summary: ClassVar[str] = ""
    rate: ClassVar[float | None] = None
    stepping: ClassVar[Stepping] = Stepping.SERVICE
    provides: ClassVar[tuple[AttributeSpec, ...]] = ()
    raises: ClassVar[Mapping[str, str]] = {}
    settings_class: ClassVar[type[Parameters]] = Parameters
    can_be_main: ClassVar[bool] = False
    settings: Settings
    seed: int

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "summary" not in vars(cls) and cls.__doc__:
            cls.summary = cls.__doc__.strip().partition("\n")[0]
        for base in vars(cls).get("__orig_bases__", ()):
            for argument in get_args(base):
                if isinstance(argument, type) and issubclass(argument, Parameters):
                    cls.settings_class = argument

    @cached_property
    def random(self) -> np.random.Generator:
        """The model's only source of randomness, seeded with `seed`, and saved with the model."""
        return np.random.default_rng(self.seed)

    def initialize(self, settings: Settings, scene: Any) -> None:
        """Prepare the model, and declare its contribution to the scene.

        Args:
            settings: the same as `self.settings`.
            scene: receives the contribution: a `Contribution`, for a main model a `MainContribution`.

        Raises:
            BadInput: if a parameter cannot be used.
        """

    def start(self, scene: Snapshot) -> None:
        """The run starts; the layout of `scene` holds until `stop`.

        Raises:
            BadInput: if the scene does not fit a parameter.
        """

    @abstractmethod
    def step(self, tick: Any) -> Changes | None:
        """Advance to `tick.time_ns`; return the changes, if any.

        Args:
            tick: a `Tick`, for a main model a `MainTick`.
        """

    def stop(self) -> None:
        """The run is over; free resources."""

    @classmethod
    def declare(cls) -> None:
        """Complete the class's declaration; called before the declaration is read."""

    @classmethod
    def requests(cls) -> Sequence[ParameterRequest]:
        """The parameters that the conductor resolves."""
        return cls.settings_class.requests()

    def contribute(self, values: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model, as the conductor does.

        Args:
            values: the resolved values of the parameters.
            seed: seed of the model.

        Raises:
            BadInput: if a parameter cannot be used.
        """
        scene = Contribution(provides=self.provides)
        self.initialize(self._read(values, seed), scene)
        return scene

    def _read(self, values: Mapping[str, Any], seed: int) -> Settings:
        settings: Any = self.settings_class.read(values)
        self.settings, self.seed = settings, seed
        return self.settings


class MainModel(Model[Settings]):
    """A model that can time the others; a run has exactly one as its main model.

    Attributes:
        watched: whether it reports about its robot, see `MainContribution.watch`.
    """

    can_be_main = True
    watched: ClassVar[bool] = False

    def initialize(self, settings: Settings, scene: MainContribution) -> None:
        """Prepare the model, and declare its contribution to the scene; see `Model.initialize`."""

    def contribute(self, values: Mapping[str, Any], seed: int) -> MainContribution:
        """Initialize the model, as the conductor does; see `Model.contribute`."""
        scene = MainContribution(provides=self.provides)
        self.initialize(self._read(values, seed), scene)
        return scene

    @abstractmethod
    def step(self, tick: MainTick) -> MainChanges:
        """Advance to `tick.time_ns`; return the new state."""
