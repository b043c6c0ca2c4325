"""Patterns of events, as a scenario's ``expects`` has them: ``collision(hand, object)``, ``spilled("jug")``."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.expressions.nodes import Call, Literal, Name, Node
from hetwin_core.ensemble.expressions.parser import WrongSyntax, parse
from hetwin_core.ensemble.expressions.printer import text_of

ANY = "any"
"""Stands for any argument."""


Wanted: TypeAlias = "Literal | Name"
"""The name of an entity, or a pattern of names such as ``cup*``; or `ANY`, or a variable of the task, e.g. ``hand``."""


class EventPattern(NamedTuple):
    """A pattern of events.

    Attributes:
        name: of the event.
        arguments: what its arguments must be, in their order; None if they may be anything.
    """

    name: str
    arguments: tuple[Wanted, ...] | None = None

    @classmethod
    def from_text(cls, text: str) -> EventPattern:
        """Read a pattern from a text.

        Raises:
            ValueError: if the text is none; it says what would be.
        """
        found = "no event"
        try:
            match parse(text):
                case Name(name):
                    return cls(name)
                case Call(name, arguments, None):
                    return cls(name, tuple(_argument(argument) for argument in arguments))
        except WrongSyntax as error:
            found = str(error)
        raise ValueError(
            "an event such as collision(hand, object): its name, and entities in quotes, variables of the task"
            f" or any; {found}"
        )


def _argument(node: Node) -> Wanted:
    match node:
        case Name() | Literal(str()) if node != Literal(""):
            return node
    raise ValueError(
        'an entity in quotes such as "cup", a variable of the task such as object, or any, not '
        + text_of(node)
    )
