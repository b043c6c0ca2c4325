"""Runs from Python: `hetwin_suite.run` and its result."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.episodes.run_folder import LOG
from hetwin_suite.running.carry_out import execute_run
from hetwin_suite.running.progress import Display, Progress
from hetwin_suite.running.request import FinishedRun, RunRequest, default_transport


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(RunSummary):
    """The result of a run.

    Attributes:
        scenario: name of the scenario.
        ended: ``recording`` if the source or the duration ended, ``live`` likewise for a live robot, or ``stopped``; a
            failed run raises an exception instead.
        error: always None, as a failed run raises an exception.
        simulated_time: simulated time at the end of the run [s].
        wall_time: wall time of the run [s].
        real_time_factor: simulated time over wall time.
        digest: SHA-256 over states, events and handovers; if `deterministic`, the same for the same input and seed.
        deterministic: whether the digest is reproducible.
        events: events in the order in which they were handled, with their simulated times [s].
        handovers: handovers of responsibilities, in order.
        state: predicate of an observer -> whether it holds at the end.
        failures: failures of models without which, or with a restarted instance of which, the run continued.
        concerns: reasons to doubt the run, most severe first: name, severity (``note``, ``warning``, ``absurd``), from
            and to [s], arguments in SI units, text, count.
        verdict: ``fine``; ``doubtful`` if a concern is a warning; ``absurd`` if a concern is absurd.
        robots: for each robot its name, the poses of its base at start and end, and its agreement with the twin.
        folder: folder of log and summary.
    """

    folder: Path

    @property
    def log(self) -> Path:
        """The log, a rosbag2; `open_episode` reads it."""
        return self.folder / LOG


def run(
    scenario: str | Path,
    *,
    source: str | Path | None = None,
    transport: Literal["local", "ros"] | None = None,
    out: str | Path | None = None,
    scene: Mapping[str, Any] | None = None,
    seed: int | None = None,
    duration: float | None = None,
    engine: str | None = None,
    namespace: str = "",
    in_process: str = "",
    elsewhere: str = "",
    packages: Mapping[str, str | Path] | None = None,
    variant: str | None = None,
    watched: bool = False,
    progress: bool = False,
) -> Summary:
    """Run a scenario, and return its summary.

    Nothing is printed unless `progress` is set. In the main thread, SIGINT, SIGTERM and SIGHUP end the run at its next
    barrier and are then raised again for the previous handlers; in any other thread, signal handlers are not changed.

    Args:
        scenario: scenario file, or name of one of hetwin's scenarios.
        source: a recording (rosbag2), ``live``, or ``live:ROBOT_NAMESPACE``; None: the scenario's.
        transport: ``local``: in this process; ``ros``: one ROS 2 node per model, each in a process of its own; None:
            ``ros`` if the source is commands, otherwise ``local``.
        out: folder for log and summary; None: a new one, ``runs/NAME_TIME``.
        scene: entity -> {"pose": [x, y, z, qw, qx, qy, qz]} in the world frame [m], for objects that are not at the
            scenario's pose.
        seed: seed of all random numbers; None: the scenario's.
        duration: simulated time after which the run ends [s]; None: the end of the source.
        engine: physics engine of the main model; None: the scenario's.
        namespace: ROS namespace of all nodes.
        in_process: with ``ros``: models in the conductor's process, separated by commas, or ``all``.
        elsewhere: with ``ros``: models whose nodes the caller starts, on this host or another, separated by commas.
        packages: name of a package:// -> its folder, in addition to those of the scenario.
        variant: variant of the scenario; None: none.
        watched: with ``local``: run in a child process, so that a model that hangs or crashes fails the run
            instead of this process.
        progress: show progress on stderr.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used; nothing was run then.
        RunFailed: if the run failed; a note of the exception has the path of its log.
    """
    named = None if source is None else str(source)
    transport = transport or default_transport(str(scenario), named, variant)
    if transport not in ("local", "ros"):
        raise BadInput(
            "no such transport", where="transport", found=transport, expected="local or ros"
        )
    options = RunOptions(
        source=named,
        scene=dict(scene or {}),
        seed=seed,
        duration=duration,
        transport=transport,
        engine=engine,
        packages={name: str(folder) for name, folder in (packages or {}).items()},
        variant=variant,
    )
    request = RunRequest(
        *(str(scenario), options, None if out is None else Path(out)),
        namespace=namespace,
        in_process=in_process,
        elsewhere=elsewhere,
    )
    shown = Progress(Path(scenario).stem) if progress else nullcontext(Display())
    with shown as display:
        ended = execute_run(request, display, watched=watched)
    if ended.signal is not None:
        signal.raise_signal(ended.signal)
    return _summary(ended)


def _summary(ended: FinishedRun) -> Summary:
    """Return the summary of a run.

    Raises:
        RunFailed: if the run failed.
    """
    row = ended.summary["error"]
    if ended.summary["ended"] == "failed" and row is not None:
        error = RunFailed(row["model"], row["call"], round(row["time"] * 1e9), row["reason"])
        error.add_note(f"log: {ended.folder / LOG}")
        raise error
    known = {f.name for f in fields(RunSummary)}
    facts = {key: _tuple(value) for key, value in ended.summary.items() if key in known}
    return Summary(**facts, folder=ended.folder)


def _tuple(value: Any) -> Any:
    """Convert a JSON list to the tuple that `Summary` holds."""
    return tuple(value) if isinstance(value, list) else value
