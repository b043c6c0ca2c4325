"""Input of a step: events of models and from outside, beliefs of the robot, and requests to the run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import itemgetter
from queue import Empty

from hetwin_core.ensemble.beliefs import BeliefFields, Pose, belief_fields, belief_problem
from hetwin_core.ensemble.conductor.controls import (
    BY_HAND,
    Controls,
    HandoverRequest,
    MembershipRequest,
    PlacementRequest,
    RecordedAction,
)
from hetwin_core.ensemble.conductor.failures import FailureHandler
from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.events import ROBOT, Event, EventKind, Json
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scenario.against_scene import BelievedNames
from hetwin_core.ensemble.scene.poses import compose, multiply, relative_to, rotate
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import ODOMETRY, WORLD, Floats, pose_value
from hetwin_core.ensemble.words import seconds


class BeliefIntake(Restorable):
    """Passes beliefs on, with poses in the world frame.

    A belief about something outside the scene, or in an unknown frame, is dropped. The first one of its kind on a
    topic causes a warning; their number is reported at the end of the run. Frames are the scene's entities,
    ``world`` or ``map``, which are the same, and ``odom`` of a robot with odometry. The origin of ``odom`` stays
    at its first position, because nothing informs the robot of the drift.

    Args:
        scene: poses and entities.
        listeners: receive the beliefs, and the warnings.
        expected: topics of beliefs or tasks -> the scenario's keys that name them.
    """

    saved_fields = ("_silent", "_begins", "_left_out")

    def __init__(
        self, scene: Scene, listeners: ListenerGroup, expected: Mapping[str, str] | None = None
    ) -> None:
        self._scene = scene
        self._listeners = listeners
        self._silent = dict(expected or {})
        self._names = BelievedNames(scene.layout)
        self._begins: dict[str, Floats] = {}
        self._left_out: Counter[tuple[str, str]] = Counter()

    def mark_received(self, source: str) -> None:
        """Record that a message of a topic was received."""
        self._silent.pop(source, None)

    def pass_on(self, event: Event) -> None:
        """Pass a belief on, or warn that it cannot be used."""
        self.mark_received(event.source)
        problem = belief_problem(event)
        if problem:
            self._drop(event, "not a belief", problem)
            return
        fields, robot = belief_fields(event), str(event.arguments.get(ROBOT, ""))
        entities = [self._names.entity(name, robot) for name in fields.arguments]
        for name, resolved in zip(fields.arguments, entities, strict=True):
            if resolved is None:
                found = f"{fields.fluent} of {name!r}; expected an entity of the scene"
                self._drop(event, name, found + perhaps(name, self._names.entities))
                return
        frame = self._frame(fields.frame, robot) if fields.pose else None
        if fields.pose and frame is None:
            expected = one_of(fields.frame, self._names.known_frames)
            self._drop(event, fields.frame, f"frame {fields.frame!r}; expected {expected}")
            return
        self._listeners.belief(_in_world(event, fields, [str(name) for name in entities], frame))

    def end(self) -> None:
        """Warn of silent topics, and report how many messages were dropped."""
        for source, where in self._silent.items():
            self._warn(where, f"no message arrived on {source}")
        for (source, _), count in self._left_out.items():
            if count > 1:
                self._warn(source, f"{count} messages in total were dropped for the same reason")

    def _drop(self, event: Event, kind: str, problem: str) -> None:
        key = event.source, kind
        self._left_out[key] += 1
        if self._left_out[key] == 1:
            text = f"at {seconds(event.time_ns, 3)}: {problem}; such messages are dropped"
            self._warn(event.source, text)

    def _warn(self, source: str, text: str) -> None:
        self._listeners.note(self._scene.time_ns, "warning", source, text)

    def _frame(self, name: str, robot: str) -> Floats | None:
        """(13,) the pose of a frame in the world; None if there is no such frame."""
        resolved = self._names.frame(name, robot)
        if resolved is None or resolved == WORLD:
            return None if resolved is None else _WORLD_POSE
        if resolved in self._names.odometries:
            return self._odometry_origin(resolved)
        return self._scene.snapshot().pose(resolved)

    def _odometry_origin(self, frame: str) -> Floats:
        """(13,) pose in the world of the origin of a robot's odometry, at the time of its first use."""
        if frame not in self._begins:
            robot, scene = self._names.odometries[frame], self._scene.snapshot()
            odometry = scene.get(robot.name, ODOMETRY.name)
            self._begins[frame] = compose(
                scene.pose(robot.root), relative_to(odometry, _WORLD_POSE)
            )
        return self._begins[frame]


