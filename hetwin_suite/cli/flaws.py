"""`hetwin ask --flaws`: what went wrong in an episode."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetwin_suite._commands.result import Result

if TYPE_CHECKING:
    from hetwin_core.episodes.flaws.flaw import Flaw


def flaws_of(episode: Path) -> Result:
    """Find what went wrong in an episode, and what speaks against the run itself."""
    from hetwin_core.episodes.flaws.find import flaws_in
    from hetwin_core.episodes.run_folder import folder_of, read_summary
    from hetwin_core.episodes.tables.open import open_tables
    from hetwin_suite.running.patience import never_silent

    with never_silent(lambda: "reading the episode"):
        tables = open_tables(episode)
        begun = time.perf_counter()
        found = flaws_in(tables)
        seconds = time.perf_counter() - begun
    summary = read_summary(folder_of(episode)) or {}
    document = {
        "seconds": seconds,
        "verdict": summary.get("verdict"),
        "coverage": summary.get("coverage"),
        "concerns": summary.get("concerns", ()),
        "flaws": [flaw.to_json() for flaw in found],
    }
    return Result(document, _lines(found, summary))


def _lines(found: Sequence[Flaw], summary: Mapping[str, Any]) -> Iterator[str]:
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
