"""Converts messages of action servers, controllers and behaviour trees to action annotations and claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.events import (
    ACTION,
    GOAL_ID,
    GOAL_SENT,
    GRIPPER_SAYS,
    INSTANT,
    RESULT,
    RESULT_GOT,
    TRAJECTORY_SAYS,
    TREE_NODE,
    Event,
    Json,
    announce,
)
from model_nodes.main_physics.sources.event_stream import THROTTLE_NS

_HIDDEN = "/_action/"
_ID_DIGITS = 8
"""Number of hexadecimal digits of a goal's id that are kept."""
_RUNNING = (1, 2, 3)
"""States of a goal that is accepted, executing or canceling."""
_ENDED = {4: "succeeded", 5: "canceled", 6: "aborted"}
_MIN_ERROR = 0.05
"""Joint error that is reported [rad or m]; it is reported again each time that it has doubled."""
_TREE_STATES = {1: "IDLE", 2: "RUNNING", 3: "SUCCESS", 4: "FAILURE"}


def action_of(topic: str) -> str:
    """Return the name of the action to which a hidden topic belongs."""
    return topic.partition(_HIDDEN)[0]


class GoalsReader:
    """Reads the states of an action's goals; each goal is an operation with the action's name."""

    def __init__(self, topic: str) -> None:
        self._topic, self._action = topic, action_of(topic)
        self._running: set[str] = set()
        self._ended: set[str] = set()
        self._has_begun = False

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the begins and ends of goals; goals that had ended before the first message are left out."""
        events: list[Event] = []
        for goal in message.status_list:
            name, state = _goal_id(goal.goal_info.goal_id), int(goal.status)
            is_new = name not in self._running and name not in self._ended
            if state in _RUNNING and is_new:
                self._running.add(name)
                events.append(self._event(name, "begin", time_ns))
            elif state in _ENDED and (name in self._running or is_new):
                self._running.discard(name)
                self._ended.add(name)
                if is_new and self._has_begun:
                    events.append(self._event(name, "begin", time_ns))
                if not is_new or self._has_begun:
                    events.append(self._event(name, "end", time_ns, result=_ENDED[state]))
        self._has_begun = True
        return events

    def _event(self, goal: str, phase: str, time_ns: int, **extra: Json) -> Event:
        arguments: dict[str, Json] = {ACTION: self._action, GOAL_ID: goal, **extra}
        operation = self._action.rpartition("/")[2]
        return announce(operation, phase, arguments, time_ns, self._topic)


class GripperReader:
    """Reads a gripper's feedback; an event reports each change of `stalled` or `reached_goal`."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._reported = ("", False, False)

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a change, if there is one."""
        feedback, goal = message.feedback, _goal_id(message.goal_id)
        stalled, reached = bool(feedback.stalled), bool(feedback.reached_goal)
        previous, self._reported = self._reported, (goal, stalled, reached)
        if previous == self._reported or not (stalled or reached or any(previous[1:])):
            return []
        arguments = {ACTION: action_of(self._topic), GOAL_ID: goal, **_gripper_claims(feedback)}
        return [announce(GRIPPER_SAYS, INSTANT, arguments, time_ns, self._topic)]


def _gripper_claims(feedback: Any) -> dict[str, Json]:
    """Convert a gripper's feedback or result to claims."""
    state = getattr(feedback, "state", None)
    arguments: dict[str, Json] = {
        "stalled": bool(feedback.stalled),
        "reached_goal": bool(feedback.reached_goal),
        "position": _number(feedback.position if state is None else state.position),
        "effort": _number(feedback.effort if state is None else state.effort),
    }
    if state is not None and len(state.name):
        arguments["joint"] = str(state.name[0])
    return arguments


