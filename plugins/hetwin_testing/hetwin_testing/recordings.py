"""Collects tests from files ``NAME.hetwin.yaml``: one test for each recording of each entry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hetwin_suite.command import YamlDocument, load_yaml
from hetwin_suite.model import BadInput, Expression, Strict, Text, check
from hetwin_suite.runs import parse_claims
from hetwin_testing.settings import settings_of
from hetwin_testing.twin import DoesNotHold, Twin


class Entry(Strict):
    """An entry of the file: a scenario, recordings, and expectations."""

    name: Text | None = None
    scenario: Text
    source: Text | None = None
    variant: Text | None = None
    engine: Text | None = None
    seed: int | None = None
    within: float | None = None
    holds: tuple[Text, ...] = ()
    verdict: Text | tuple[Text, ...] | None = None
    require: tuple[Text, ...] = ()


class RecordingsFile(pytest.File):
    """A file of recordings."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each recording of each entry.

        Raises:
            CollectError: if the file is malformed; the error names the line.
        """
        try:
            yield from self._items()
        except BadInput as error:
            raise self.CollectError(str(error)) from None

    def _items(self) -> Iterator[pytest.Item]:
        document = load_yaml(self.path)
        if not isinstance(document.data, list) or not document.data:
            raise BadInput(
                "not a list of recordings",
                file=self.path,
                found=type(document.data).__name__,
                expected="a list of entries such as {scenario: pick_and_place, source: bags/*, verdict: fine}",
            )
        for number, data in enumerate(document.data):
            entry = self._entry(document, number, data)
            line = document.line_of((number,)) or 1
            name = entry.name or entry.scenario
            for source in self._sources(entry):
                title = f"{name}[{source}]" if source else name
                yield RecordingItem.from_parent(
                    self, name=title, entry=entry, source=source, line=line
                )

    def _entry(self, document: YamlDocument, number: int, data: Any) -> Entry:
        try:
            entry = check(Entry, data, str(number))
            parse_claims(entry.require, f"{number}.require")
            for row, question in enumerate(entry.holds):
                Expression(question, f"{number}.holds.{row}")
            if not entry.holds and entry.verdict is None and not entry.require:
                raise BadInput(
                    "the entry has no expectation",
                    where=str(number),
                    expected="holds, verdict or require",
                )
        except BadInput as error:
            raise document.placed(error, self.path) from None
        return entry

    def _sources(self, entry: Entry) -> list[str | None]:
        """Return the recordings of an entry; a pattern without matches is returned unchanged."""
        source = entry.source
        if source is None or not any(wildcard in source for wildcard in "*?["):
            return [source]
        folder = self.path.parent
        found = sorted(path.relative_to(folder).as_posix() for path in folder.glob(source))
        return [*(found or [source])]


class RecordingItem(pytest.Item):
    """The test of a recording against its expectations."""

    def __init__(self, *, entry: Entry, source: str | None, line: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._entry, self._source, self._line = entry, source, line

    def runtest(self) -> None:
        """Replay the recording, and check the expectations."""
        entry = self._entry
        twin = Twin(
            settings_of(self.config),
            self.path.parent,
            self.nodeid,
            record_property=self.user_properties.append,
        )
        run = twin.run(
            entry.scenario,
            self._source,
            variant=entry.variant,
            engine=entry.engine,
            seed=entry.seed,
            within=entry.within,
        )
        run.expect(*entry.holds, verdict=entry.verdict, require=entry.require)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report of a failure: expectation and finding, without a traceback."""
        if isinstance(excinfo.value, DoesNotHold | BadInput):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, line number from 0, and name."""
        return self.path, self._line - 1, self.name
