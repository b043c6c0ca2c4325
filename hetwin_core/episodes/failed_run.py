"""Finishes a run whose process could not do so: completes its log, and writes a summary with the reason."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from hetwin_core.ensemble.conductor.reporting.concerns import run_concerns, verdict_of
from hetwin_core.ensemble.conductor.reporting.coverage import coverage_of
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.reporting.summary import error_row, handover_row
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.event_codec import event_to_summary
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.bag import LogBag
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.recover import recover_log
from hetwin_core.episodes.run_folder import LOG, write_summary


def finish_failed_run(
    out: Path,
    scenario: str,
    error: RunFailed,
    transport: str,
    wall_time: float = 0.0,
    *,
    interrupted: bool = False,
) -> RunSummary:
    """Finish the folder of a run that failed without finishing it itself.

    The log keeps everything that reached the disk, and gets the error as its last diagnostic; a run that failed before
    it began gets a log with that diagnostic only.

    Args:
        out: folder of the run.
        scenario: name of the scenario.
        error: why it failed.
        transport: ``local`` or ``ros``.
        wall_time: how long it ran, in s.
        interrupted: whether it was ended at once by those who ran it; it is ``stopped`` then and has no error.

    Raises:
        RunFailed: if the disk cannot be written to.
    """
    note = run_messages.note(error.time_ns, "error", error.model, error.without_model)
    if not (out / LOG).exists():
        out.mkdir(parents=True, exist_ok=True)
        bag = LogBag(out / LOG)
        bag.write([note])
        bag.close()
    else:
        with suppress(BadInput):  # a folder without a file in it
            recover_log(out, last=note)
    simulated = error.time_ns / 1e9
    episode = _episode(out)
    events = () if episode is None else episode.events
    concerns = run_concerns(events, (), error.time_ns)
    coverage = coverage_of(events, concerns, 0, error.time_ns)
    ended = "stopped" if interrupted else "failed"
    summary = RunSummary(
        scenario=scenario,
        ended=ended,
        error=None if interrupted else error_row(error),
        simulated_time=simulated,
        wall_time=wall_time,
        real_time_factor=simulated / wall_time if wall_time > 0 else 0.0,
        digest="",
        deterministic=False,
        transport=transport,
        processes=() if episode is None else _processes(episode),
        events=tuple(event_to_summary(e) for e in events),
        handovers=() if episode is None else tuple(handover_row(h) for h in episode.handovers),
        state={},
        concerns=tuple(concern.row() for concern in concerns),
        coverage=tuple(one.row() for one in coverage),
        verdict=verdict_of((concern.severity for concern in concerns), ended=ended).value,
    )
    write_summary(out, summary)
    return summary


def _processes(episode: Episode) -> tuple[dict[str, str | int], ...]:
    return tuple({"model": m.name, "pid": m.pid} for m in episode.models)


def _episode(out: Path) -> Episode | None:
    try:
        return Episode.open(out)
    except BadInput:  # nothing of it reached the disk
        return None