class CallReader:
    """Reads the service introspection topics of an action: its goals and results.

    The client, the server or both may be introspected; each goal and each result is reported once.
    """

    def __init__(self, topic: str) -> None:
        self._topic, self._action = topic, action_of(topic)
        self._goal_of_call: dict[tuple[bytes, int], str] = {}
        self._reported: set[tuple[str, str]] = set()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a goal that is sent, or of a result that is returned."""
        info = message.info
        call = bytes(int(byte) for byte in info.client_gid), int(info.sequence_number)
        for request in message.request:
            self._goal_of_call[call] = goal = _goal_id(request.goal_id)
            if hasattr(request, "goal"):
                return self._report(GOAL_SENT, goal, _scalars(request.goal), time_ns)
        for response in message.response:
            if (state := _ENDED.get(int(getattr(response, "status", 0)))) is not None:
                result = response.result
                is_gripper = hasattr(result, "stalled") and hasattr(result, "reached_goal")
                name = GRIPPER_SAYS if is_gripper else RESULT_GOT
                found = _gripper_claims(result) if is_gripper else _scalars(result)
                goal = self._goal_of_call.get(call, "")
                return self._report(name, goal, {**found, RESULT: state}, time_ns)
        return []

    def _report(self, name: str, goal: str, claims: dict[str, Json], time_ns: int) -> list[Event]:
        if goal and (name, goal) in self._reported:
            return []
        self._reported.add((name, goal))
        arguments: dict[str, Json] = {**claims, ACTION: self._action, GOAL_ID: goal or None}
        return [announce(name, INSTANT, arguments, time_ns, self._topic)]


def _scalars(message: Any) -> dict[str, Json]:
    """Return the numbers, texts and flags of a message, including nested messages; lists are left out."""
    found: dict[str, Json] = {}
    for name in field_names(message) or ():
        value = getattr(message, name)
        if field_names(value):
            found |= _scalars(value)
        elif isinstance(value, bool | int | str):
            found[name] = value
        elif isinstance(value, float):
            found[name] = value if math.isfinite(value) else None
    return found


def field_names(value: Any) -> Sequence[str] | None:
    """Return the field names of a message that was decoded from a recording or by ROS; None for any other value."""
    if is_dataclass(value):
        return [field.name for field in fields(value) if field.name != "__msgtype__"]
    named = getattr(value, "get_fields_and_field_types", None)
    return None if named is None else list(named())


class TrajectoryReader:
    """Reads a controller's joint tracking errors from a goal's feedback or from its state topic."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._goal, self._threshold = "", _MIN_ERROR

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return an event for the joint with the largest error, if the error has grown."""
        has_goal = hasattr(message, "goal_id")
        tracking = message.feedback if has_goal else message
        goal = _goal_id(message.goal_id) if has_goal else ""
        errors = np.abs(tracking.error.positions)
        if goal != self._goal or not (has_goal or (errors >= _MIN_ERROR / 2.0).any()):
            self._goal, self._threshold = goal, _MIN_ERROR
        names = tracking.joint_names
        if not len(errors) or len(names) != len(errors) or np.isnan(errors).all():
            return []
        worst = int(np.nanargmax(errors))
        error = float(errors[worst])
        if not math.isfinite(error) or error < self._threshold:
            return []
        self._threshold = 2.0 * error
        origin: dict[str, Json] = {"controller": self._topic.rpartition("/")[0]}
        if has_goal:
            origin = {ACTION: action_of(self._topic), GOAL_ID: goal}
        arguments: dict[str, Json] = {**origin, "joint": str(names[worst]), "error": error}
        return [announce(TRAJECTORY_SAYS, INSTANT, arguments, time_ns, self._topic)]


class ControllerReader(TrajectoryReader):
    """Reads the tracking errors from the state that a controller publishes continuously."""

    every_ns = THROTTLE_NS


class TreeReader:
    """Reads a behaviour tree; a node that runs is an operation with the node's name.

    Args:
        topic: topic of the tree.
        states: yields identity, name and state of each node in a message.
    """

    def __init__(self, topic: str, states: Callable[[Any], Iterator[tuple[str, str, str]]]) -> None:
        self._topic, self._states = topic, states
        self._running: set[str] = set()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the begins and ends of nodes."""
        events: list[Event] = []
        for key, name, state in self._states(message):
            is_running = state == "RUNNING"
            if is_running == (key in self._running) or not name:
                continue
            self._running ^= {key}
            extra: dict[str, Json] = {} if is_running else {"result": state.lower()}
            arguments: dict[str, Json] = {TREE_NODE: key, **extra}
            phase = "begin" if is_running else "end"
            events.append(announce(name, phase, arguments, time_ns, self._topic))
        return events


def nav2_states(message: Any) -> Iterator[tuple[str, str, str]]:
    """Yield identity, name and state of Nav2's nodes."""
    for change in message.event_log:
        key = f"{change.node_name} {getattr(change, 'uid', '')}".strip()
        yield key, change.node_name, change.current_status


def py_trees_states(message: Any) -> Iterator[tuple[str, str, str]]:
    """Yield identity, name and state of py_trees' nodes."""
    for node in message.behaviours:
        yield _goal_id(node.own_id), node.name, _TREE_STATES.get(int(node.status), "")


def _goal_id(identity: Any) -> str:
    return bytes(int(byte) for byte in identity.uuid).hex()[:_ID_DIGITS]


def _number(value: Any) -> float | None:
    """Return the first number; None if there is none, or it is not finite."""
    numbers = np.ravel(value)
    return float(numbers[0]) if len(numbers) and math.isfinite(numbers[0]) else None
