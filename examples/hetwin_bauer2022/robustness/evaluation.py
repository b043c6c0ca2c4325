"""Judges what is missing and collects what is known."""

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
from hetwin_bauer2022.robustness.work import Judged, points_of

VERDICTS = "verdicts.jsonl"
RECORDED = "recorded"


class Progress(NamedTuple):
    """How far an evaluation is.

    Attributes:
        done: number of new verdicts.
        of: number of verdicts that were missing.
        left_s: estimated time to its end [s].
        verdict: the newest.
    """

    done: int
    of: int
    left_s: float
    verdict: KeptVerdict


def _ignore(*_: object) -> None:
    """Ignore the progress."""


class Asked(NamedTuple):
    """What is to be judged.

    Attributes:
        sets: sets of episodes.
        axes: and their levels.
        approaches: names.
        first: number of successful and of failed episodes of each set; None: all.
    """

    sets: Sequence[EpisodeSet]
    axes: Sequence[Levels]
    approaches: Sequence[str]
    first: int | None


def evaluate_robustness(
    asked: Asked,
    replay: Replay,
    out: Path,
    *,
    jobs: int | None = None,
    trusts: bool = False,
    began: Callable[[int, int], None] = _ignore,
    progress: Callable[[Progress], None] = _ignore,
    look: Callable[[], None] = lambda: None,
) -> Findings:
    """Judge what is not kept in `out` yet; return everything that is.

    Args:
        asked: what is to be judged.
        replay: contact settings and engine.
        out: folder of the kept verdicts and of episodes that are recorded anew.
        jobs: processes at a time; None: one per core.
        trusts: whether kept verdicts count that other code has decided.
        began: called with the numbers of kept and of missing verdicts.
        progress: called after each new verdict.
        look: called several times a second while episodes are judged.

    Raises:
        BadInput: if a level is not possible for an episode, or the kept verdicts cannot be read.
    """
    kept = KeptVerdicts(out / VERDICTS)
    judged = Judged(kept, replay, trusts)
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
