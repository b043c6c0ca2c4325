"""The conductor's side of one model, whatever lies between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Contribution, ParameterRequest, StepInput, StepOutput
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Value

MAY_RAISE: Mapping[str, tuple[type[Exception], ...]] = {
    "parameters": (BadInput,),
    "initialize": (BadInput,),
    "start": (BadInput,),
    "take": (Refused,),
    "release": (Refused,),
    "command": (Refused,),
}


def failure_of(plan: ModelPlan, call: str, error: RunFailed) -> RunFailed:
    """The same failure under the model's name in the scenario, which the model itself does not know."""
    if error.model == plan.name:
        return error
    part = "" if error.model == plan.type else f"{error.model}: "
    return RunFailed(plan.name, call, error.time_ns, part + error.reason)


class ModelPort(ABC):
    """One model as the conductor calls it.

    Every call raises `RunFailed` with model, call and reason if the model fails or is late; `take`, `release`
    and `command` raise `Refused` if it refuses.
    """

    plan: ModelPlan

    @abstractmethod
    def register(self) -> tuple[str, int]:
        """Make the connection; answers host and process id."""

    @abstractmethod
    def parameters(self) -> Sequence[ParameterRequest]:
        """Ask which parameters the model needs."""

    @abstractmethod
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Hand the resolved parameters over."""

    @abstractmethod
    def start(self, scene: Snapshot) -> None:
        """Begin the run."""

    @abstractmethod
    def begin_step(self, tick: StepInput, further: Sequence[int] = ()) -> None:
        """Ask for a step, without waiting; it goes out with `send` at the latest.

        Args:
            tick: the step.
            further: times of the steps that will be asked for next, before anything else is asked of the model and
                with nothing new to tell it [ns]; it may take them already (see `ahead`).
        """

    def send(self) -> None:
        """Let steps that were asked for go out; a transport may have held them back to send several together."""

    @abstractmethod
    def end_step(self) -> StepOutput:
        """Wait for the step that was asked for."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether the model is at work once `begin_step` has returned."""
        return False

    @property
    def can_run_ahead(self) -> bool:
        """Whether `begin_step` makes use of `further`."""
        return False

    @property
    def ahead(self) -> int:
        """How many steps the model has taken beyond the last one that was asked for."""
        return 0

    @abstractmethod
    def collect(self) -> list[StepOutput]:
        """For models that nobody waits for: what has arrived since the last call."""

    @property
    @abstractmethod
    def missed_steps(self) -> int:
        """For models on the clock: how many steps they have missed so far."""

    @abstractmethod
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""

    @abstractmethod
    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""

    @abstractmethod
    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Ask for something of the model's own."""

    @abstractmethod
    def give_up(self) -> None:
        """The model has failed: nobody listens to it any more; never raises."""

    @abstractmethod
    def renew(self) -> None:
        """Make another instance of a model that was given up, to be registered and initialized anew."""

    @abstractmethod
    def stop(self) -> RunFailed | None:
        """End the run; never raises, but answers what the model failed with."""
