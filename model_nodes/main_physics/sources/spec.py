"""What a scenario or a caller says about a recording to play back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1)]


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


class RecordingSpec(BaseModel):
    """A recording, and what to take from it.

    Attributes:
        recording: a rosbag2 folder or storage file; relative to the file that says so.
        joint_states: topics of type sensor_msgs/msg/JointState.
        joints: the robot's name of a joint, by its recorded name, where they differ.
        annotations: topics with action annotations; if left out, all topics of their type.
        topics: topics whose messages become events.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    recording: Text
    joint_states: Annotated[tuple[Text, ...], Field(min_length=1)] = ("/joint_states",)
    joints: dict[Text, Text] = Field(default_factory=dict)
    annotations: tuple[Annotations, ...] | None = None
    topics: tuple[Text, ...] = ()
