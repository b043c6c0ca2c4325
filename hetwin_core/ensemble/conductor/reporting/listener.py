"""Reports of a run to its listeners, which record, publish or judge it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from hetwin_core.ensemble.clock import FAR_FUTURE_NS
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Value
from hetwin_core.ensemble.scene.watch import CONSISTENCY, Consistency
from hetwin_core.ensemble.supervision.heartbeat import STEP, TIME, Heartbeat


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """A registered model, as the registry publishes it."""

    id: str
    name: str
    type: str
    stepping: str
    coupling: str
    rate: float
    main: bool
    host: str
    pid: int


@dataclass(frozen=True, slots=True)
class Handover:
    """A responsibility that moved; `value` was released and taken, equal to the bit."""

    time_ns: int
    entity: str
    attribute: str
    from_model: str
    to_model: str
    cause: str
    value: Value


@dataclass(frozen=True, slots=True)
class RunStart:
    """Facts about a run before its first step.

    Attributes:
        scenario: the scenario's name.
        scenario_file: its path.
        source: path of the recording, or a name of the live source; empty without a source.
        seed: seed of the run.
        rate: steps of the main model per simulated second.
        duration_ns: end of the source, if known.
        layout: entities and attributes.
        models: the models in the scenario's order, to which the indices of owners refer.
        robot_descriptions: URDF of each robot by name; that of an only robot by the empty name.
        warnings: input that models could not use, each with the model's name.
        snapshot: the scene at the start.
        shown: addresses at which other programs show the main model's world, by name; may be empty.
        given: all input of the run, see `report.run_inputs`.
        able: names of the models that can be responsible, by the name of each attribute of the scene.
        buttons: event and arguments that each button of a page raises, by its caption.
    """

    scenario: str
    scenario_file: str
    source: str
    seed: int
    rate: float
    duration_ns: int | None
    layout: Layout
    models: tuple[ModelRecord, ...]
    robot_descriptions: Mapping[str, str]
    warnings: tuple[str, ...]
    snapshot: Snapshot
    shown: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Json] = field(default_factory=dict)
    able: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buttons: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Result of a run; the content of ``summary.json`` (all times in seconds of simulated time).

    `ended` is ``recording`` (the source or the duration is over), ``live`` (the same with a live robot),
    ``stopped`` or ``failed``.
    `engine` is the main model's physics engine, `shown` the addresses at which other programs show its world.
    `concerns` are rows of `Concern.row`, the most severe first, `coverage` rows of `CoverageRow.row`, and `verdict`
    is one of `Verdict`. `live` is the lag behind a live robot: the time at which states were complete and published
    minus that at which the newest joint sample in them was measured. `robots` has a row for each robot: ``name``,
    ``base`` with its poses at ``start`` and ``end`` (x y z, qw qx qy qz in the world), and ``consistency``, see
    `Consistency.row`.
    """

    scenario: str
    ended: str
    error: Mapping[str, Json] | None
    simulated_time: float
    wall_time: float
    real_time_factor: float
    digest: str
    deterministic: bool
    transport: str
    processes: tuple[Mapping[str, Json], ...]
    events: tuple[Mapping[str, Json], ...]
    handovers: tuple[Mapping[str, Json], ...]
    state: Mapping[str, Json]
    counters: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    failures: tuple[Mapping[str, Json], ...] = ()
    """Failures of models after which the run continued, without the model or with a new instance."""
    live: Mapping[str, Json] = field(default_factory=dict)
    engine: str = ""
    concerns: tuple[Mapping[str, Json], ...] = ()
    coverage: tuple[Mapping[str, Json], ...] = ()
    verdict: str = "unchecked"
    shown: Mapping[str, str] = field(default_factory=dict)
    robots: tuple[Mapping[str, Json], ...] = ()


class RunListener:
    """Base class of a run's listeners; each method does nothing by default.

    All methods are called in order, from the thread that runs the ensemble.

    Attributes:
        stepped_every: `stepped` is called at multiples of this number of steps.
        needs_each_state: whether `stepped` needs every state; if not, it gets those that other listeners need.
    """

    stepped_every: ClassVar[int] = 1
    needs_each_state: ClassVar[bool] = True

    def started(self, start: RunStart) -> None:
        """The models are initialized and the run begins."""

    def stepped(self, step: int, scene: Snapshot) -> None:
        """A step of the main model is complete, its barrier included; `scene` must not be kept."""

    def next_ns(self, now_ns: int) -> int:
        """Time of the next state that it needs after that of `now_ns` [ns]; earlier ones may be skipped."""
        return now_ns if self.needs_each_state else FAR_FUTURE_NS

    def event(self, event: Event) -> None:
        """An event was handled."""

    def belief(self, event: Event) -> None:
        """The robot has a new belief; see `beliefs.belief_fields`. A pose is in the world frame."""

    def handover(self, handover: Handover) -> None:
        """A responsibility moved."""

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """A message for people; `level` is ``info``, ``warning`` or ``error``."""

    def judged(self, summary: RunSummary) -> RunSummary:
        """The run is over; return its summary with this listener's additions, before any `ended` is called."""
        return summary

    def ended(self, summary: RunSummary) -> None:
        """The run is over, successfully or not; called once if `started` was."""