_WORLD_POSE: Floats = pose_value((0.0, 0.0, 0.0)).data


def _to_world(frame: list[float], pose: Pose) -> list[Json]:
    """Transform a pose from a frame to the world; the frame's twist is ignored."""
    x, y, z = rotate(frame[3:7], pose[:3])
    return [x + frame[0], y + frame[1], z + frame[2], *multiply(frame[3:7], pose[3:])]


def _in_world(
    event: Event, fields: BeliefFields, entities: list[str], frame: Floats | None
) -> Event:
    """The belief with the scene's names and its pose in the world."""
    arguments: dict[str, Json] = {**event.arguments, "arguments": [*entities], "frame": WORLD}
    if frame is not None and frame is not _WORLD_POSE:
        arguments["pose"] = _to_world(frame.tolist(), fields.pose)
    return replace(event, arguments=arguments)


OUTSIDE = "outside"
"""Source of an event from outside that names none."""


class EventQueue(Restorable):
    """Orders events and publishes them one by one.

    Args:
        models: names of the models, by index.
        digest: receives every event.
        listeners: receive every event.
        beliefs: receives the robot's beliefs, which nothing else handles as events.

    Attributes:
        events: all events that were handled or recorded, in order.
        handled: number of handled events.
    """

    saved_fields = ("_sequences", "_unseen", "events", "handled")

    def __init__(
        self,
        models: Sequence[str],
        digest: Digest,
        listeners: ListenerGroup,
        beliefs: BeliefIntake,
    ) -> None:
        self._models = tuple(models)
        self._digest = digest
        self._listeners = listeners
        self._beliefs = beliefs
        self._sequences: Counter[str] = Counter()
        self._unseen: dict[int, list[Event]] = {index: [] for index in range(len(models))}
        self.events: list[Event] = []
        self.handled = 0

    def mark(self) -> Callable[[], None]:
        """Return a function that restores the present state, faster than `restore`, in this process alone."""
        sequences, events, handled = Counter(self._sequences), [*self.events], self.handled
        unseen = {index: [*waiting] for index, waiting in self._unseen.items()}

        def rewind() -> None:
            self._sequences, self.events, self.handled = Counter(sequences), [*events], handled
            self._unseen = {index: [*waiting] for index, waiting in unseen.items()}

        return rewind

    def ranked_model_events(self, index: int, events: Sequence[Event]) -> list[tuple[int, Event]]:
        """Events of a model's output, with its index as their rank and its name as their source.

        Raises:
            RunFailed: if an event's arguments cannot be written as JSON.
        """
        name, ranked = self._models[index], []
        for event in events:
            _check_json(event, name)
            is_own = event.kind is EventKind.MODEL or not event.source
            ranked.append((index, replace(event, source=name) if is_own else event))
        return ranked

    def ranked_outside_event(self, event: Event) -> tuple[int, Event]:
        """Return an event that is not from a model's output, with its rank; unknown sources rank last.

        Raises:
            RunFailed: if its arguments cannot be written as JSON.
        """
        _check_json(event, event.source)
        if event.source in self._models:
            return self._models.index(event.source), event
        named = event if event.source else replace(event, source=OUTSIDE)
        return len(self._models), named

    def sorted_events(self, events: list[tuple[int, Event]]) -> list[Event]:
        """The events by time, then by their model's order in the scenario, then in the order of its output."""
        ranked = sorted(events, key=lambda pair: (pair[1].time_ns, pair[0]))
        return list(map(itemgetter(1), ranked))

    def handle(self, event: Event) -> Event:
        """Number, publish and keep an event; return it with its number. A belief is only passed on.

        Raises:
            RunFailed: if its arguments cannot be written as JSON.
        """
        if event.kind is EventKind.BELIEF:
            self._beliefs.pass_on(event)
            return event
        if event.kind is EventKind.TASK:
            self._beliefs.mark_received(event.source)
        if event.kind is EventKind.TRIGGER:  # others were checked on arrival
            _check_json(event, event.source)
        event = self._number(event)
        self.handled += 1
        self._digest.event(event)
        self._listeners.event(event)
        for unseen in self._unseen.values():
            unseen.append(event)
        return event

    def record(self, event: Event) -> None:
        """Number, publish and keep an event without effects: it is not part of the digest, and no model sees it."""
        self._listeners.event(self._number(event))

    def _number(self, event: Event) -> Event:
        self._sequences[event.source] += 1
        event = replace(event, sequence=self._sequences[event.source])
        self.events.append(event)
        return event

    def take_unseen(self, index: int) -> tuple[Event, ...]:
        """The events that this model has not received yet, in order; they count as received from now on."""
        unseen = self._unseen[index]
        if not unseen:
            return ()
        self._unseen[index] = []
        return tuple(unseen)


