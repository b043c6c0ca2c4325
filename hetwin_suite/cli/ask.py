"""`hetwin ask`: questions to an episode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.options import AsJson

if TYPE_CHECKING:
    from hetwin_core.episodes.asking.answer import Answered
    from hetwin_core.episodes.asking.questions import AskedTables

DIGITS = 4
BAD_INPUT = 2
"""Exit code if one of several questions is wrong; the others are answered."""
NOT_KNOWN = 3
"""Exit code if something that was asked is not known."""
MOST_ROWS = 5
"""More rows of evidence are counted only, unless as JSON."""


def ask(
    episode: Annotated[Path, typer.Argument(help="folder of a run, finished or still going on")],
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION ...]", help="""such as 'holds(on(any, "tray"), at(end))'"""
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--questions", help="file with a question on each line; # begins a comment"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask an episode what held, what happened, what the robot believed, and why.

    A question is an expression in CEL, the language of triggers; docs/asking.md lists what it may call. Each answer
    names the rows that it rests on. What the log does not tell is null, with the reason; then the exit code is 3.

    Example: hetwin ask runs/today 'holds(on(any, "tray"), at(end))' 'occurs(picked_up(any))'
    """
    from hetwin_core.episodes.asking.questions import AskedTables  # numpy takes its time
    from hetwin_core.episodes.tables.open import open_tables
    from hetwin_suite.running.patience import never_silent

    asked = [(text, "") for text in questions or ()] + _lines(file)
    if not asked:
        raise _nothing_asked()
    with never_silent(lambda: "reading the log"):
        tables = AskedTables(open_tables(_folder(episode)))
    answers = [_answer(tables, text, where) for text, where in asked]
    wrong = [error for error in answers if isinstance(error, BadInput)]
    if wrong and len(answers) == 1:
        raise wrong[0]
    until = tables.tables.known_until_ns / 1e9
    if as_json:
        rows = [_row(text, found) for (text, _), found in zip(asked, answers, strict=True)]
        print(json.dumps({"known_until": until, "answers": rows}))
    else:
        for (text, _), found in zip(asked, answers, strict=True):
            _show(text, found)
        print(f"the log is known until {until:.3f} s")
    if wrong:
        raise typer.Exit(BAD_INPUT)
    if any(found.why for found in answers if not isinstance(found, BadInput)):
        raise typer.Exit(NOT_KNOWN)


def _answer(tables: AskedTables, text: str, where: str) -> Answered | BadInput:
    """Return the answer to a question, or what is wrong with it: each line answers for itself."""
    try:
        return tables.ask(text, where)
    except BadInput as error:
        return error


def _row(text: str, found: Answered | BadInput) -> dict[str, Any]:
    """Return an answer for JSON."""
    if isinstance(found, BadInput):
        return {"question": text, "error": str(found)}
    return found.as_json()


def _lines(file: Path | None) -> list[tuple[str, str]]:
    """Return the questions of a file, and where each stands."""
    if file is None:
        return []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"the questions cannot be read: {error}", where="--questions", expected="a text file"
        ) from None
    return [
        (line.strip(), f"{file}: line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def _folder(episode: Path) -> Path:
    """Return the folder of a run for it, or for the log in it."""
    from hetwin_core.episodes.run_folder import LOG

    return episode.parent if episode.name == LOG and not (episode / LOG).exists() else episode


def _nothing_asked() -> Exception:
    return BadInput(
        "there is no question",
        where="QUESTION",
        expected="""questions such as 'holds(on(any, "tray"), at(end))', or --questions FILE""",
    )


def _show(text: str, answer: Answered | BadInput) -> None:
    """Print an answer for a person."""
    if isinstance(answer, BadInput):
        print(f"{text}\n  error: {answer}")
        return
    told = answer.as_json()
    print(answer.question)
    print(f"  {_words(answer)}")
    times = ", ".join(f"{begin:g} to {end:g} s" for begin, end in told["intervals"])
    if times:
        print(f"  when: {times}")
    for binding in told["bindings"]:
        print("  for: " + ", ".join(f"{name} = {entity}" for name, entity in binding.items()))
    for row in told["evidence"][:MOST_ROWS]:
        print(f"  {_row_words(row)}")
    left = len(told["evidence"]) - MOST_ROWS
    if left > 0:
        print(f"  and {left} more rows")


def _words(answer: Answered) -> str:
    if answer.why:
        return f"not known: {answer.why}"
    return "null" if answer.value is None else json.dumps(_rounded(answer.value))


def _rounded(value: Any) -> Any:
    """Return a value with numbers as a person reads them; JSON has all their digits."""
    match value:
        case float():
            return round(value, DIGITS)
        case list():
            return [_rounded(one) for one in value]
        case dict():
            return {key: _rounded(one) for key, one in value.items()}
    return value


def _row_words(row: dict[str, Any]) -> str:
    more = {key: value for key, value in row.items() if key not in ("table", "row", "from", "to")}
    when = (
        f"{row['from']:g} s" if row["from"] == row["to"] else f"{row['from']:g} to {row['to']:g} s"
    )
    facts = "".join(f", {key} {value:g}" for key, value in more.items())
    return f"{row['table']} {row['row']}: {when}{facts}"
