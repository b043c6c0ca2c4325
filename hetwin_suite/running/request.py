"""A run as it is asked for, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.lifecycle import waiting_for_robots
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import ends_itself, named_source
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.own_modules import distrust, distrusting
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of
from hetwin_core.ensemble.scenario.strict_yaml import Document, load_with_base, with_variant
from hetwin_core.ensemble.supervision.interrupts import SHELL_BASE
from hetwin_core.episodes.run_folder import run_folder

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run to make: its scenario and start.

    Attributes:
        scenario: file or name.
        options: of the start.
        out: folder for the log; None: a new one below ``runs``.
        hold: whether it waits before its first step until somebody lets it go on.
        pace: how many times real time it goes at most; None: as fast as it can.
        checkpoint_s: when a checkpoint is written [s]; None: never.
        going_on: the checkpoint of the scenario's run that it goes on from; None: it begins at 0 s.
        namespace: of all nodes over ROS 2.
        in_process: models that the conductor's process holds there, by their names, separated by commas, or ``all``.
        elsewhere: models whose nodes others start, on this host or another, named likewise.
        named_by: the file that names the scenario, beside which no code is run then; None: the user does.
    """

    scenario: str
    options: RunOptions
    out: Path | None
    hold: bool = False
    pace: float | None = None
    checkpoint_s: float | None = None
    going_on: Checkpoint | None = None
    namespace: str = ""
    in_process: str = ""
    elsewhere: str = ""
    named_by: Path | None = None

    def going_on_from(self, file: Path, *, trust: bool = False) -> RunRequest:
        """Return the request of the run that goes on from a checkpoint's file, until the duration if one is asked for.

        Args:
            trust: whether code may be run that lies beside the scenario which the file names.

        Raises:
            BadInput: if there is none, or it cannot be used; or if the run is to end before.
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
            going_on=checkpoint,
            named_by=None if trust else file,
        )

    @contextmanager
    def loaded(self) -> Iterator[tuple[Scenario, Path]]:
        """The scenario, and a folder that only this run is written to meanwhile.

        Raises:
            BadInput: if one of them cannot be used.
        """
        with ExitStack() as held:
            held.enter_context(distrusting(self.named_by))
            scenario = load_scenario(find_scenario(self.scenario), self.options.variant)
            out = held.enter_context(run_folder(self.out, Path("runs"), scenario.name))
            if self.checkpoint_s is not None:
                _check_can_be_saved(scenario, self.options)
            yield waiting_for_robots(scenario, self.options), out

    def set_off(self, conductor: Conductor) -> None:
        """Hold a run before its first step, and to its pace, as asked.

        Raises:
            BadInput: if it follows a live robot, which does not wait.
        """
        try:
            if self.pace is not None:
                conductor.hold_to(self.pace)
            if self.hold:
                conductor.pause()
        except Refused as refusal:
            where = "--pace" if self.pace is not None else "--hold"
            raise BadInput(
                str(refusal), where=where, expected="a recording as source, or nothing of the kind"
            ) from None


def _check_can_be_saved(scenario: Scenario, options: RunOptions) -> None:
    """Check a run's models and source as far as possible before it begins.

    Raises:
        BadInput: if a model does not step by service, or no other process could go on with the source.
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
    if ends_itself(scenario, options):
        raise BadInput(
            "this run cannot be saved: nothing can go on with its source in another process",
            where="--checkpoint",
            expected="a recording or a trajectory as source, or no --checkpoint",
        )


FAILED, BAD_INPUT = 1, 2


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that is over.

    Attributes:
        summary: the content of ``summary.json``.
        code: exit code of a command that did nothing else.
        folder: where log and summary are.
        signal: the first of the signals that interrupted it; None if none did.
    """

    summary: Mapping[str, Any]
    code: int
    folder: Path
    signal: int | None = None


def exit_code(summary: Mapping[str, Any], interrupt: int | None) -> int:
    """128 and the number after a signal, 1 if the run or one of its models failed, even if it went on without it.

    Args:
        summary: the content of ``summary.json``.
        interrupt: number of the first of the signals that interrupted the run; None if none did.
    """
    if interrupt is not None:
        return SHELL_BASE + interrupt
    return FAILED if summary["ended"] == "failed" or summary["failures"] else 0


def usual_transport(
    scenario: str, source: str | None, variant: str | None = None
) -> Literal["local", "ros"]:
    """Return ``ros`` if commands move the robot, since their sender must see the effect; else ``local``.

    Args:
        scenario: file, or name of one of hetwin's; one that cannot be read is not reported here.
        source: as the start of the run names it; None: the scenario's.
        variant: of the scenario; None: the scenario as it stands.
    """
    try:
        written = [source] if source else _written(_document(scenario, variant).data)
        named = [named_source(one) if isinstance(one, str) else one for one in written]
    except BadInput:
        return "local"
    return "ros" if any(_is_commanded(one) for one in named) else "local"


def _document(scenario: str, variant: str | None) -> Document:
    path = find_scenario(scenario)
    return with_variant(load_with_base(path), variant, path)


def _written(scenario: object) -> list[Any]:
    """The sources that a scenario names, its own and those of its robots; none if it is no mapping."""
    if not isinstance(scenario, dict):
        return []
    robots = scenario.get("robots")
    own = robots.values() if isinstance(robots, dict) else ()
    return [one.get("source") for one in (scenario, *own) if isinstance(one, dict)]


def _is_commanded(source: Any) -> bool:
    return isinstance(source, dict) and kind_of(source) is SourceKind.COMMANDS