class StepCounter(RunListener):
    """Writes the last step and its time into the conductor's row of the heartbeat.

    Args:
        heartbeat: shared with the process that watches the run.
    """

    needs_each_state = False

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._row = heartbeat.row(-1)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Write the step and its time."""
        row = self._row
        row[TIME] = scene.time_ns
        row[STEP] = step


def error_row(error: RunFailed | None) -> dict[str, Json] | None:
    """The row of an error; None without an error."""
    if error is None:
        return None
    return {
        "model": error.model,
        "call": error.call,
        "time": error.time_ns / 1e9,
        "reason": error.reason,
    }


def handover_row(handover: Handover) -> dict[str, Json]:
    """The row of a handover."""
    return {
        "time": handover.time_ns / 1e9,
        "entity": handover.entity,
        "attribute": handover.attribute,
        "from": handover.from_model,
        "to": handover.to_model,
        "cause": handover.cause,
    }


def robot_rows(first: Snapshot, last: Snapshot) -> list[dict[str, Json]]:
    """The row of each robot.

    Args:
        first, last: the scene at the start and at the end of the run.
    """
    rows: list[dict[str, Json]] = []
    for robot in last.layout.of_kind(EntityKind.ROBOT):
        name = robot.name
        has = last.layout.has
        base: dict[str, Json] | None = None
        if has(name, POSE.name):
            base = {
                "start": first.pose(name)[:7].tolist(),
                "end": last.pose(name)[:7].tolist(),
            }
        consistency: dict[str, Json] | None = None
        if has(name, CONSISTENCY.name):
            consistency = Consistency.of(last.get(name, CONSISTENCY.name)).row()
        rows.append({"name": name, "base": base, "consistency": consistency})
    return rows


class ListenerGroup:
    """All listeners of a run, called in order.

    Every method raises RunFailed if a listener raises an exception other than a `HetwinError`.
    """

    def __init__(self, listeners: Sequence[RunListener]) -> None:
        self._set_listeners(listeners)
        self._time_ns = 0

    def _set_listeners(self, listeners: Sequence[RunListener]) -> None:
        """Set the listeners; each is called only for the methods that it overrides."""
        self._listeners = tuple(listeners)
        self._by_method = {
            name: [listener for listener in listeners if _overrides(listener, name)]
            for name in ("started", "stepped", "event", "belief", "handover", "note")
        }

    def replace(self, listeners: Sequence[RunListener]) -> None:
        """Replace the listeners; the former ones receive nothing more, not even the end."""
        self._set_listeners(listeners)

    def add(self, listener: RunListener, start: RunStart | None = None) -> None:
        """Add a listener, for which the run starts now if `start` is given."""
        if start is not None:
            ListenerGroup([listener]).started(start)
        self._set_listeners((*self._listeners, listener))

    def started(self, start: RunStart) -> None:
        """Publish that the run begins."""
        self._call("started", start)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish the state after a complete step."""
        self._time_ns = scene.time_ns
        try:
            for listener in self._by_method["stepped"]:
                if step % listener.stepped_every == 0:
                    listener.stepped(step, scene)
        except HetwinError:
            raise
        except Exception as error:
            raise self._failure("stepped", error) from error

    def next_ns(self, now_ns: int) -> int:
        """Earliest time at which a listener needs the next state, after that of `now_ns` [ns]."""
        earliest_ns = FAR_FUTURE_NS
        for listener in self._by_method["stepped"]:  # faster than a generator, at each step
            if (due_ns := listener.next_ns(now_ns)) < earliest_ns:
                earliest_ns = due_ns
        return earliest_ns

    def event(self, event: Event) -> None:
        """Publish an event."""
        self._call("event", event)

    def belief(self, event: Event) -> None:
        """Publish the robot's beliefs."""
        self._call("belief", event)

    def handover(self, handover: Handover) -> None:
        """Publish a handover."""
        self._call("handover", handover)

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Publish notes for people."""
        self._call("note", time_ns, level, source, text)

    def ended(self, summary: RunSummary) -> RunSummary:
        """Publish the end of the run, to all listeners even if one raises; return the summary with their additions."""
        failure: Exception | None = None
        for listener in self._listeners:
            try:
                summary = listener.judged(summary)
            except Exception as error:
                failure = failure or error
        for listener in self._listeners:
            try:
                listener.ended(summary)
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise self._failure("ended", failure) from failure
        return summary

    def _call(self, name: str, *arguments: object) -> None:
        try:
            for listener in self._by_method[name]:
                getattr(listener, name)(*arguments)
        except HetwinError:
            raise
        except Exception as error:
            raise self._failure(name, error) from error

    def _failure(self, name: str, error: Exception) -> RunFailed:
        return RunFailed("log", name, self._time_ns, f"{type(error).__name__}: {error}")


def _overrides(listener: RunListener, name: str) -> bool:
    return getattr(type(listener), name) is not getattr(RunListener, name)
