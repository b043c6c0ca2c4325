"""Settings of a network of state machines in a scenario: the sources of its signals, and where they are sent."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from hetwin_suite.model import File, Name, Number, Parameters, Strict, Text, parameter

REFERENCE = "ENTITY.ATTRIBUTE[2], ENTITY.ATTRIBUTE[0:3] or ROBOT.ATTRIBUTE[JOINT]"


class NumberChoice(Strict):
    """One of several numbers of an attribute: the smallest, the largest, or the one at an index."""

    of: Text
    take: Literal["min", "max"] | None = None
    index: Name | None = None

    @model_validator(mode="after")
    def _check_choice(self) -> NumberChoice:
        if (self.take is None) == (self.index is None):
            raise ValueError("take: min or max, or index: a signal of the network")
        return self


Constant: TypeAlias = Annotated[bool, Field(strict=True)] | Annotated[int, Field(strict=True)]
Source: TypeAlias = Constant | Number | Text | NumberChoice
"""Source of an input: a constant, a reference to one number of the scene, or one of several numbers."""


def _as_mapping(value: object) -> object:
    return {"of": value} if isinstance(value, str) else value


class EventTrigger(Strict):
    """The trigger of an event of the network: an event of the run, or a message on a topic.

    Attributes:
        of: NAME or MODEL.NAME of an event of the run.
        topic: topic of a message, instead of an event.
        only: argument (dots select its parts) -> the value that it must have.
        waits_for: signal of the network that must be true before the event is given to the network.
        values: input of the network -> argument of the event that sets it.
    """

    of: Text | None = None
    topic: Text | None = None
    only: dict[Text, JsonValue] = Field(default_factory=dict)
    waits_for: Name | None = None
    values: dict[Name, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_source(self) -> EventTrigger:
        if (self.of is None) == (self.topic is None):
            raise ValueError("either of: an event, or topic: a topic")
        return self


class SignalWords(Strict):
    """A text for each value of a signal."""

    signal: Name
    words: dict[int, Text] = Field(min_length=1)


class EventRule(Strict):
    """An event of the run that the network raises after each step if a signal is true.

    Attributes:
        when: name of the signal.
        arguments: argument -> signal, reference to a number of the scene (with a dot), constant, or `SignalWords`.
    """

    when: Name
    arguments: dict[Name, Constant | Number | Text | SignalWords] = Field(default_factory=dict)


class DriveSignals(Strict):
    """The signals that drive a base: forward [m/s] and turn [rad/s]."""

    forward: Name
    turn: Name


class Settings(Parameters):
    """All parameters of the model."""

    file: File = parameter("the network, a YAML file")
    inputs: dict[Name, Source] = parameter(
        f"input -> constant; {REFERENCE}; or {{of: several numbers, take: min or max, or index: SIGNAL}}",
        {},
    )
    events: dict[Name, Annotated[EventTrigger, BeforeValidator(_as_mapping)]] = parameter(
        "event of the network -> event of the run that triggers it, NAME or MODEL.NAME, or"
        " {of or topic, only, waits_for, values}",
        {},
    )
    raises: dict[Name, EventRule] = parameter(
        "event of the run -> {when: the signal that raises it, arguments}", {}
    )
    drives: DriveSignals | None = parameter(
        "{forward, turn}: signals that drive the robot's base, m/s and rad/s", None
    )
    attributes: dict[Text, Name] = parameter("ENTITY.ATTRIBUTE -> signal that sets it", {})
    concepts: tuple[Name, ...] = parameter(
        "new entities without a body that the network adds to the scene", ()
    )
