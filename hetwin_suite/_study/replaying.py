"""Replays recordings and judges each: which claims hold, and the time of the first trouble."""

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
"""Default of `ReplayJob.still_s`."""
WITHIN_S = 600.0
"""Default of `ReplayJob.within_s`."""


class Replay(NamedTuple):
    """A recording to replay.

    Attributes:
        name: unique name, also of its folder in the output folder.
        source: path of the recording; empty: the scenario's source.
    """

    name: str
    source: str = ""


class JudgedClaim(NamedTuple):
    """The judgement of a claim about a replay.

    Attributes:
        name: name of the claim.
        question: question of the claim.
        holds: whether the claim holds; None if unknown.
        at_s: start of the evidence against the claim [s]; None without any.
        why: the evidence against the claim, or why the claim is unknown, in words.
        wrong: whether the question is invalid, for instance because it names something that the scene lacks.
    """

    name: str
    question: str
    holds: bool | None
    at_s: float | None = None
    why: str = ""
    wrong: bool = False


class Trouble(NamedTuple):
    """A concern or a flaw of a replay.

    Attributes:
        kind: kind of the concern or flaw.
        severity: severity of a concern; ``flaw`` for a flaw; ``claim`` for a claim that does not hold.
        at_s: start of the trouble [s].
        text: a sentence about it.
    """

    kind: str
    severity: str
    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay.

    Attributes:
        verdict: verdict of the run.
        judged: the judged claims.
        troubles: concerns of severity warning or higher, then flaws, each by time.
        coverage: coverage as in ``summary.json``.
        end_s: simulated time at the end of the run [s].
        digest: digest of the run.
        error: why the run failed; empty if it did not.
        folder: folder of its log and page; None if they were not kept.
        probabilities: claim -> last probability by which a model judged it from evidence.
    """

    verdict: str
    judged: tuple[JudgedClaim, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    coverage: tuple[Mapping[str, Any], ...] = ()
    end_s: float = 0.0
    digest: str = ""
    error: str = ""
    folder: Path | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether the verdict is fine and no claim is false; claims may be unknown."""
        return self.verdict == FINE and all(claim.holds is not False for claim in self.judged)

    @property
    def first_bad(self) -> Trouble | None:
        """The earliest trouble, including false claims; None if there is none."""
        missed = (
            Trouble(claim.name, "claim", claim.at_s or 0.0, claim.why)
            for claim in self.judged
            if claim.holds is False
        )
        return min((*self.troubles, *missed), key=lambda claim: claim.at_s, default=None)


