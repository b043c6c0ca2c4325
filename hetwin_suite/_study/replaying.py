"""Replays of recordings, each judged: its claims, which of them hold, and from when it goes wrong."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.report import file_digests
from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary, StepCounter
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import event_from_summary
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.supervision.heartbeat import BEGUN, STEP, TIME, WAITS, Heartbeat
from hetwin_core.ensemble.transport.local import local_ports
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.episodes.asking.answer import QuestionAnswer
from hetwin_core.episodes.asking.asked import AskableEpisode, AskedTables
from hetwin_core.episodes.flaws.find import flaws_in
from hetwin_core.episodes.judge import OUTCOME_MISSED
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import open_tables
from hetwin_suite._study.forks import Forked, Forks
from hetwin_suite._study.making import overdue
from hetwin_suite._study.work import Job
from hetwin_suite.view.report.page import write_report

FINE = "fine"
STILL_S = 60.0
WITHIN_S = 600.0


class Replay(NamedTuple):
    """A recording that is to be replayed.

    Attributes:
        name: of its folder below that of all; no other has it.
        source: the recording; empty: the scenario's own.
    """

    name: str
    source: str = ""


class Judged(NamedTuple):
    """A claim on a replay.

    Attributes:
        name: of the claim.
        question: as it was asked.
        holds: None if that is not known.
        at_s: begin of the evidence against it [s]; None without any.
        why: the evidence against it, or why it is not known, in words.
        wrong: whether the question itself is wrong, such as one about something that the scene does not have.
    """

    name: str
    question: str
    holds: bool | None
    at_s: float | None = None
    why: str = ""
    wrong: bool = False


class Trouble(NamedTuple):
    """A concern or a flaw of a replay: its kind, its severity (``flaw`` of a flaw), since when [s], and a sentence."""

    kind: str
    severity: str
    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay.

    Attributes:
        verdict: of the run.
        judged: the claims.
        troubles: concerns from a warning on, then flaws, each by time.
        coverage: as ``summary.json`` has it.
        end_s: simulated time at which it ended [s].
        digest: of the run.
        error: why the run failed; empty if it did not.
        folder: where its log and page are; None if they were not kept.
        probabilities: of the claims that models judged by evidence, the last of each name.
    """

    verdict: str
    judged: tuple[Judged, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    coverage: tuple[Mapping[str, Any], ...] = ()
    end_s: float = 0.0
    digest: str = ""
    error: str = ""
    folder: Path | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether the verdict is fine and no claim is known to be false."""
        return self.verdict == FINE and all(one.holds is not False for one in self.judged)

    @property
    def first_bad(self) -> Trouble | None:
        """The earliest trouble, or evidence against a claim; None without any."""
        missed = (
            Trouble(one.name, "claim", one.at_s or 0.0, one.why)
            for one in self.judged
            if one.holds is False
        )
        return min((*self.troubles, *missed), key=lambda one: one.at_s, default=None)


class Moving(StepCounter):
    """Writes into the conductor's row, too, when the run last moved."""

    def stepped(self, step: int, scene: Snapshot) -> None:
        """A step is done."""
        super().stepped(step, scene)
        self._row[BEGUN] = time.monotonic_ns()


@dataclass(frozen=True)
class Replaying(Job[Replay, Replayed]):
    """Replays recordings in one scenario, and judges each.

    A replay in a worker that stands still, or is not over in time, is ended and named.

    Attributes:
        scenario: file of the scenario.
        variant: of it.
        claims: name -> question, beside the scenario's outcomes.
        options: of the start of each run, apart from its source.
        out: folder below which the replays are kept, each by its name; None: nowhere.
        keep: which of them: ``all``, ``bad`` or ``none``.
        pages: whether those that are kept have a page.
        still_s: how long a run may go without a step [s of wall time].
        within_s: how long a replay may take [s of wall time].
    """

    scenario: Path
    variant: str | None = None
    claims: tuple[tuple[str, str], ...] = ()
    options: RunOptions = field(default_factory=RunOptions)
    out: Path | None = None
    keep: str = "bad"
    pages: bool = True
    still_s: float = STILL_S
    within_s: float = WITHIN_S

    def loaded(self) -> Scenario:
        """Return the scenario with the claims among its outcomes; it is loaded once in each process."""
        return _loaded(self.scenario, self.variant, self.claims)

    @property
    def identity(self) -> str:
        """The key of this job's results: scenario, its files, claims and hetwin's version."""
        scenario = self.loaded()
        content = scenario.file.model_dump(mode="json", by_alias=True, exclude={"variants"})
        files = [row for row in self.files() if not row[0].startswith("source")]
        told = [content, files, self.options.seed, self.options.engine, hetwin_version()]
        return sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def files(self) -> list[tuple[str, str]]:
        """Return the digests of the scenario's files, its own source among them, by their roles."""
        return sorted(file_digests(self.loaded(), self.options))

    def warm(self) -> None:
        """See `Job.warm`."""
        self.loaded()

    def do(self, task: Replay, heartbeat: Heartbeat | None) -> Replayed:
        """See `Job.do`; without a process that looks, it is done in a copy of this process, which can be ended.

        Raises:
            BadInput: if the recording or the scenario cannot be used.
        """
        if heartbeat is None:
            return self._in_a_copy(task)
        row = heartbeat.row(-1)
        row[WAITS] = row[BEGUN] = time.monotonic_ns()
        row[STEP] = row[TIME] = 0
        try:
            with self._own_folder(task) as folder:
                return self._replayed(task, folder, heartbeat)
        finally:
            row[BEGUN] = 0

    def _in_a_copy(self, task: Replay) -> Replayed:
        for one in Forks(1, self.overdue).work([task]):
            if isinstance(one, Forked):
                from hetwin_suite._study.processes import serve

                serve(self, one)
            done = one if one.result is None else one._replace(**one.result.told())
            value: Replayed = done.value
            return value
        raise AssertionError("a task that was given comes back")

    @contextmanager
    def _own_folder(self, task: Replay) -> Iterator[Path]:
        kept = self.folder(task)
        if kept is not None:
            shutil.rmtree(kept, ignore_errors=True)  # of a worker that died
            yield kept
            return
        with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
            yield Path(folder) / "run"

    def _replayed(self, task: Replay, folder: Path, heartbeat: Heartbeat) -> Replayed:
        scenario = self.loaded()
        options = replace(self.options, source=task.source) if task.source else self.options
        log = RunLog(folder, state_rate=scenario.file.log.state_rate)

        conductor = session(
            scenario,
            options=options,
            listeners=[log, RunJudge(log), Moving(heartbeat)],
            ports=local_ports(scenario, heartbeat, one_process=True),
        )
        conductor.prepare()
        found = self._judged(conductor.run(), folder)
        if self.out is None or self.keep == "none" or (self.keep == "bad" and found.good):
            shutil.rmtree(folder, ignore_errors=True)
            return found
        if self.pages:
            write_report(folder)
        return replace(found, folder=folder)

    def _judged(self, summary: RunSummary, folder: Path) -> Replayed:
        if summary.error is not None:
            reason = failure_row_words(summary.error)
            return Replayed(
                summary.verdict, end_s=summary.simulated_time, digest=summary.digest, error=reason
            )
        tables = open_tables(folder)
        asked = AskedTables(tables)
        missed = dict(_missed(summary))
        outcomes = self.loaded().file.outcomes
        flaws = [
            Trouble(one.kind, "flaw", one.span.from_ns / 1e9, one.text) for one in flaws_in(tables)
        ]
        return Replayed(
            summary.verdict,
            judged_claims(asked, outcomes, missed),
            (*_concerns(summary), *sorted(flaws, key=lambda one: one.at_s)),
            tuple(summary.coverage),
            summary.simulated_time,
            summary.digest,
            probabilities={
                str(said["claim"]): float(str(said["probability"]))
                for event in map(event_from_summary, summary.events)
                if event.name == JUDGED
                for said in [event.arguments]
            },
        )

    def folder(self, task: Replay) -> Path | None:
        """See `Job.folder`."""
        return None if self.out is None or self.keep == "none" else self.out / task.name

    def elsewhere(self, out: Path) -> Replaying:
        """See `Job.elsewhere`."""
        return self if self.out is None else replace(self, out=out)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        row, now = heartbeat.row(-1), time.monotonic_ns()
        if not row[BEGUN]:
            return None
        at = f"at {row[TIME] / 1e9:.2f} s of the run" if row[STEP] else "before its first step"
        if now - row[BEGUN] > self.still_s * 1e9:
            return f"it hangs: nothing moved for {self.still_s:g} s, {at}"
        if now - row[WAITS] > self.within_s * 1e9:
            return f"it hangs: it is not over after {self.within_s:g} s of wall time, {at}"
        return overdue(self.loaded(), heartbeat)


@cache
def _loaded(path: Path, variant: str | None, claims: tuple[tuple[str, str], ...]) -> Scenario:
    scenario = load_scenario(path, variant)
    if not claims:
        return scenario
    return scenario.with_keys({"outcomes": {**scenario.file.outcomes, **dict(claims)}})


def _concerns(summary: RunSummary) -> Iterator[Trouble]:
    """Yield the reasons to doubt a run, by time, apart from missed outcomes."""
    rows = [
        Trouble(str(row["name"]), str(row["severity"]), _number(row["from"]), str(row["text"]))
        for row in summary.concerns
        if row["severity"] != Severity.NOTE and row["name"] != OUTCOME_MISSED
    ]
    yield from sorted(rows, key=lambda one: one.at_s)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _missed(summary: RunSummary) -> Iterator[tuple[str, str]]:
    """Yield each outcome that was missed, and where its object is instead, in words."""
    for row in summary.concerns:
        said = row["arguments"]
        if row["name"] == OUTCOME_MISSED and isinstance(said, dict):
            yield str(said["outcome"]), str(row["text"])


def judged_claims(
    asked: AskableEpisode, claims: Mapping[str, str], missed: Mapping[str, str] | None = None
) -> tuple[Judged, ...]:
    """Ask an episode whether claims hold.

    Args:
        asked: the episode, which is over.
        claims: name -> question.
        missed: name -> the state instead, in words, of those that are known not to hold.
    """
    return tuple(_claim(asked, *one, (missed or {}).get(one[0], "")) for one in claims.items())


def _claim(asked: AskableEpisode, name: str, question: str, missed: str) -> Judged:
    try:
        answer = asked.ask(question)
    except BadInput as error:
        told = BadInput(error.problem, found=error.found, expected=error.expected)
        return Judged(name, question, None, why=str(told), wrong=True)
    if answer.why or not isinstance(answer.value, bool):
        why = answer.why or f"it is neither true nor false, but {answer.value!r}"
        return Judged(name, question, None, why=why, wrong=not answer.why)
    if answer.value:
        return Judged(name, question, True)
    return Judged(name, question, False, _since(answer, asked), missed or "it does not hold")


def _since(answer: QuestionAnswer, asked: AskableEpisode) -> float:
    """Begin of the evidence against a claim [s]: where its terms cease to hold, or the event, or the end."""
    ends = [span.to_ns for span in answer.intervals]
    begins = [row.span.from_ns for row in answer.evidence]
    return (min(ends) if ends else min(begins, default=asked.tables.known_until_ns)) / 1e9


@cache
def hetwin_version() -> str:
    """Return hetwin's version, and a digest that changes with its installed code."""
    code = sha256()
    for package in ("hetwin_core", "hetwin_suite", "model_nodes"):
        folder = Path(next(iter(import_module(package).__path__)))
        for file in sorted(folder.rglob("*.py")):
            known = file.stat()
            told = f"{file.relative_to(folder)} {known.st_size} {known.st_mtime_ns}\n"
            code.update(told.encode())
    return f"{version('hetwin-suite')}+{code.hexdigest()[:12]}"
