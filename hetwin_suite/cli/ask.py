"""`hetwin ask`: queries of an episode, in the language of triggers or in SQL, and its flaws."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import import_library
from hetwin_suite._commands.options import AsJson, option
from hetwin_suite._commands.result import NOT_KNOWN, Result, error_document, lines_of

if TYPE_CHECKING:
    from hetwin_core.episodes.asking.answer import QuestionAnswer
    from hetwin_core.episodes.asking.asked import AskedTables
    from hetwin_core.episodes.flaws.flaw import Flaw

DIGITS = 4
BAD_INPUT = 2
"""Exit code if one of several questions is invalid; the others are answered."""
MAX_ROWS = 5
"""Maximum number of printed rows of evidence; further rows are only counted. JSON contains all of them."""
WITHIN_S = 60.0


def ask(
    episode: Annotated[
        Path,
        typer.Argument(
            help="folder of a run, finished or still going on; with --sql also of tables, or of many such"
        ),
    ],
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
    sql: Annotated[
        bool, typer.Option("--sql", help="the question is one statement in SQL that reads")
    ] = False,
    flaws: Annotated[
        bool, typer.Option("--flaws", help="ask for what went wrong, in place of a question")
    ] = False,
    within: Annotated[float, option("--within", "of --sql", 0)] = WITHIN_S,
    as_json: AsJson = False,
) -> Result | None:
    """Ask an episode what held, what happened, what the robot believed, why, and what went wrong.

    A question is an expression in CEL, the language of triggers; docs/asking.md lists the functions that it may call.
    Each answer names the rows of its evidence. If the log does not contain the answer, the answer is null, with the
    reason, and the exit code is 3.

    --sql queries the views occasions, events, tasks, beliefs, belief_errors, poses and episodes with DuckDB's SQL:
    `DESCRIBE events` shows the columns of a view; times are in seconds, and every row names its episode. If the query
    takes too long, the exit code is 3.

    --flaws lists the run's coverage and its concerns first, then each flaw with its task, its causes and the rows of
    its evidence.

    For example:

    hetwin ask runs/today 'holds(on(any, "tray"), at(end))' 'occurs(picked_up(any))'

    hetwin ask runs/today --flaws

    hetwin ask runs/today --sql 'SELECT name, count(*) FROM events GROUP BY name'
    """
    asked = [(text, "") for text in questions or ()] + _lines(file)
    if flaws:
        from hetwin_suite.cli.ask import flaws_of

        _check_alone("--flaws", len(asked) + sql, 0)
        return flaws_of(episode)
    if sql:
        _check_alone("--sql", len(asked), 1)
        asking = import_library("tables", "hetwin_sql.asking", "SQL is in a package of its own")
        found: Result | None = asking.answer(episode, asked[0][0], within, as_json=as_json)
        return found
    return _answered(episode, asked)


def _check_alone(option: str, questions: int, required: int) -> None:
    """Check the number of questions beside an option.

    Raises:
        BadInput: if it is not `required`.
    """
    if questions != required:
        expected = "one statement, in quotes" if required else "no question beside it"
        raise BadInput(
            "the number of questions is wrong", where=option, found=questions, expected=expected
        )


def _answered(episode: Path, asked: list[tuple[str, str]]) -> Result:
    from hetwin_core.episodes.asking.asked import AskedTables  # imports numpy, which is slow
    from hetwin_core.episodes.tables.open import open_tables
    from hetwin_suite.running.patience import never_silent

    if not asked:
        raise BadInput(
            "there is no question",
            where="QUESTION",
            expected="""questions such as 'holds(on(any, "tray"), at(end))', --questions FILE, or --flaws""",
        )
    with never_silent(lambda: "reading the log"):
        tables = AskedTables(open_tables(_folder(episode)))
    answers = [_answer(tables, text, where) for text, where in asked]
    errors = [error for error in answers if isinstance(error, BadInput)]
    if errors and len(answers) == 1:
        raise errors[0]
    until = tables.tables.known_until_ns / 1e9
    pairs = [(text, answer) for (text, _), answer in zip(asked, answers, strict=True)]
    unknown = any(not isinstance(answer, BadInput) and answer.why for answer in answers)
    return Result(
        {"known_until": until, "answers": [_row(*pair) for pair in pairs]},
        [
            *(line for pair in pairs for line in _answer_lines(*pair)),
            f"the log is known until {until:.3f} s",
        ],
        BAD_INPUT if errors else NOT_KNOWN if unknown else 0,
    )


def _answer(tables: AskedTables, text: str, where: str) -> QuestionAnswer | BadInput:
    """Return the answer to a question, or its error, so that one invalid question does not stop the others."""
    try:
        return tables.ask(text, where)
    except BadInput as error:
        return error


def _row(text: str, answer: QuestionAnswer | BadInput) -> dict[str, Any]:
    if isinstance(answer, BadInput):
        return {"question": text, **error_document(answer)}
    return answer.as_json()


def _lines(file: Path | None) -> list[tuple[str, str]]:
    """Return (question, its file and line) for each question of a file."""
    if file is None:
        return []
    lines = lines_of(file, "a text file with questions")
    return [
        (line.strip(), f"{file}: line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def _folder(episode: Path) -> Path:
    """Return the folder of a run, given this folder or the log in it."""
    from hetwin_core.episodes.run_folder import LOG

    return episode.parent if episode.name == LOG and not (episode / LOG).exists() else episode


def _answer_lines(text: str, answer: QuestionAnswer | BadInput) -> Iterator[str]:
    """Yield the lines of an answer for a person."""
    if isinstance(answer, BadInput):
        yield from (text, f"  error: {answer}")
        return
    document = answer.as_json()
    yield answer.question
    yield f"  {_value_text(answer)}"
    times = ", ".join(f"{begin:g} to {end:g} s" for begin, end in document["intervals"])
    if times:
        yield f"  when: {times}"
    for binding in document["bindings"]:
        yield "  for: " + ", ".join(f"{name} = {entity}" for name, entity in binding.items())
    for row in document["evidence"][:MAX_ROWS]:
        yield f"  {_row_words(row)}"
    more = len(document["evidence"]) - MAX_ROWS
    if more > 0:
        yield f"  and {more} more rows"


def _value_text(answer: QuestionAnswer) -> str:
    if answer.why:
        return f"not known: {answer.why}"
    return "null" if answer.value is None else json.dumps(_rounded(answer.value))


def _rounded(value: Any) -> Any:
    """Round the numbers of a value for printing; JSON has all digits."""
    match value:
        case float():
            return round(value, DIGITS)
        case list():
            return [_rounded(item) for item in value]
        case dict():
            return {key: _rounded(item) for key, item in value.items()}
    return value


def _row_words(row: dict[str, Any]) -> str:
    more = {key: value for key, value in row.items() if key not in ("table", "row", "from", "to")}
    when = (
        f"{row['from']:g} s" if row["from"] == row["to"] else f"{row['from']:g} to {row['to']:g} s"
    )
    facts = "".join(f", {key} {value:g}" for key, value in more.items())
    return f"{row['table']} {row['row']}: {when}{facts}"


def flaws_of(episode: Path) -> Result:
    """Find the flaws of an episode, and the concerns of the run itself."""
    from hetwin_core.episodes.flaws.find import flaws_in
    from hetwin_core.episodes.run_folder import folder_of, read_summary
    from hetwin_core.episodes.tables.open import open_tables
    from hetwin_suite.running.patience import never_silent

    with never_silent(lambda: "reading the episode"):
        tables = open_tables(episode)
        started = time.perf_counter()
        found = flaws_in(tables)
        seconds = time.perf_counter() - started
    summary = read_summary(folder_of(episode)) or {}
    document = {
        "seconds": seconds,
        "verdict": summary.get("verdict"),
        "coverage": summary.get("coverage"),
        "concerns": summary.get("concerns", ()),
        "flaws": [flaw.to_json() for flaw in found],
    }
    return Result(document, _flaw_lines(found, summary))


def _flaw_lines(found: Sequence[Flaw], summary: Mapping[str, Any]) -> Iterator[str]:
    from hetwin_core.ensemble.concern_words import coverage_words
    from hetwin_core.ensemble.sentences.catalogue import say

    coverage = summary.get("coverage")
    known = say("verdict.not_known") if coverage is None else coverage_words(coverage)
    yield f"{summary.get('verdict', 'no verdict')}: {known}"
    for row in summary.get("concerns", ()):
        yield f"{row['from']:9.3f} s  {row['severity']}: {row['text']}"
    for flaw in found:
        yield f"{flaw.span.from_ns / 1e9:9.3f} s  {flaw.kind}: {flaw.text}"
    if not found:
        yield "no flaws"
