"""Options that several commands have."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli import completion

Scenario = Annotated[
    str,
    typer.Argument(
        help="scenario file, or name of one of hetwin's", autocompletion=completion.scenarios
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """The object that an option's text holds; empty if the option was not given.

    Raises:
        BadInput: if the text is no JSON object; the option is named.
    """
    if text is None:
        return {}
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"this is not JSON: {error}", where=option, found=text, expected="a JSON object"
        ) from None
    if not isinstance(data, dict):
        raise BadInput("this is no JSON object", where=option, found=text, expected="{...}")
    return data
