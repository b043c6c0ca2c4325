"""Makes missing verdicts of a robustness evaluation, and collects all verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch import axes
from hetwin_bauer2022.robustness.findings import Findings, collect_findings
from hetwin_bauer2022.robustness.judging import judge_items
from hetwin_bauer2022.robustness.levels import Levels
from hetwin_bauer2022.robustness.sets import EpisodeSet
from hetwin_bauer2022.robustness.stored_verdicts import StoredVerdict, VerdictFile
from hetwin_bauer2022.robustness.work_items import ValidVerdicts, points_of

VERDICTS = "verdicts.jsonl"
RECORDED_FOLDER = "recorded"


class Progress(NamedTuple):
    """The progress of an evaluation.

    Attributes:
        done: number of new verdicts.
        of: number of verdicts that were missing.
        left_s: estimated time to the end [s].
        verdict: the newest verdict.
    """

    done: int
    of: int
    left_s: float
    verdict: StoredVerdict


def _ignore(*_: object) -> None:
    """Ignore the progress."""


class Scope(NamedTuple):
    """The scope of an evaluation.

    Attributes:
        sets: sets of episodes.
        axes: axes with their levels.
        approaches: names of the approaches.
        first: number of successful and of failed episodes of each set; None: all.
    """

    sets: Sequence[EpisodeSet]
    axes: Sequence[Levels]
    approaches: Sequence[str]
    first: int | None


def evaluate_robustness(
    scope: Scope,
    replay: Replay,
    out: Path,
    *,
    jobs: int | None = None,
    trust_stored: bool = False,
    on_start: Callable[[int, int], None] = _ignore,
    progress: Callable[[Progress], None] = _ignore,
    look: Callable[[], None] = lambda: None,
) -> Findings:
    """Make the verdicts that `out` lacks, and return all findings.

    Args:
        scope: scope of the evaluation.
        replay: contact settings and engine.
        out: folder of the stored verdicts, and of episodes that are recorded again.
        jobs: number of parallel processes; None: one per core.
        trust_stored: whether stored verdicts made by other versions of the code are valid.
        on_start: called with the numbers of stored and of missing verdicts.
        progress: called after each new verdict.
        look: called several times a second while episodes are judged.

    Raises:
        BadInput: if a level is not possible for an episode, or the stored verdicts cannot be read.
    """
    stored = VerdictFile(out / VERDICTS)
    valid = ValidVerdicts(stored, replay, trust_stored)
    points = points_of(scope.sets, scope.axes, scope.first)
    items = valid.missing(points, scope.approaches)
    missing, done, start = sum(len(p.approaches) for p in items), 0, time.monotonic()
    on_start(len(points) * len(scope.approaches) - missing, missing)
    for verdicts in judge_items(items, replay, jobs, out / RECORDED_FOLDER, look):
        for verdict in verdicts:
            stored.add(verdict)
            done += 1
            left_s = (time.monotonic() - start) / done * (missing - done)
            progress(Progress(done, missing, left_s, verdict))
    return collect_findings(scope.sets, axes(), stored, valid)
