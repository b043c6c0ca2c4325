"""What a command has found, and the one place where that is presented: as text for a person, or as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

import typer

from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed

NOT_KNOWN = 3
"""Exit code if what was asked is not known, or was not found in time."""

_LINE = re.compile(r"\bline (\d+)(?:[,:] )?")


@dataclass(frozen=True, slots=True)
class Result:
    """What a command has found.

    Attributes:
        document: what `--json` prints; see `json_text`.
        lines: text for a person; looked at only if JSON is not asked for.
        code: exit code: 0 yes, 1 no or failed, 3 not known or not in time.
    """

    document: Any
    lines: Iterable[str] = ()
    code: int = 0


def present(result: Result, *, as_json: bool, indent: int | None = 2) -> None:
    """Print what a command has found.

    Args:
        result: what that is.
        as_json: whether JSON is asked for.
        indent: of JSON; None: in one line, as what goes on afterwards prints it.

    Raises:
        typer.Exit: with the result's code, if that is not 0.
    """
    if as_json:
        print(json_text(result.document, indent), flush=True)
    else:
        for line in result.lines:
            print(line, flush=True)
    if result.code:
        raise typer.Exit(result.code)


def json_text(document: Any, indent: int | None = 2) -> str:
    """Return a document as JSON; it may hold objects that have `to_json`, pydantic models, dataclasses and paths."""
    return json.dumps(document, indent=indent, default=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_json"):
        return value.to_json()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def error_document(error: Any) -> dict[str, Any]:
    """Return an error as `--json` prints it: what is wrong, in which file and line, at which key or option."""
    row: dict[str, Any] = dict.fromkeys(("file", "line", "key", "found", "expected"))
    if isinstance(error, BadInput):
        place = _LINE.search(error.where or "")
        row["file"] = error.file
        row["line"] = None if place is None else int(place[1])
        row["key"] = _LINE.sub("", error.where or "").strip(" ,:") or None
        row |= {"found": error.found, "expected": error.expected}
        row["message"] = error.problem
    elif isinstance(error, HetwinError):
        row["message"] = str(error)
    else:  # of the command line
        option, param = getattr(error, "option_name", None), getattr(error, "param", None)
        row["key"] = option or (param and param.opts[0])
        row["message"] = error.format_message()
    if isinstance(error, RunFailed):
        time_s = error.time_ns / 1e9
        row |= {"model": error.model, "call": error.call, "time": time_s, "reason": error.reason}
    return {"error": row}


def saying(*, as_json: bool) -> Callable[[str], None]:
    """Return what prints a line at once while a command goes on; on stderr if stdout is for JSON."""
    return lambda text: print(text, file=sys.stderr if as_json else sys.stdout, flush=True)
