"""A run as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.awaited import waiting_for_robots
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.own_modules import distrust, distrusting
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.episodes.run_folder import run_folder
from hetwin_suite.running.checkpointing import check_can_be_saved

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint


Beside: TypeAlias = Callable[[Conductor, Scenario, RunOptions], None]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run, and how it begins.

    Attributes:
        scenario: file or name.
        options: what the start says beyond the scenario.
        out: folder for the log; None: a new one below ``runs``.
        hold: whether it waits before its first step until somebody lets it go on.
        pace: how many times real time it goes at most; None: as fast as it can.
        checkpoint_s: when a checkpoint is written [s]; None: never.
        going_on: the checkpoint of the scenario's run that it goes on from; None: it begins at 0 s.
        beside: is called with the conductor of a run in one process, its scenario and its options, before the models
            are made ready; None: nothing is.
        named_by: the file that names the scenario, beside which no code is run then; None: the user does.
    """

    scenario: str
    options: RunOptions
    out: Path | None
    hold: bool = False
    pace: float | None = None
    checkpoint_s: float | None = None
    going_on: Checkpoint | None = None
    beside: Beside | None = None
    named_by: Path | None = None

    @classmethod
    def going_on_from(
        cls,
        file: Path,
        out: Path | None,
        duration: float | None = None,
        *,
        hold: bool = False,
        pace: float | None = None,
        checkpoint_s: float | None = None,
        trust: bool = False,
    ) -> RunRequest:
        """Return the request of a run that goes on from a checkpoint's file, with the other attributes as above.

        Args:
            trust: whether code may be run that lies beside the scenario which the file names.

        Raises:
            BadInput: if there is none, or it cannot be used; or if the run is to end before.
        """
        from hetwin_core.ensemble.conductor.checkpoint.file import read_checkpoint

        checkpoint = read_checkpoint(file)
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
        options = checkpoint.options
        return cls(
            *(checkpoint.scenario, options, out, hold, pace, checkpoint_s, checkpoint),
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
                check_can_be_saved(scenario, self.options)
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
