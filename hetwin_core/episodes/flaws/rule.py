"""Rules: queries that find flaws of one kind, hetwin's own and those of installed packages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.validation import Name, Strict, Text, check

_BRACES = re.compile(r"\{([^{}]+)\}")


def _check_not_empty(each: dict[str, str]) -> dict[str, str]:
    if not each:
        raise ValueError("at least one variable with the query that it runs over")
    return each


class RuleEntry(Strict):
    """A rule in its file; every value except `kind` and `about` is a query in CEL."""

    kind: Name = Field(description="kind of the flaws that it finds")
    about: Text = Field(description="explanation of such a flaw, in words")
    each: Annotated[dict[Name, Text], AfterValidator(_check_not_empty)] = Field(
        description="variables -> lists that they run over, one inside the other"
    )
    when: list[Text] = Field(default=[], alias="if", description="conditions, all of them true")
    begin: Text = Field(alias="from", description="time [s]")
    end: Text = Field(alias="to", description="time [s]")
    since: Text | None = Field(
        None, description="time [s] from which it may cause others; default: from"
    )
    entities: Text = Field(description="list of the entities that it is about")
    task: Text | None = Field(None, description="id of the task in which it happened, or null")
    causes: Text | None = Field(None, description="list of {what, from, to}: its causes")
    trace: Text | None = Field(None, description="list of entities that link it with other flaws")
    evidence: Text | None = Field(None, description="list of {table, row, from, to}")
    text: Text = Field(description="a sentence, with queries in braces")


class Sentence:
    """A text with queries in braces.

    Args:
        text: the text.
        where: key of the text, for errors.
    """

    def __init__(self, text: str, where: str) -> None:
        self._parts = _BRACES.split(text)
        self.queries = {i: Expression(p, where) for i, p in enumerate(self._parts) if i % 2}

    def fill(self, variables: Mapping[str, Any], functions: Mapping[str, Any]) -> str:
        """Return the text with the values of its queries; numbers have two decimals."""
        parts = list(self._parts)
        for index, query in self.queries.items():
            parts[index] = _shown(query.evaluate(variables, functions))
        return "".join(parts)


class Rule:
    """A rule with compiled queries.

    Args:
        entry: the rule as in its file.
        file: the file.
        index: its index in the file.

    Raises:
        BadInput: if the syntax of a query is wrong.
    """

    def __init__(self, entry: RuleEntry, file: Path, index: int) -> None:
        self.entry = entry
        self.kind = entry.kind
        self.file = file
        self.each = {n: Expression(text, f"{index}.each.{n}") for n, text in entry.each.items()}
        self.conditions = [Expression(text, f"{index}.if.{i}") for i, text in enumerate(entry.when)]
        self.begin = Expression(entry.begin, f"{index}.from")
        self.end = Expression(entry.end, f"{index}.to")
        self.since = _optional(entry.since, f"{index}.since")
        self.entities = Expression(entry.entities, f"{index}.entities")
        self.task = _optional(entry.task, f"{index}.task")
        self.causes = _optional(entry.causes, f"{index}.causes")
        self.trace = _optional(entry.trace, f"{index}.trace")
        self.evidence = _optional(entry.evidence, f"{index}.evidence")
        self.sentence = Sentence(entry.text, f"{index}.text")

    def queries(self) -> list[Expression]:
        """Return all queries."""
        optional = (self.since, self.task, self.causes, self.trace, self.evidence)
        return [
            *self.each.values(),
            *self.conditions,
            self.begin,
            self.end,
            self.entities,
            *(query for query in optional if query is not None),
            *self.sentence.queries.values(),
        ]

    def check_names(self, functions: Sequence[str]) -> None:
        """Check that all functions and variables are known.

        Raises:
            BadInput: with the file, if one is not.
        """
        known: list[str] = []
        try:
            for name, query in self.each.items():
                query.check_names(functions, known)
                known.append(name)
            for query in self.queries():
                query.check_names(functions, known)
        except BadInput as error:
            raise error.at(error.where, self.file) from None


def read_rules(file: Path) -> list[Rule]:
    """Read a file of rules: a list of mappings.

    Raises:
        BadInput: if it cannot be read, with file, line and key.
    """
    document = strict_yaml.load(file)
    try:
        entries = check(list[RuleEntry], document.data)
        return [Rule(entry, file, index) for index, entry in enumerate(entries)]
    except BadInput as error:
        raise document.placed(error, file) from None


def _optional(text: str | None, where: str) -> Expression | None:
    return None if text is None else Expression(text, where)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list | tuple):
        *first, last = [_shown(one) for one in value] or ["nothing"]
        return f"{', '.join(first)} and {last}" if first else last
    return str(value)


RULES = Group(
    "hetwin.flaws", "rules", "MODULE:PATH of the package, a file of rules or a folder of them"
)
RULES_FOLDER = Path(__file__).parent / "rules"


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return all rules, hetwin's own first.

    Raises:
        BadInput: if the rules of a package cannot be read.
    """
    files = [*_files(RULES_FOLDER)]
    for point, path in RULES.each():
        files += _package_files(point.name, path)
    return tuple(rule for file in files for rule in read_rules(file))


def _package_files(name: str, path: object) -> list[Path]:
    found = Path(path) if isinstance(path, str | Path) else None
    if found is not None and found.is_file():
        return [found]
    files = [] if found is None or not found.is_dir() else _files(found)
    if not files:
        raise BadInput(
            f"the rules {name!r} do not exist",
            found=str(path),
            expected="the path of a YAML file with rules, or of a folder with such files",
        )
    return files


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))
