"""What a scenario or a caller says about the robot: a recording to play back, or a live one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class Operation(BaseModel):
    """An operation that a recorded value stands for.

    Attributes:
        operation: its name.
        arguments: what it is about, e.g. the hand.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    operation: Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


def _short(value: object) -> object:
    return {"operation": value} if isinstance(value, str) else value


def _texts_as_keys(value: object) -> object:
    """YAML reads keys as numbers, JSON as text; here they are compared as text."""
    if not isinstance(value, Mapping):
        return value
    return {_key(key): item for key, item in value.items()}


def _key(key: object) -> object:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key) if isinstance(key, int) else key


class Annotations(BaseModel):
    """A topic that tells what the robot's program does.

    Attributes:
        topic: of type hetwin/msg/ActionAnnotation, or, with `map`, of any type.
        field: the integer or text in its messages, with dots for fields of fields.
        map: which operation a value stands for (its name alone will do); a value that is not there ends
            the operation before it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: Text
    field: Text = "data"
    map: (
        Annotated[
            dict[str, Annotated[Operation, BeforeValidator(_short)]],
            BeforeValidator(_texts_as_keys),
            Field(min_length=1),
        ]
        | None
    ) = None


class _Topics(BaseModel):
    """What to take from a robot, recorded or live.

    Attributes:
        joints: the robot's name of a joint, by its name in the messages, where they differ.
        annotations: topics with action annotations; if left out, all of their type in a recording, and
            `action_annotations` of a live robot.
        topics: topics whose messages become events.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    joints: dict[Text, Text] = Field(default_factory=dict)
    annotations: tuple[Annotations, ...] | None = None
    topics: tuple[Text, ...] = ()


class RecordingSpec(_Topics):
    """A recording, and what to take from it.

    Attributes:
        recording: a rosbag2 folder or storage file; relative to the file that says so.
        joint_states: topics of type sensor_msgs/msg/JointState.
    """

    recording: Text
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] = ("/joint_states",)


class WhenLate(StrEnum):
    """What to do when the twin falls behind a live robot by more than `max_lag`."""

    LOWER_RATES = "lower_rates"
    """Step all models but the main one less often until the twin has caught up."""
    SKIP = "skip"
    """Leave motion out and go on near the newest sample; annotations are never left out."""
    STOP = "stop"
    """End the run with an error."""
    CARRY_ON = "carry_on"
    """Nothing but say so."""


class OnSilence(StrEnum):
    """What to do when a live robot says nothing for `timeout`."""

    FAIL = "fail"
    """End the run with an error."""
    END = "end"
    """End the run well: the robot is done."""


class LiveSpec(_Topics):
    """A robot that runs now.

    Attributes:
        live: the robot's namespace; empty for the twin's own.
        joint_states: topics of type sensor_msgs/msg/JointState, relative to that namespace unless they begin with /.
        wait: how long to wait for the robot at the start [s].
        timeout: how long the robot may be silent [s]; the twin waits for it meanwhile.
        on_silence: what to do then.
        max_lag: how far the twin may be behind the robot [s].
        when_late: what to do if it is further behind.
    """

    live: str
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] = ("joint_states",)
    wait: Seconds = 20.0
    timeout: Seconds = 5.0
    on_silence: OnSilence = OnSilence.FAIL
    max_lag: Seconds = 0.5
    when_late: WhenLate = WhenLate.LOWER_RATES
