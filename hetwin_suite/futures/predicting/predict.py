"""Predicts what comes after a moment of a run."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite.futures.drawing.draw import AS_BELIEVED, Draw
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.learning.experience import NO_EXPERIENCE, Experience
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.going_on import refused
from hetwin_suite.futures.predicting.moment import Moment
from hetwin_suite.futures.predicting.restored import Restored, futures_by
from hetwin_suite.futures.predicting.root import Fork, Now, at_moment
from hetwin_suite.futures.workers.work import Workers

_NOTHING = Uncertainty("")
Elsewhere: TypeAlias = Callable[[Now, tuple[Draw, ...], float | None], list[Future]]
"""Lets futures go on in other processes until a time of `time.monotonic`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about the future.

    Attributes:
        moment: from which on.
        futures: how many.
        horizon_s: how long each goes on [s]; None: to the end of the source.
        within_s: wall time after which no future is waited for [s]; None: all are.
        seed: of the draws.
        jobs: how many at a time; None: one per core.
        out: folder in which each future is kept as an episode; None: nowhere.
        drawn: whether what is uncertain is drawn; else all futures are alike.
        physics_only: whether they go on by physics alone, which no other model may take part in.
        experience: of what no future knows.
    """

    moment: Moment
    futures: int
    horizon_s: float | None = None
    within_s: float | None = None
    seed: int = 0
    jobs: int | None = None
    out: Path | None = None
    drawn: bool = True
    physics_only: bool = False
    experience: Experience = NO_EXPERIENCE


def predict(
    scenario: Scenario,
    options: RunOptions,
    asked: Asked,
    progress: Callable[[Future], None] = lambda _: None,
    look: Callable[[], None] = lambda: None,
    checkpoint: Checkpoint | None = None,
    workers: Workers | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> Forecast:
    """Let many futures of one moment go on, and return what they say.

    Args:
        scenario: what is run; its `uncertainty` is drawn, and its `outcomes` are what counts as success.
        options: what the start of the run says.
        asked: what is asked.
        progress: is called with each future that is over.
        look: is called several times a second.
        checkpoint: of the run, to begin with; None: the run begins at its start.
        workers: restore a checkpoint of the moment and go on with the futures; None: processes forked there do.
        note: is called with what is worth knowing about workers.

    Raises:
        BadInput: if the scenario or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    check_asked(asked)
    if asked.physics_only and workers is not None:
        raise BadInput(
            "physics alone goes on where the run is",
            where="--physics-only",
            found="--cluster",
            expected="one of them",
        )
    out = None if asked.out is None else new_folder(asked.out)
    moment, horizon_s, jobs = asked.moment, asked.horizon_s, asked.jobs
    elsewhere: Elsewhere | None = None
    if workers is not None:
        elsewhere = partial(_by_workers, scenario, asked, workers, out, progress, note)
    at_ns, futures, believed, wall_s, over_ns = at_moment(
        scenario,
        options,
        moment,
        lambda now, fork: _ask(asked, elsewhere, now, fork),
        horizon_s=horizon_s,
        jobs=jobs,
        out=out,
        checkpoint=checkpoint,
        progress=progress,
        look=look,
        physics_only=asked.physics_only,
    )
    if horizon_s is None:
        horizon_s = max((one.end_ns - at_ns for one in futures if not one.error), default=0) / 1e9
    outcomes = tuple(scenario.file.outcomes)
    count, known = asked.futures, asked.experience
    return Forecast(
        at_ns / 1e9,
        horizon_s,
        *(asked.seed, count, futures, outcomes, wall_s, known, believed),
        over_s=None if over_ns is None else over_ns / 1e9,
    )


class _Answer(NamedTuple):
    """What was asked at the moment.

    Attributes:
        at_ns: the moment [ns].
        futures: by index.
        believed: see `Forecast`.
        wall_s: how long that took [s].
        over_ns: when the run is over [ns]; None: not known.
    """

    at_ns: int
    futures: list[Future]
    believed: Future | None
    wall_s: float
    over_ns: int | None


def _ask(asked: Asked, elsewhere: Elsewhere | None, now: Now, fork: Fork) -> _Answer:
    begun = time.monotonic()
    until = None if asked.within_s is None else begun + asked.within_s
    uncertainty = now.uncertainty if asked.drawn else _NOTHING

    def go_on(draws: Iterable[Draw]) -> list[Future]:
        return fork(draws, until) if elsewhere is None else elsewhere(now, tuple(draws), until)

    found = go_on(uncertainty.draw(asked.seed, index) for index in range(asked.futures))
    futures = sorted(found, key=lambda one: one.index)
    finished = [one for one in futures if one.error is None]
    none_succeeds = bool(finished) and not any(one.succeeded for one in finished)
    over = until is not None and time.monotonic() >= until
    beside = go_on([AS_BELIEVED]) if asked.drawn and none_succeeds and not over else []
    wall_s = time.monotonic() - begun
    return _Answer(now.time_ns, futures, next(iter(beside), None), wall_s, now.over_ns)


def _by_workers(
    scenario: Scenario,
    asked: Asked,
    workers: Workers,
    out: Path | None,
    progress: Callable[[Future], None],
    note: Callable[[str], None],
    now: Now,
    draws: tuple[Draw, ...],
    until: float | None,
) -> list[Future]:
    checkpoint, tables = now.checkpoint()
    horizon_s = asked.horizon_s
    end_ns = None if horizon_s is None else now.time_ns + round(horizon_s * 1e9)
    with tempfile.TemporaryDirectory(prefix="hetwin-") as nowhere:
        folder = Path(nowhere) if out is None else out
        job = Restored(checkpoint, pickle.dumps(tables), draws, end_ns, folder, out is not None)
        found = futures_by(workers, job, until, progress, note)
    for future in found:
        if future.refused:
            raise scenario.placed(refused(future))
    return found


def check_asked(asked: Asked) -> None:
    """See that a question about the future can be answered.

    Raises:
        BadInput: if it cannot; the option is named.
    """
    moment = asked.moment
    if (moment.at_s is None) == (not moment.before):
        raise BadInput(
            "a prediction needs one moment",
            where="--at, --before",
            found="neither" if moment.at_s is None else "both",
            expected="--at T, or --before ACTION",
        )
    numbers = {"--at": moment.at_s, "--horizon": asked.horizon_s, "--within": asked.within_s}
    for option, value in numbers.items():
        least_is_fine = option == "--at"
        if value is not None and not (value > 0.0 or (least_is_fine and value == 0.0)):
            expected = "at least 0" if least_is_fine else "above 0"
            raise BadInput("this is no such time", where=option, found=value, expected=expected)
    if asked.futures < 1:
        raise BadInput(
            "nothing can be said without futures",
            where="--futures",
            found=asked.futures,
            expected="at least 1",
        )


def new_folder(folder: Path) -> Path:
    """Return the absolute path of a folder in which there is nothing yet.

    Raises:
        BadInput: if there is something.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise BadInput(
            "there is something already", where="--out", found=str(folder), expected="a new folder"
        )
    return folder.resolve()
