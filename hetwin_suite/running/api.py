"""Runs from Python: the exports of this room at the front door."""

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
from hetwin_suite.running.carry_out import carry_out
from hetwin_suite.running.progress import Display, Progress
from hetwin_suite.running.request import Ended, RunRequest, usual_transport


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(RunSummary):
    """How a run went, and where its log is.

    Attributes:
        scenario: name of the scenario.
        ended: ``recording`` (the source or the duration is over), ``live`` (the same of a live robot) or ``stopped``; a
            failed run raises instead.
        error: why it failed; always None here.
        simulated_time: how far it came [s].
        wall_time: how long it took [s].
        real_time_factor: simulated time over wall time.
        digest: SHA-256 over states, events and handovers; the same for the same input and seed.
        deterministic: whether the digest claims that.
        events: in the order in which they were handled, with their times in s of simulated time.
        handovers: responsibilities that moved, in order.
        state: the predicates that observers evaluate, as they were at the end.
        failures: of models that the run went on without, or with another instance of.
        concerns: reasons to doubt the run, the worst first: name, severity (``note``, ``warning``, ``absurd``), from
            and to [s], arguments in SI units, text, count.
        verdict: ``fine``, ``doubtful`` if a concern is a warning, ``absurd`` if one is.
        robots: each robot's name, the poses of its base at start and end, and how it agreed with its twin.
        folder: where log and summary are.
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
    """Run a scenario, and return how it went.

    Nothing is printed unless asked for. In the main thread, SIGINT, SIGTERM and SIGHUP end the run at its next
    barrier and then act as before; in any other thread, no handler of a signal is touched.

    Args:
        scenario: scenario file, or name of one of hetwin's.
        source: a recording (rosbag2), ``live``, or ``live:ROBOT_NAMESPACE``; None: the scenario's.
        transport: ``local``: in this process; ``ros``: one ROS 2 node per model, each in a process of its own; None:
            ``ros`` if the source is commands, else ``local``.
        out: folder for log and summary; None: a new one, ``runs/NAME_TIME``.
        scene: where objects are: entity -> {"pose": [x, y, z, qw, qx, qy, qz]}, in m in the world frame.
        seed: of all random numbers; None: the scenario's.
        duration: ends the run after so many simulated seconds; None: when the source ends.
        engine: physics engine of the main model; None: the scenario's.
        namespace: of all ROS nodes.
        in_process: with ``ros``: models in the conductor's process, separated by commas, or ``all``.
        elsewhere: with ``ros``: models whose nodes are started by others, on this host or another.
        packages: name of a package:// -> its folder, beside those of the scenario.
        variant: one of the scenario's; None: the scenario as it stands.
        watched: with ``local``: run in a child process, so that a model that hangs or crashes fails the run
            instead of this process.
        progress: show on stderr how far it is.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used; nothing was run then.
        RunFailed: if the run failed; a note has the place of its log.
    """
    named = None if source is None else str(source)
    transport = transport or usual_transport(str(scenario), named, variant)
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
        ended = carry_out(request, display, watched=watched)
    if ended.signal is not None:
        signal.raise_signal(ended.signal)
    return _summary(ended)


def _summary(ended: Ended) -> Summary:
    """The summary of a run that did not fail.

    Raises:
        RunFailed: if it failed.
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
    """A list, as JSON has it, as the tuple that the summary has."""
    return tuple(value) if isinstance(value, list) else value
