"""The request of a run, and its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.lifecycle import with_robot_deadlines
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_open_ended, named_source
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of
from hetwin_core.ensemble.scenario.strict_yaml import Document, load_with_base, with_variant
from hetwin_core.ensemble.scenario_modules import distrust, distrusting
from hetwin_core.ensemble.supervision.interrupts import SHELL_BASE
from hetwin_core.episodes.run_folder import run_folder

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The request of a run: its scenario, its start options, and how it is carried out.

    Attributes:
        scenario: file or name of the scenario.
        options: start options.
        out: folder for the log; None: a new one below ``runs``.
        hold: whether the run pauses before its first step until the user continues it.
        pace: maximum real-time factor; None: no limit.
        checkpoint_s: simulated time at which a checkpoint is written [s]; None: never.
        resumed_from: checkpoint that the run continues; None: it begins at 0 s.
        namespace: namespace of all ROS nodes.
        in_process: with ROS, names of the models in the conductor's process, separated by commas, or ``all``.
        elsewhere: with ROS, names of the models whose nodes the user starts, on this host or another, separated by
            commas.
        named_by: untrusted file that names the scenario, so that code in its folder is not run; None: the user
            named it.
    """

    scenario: str
    options: RunOptions
    out: Path | None
    hold: bool = False
    pace: float | None = None
    checkpoint_s: float | None = None
    resumed_from: Checkpoint | None = None
    namespace: str = ""
    in_process: str = ""
    elsewhere: str = ""
    named_by: Path | None = None

    def resume_from(self, file: Path, *, trust: bool = False) -> RunRequest:
        """Return the request with which a run continues a checkpoint; a requested duration replaces the saved one.

        Args:
            file: file of the checkpoint.
            trust: whether code in the scenario's folder that the checkpoint names may be run.

        Raises:
            BadInput: if the checkpoint cannot be read or used, or the requested duration ends before it.
        """
        from hetwin_core.ensemble.conductor.checkpoint import read_checkpoint

        checkpoint, duration = read_checkpoint(file), self.options.duration
        if trust:
            distrust(Path(checkpoint.scenario), None)
        if duration is not None:
            if round(duration * 1e9) <= checkpoint.time_ns:
                raise BadInput(
                    "the run ends before the checkpoint",
                    where="--duration",
                    found=duration,
                    expected=f"more than {checkpoint.time_ns / 1e9:g} s",
                )
            checkpoint = checkpoint.with_options(duration=duration)
        return replace(
            self,
            scenario=checkpoint.scenario,
            options=checkpoint.options,
            resumed_from=checkpoint,
            named_by=None if trust else file,
        )

    @contextmanager
    def loaded(self) -> Iterator[tuple[Scenario, Path]]:
        """Load the scenario and lock the output folder, which is unlocked at the exit of the context.

        Raises:
            BadInput: if the scenario cannot be loaded or the folder cannot be used.
        """
        with ExitStack() as held:
            held.enter_context(distrusting(self.named_by))
            scenario = load_scenario(find_scenario(self.scenario), self.options.variant)
            out = held.enter_context(run_folder(self.out, Path("runs"), scenario.name))
            if self.checkpoint_s is not None:
                _check_can_be_saved(scenario, self.options)
            yield with_robot_deadlines(scenario, self.options), out

    def apply_controls(self, conductor: Conductor) -> None:
        """Apply `hold` and `pace` to a run before its first step.

        Raises:
            BadInput: if the run follows a live robot, which cannot be paused.
        """
        try:
            if self.pace is not None:
                conductor.limit_pace(self.pace)
            if self.hold:
                conductor.pause()
        except Refused as refusal:
            where = "--pace" if self.pace is not None else "--hold"
            raise BadInput(
                str(refusal), where=where, expected="a recording as source, or nothing of the kind"
            ) from None


def _check_can_be_saved(scenario: Scenario, options: RunOptions) -> None:
    """Check, before a run begins, that its models and its source can be saved in a checkpoint.

    Raises:
        BadInput: if a model does not step by service, or another process cannot continue the source.
    """
    for plan in scenario.models:
        if plan.stepping is not Stepping.SERVICE:
            raise scenario.placed(
                BadInput(
                    f"a run with {plan.name} cannot be saved: it does not wait for this model",
                    where=f"models.{plan.name}.step",
                    found=plan.stepping.value,
                    expected="step: service, or no --checkpoint",
                )
            )
    if is_open_ended(scenario, options):
        raise BadInput(
            "this run cannot be saved: nothing can go on with its source in another process",
            where="--checkpoint",
            expected="a recording or a trajectory as source, or no --checkpoint",
        )


FAILED, BAD_INPUT = 1, 2


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The result of a run.

    Attributes:
        summary: content of ``summary.json``.
        code: exit code of the run.
        folder: folder of log and summary.
        signal: number of the first signal that interrupted the run; None if none did.
    """

    summary: Mapping[str, Any]
    code: int
    folder: Path
    signal: int | None = None


def exit_code(summary: Mapping[str, Any], interrupt: int | None) -> int:
    """Return the exit code of a run.

    It is 128 plus the number of the signal after an interrupt; 1 if the run failed, or a model failed and the run
    continued without it; otherwise 0.

    Args:
        summary: content of ``summary.json``.
        interrupt: number of the first signal that interrupted the run; None if none did.
    """
    if interrupt is not None:
        return SHELL_BASE + interrupt
    return FAILED if summary["ended"] == "failed" or summary["failures"] else 0


def default_transport(
    scenario: str, source: str | None, variant: str | None = None
) -> Literal["local", "ros"]:
    """Return ``ros`` if the source of a robot is commands, whose sender must see their effect; otherwise ``local``.

    Args:
        scenario: file, or name of one of hetwin's scenarios; an unreadable one is not reported here.
        source: source in the start options; None: the scenario's.
        variant: variant of the scenario; None: none.
    """
    try:
        written = [source] if source else _sources_in(_document(scenario, variant).data)
        named = [named_source(source) if isinstance(source, str) else source for source in written]
    except BadInput:
        return "local"
    return "ros" if any(_is_commanded(source) for source in named) else "local"


def _document(scenario: str, variant: str | None) -> Document:
    path = find_scenario(scenario)
    return with_variant(load_with_base(path), variant, path)


def _sources_in(scenario: object) -> list[Any]:
    """Return the sources of a scenario's document, its own and those of its robots; none if it is not a mapping."""
    if not isinstance(scenario, dict):
        return []
    robots = scenario.get("robots")
    robots_of_scenario = robots.values() if isinstance(robots, dict) else ()
    return [
        source.get("source")
        for source in (scenario, *robots_of_scenario)
        if isinstance(source, dict)
    ]


def _is_commanded(source: Any) -> bool:
    return isinstance(source, dict) and kind_of(source) is SourceKind.COMMANDS
