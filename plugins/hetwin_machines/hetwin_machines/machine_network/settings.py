"""What a scenario says of a network of state machines: where its signals come from, and where they go."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from hetwin_suite.model import File, Name, Number, Parameters, Strict, Text, parameter

REFERENCE = "ENTITY.ATTRIBUTE[2], ENTITY.ATTRIBUTE[0:3] or ROBOT.ATTRIBUTE[JOINT]"


class Chosen(Strict):
    """One number of several of an attribute: the least or the largest one, or that at an index."""

    of: Text
    take: Literal["min", "max"] | None = None
    index: Name | None = None

    @model_validator(mode="after")
    def _chooses(self) -> Chosen:
        if (self.take is None) == (self.index is None):
            raise ValueError("take: min or max, or index: a signal of the network")
        return self


Constant: TypeAlias = Annotated[bool, Field(strict=True)] | Annotated[int, Field(strict=True)]
Source: TypeAlias = Constant | Number | Text | Chosen
"""Where an input comes from: a constant, a reference to one number of the scene, or one chosen of several."""


def _named(value: object) -> object:
    return {"of": value} if isinstance(value, str) else value


class Happening(Strict):
    """What makes an event of the network happen: an event of the run, or a message on a topic.

    Attributes:
        of: NAME or MODEL.NAME of an event.
        topic: instead of an event.
        only: argument (with dots into its parts) -> the value that it must have.
        waits_for: signal of the network; the event waits until it is true.
        values: input of the network -> argument of the event that gives its value.
    """

    of: Text | None = None
    topic: Text | None = None
    only: dict[Text, JsonValue] = Field(default_factory=dict)
    waits_for: Name | None = None
    values: dict[Name, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_one(self) -> Happening:
        if (self.of is None) == (self.topic is None):
            raise ValueError("either of: an event, or topic: a topic")
        return self


class Words(Strict):
    """A text for each value of a signal."""

    signal: Name
    words: dict[int, Text] = Field(min_length=1)


class Raised(Strict):
    """An event of the run that the network raises in each step at whose end a signal is true.

    Attributes:
        when: the signal.
        arguments: argument -> signal, number of the scene (a reference has a dot), constant, or `Words`.
    """

    when: Name
    arguments: dict[Name, Constant | Number | Text | Words] = Field(default_factory=dict)


class Drives(Strict):
    """The signals that drive a base: forward [m/s] and turn [rad/s]."""

    forward: Name
    turn: Name


class Settings(Parameters):
    """All parameters of the model."""

    file: File = parameter("the network, a YAML file")
    inputs: dict[Name, Source] = parameter(
        f"input -> constant; {REFERENCE}; or {{of: that with several numbers, take: min or max, or index: SIGNAL}}",
        {},
    )
    events: dict[Name, Annotated[Happening, BeforeValidator(_named)]] = parameter(
        "event of the network -> event of the run that makes it happen, NAME or MODEL.NAME, or"
        " {of or topic, only, waits_for, values}",
        {},
    )
    raises: dict[Name, Raised] = parameter(
        "event of the run -> {when: the signal that raises it, arguments}", {}
    )
    drives: Drives | None = parameter(
        "{forward, turn}: the signals by which it drives the robot's base, m/s and rad/s", None
    )
    attributes: dict[Text, Name] = parameter("ENTITY.ATTRIBUTE -> signal that gives it", {})
    concepts: tuple[Name, ...] = parameter(
        "new entities without a body that the network brings into the scene", ()
    )
