"""Announcements of the actions of a recording: each action with its start time and its joint trajectory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_suite.episode import Annotation, pair_annotations
from hetwin_suite.model import ANNOUNCED_START, ANNOUNCED_TRAJECTORY, BadInput, Event, Floats
from hetwin_suite.wire import (
    ACTION_ANNOTATION,
    JOINT_STATE,
    Bag,
    JointMessageDecoder,
    ReadFault,
    TypedReader,
)

RATE = 100.0
"""Points of an announced trajectory per second."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class AnnouncedAction:
    """The announcement of an action.

    Attributes:
        time_ns: time of the announcement, from the start of the recording [ns].
        topic: the recording's topic of the action.
        operation: name of the action.
        arguments: the action's arguments, the seconds until it starts, and its joint trajectory; as JSON.
    """

    time_ns: int
    topic: str
    operation: str
    arguments: str


def announcements(recording: Path, ahead_s: float) -> list[AnnouncedAction]:
    """Return the announcements of a recording, by time.

    Args:
        recording: a rosbag2.
        ahead_s: time from the announcement to the action, shorter for actions near the recording's start [s].

    Raises:
        BadInput: if the recording has no actions.
    """
    bag = Bag(recording)
    try:
        motion, annotations = _Motion(bag), list(_actions(bag))
    finally:
        bag.close()
    if not annotations:
        raise BadInput(
            "the recording has no actions that could be announced",
            file=recording,
            where="--announce",
            expected=f"a topic of type {ACTION_ANNOTATION}",
        )
    result = [
        _announcement(topic, annotation, motion, ahead_s) for topic, annotation in annotations
    ]
    return sorted(result, key=lambda annotation: annotation.time_ns)


def _actions(bag: Bag) -> Iterator[tuple[str, Annotation]]:
    for topic in bag.topics.values():
        if topic.type != ACTION_ANNOTATION:
            continue
        reader, events = TypedReader(topic.name), list[Event]()
        decode = bag.decoder(topic.name)
        for message in bag.messages((topic.name,)):
            if isinstance(message, ReadFault):
                break
            _, logged_ns, raw = message
            events += reader(decode(raw), logged_ns)
        for annotation in pair_annotations(events, 0, bag.duration_ns):
            yield topic.name, annotation


class _Motion:
    """The recorded joint positions."""

    def __init__(self, bag: Bag) -> None:
        decoder = JointMessageDecoder()
        rows: dict[tuple[str, ...], list[tuple[float, bytes]]] = {}
        topics = tuple(t.name for t in bag.topics.values() if t.type == JOINT_STATE)
        for message in bag.messages(topics):
            if isinstance(message, ReadFault):
                break
            sample = decoder.decode(message[2])
            at_s = (sample.stamp_ns - bag.start_ns) / 1e9
            rows.setdefault(sample.names, []).append((at_s, sample.positions))
        self._joints: dict[str, tuple[Floats, Floats]] = {}
        for names, samples in rows.items():
            times = np.array([time for time, _ in samples])
            table = np.frombuffer(b"".join(positions for _, positions in samples)).reshape(
                len(times), -1
            )
            self._joints |= {name: (times, table[:, i]) for i, name in enumerate(names)}

    def trajectory(self, begin_s: float, end_s: float) -> dict[str, Any]:
        """Return the joint motion between two times as the fields of a JointTrajectory message."""
        count = max(2, round((end_s - begin_s) * RATE) + 1)
        times = np.linspace(begin_s, end_s, count)
        columns = [np.interp(times, *recorded) for recorded in self._joints.values()]
        points = [
            {"time_from_start": round(at, _DIGITS), "positions": row}
            for at, row in zip(
                (times - begin_s).tolist(),
                np.stack(columns, axis=1).round(_DIGITS).tolist(),
                strict=True,
            )
        ]
        return {"joint_names": list(self._joints), "points": points}


def _announcement(
    topic: str, annotation: Annotation, motion: _Motion, ahead_s: float
) -> AnnouncedAction:
    announced_ns = max(0, annotation.begin_ns - round(ahead_s * 1e9))
    arguments = {
        **annotation.arguments,
        ANNOUNCED_START: round((annotation.begin_ns - announced_ns) / 1e9, _DIGITS),
    }
    if annotation.end_ns > annotation.begin_ns:
        arguments[ANNOUNCED_TRAJECTORY] = motion.trajectory(
            annotation.begin_ns / 1e9, annotation.end_ns / 1e9
        )
    return AnnouncedAction(announced_ns, topic, annotation.operation, json.dumps(arguments))
