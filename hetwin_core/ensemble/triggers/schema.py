"""The schema of triggers in a scenario file: their causes, conditions and effects."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, Tag, model_validator

from hetwin_core.ensemble.validation import Name, Strict, alternatives, tag


class OnAction(Strict):
    """An action annotation of the robot's program."""

    action: str = Field(description="the operation, e.g. move_hand; * for any")
    phase: Literal["begin", "end", "instant", "any"] = "begin"


class OnEvent(Strict):
    """An event of a model, or one raised by a trigger."""

    event: str = Field(description="NAME, or MODEL.NAME")


class _Comparison(Strict):
    above: float | None = None
    below: float | None = None
    equals: float | str | bool | None = None

    @model_validator(mode="after")
    def _check_comparison(self) -> Self:
        set_keys = [n for n in ("above", "below", "equals") if getattr(self, n) is not None]
        if len(set_keys) > 1 or (not set_keys and self._requires_comparison()):
            raise ValueError("one of above, below, equals")
        return self

    def _requires_comparison(self) -> bool:
        return True


class OnAttribute(_Comparison):
    """An attribute's value; wakes when the comparison becomes true."""

    attribute: str
    entity: str
    index: int = Field(0, ge=0, description="index among the attribute's numbers")


class OnTopic(_Comparison):
    """A topic's value; wakes at each message, or with a comparison when it becomes true."""

    topic: str
    field: str = Field("data", description="field of the message, with dots for nested fields")

    def _requires_comparison(self) -> bool:
        return False


On = Annotated[
    Annotated[OnAction, Tag(tag("action"))]
    | Annotated[OnEvent, Tag(tag("event"))]
    | Annotated[OnAttribute, Tag(tag("attribute"))]
    | Annotated[OnTopic, Tag(tag("topic"))],
    alternatives("action", "event", "attribute", "topic"),
]
"""The cause that wakes a trigger."""


class HandOver(Strict):
    """Move a responsibility; names that begin with $ are expressions, e.g. $object or $event.object."""

    entity: str
    attribute: str
    to: str


class Command(Strict):
    """Send a command to a model."""

    model: str
    name: str
    arguments: dict[str, Any] = Field(default={})


class Raise(Strict):
    """Raise an event with the trigger as its source."""

    event: Name
    arguments: dict[str, Any] = Field(default={})


class DoHandOver(Strict):
    """Effect: hand over."""

    hand_over: HandOver


class DoCommand(Strict):
    """Effect: command."""

    command: Command


class DoRaise(Strict):
    """Effect: raise."""

    raise_: Raise = Field(alias="raise")


class DoStop(Strict):
    """Effect: stop the run, with a reason."""

    stop: str


Effect = Annotated[
    Annotated[DoHandOver, Tag(tag("hand_over"))]
    | Annotated[DoCommand, Tag(tag("command"))]
    | Annotated[DoRaise, Tag(tag("raise"))]
    | Annotated[DoStop, Tag(tag("stop"))],
    alternatives("hand_over", "command", "raise", "stop"),
]
"""An effect of a trigger."""


class TriggerEntry(Strict):
    """Event + precondition -> effects (Bauer et al. 2022, section 3.3.1)."""

    name: Name
    on: On
    while_: Literal["phase"] | None = Field(
        None, alias="while", description="evaluate again at every step of the operation"
    )
    let: dict[Name, str] = Field(default={}, description="variables, bound in order to expressions")
    if_: str | None = Field(None, alias="if", description="precondition, an expression")
    do: list[Effect] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_while(self) -> Self:
        if self.while_ and not (isinstance(self.on, OnAction) and self.on.phase == "begin"):
            raise ValueError("while: phase only with on: {action: ...} and phase begin")
        return self
