"""The conductor's side of one model, whatever lies between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import BadInput, HetwinError, Refused, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Contribution, ParameterRequest, StepInput, StepOutput
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import TABLES
from hetwin_core.ensemble.scene.values import Value

MAY_RAISE: Mapping[str, tuple[type[Exception], ...]] = {
    "parameters": (BadInput,),
    "initialize": (BadInput,),
    "start": (BadInput,),
    "take": (Refused,),
    "release": (Refused,),
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


class ModelPort(ABC):
    """One model as the conductor calls it.

    Every call raises `RunFailed` with model, call and reason if the model fails or is late; `take`, `release`,
    `command`, `save` and `restore` raise `Refused` if it refuses.
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
    def parameters(self) -> Sequence[ParameterRequest]:
        """Ask which parameters the model needs."""

    @abstractmethod
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters; returns what it contributes."""

    @abstractmethod
    def start(self, scene: Snapshot) -> None:
        """Begin the run."""

    @abstractmethod
    def begin_step(self, tick: StepInput, further: Sequence[int] = ()) -> None:
        """Request a step, without waiting.

        Args:
            tick: the step.
            further: times of the steps that will be requested next, before any other call of the model and without
                new input for it [ns]; it may take them already (see `ahead`).
        """

    @abstractmethod
    def end_step(self) -> StepOutput:
        """Wait for the requested step; returns its output."""

    @property
    def ahead(self) -> int:
        """How many steps the model has taken beyond the last one that was requested."""
        return 0

    @abstractmethod
    def collect(self) -> list[StepOutput]:
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

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Let the model go on from another value of an attribute that it is responsible for."""
        before = self.release(entity, attribute, scene)
        try:
            self.take(entity, attribute, value, scene)
        except Refused:
            self.take(entity, attribute, before, scene)
            raise

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Let the model go on with other values of some of its parameters."""
        raise Refused(f"{self.plan.name} is in another process; its parameters stay as they are")

    @abstractmethod
    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command of the model's own."""

    def save(self) -> Mapping[str, Plain]:
        """Return the model's state between two steps; only of models in this process."""
        raise Refused(
            f"{self.plan.name} is in another process; only models in the conductor's own can be saved"
        )

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Give a started model a saved state."""
        raise Refused(
            f"{self.plan.name} is in another process; only models in the conductor's own can be restored"
        )

    @abstractmethod
    def give_up(self) -> None:
        """Disconnect from a model that has failed; never raises."""

    @abstractmethod
    def renew(self) -> None:
        """Make another instance of a model that was given up, to be registered and initialized again."""

    @abstractmethod
    def stop(self) -> RunFailed | None:
        """End the run; never raises, but returns the failure if the model fails."""
