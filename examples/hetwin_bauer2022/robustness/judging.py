"""Judges pieces of work in parallel processes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.judge import Verdict, judge
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.evaluation.worse import worsen
from hetwin_bauer2022.mismatch import Mismatch, Place
from hetwin_bauer2022.robustness import fingerprints
from hetwin_bauer2022.robustness.kept import KeptVerdict
from hetwin_bauer2022.robustness.recorded_anew import recorded_anew
from hetwin_bauer2022.robustness.work import Piece, Point
from hetwin_suite.study import FunctionJob, Processes


def judge_pieces(
    pieces: Sequence[Piece],
    replay: Replay,
    jobs: int | None,
    recorded: Path,
    look: Callable[[], None] = lambda: None,
) -> Iterator[list[KeptVerdict]]:
    """Yield the verdicts of each piece as soon as they are made, in any order.

    Args:
        pieces: pieces of work.
        replay: contact settings and engine.
        jobs: number of parallel processes; None: one per core.
        recorded: folder for episodes that are recorded again.
        look: called several times a second.

    Raises:
        RunFailed: if a process died.
    """
    job = FunctionJob[Piece, list[KeptVerdict]](lambda piece: judge_piece(piece, replay, recorded))
    for done in Processes(jobs).work(job, pieces, look=look):
        yield done.value


def judge_piece(piece: Piece, replay: Replay, recorded: Path) -> list[KeptVerdict]:
    """Judge a point with its approaches.

    Args:
        piece: the point and the approaches.
        replay: contact settings and engine.
        recorded: folder for episodes that are recorded again.
    """
    found = []
    with at_level(piece.point, recorded) as episode:
        for approach, decided_by in piece.approaches:
            begun = time.process_time()
            verdict = judge(episode, approach, None, replay.contacts, replay.engine)
            seconds = time.process_time() - begun
            found.append(_kept(piece.point, verdict, decided_by, seconds))
    return found


@contextmanager
def at_level(point: Point, recorded: Path) -> Iterator[LabelledEpisode]:
    """Provide the episode of a point; files written for a replay are removed afterwards.

    Args:
        point: episode, axis and level.
        recorded: folder for episodes that are recorded again, which are kept.
    """
    if point.axis is None:
        yield point.episode
        return
    mismatch = Mismatch(point.axis, point.level)
    if point.axis.place is Place.REALITY:
        anew = recorded / fingerprints.of_recording() / point.digest / str(mismatch)
        yield recorded_anew(point.episode, mismatch, anew)
        return
    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        yield worsen(point.episode, (mismatch,), Path(folder) / point.episode.name)


def _kept(point: Point, verdict: Verdict, decided_by: str, seconds: float) -> KeptVerdict:
    question = point.question(verdict.approach)
    return KeptVerdict(
        episode=question.episode,
        set=point.set,
        name=point.episode.name,
        axis=question.axis,
        level=question.level,
        approach=question.approach,
        decided_by=decided_by,
        truth=verdict.truth,
        success=verdict.success,
        not_applicable=verdict.not_applicable,
        cause=verdict.cause,
        why=verdict.why,
        seconds=round(seconds, 3),
    )
