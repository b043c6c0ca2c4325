"""Libraries of strategies: what a robot may do from a moment on, and what counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, JsonValue

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.extras import LIBRARIES, installs
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.resources import find, names_of
from hetwin_core.ensemble.scenario.strict_yaml import Document, load
from hetwin_core.ensemble.validation import Finite, Strict, Text, check
from model_nodes.skills.arguments import skill_of

FOLDER = "scenarios/libraries"
EXPRESSION = "$"
"""A text that begins with it is an expression of the moment."""


class Action(Strict):
    """An operation of a strategy."""

    operation: Text = Field(description="its name, as the robot announces it")
    arguments: dict[str, JsonValue] = Field(
        default={},
        description="what it is about; a text that begins with $ is an expression, such as $event.container",
    )
    skill: Text | None = Field(
        None,
        description="installed skill that makes motion of it; default: of the operation's name",
    )
    at: Annotated[Finite, Field(ge=0)] | Text | None = Field(
        None,
        description="when it begins, in s from the decision, or an expression; default: when the one before is over",
    )


class LibraryFile(Strict):
    """A library of strategies."""

    description: str = ""
    utility: Text | None = Field(
        None,
        description="a question to a future's episode, whose answer is a number; default: 1 if it succeeds, else 0",
    )
    critical: Finite = Field(
        0.2,
        ge=0,
        le=1,
        description="a strategy that fails in a larger share of futures is critical",
    )
    strategies: dict[Text, Annotated[list[Action], Field(min_length=1)]] = Field(
        min_length=1, description="name -> actions, one after the other"
    )


@dataclass(frozen=True)
class Library:
    """A library that was read.

    Attributes:
        file: what it says.
        path: where it stands.
    """

    file: LibraryFile
    path: Path
    _document: Document

    def placed(self, error: BadInput) -> BadInput:
        """Add the file and the line to an error about one of its keys."""
        return self._document.placed(error, self.path)


def read_library(name: str) -> Library:
    """Read and check a library.

    Args:
        name: of a YAML file, or of one of hetwin's own libraries.

    Raises:
        BadInput: with file, line and key, if there is none, or it holds none, or names a skill that is not installed.
    """
    path = _find(name)
    document = load(path)
    try:
        file = check(LibraryFile, _mapping(document.data))
        if file.utility is not None:
            Expression(file.utility, "utility")
        for strategy, actions in file.strategies.items():
            for number, action in enumerate(actions):
                _check(action, f"strategies.{strategy}.{number}")
    except BadInput as error:
        raise document.placed(error, path) from None
    return Library(file, path, document)


def json_schema() -> dict[str, Any]:
    """JSON Schema of libraries."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **LibraryFile.model_json_schema(),
    }


def _find(name: str) -> Path:
    for candidate in (name, f"{FOLDER}/{name}.yaml"):
        found = find(candidate)
        if found is not None and found.is_file():
            return found
    close = perhaps(name, names_of(FOLDER, ".yaml"))
    expected = f"a YAML file with strategies, or the name of one of hetwin's{close}"
    if name in LIBRARIES:
        expected = installs(LIBRARIES[name])
    raise BadInput("there is no such library", file=name, where="--library", expected=expected)


def _mapping(data: object) -> object:
    if isinstance(data, dict):
        return data
    found = data if isinstance(data, str) else type(data).__name__
    raise BadInput("this is no library", found=found, expected="a mapping with the key strategies")


def _check(action: Action, where: str) -> None:
    """See that an action's skill is installed, and that its expressions are some."""
    key = "operation" if action.skill is None else "skill"
    try:
        skill_of(action.skill or action.operation)
    except BadInput as error:
        raise error.at(f"{where}.{key}") from None
    _check_expressions(action.arguments, f"{where}.arguments")
    _check_expressions(action.at, f"{where}.at")


def _check_expressions(data: object, where: str) -> None:
    if isinstance(data, str) and data.startswith(EXPRESSION):
        Expression(data.removeprefix(EXPRESSION), where).check_names(("pose",), ("event",))
    elif isinstance(data, dict):
        for key, value in data.items():
            _check_expressions(value, f"{where}.{key}")
    elif isinstance(data, list):
        for number, value in enumerate(data):
            _check_expressions(value, f"{where}.{number}")