class ProgressRecorder(StepCounter):
    """Records the wall time of the run's last step in the heartbeat, beside the step itself."""

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Record a finished step."""
        super().stepped(step, scene)
        self._row[BEGUN] = time.monotonic_ns()


@dataclass(frozen=True)
class ReplayJob(Job[Replay, ReplayResult]):
    """Replays recordings in one scenario, and judges each.

    A worker whose replay hangs or exceeds its time limit is killed, and the replay is reported as lost.

    Attributes:
        scenario: file of the scenario.
        variant: variant of the scenario; None: none.
        claims: (name, question) of the claims, in addition to the scenario's outcomes.
        options: start options of all runs, without their source.
        out: folder for the kept replays, one subfolder per name; None: no replay is kept.
        keep: which replays are kept: ``all``, ``bad`` or ``none``.
        pages: whether to write a page for each kept replay.
        still_s: maximum wall time without a step [s].
        within_s: maximum wall time of a replay [s].
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
        """Return the scenario with the claims added to its outcomes; it is loaded once per process."""
        return _loaded(self.scenario, self.variant, self.claims)

    @property
    def identity(self) -> str:
        """Cache key of this job's results: a hash of the scenario, its files, the claims and hetwin's version."""
        scenario = self.loaded()
        content = scenario.file.model_dump(mode="json", by_alias=True, exclude={"variants"})
        files = [row for row in self.files() if not row[0].startswith("source")]
        parts = [content, files, self.options.seed, self.options.engine, hetwin_version()]
        return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def files(self) -> list[tuple[str, str]]:
        """Return (role, digest) of each of the scenario's files, including its source."""
        return sorted(file_digests(self.loaded(), self.options))

    def warm(self) -> None:
        """See `Job.warm`."""
        self.loaded()

    def do(self, task: Replay, heartbeat: Heartbeat | None) -> ReplayResult:
        """See `Job.do`; without a heartbeat the replay runs in a fork of this process, which can be killed if it hangs.

        Raises:
            BadInput: if the recording or the scenario cannot be used.
        """
        if heartbeat is None:
            return self._in_fork(task)
        row = heartbeat.row(-1)
        row[WAITS] = row[BEGUN] = time.monotonic_ns()
        row[STEP] = row[TIME] = 0
        try:
            with self._own_folder(task) as folder:
                return self._replayed(task, folder, heartbeat)
        finally:
            row[BEGUN] = 0

    def _in_fork(self, task: Replay) -> ReplayResult:
        for forked in Forks(1, self.overdue).work([task]):
            if isinstance(forked, Forked):
                from hetwin_suite._study.processes import serve

                serve(self, forked)
            done = (
                forked
                if forked.result is None
                else forked._replace(**forked.result.fields_of_done())
            )
            value: ReplayResult = done.value
            return value
        raise AssertionError("no result of the task")

    @contextmanager
    def _own_folder(self, task: Replay) -> Iterator[Path]:
        kept = self.folder(task)
        if kept is not None:
            shutil.rmtree(kept, ignore_errors=True)  # remains of a worker that died
            yield kept
            return
        with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
            yield Path(folder) / "run"

    def _replayed(self, task: Replay, folder: Path, heartbeat: Heartbeat) -> ReplayResult:
        scenario = self.loaded()
        options = replace(self.options, source=task.source) if task.source else self.options
        log = RunLog(folder, state_rate=scenario.file.log.state_rate)

        conductor = session(
            scenario,
            options=options,
            listeners=[log, RunJudge(log), ProgressRecorder(heartbeat)],
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

    def _judged(self, summary: RunSummary, folder: Path) -> ReplayResult:
        if summary.error is not None:
            reason = failure_row_words(summary.error)
            return ReplayResult(
                summary.verdict, end_s=summary.simulated_time, digest=summary.digest, error=reason
            )
        tables = open_tables(folder)
        asked = AskedTables(tables)
        missed = dict(_missed_outcomes(summary))
        outcomes = self.loaded().file.outcomes
        flaws = [
            Trouble(flaw.kind, "flaw", flaw.span.from_ns / 1e9, flaw.text)
            for flaw in flaws_in(tables)
        ]
        return ReplayResult(
            summary.verdict,
            judged_claims(asked, outcomes, missed),
            (*_concerns(summary), *sorted(flaws, key=lambda flaw: flaw.at_s)),
            tuple(summary.coverage),
            summary.simulated_time,
            summary.digest,
            probabilities={
                str(judged["claim"]): float(str(judged["probability"]))
                for event in map(event_from_summary, summary.events)
                if event.name == JUDGED
                for judged in [event.arguments]
            },
        )

    def folder(self, task: Replay) -> Path | None:
        """See `Job.folder`."""
        return None if self.out is None or self.keep == "none" else self.out / task.name

    def elsewhere(self, out: Path) -> ReplayJob:
        """See `Job.elsewhere`."""
        return self if self.out is None else replace(self, out=out)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        row, now = heartbeat.row(-1), time.monotonic_ns()
        if not row[BEGUN]:
            return None
        at = f"at {row[TIME] / 1e9:.2f} s of the run" if row[STEP] else "before its first step"
        if now - row[BEGUN] > self.still_s * 1e9:
            return f"it hangs: it made no step for {self.still_s:g} s, {at}"
        if now - row[WAITS] > self.within_s * 1e9:
            return f"it hangs: it has not ended after {self.within_s:g} s of wall time, {at}"
        return overdue(self.loaded(), heartbeat)


@cache
def _loaded(path: Path, variant: str | None, claims: tuple[tuple[str, str], ...]) -> Scenario:
    scenario = load_scenario(path, variant)
    if not claims:
        return scenario
    return scenario.with_keys({"outcomes": {**scenario.file.outcomes, **dict(claims)}})


def _concerns(summary: RunSummary) -> Iterator[Trouble]:
    """Yield the concerns of a run by time, except missed outcomes."""
    rows = [
        Trouble(str(row["name"]), str(row["severity"]), _number(row["from"]), str(row["text"]))
        for row in summary.concerns
        if row["severity"] != Severity.NOTE and row["name"] != OUTCOME_MISSED
    ]
    yield from sorted(rows, key=lambda trouble: trouble.at_s)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _missed_outcomes(summary: RunSummary) -> Iterator[tuple[str, str]]:
    """Yield (outcome, sentence about the actual state) for each missed outcome."""
    for row in summary.concerns:
        arguments = row["arguments"]
        if row["name"] == OUTCOME_MISSED and isinstance(arguments, dict):
            yield str(arguments["outcome"]), str(row["text"])


def judged_claims(
    asked: AskableEpisode, claims: Mapping[str, str], missed: Mapping[str, str] | None = None
) -> tuple[JudgedClaim, ...]:
    """Ask an episode whether claims hold.

    Args:
        asked: a finished episode.
        claims: name -> question.
        missed: name -> sentence about the actual state, for claims that are known to be false.
    """
    return tuple(_claim(asked, *item, (missed or {}).get(item[0], "")) for item in claims.items())


def _claim(asked: AskableEpisode, name: str, question: str, missed: str) -> JudgedClaim:
    try:
        answer = asked.ask(question)
    except BadInput as error:
        reason = BadInput(error.problem, found=error.found, expected=error.expected)
        return JudgedClaim(name, question, None, why=str(reason), wrong=True)
    if answer.why or not isinstance(answer.value, bool):
        why = answer.why or f"it is neither true nor false, but {answer.value!r}"
        return JudgedClaim(name, question, None, why=why, wrong=not answer.why)
    if answer.value:
        return JudgedClaim(name, question, True)
    return JudgedClaim(name, question, False, _since(answer, asked), missed or "it does not hold")


def _since(answer: QuestionAnswer, asked: AskableEpisode) -> float:
    """Start of the evidence against a claim [s].

    This is the first time at which one of its terms ceases to hold, or the first event of the evidence, or the end
    of the episode.
    """
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
            line = f"{file.relative_to(folder)} {known.st_size} {known.st_mtime_ns}\n"
            code.update(line.encode())
    return f"{version('hetwin-suite')}+{code.hexdigest()[:12]}"