def _check_json(event: Event, source: str) -> None:
    if not event.arguments:
        return
    try:
        json.dumps(dict(event.arguments))
    except (TypeError, ValueError) as error:
        reason = f"the arguments of the event {event.name} must be JSON: {error}"
        raise RunFailed(source, "event", event.time_ns, reason) from None


class OutsideInput(Restorable):
    """Takes over, at the barrier, the requests that other threads have put into the controls.

    Args:
        controls: controls of the run.
        scene: values and layout.
        events: ranks events.
        effects: carries out the requests.
        failures: handles a model that fails.
        join, leave: take the model with an index into or out of service; return the event.

    Attributes:
        arrivals: the events that have arrived.
        requests: pending requests.
        any_events: whether an event has arrived or a user has changed something, so that the run is not
            reproducible.
    """

    saved_fields = ("any_events",)

    def __init__(
        self,
        controls: Controls,
        scene: Scene,
        events: EventQueue,
        effects: EffectRunner,
        failures: FailureHandler,
        join: Callable[[int], Event],
        leave: Callable[[int], Event],
    ) -> None:
        self._join, self._leave = join, leave
        self.arrivals = controls.arrivals
        self.requests = controls.requests
        self._scene = scene
        self._events = events
        self._effects = effects
        self._failures = failures
        self.any_events = False

    def events(self) -> list[tuple[int, Event]]:
        """The events that have arrived, each with its rank.

        Raises:
            RunFailed: if an event's arguments cannot be written as JSON.
        """
        events: list[tuple[int, Event]] = []
        with suppress(Empty):
            while True:
                events.append(self._events.ranked_outside_event(self.arrivals.get_nowait()))
                self.any_events = True
        return events

    def carry_out(self) -> None:
        """Carry out the requests; a placement is followed by an event ``placed``, a handover by ``handed_over``.

        Raises:
            RunFailed: if a model fails and its failure stops the run.
        """
        while self.requests:
            request = self.requests.popleft()
            if isinstance(request, RecordedAction):
                event = Event(
                    request.name, self._scene.time_ns, source=BY_HAND, arguments=request.arguments
                )
                self._events.record(event)
            else:
                self._execute(request)

    def _execute(self, request: PlacementRequest | HandoverRequest | MembershipRequest) -> None:
        try:
            match request:
                case HandoverRequest():
                    event = self._move(request)
                case PlacementRequest():
                    event = self._place(request)
                case MembershipRequest():
                    change = self._join if request.joins else self._leave
                    event = change(request.model)
        except Refused as refusal:
            request.done(str(refusal))
        except RunFailed as failure:
            request.done(str(failure))
            self._failures.handle(failure)
        else:
            self.arrivals.put(event)
            request.done(None)

    def _place(self, placement: PlacementRequest) -> Event:
        self._effects.place(placement.slot, placement.data)
        self.any_events = True
        return self._event("placed", placement.slot, {})

    def _move(self, move: HandoverRequest) -> Event:
        """Hand over; even a refused handover makes the run irreproducible: a model may have changed its state."""
        table = self._scene.table
        owner, models = table.owner(move.slot), table.models
        slot_info = self._scene.layout.slots[move.slot]
        if owner == move.model:
            attribute = f"{slot_info.entity}.{slot_info.attribute.name}"
            raise Refused(f"{models[owner]} is responsible for {attribute} already")
        self.any_events = True
        self._effects.hand_over_for_user(move.slot, move.model)
        return self._event(
            "handed_over", move.slot, {"from": models[owner], "to": models[move.model]}
        )

    def _event(self, name: str, slot: int, arguments: Mapping[str, Json]) -> Event:
        slot_info = self._scene.layout.slots[slot]
        event_arguments = {
            "entity": slot_info.entity,
            "attribute": slot_info.attribute.name,
            **arguments,
        }
        return Event(name, self._scene.time_ns, source=BY_HAND, arguments=event_arguments)

    def refuse_all(self, reason: str) -> None:
        """Refuse the requests that can no longer be carried out."""
        while self.requests:
            request = self.requests.popleft()
            if not isinstance(request, RecordedAction):
                request.done(reason)
