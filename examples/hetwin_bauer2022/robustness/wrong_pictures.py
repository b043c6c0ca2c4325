"""Pictures of wrong verdicts: the run is repeated with a log, rendered, and stored."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from hetwin_bauer2022.evaluation.judge import judge
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.evaluation.wrong_verdicts import TruePath, decisive_moments, explain
from hetwin_bauer2022.robustness.judging import at_level
from hetwin_bauer2022.robustness.work_items import Point
from hetwin_stills import Moment, missing_packages, stills
from hetwin_suite.episode import Episode, read_summary
from hetwin_suite.runs import seconds


@dataclass(frozen=True, slots=True)
class WrongPicture:
    """The pictures and reasons of a wrong verdict.

    Attributes:
        images: PNG in base64 with a caption each; empty if the run fails to start.
        reasons: sentences about the difference of twin and truth.
    """

    images: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """A requested picture.

    Attributes:
        point: episode and level.
        approach: approach with the wrong verdict.
        file: file that stores the picture.
        recorded: folder for episodes that are recorded again.
    """

    point: Point
    approach: str
    file: Path
    recorded: Path


def draw_all(
    requests: Sequence[PictureRequest],
    replay: Replay,
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> list[WrongPicture]:
    """Draw pictures, or read the stored ones.

    Args:
        requests: requested pictures.
        replay: contact settings and engine.
        jobs: number of parallel processes; None: one per core.
        progress: called with the number of drawn pictures and their total number.
    """
    missing = [request for request in requests if not request.file.exists()]
    count = min(jobs or os.cpu_count() or 1, len(missing))
    if count:
        # Spawned, since a graphics library that was used before a fork hangs after it.
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            try:
                for done, _ in enumerate(pool.map(_draw, missing, [replay] * len(missing)), 1):
                    progress(done, len(missing))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [_read(request.file) for request in requests]


def _draw(request: PictureRequest, replay: Replay) -> None:
    with tempfile.TemporaryDirectory(prefix="hetwin-") as name:
        log = Path(name) / "run"
        with at_level(request.point, request.recorded) as episode:
            judge(episode, request.approach, log, replay.contacts, replay.engine)
            truth = TruePath.of(episode.folder)
        picture = _picture_of_run(log, truth)
    request.file.parent.mkdir(parents=True, exist_ok=True)
    partial = request.file.with_suffix(".part")
    partial.write_text(json.dumps(asdict(picture)), encoding="utf-8")
    partial.rename(request.file)


def _picture_of_run(log: Path, truth: TruePath | None) -> WrongPicture:
    if read_summary(log) is None:  # a run that fails to start has none
        return WrongPicture((), ())
    run = Episode.open(log)
    has_truth = truth is not None and run.layout.has(truth.thing, "pose")
    moments = decisive_moments(run, truth.thing) if has_truth and truth else ()
    sentences = explain(run, truth) if has_truth and truth else ()
    drawn_stills = (
        [] if missing_packages() else stills(run, moments or [Moment(run.end_ns, "the end")])
    )
    drawn = tuple(
        (still.png, f"{seconds(still.time_ns)}: {still.caption}") for still in drawn_stills
    )
    return WrongPicture(drawn, tuple(sentences))


def _read(file: Path) -> WrongPicture:
    data = json.loads(file.read_text(encoding="utf-8"))
    images = tuple((png, caption) for png, caption in data["images"])
    return WrongPicture(images, tuple(data["reasons"]))
