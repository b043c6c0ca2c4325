"""Turns what action servers, grippers and behaviour trees publish into action annotations and claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.annotations import (
    ACTION,
    GOAL_ID,
    GRIPPER_SAYS,
    INSTANT,
    TRAJECTORY_SAYS,
    TREE_NODE,
    announce,
)
from hetwin_core.ensemble.events import Event, Json
from model_nodes.main_physics.sources.action_types import (
    GOALS,
    GRIPPER,
    NAV2_TREE,
    PARALLEL_GRIPPER,
    PY_TREE,
    TRAJECTORY,
)
from model_nodes.main_physics.sources.event_stream import EventReader

_HIDDEN = "/_action/"
_SHOWN = 8
"""So many digits of a goal's id are kept."""
_RUNNING = (1, 2, 3)
"""A goal's states accepted, executing and canceling."""
_ENDED = {4: "succeeded", 5: "canceled", 6: "aborted"}
_LARGE = 0.05
"""An error of a joint that is worth an event, as is each time that it has doubled [rad or m]."""
_TREE_STATES = {1: "IDLE", 2: "RUNNING", 3: "SUCCESS", 4: "FAILURE"}


def action_of(topic: str) -> str:
    """Return the name of the action that a hidden topic belongs to."""
    return topic.partition(_HIDDEN)[0]


class GoalsReader:
    """Reads the states of an action's goals: each begins and ends an operation that has the action's name."""

    def __init__(self, topic: str) -> None:
        self._topic, self._action = topic, action_of(topic)
        self._running: set[str] = set()
        self._ended: set[str] = set()
        self._has_begun = False

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the phases that a list of goals begins or ends; goals that had ended before it are left out."""
        events: list[Event] = []
        for goal in message.status_list:
            name, state = _goal(goal.goal_info.goal_id), int(goal.status)
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

    def _event(self, goal: str, phase: str, time_ns: int, **more: Json) -> Event:
        arguments: dict[str, Json] = {ACTION: self._action, GOAL_ID: goal, **more}
        operation = self._action.rpartition("/")[2]
        return announce(operation, phase, arguments, time_ns, self._topic)


class GripperReader:
    """Reads what a gripper says of itself: an event where it begins or ceases to be stalled or at its goal."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._said = ("", False, False)

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return what has changed."""
        feedback, goal = message.feedback, _goal(message.goal_id)
        stalled, reached = bool(feedback.stalled), bool(feedback.reached_goal)
        before, self._said = self._said, (goal, stalled, reached)
        if before == self._said or not (stalled or reached or any(before[1:])):
            return []
        state = getattr(feedback, "state", None)
        arguments: dict[str, Json] = {
            ACTION: action_of(self._topic),
            GOAL_ID: goal,
            "stalled": stalled,
            "reached_goal": reached,
            "position": _number(feedback.position if state is None else state.position),
            "effort": _number(feedback.effort if state is None else state.effort),
        }
        if state is not None and len(state.name):
            arguments["joint"] = str(state.name[0])
        return [announce(GRIPPER_SAYS, INSTANT, arguments, time_ns, self._topic)]


class TrajectoryReader:
    """Reads how far a controller says that a joint is from where it should be."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._goal, self._least = "", _LARGE

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the joint with the greatest error, if that has grown."""
        goal, errors = _goal(message.goal_id), np.abs(message.feedback.error.positions)
        if goal != self._goal:
            self._goal, self._least = goal, _LARGE
        names = message.feedback.joint_names
        if not len(errors) or len(names) != len(errors) or np.isnan(errors).all():
            return []
        worst = int(np.nanargmax(errors))
        error = float(errors[worst])
        if not math.isfinite(error) or error < self._least:
            return []
        self._least = 2.0 * error
        arguments: dict[str, Json] = {
            ACTION: action_of(self._topic),
            GOAL_ID: goal,
            "joint": str(names[worst]),
            "error": error,
        }
        return [announce(TRAJECTORY_SAYS, INSTANT, arguments, time_ns, self._topic)]


class TreeReader:
    """Reads a behaviour tree: a node that runs is an operation with its name.

    Args:
        topic: of the tree.
        states: yields what tells a node apart, its name and its state, of a message.
    """

    def __init__(self, topic: str, states: Callable[[Any], Iterator[tuple[str, str, str]]]) -> None:
        self._topic, self._states = topic, states
        self._running: set[str] = set()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the nodes that begin and end."""
        events: list[Event] = []
        for key, name, state in self._states(message):
            runs = state == "RUNNING"
            if runs == (key in self._running) or not name:
                continue
            self._running ^= {key}
            more: dict[str, Json] = {} if runs else {"result": state.lower()}
            arguments: dict[str, Json] = {TREE_NODE: key, **more}
            phase = "begin" if runs else "end"
            events.append(announce(name, phase, arguments, time_ns, self._topic))
        return events


def _nav2(message: Any) -> Iterator[tuple[str, str, str]]:
    for change in message.event_log:
        key = f"{change.node_name} {getattr(change, 'uid', '')}".strip()
        yield key, change.node_name, change.current_status


def _py_trees(message: Any) -> Iterator[tuple[str, str, str]]:
    for node in message.behaviours:
        yield _goal(node.own_id), node.name, _TREE_STATES.get(int(node.status), "")


READERS: Mapping[str, Callable[[str], EventReader]] = {
    GOALS: GoalsReader,
    GRIPPER: GripperReader,
    PARALLEL_GRIPPER: GripperReader,
    TRAJECTORY: TrajectoryReader,
    NAV2_TREE: lambda topic: TreeReader(topic, _nav2),
    PY_TREE: lambda topic: TreeReader(topic, _py_trees),
}
"""Types of messages that are read without being named -> the reader of a topic."""


def _goal(identity: Any) -> str:
    return bytes(int(byte) for byte in identity.uuid).hex()[:_SHOWN]


def _number(value: Any) -> float | None:
    """The first number; None if there is none, or it is not finite."""
    numbers = np.ravel(value)
    return float(numbers[0]) if len(numbers) and math.isfinite(numbers[0]) else None
