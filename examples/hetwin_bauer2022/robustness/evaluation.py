"""Makes missing verdicts of a robustness evaluation, and collects all verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch import axes
from hetwin_bauer2022.robustness.findings import Findings, findings
from hetwin_bauer2022.robustness.judging import judge_pieces
from hetwin_bauer2022.robustness.kept import KeptVerdict, KeptVerdicts
from hetwin_bauer2022.robustness.levels import Levels
from hetwin_bauer2022.robustness.sets import EpisodeSet
from hetwin_bauer2022.robustness.work import VerdictStore, points_of

VERDICTS = "verdicts.jsonl"
RECORDED = "recorded"


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
    verdict: KeptVerdict


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
    asked: Scope,
    replay: Replay,
    out: Path,
    *,
    jobs: int | None = None,
    trusts: bool = False,
    began: Callable[[int, int], None] = _ignore,
    progress: Callable[[Progress], None] = _ignore,
    look: Callable[[], None] = lambda: None,
) -> Findings:
    """Make the verdicts that `out` lacks, and return all findings.

    Args:
        asked: scope of the evaluation.
        replay: contact settings and engine.
        out: folder of the stored verdicts, and of episodes that are recorded again.
        jobs: number of parallel processes; None: one per core.
        trusts: whether stored verdicts made by other versions of the code are valid.
        began: called with the numbers of stored and of missing verdicts.
        progress: called after each new verdict.
        look: called several times a second while episodes are judged.

    Raises:
        BadInput: if a level is not possible for an episode, or the stored verdicts cannot be read.
    """
    kept = KeptVerdicts(out / VERDICTS)
    judged = VerdictStore(kept, replay, trusts)
    points = points_of(asked.sets, asked.axes, asked.first)
    pieces = judged.missing(points, asked.approaches)
    missing, done, start = sum(len(p.approaches) for p in pieces), 0, time.monotonic()
    began(len(points) * len(asked.approaches) - missing, missing)
    for verdicts in judge_pieces(pieces, replay, jobs, out / RECORDED, look):
        for verdict in verdicts:
            kept.add(verdict)
            done += 1
            left = (time.monotonic() - start) / done * (missing - done)
            progress(Progress(done, missing, left, verdict))
    return findings(asked.sets, axes(), kept, judged)
