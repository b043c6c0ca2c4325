"""The conductor's side of one model, whatever lies between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import BadInput, HetwinError, Refused, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Changes, Contribution, Stepping, Tick
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import TABLES
from hetwin_core.ensemble.scene.values import Value

_PACES = {Stepping.CLOCK: "on the clock", Stepping.FREE: "at its own pace"}
MAY_RAISE: Mapping[str, tuple[type[Exception], ...]] = {
    "initialize": (BadInput,),
    "start": (BadInput,),
    "take": (Refused,),
    "release": (Refused,),
    "place": (Refused,),
    "change": (Refused,),
    "command": (Refused,),
    "save": (Refused,),
    "restore": (Refused,),
}


def failure_of(plan: ModelPlan, call: str, error: RunFailed) -> RunFailed:
    """The same failure under the model's name in the scenario, which the model itself does not know."""
    if error.model == plan.name:
        return error
    part = "" if error.model == plan.type else f"{error.model}: "
    return RunFailed(plan.name, call, error.time_ns, part + error.reason)


def error_of(plan: ModelPlan, call: str, time_ns: int, text: str) -> HetwinError:
    """The error of a model in another process; one that the contract does not allow for this call is its failure.

    Args:
        plan: the model as the scenario has it.
        call: in which it was raised.
        time_ns: simulated time.
        text: the error as `json_codec.error_to_text` has it.
    """
    error = json_codec.error_from_text(text, plan.name, call, time_ns)
    if isinstance(error, RunFailed):
        return failure_of(plan, call, error)
    if isinstance(error, MAY_RAISE.get(call, ())):
        return error
    return RunFailed(plan.name, call, time_ns, f"{type(error).__name__}: {error}")


@contextmanager
def _named(plan: ModelPlan) -> Iterator[None]:
    """Let a refusal name the model."""
    try:
        yield
    except Refused as refusal:
        raise Refused(f"{plan.name}: {refusal}") from refusal


class ModelPort(ABC):
    """One model as the conductor calls it.

    Every call raises `RunFailed` with model, call and reason if the model fails or is late; `take`, `release`,
    `place`, `change`, `command`, `save` and `restore` raise `Refused` if it refuses.
    """

    plan: ModelPlan
    is_elsewhere: bool = False
    """Whether the model is at work as soon as a step is requested."""
    can_run_ahead: bool = False
    """Whether `begin_step` makes use of `further`; known when the model has started."""
    reads_tables: tuple[str, ...] = tuple(TABLES)
    """Names of the tables that the model's snapshots must hold; known when it is initialized."""

    @abstractmethod
    def register(self) -> tuple[str, int]:
        """Make the connection; returns host and process id."""

    @abstractmethod
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters; returns what it contributes."""

    @abstractmethod
    def start(self, scene: Snapshot) -> None:
        """Begin the run."""

    @abstractmethod
    def begin_step(self, tick: Tick, further: Sequence[int] = ()) -> None:
        """Request a step, without waiting.

        Args:
            tick: the step.
            further: times of the steps that will be requested next, before any other call of the model and without
                new input for it [ns]; it may take them already (see `ahead`).
        """

    @abstractmethod
    def end_step(self) -> Changes:
        """Wait for the requested step; returns its output."""

    @property
    def ahead(self) -> int:
        """How many steps the model has taken beyond the last one that was requested."""
        return 0

    @abstractmethod
    def collect(self) -> list[Changes]:
        """For models on the clock or free: the outputs that have arrived since the last call."""

    @property
    @abstractmethod
    def missed_steps(self) -> int:
        """For models on the clock: number of steps missed so far."""

    @abstractmethod
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""

    @abstractmethod
    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""

    @abstractmethod
    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Let the model go on from another value of an attribute that it is responsible for."""

    @abstractmethod
    def change(self, parameters: Mapping[str, Any]) -> None:
        """Let the model go on with other values of some of its parameters."""

    @abstractmethod
    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command of the model's own."""

    @abstractmethod
    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return what the model compares with its thresholds now; None if it would not act now, whatever they are."""

    def save(self) -> Mapping[str, Plain]:
        """Return the model's state between two steps, and the output of a step beside the main model that is not due.

        Raises:
            Refused: if the model cannot be saved, or does not step by service.
        """
        if self.plan.stepping is not Stepping.SERVICE:
            raise Refused(
                f"{self.plan.name} steps {_PACES[self.plan.stepping]}; only models that the run waits for can be saved"
            )
        with _named(self.plan):
            return self._save()

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Give a started model a saved state.

        Raises:
            Refused: if it is not a state of this model.
        """
        state, time_ns = saved.get("state"), saved.get("time_ns")
        if not isinstance(state, dict) or not isinstance(time_ns, int):
            raise Unsaveable(f"{self.plan.name}: this is no state of a model")
        with _named(self.plan):
            self._restore(state, time_ns, saved.get("output"), scene)

    @abstractmethod
    def _save(self) -> dict[str, Plain]:
        """Return the model's `state` and `time_ns`, and the `output` of a step beside the main one, if there is any."""

    @abstractmethod
    def _restore(
        self, state: Mapping[str, Plain], time_ns: int, output: Plain, scene: Snapshot
    ) -> None:
        """Be as the port was that returned this; no output is None."""

    @abstractmethod
    def give_up(self) -> None:
        """Disconnect from a model that has failed; never raises."""

    @abstractmethod
    def renew(self) -> None:
        """Make another instance of a model that was given up, to be registered and initialized again."""

    @abstractmethod
    def stop(self) -> RunFailed | None:
        """End the run; never raises, but returns the failure if the model fails."""
