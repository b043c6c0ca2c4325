"""The conductor's interface to one model over any transport, and checks of its outputs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import BadInput, HetwinError, Refused, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Changes, Contribution, MainChanges, Stepping, Tick
from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.scene.poses import is_pose
from hetwin_core.ensemble.scene.snapshot import TABLES, Snapshot, all_finite
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.model_plan import ModelPlan

MAX_EVENTS = 50_000
"""Maximum number of events in one output; a scene may have thousands of objects, each with several events."""

MAIN_ONLY = ("block", "tables", "ended", "input_ns", "late", "quiet_ns", "await_input")
"""Fields of an output that only the main model may set; None, false and an empty mapping count as unset."""

_DOT_PRODUCT_SIZE = 32
"""Size up to which a dot product is faster than calling `all_finite`."""


def output_problem(output: object, time_ns: int | None = None) -> str | None:
    """Describe the error in a step's output, such as another time than `time_ns` [ns]; None if it is valid."""
    if not isinstance(output, Changes):
        return f"it returns {type(output).__name__}; expected Changes, or nothing"
    if len(output.events) > MAX_EVENTS:
        return f"it reports {len(output.events)} events in one step; expected at most {MAX_EVENTS}"
    if time_ns is not None and output.time_ns != time_ns:
        return (
            f"it returns changes of {output.time_ns / 1e9:.9f} s;"
            f" it was asked to step to {time_ns / 1e9:.9f} s"
        )
    return None


def foreign_field_problem(output: MainChanges) -> str | None:
    """Describe the fields that only the main model may set, in the output of another model; None without any."""
    set_fields = [name for name in MAIN_ONLY if not _is_unset(getattr(output, name))]
    return f"it returns {', '.join(set_fields)}; only the main model may" if set_fields else None


def _is_unset(value: object) -> bool:
    return value is None or value is False or (isinstance(value, dict) and not value)


def numbers_problem(value: object, attribute: AttributeSpec) -> str | None:
    """Describe the error in an attribute's value, to follow its name in a message; None if it is valid."""
    data = value.data if isinstance(value, Value) else None
    if not isinstance(data, np.ndarray):
        return f"must be a Value with an array, not {value!r}"
    unit = ", with a unit quaternion" if attribute.name == POSE.name else ""
    is_valid = data.dtype == np.float64 and data.shape == (attribute.size,)
    is_valid = is_valid and (
        (data.size <= _DOT_PRODUCT_SIZE and math.isfinite(data.dot(data))) or all_finite(data)
    )
    if is_valid and (not unit or is_pose(data)):
        return None
    kind = "" if data.dtype == np.float64 else f" ({data.dtype})"
    return f"must be {attribute.size} finite float64 numbers{unit}, not {data.tolist()}{kind}"


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
    """Return the error of a model in another process; an error that the contract does not allow becomes its failure.

    Args:
        plan: the model's plan from the scenario.
        call: the call in which it was raised.
        time_ns: simulated time.
        text: the error as returned by `json_codec.error_to_text`.
    """
    error = json_codec.error_from_text(text, plan.name, call, time_ns)
    if isinstance(error, RunFailed):
        return failure_of(plan, call, error)
    if isinstance(error, MAY_RAISE.get(call, ())):
        return error
    return RunFailed(plan.name, call, time_ns, f"{type(error).__name__}: {error}")


@contextmanager
def _naming_model(plan: ModelPlan) -> Iterator[None]:
    """Add the model's name to a refusal."""
    try:
        yield
    except Refused as refusal:
        raise Refused(f"{plan.name}: {refusal}") from refusal


class ModelPort(ABC):
    """The conductor's interface to one model.

    Every call raises `RunFailed` with model, call and reason if the model fails or is late; `take`, `release`,
    `place`, `change`, `command`, `save` and `restore` raise `Refused` if it refuses.
    """

    plan: ModelPlan
    is_remote: bool = False
    """Whether the model works in parallel as soon as a step is requested."""
    reads_tables: tuple[str, ...] = tuple(TABLES)
    """Names of the tables that the model's snapshots must contain; set by `initialize`."""

    @abstractmethod
    def register(self) -> tuple[str, int]:
        """Connect to the model; return host and process id."""

    @abstractmethod
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters; return its contribution."""

    @abstractmethod
    def start(self, scene: Snapshot) -> None:
        """Start the model."""

    @abstractmethod
    def begin_step(self, tick: Tick) -> None:
        """Request a step, without waiting."""

    @abstractmethod
    def end_step(self) -> Changes:
        """Wait for the requested step; return its output."""

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
        """Let the model continue from another value of an attribute that it is responsible for."""

    @abstractmethod
    def change(self, parameters: Mapping[str, Any]) -> None:
        """Let the model continue with other values of some of its parameters."""

    @abstractmethod
    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command of the model's own."""

    @abstractmethod
    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return the values compared with the model's thresholds now; None if it would not act with any thresholds."""

    def save(self) -> Mapping[str, Plain]:
        """Return the model's state between two steps, and the pending output of a step beside the main model.

        Raises:
            Refused: if the model cannot be saved, or does not step by service.
        """
        if self.plan.stepping is not Stepping.SERVICE:
            raise Refused(
                f"{self.plan.name} steps {_PACES[self.plan.stepping]}; only models that the run waits for can be saved"
            )
        with _naming_model(self.plan):
            return self._save()

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Restore the saved state of a started model.

        Raises:
            Refused: if it is not a state of this model.
        """
        state, time_ns = saved.get("state"), saved.get("time_ns")
        if not isinstance(state, dict) or not isinstance(time_ns, int):
            raise StateError(f"{self.plan.name}: this is not the state of a model")
        with _naming_model(self.plan):
            self._restore(state, time_ns, saved.get("output"), scene)

    @abstractmethod
    def _save(self) -> dict[str, Plain]:
        """Return the model's `state` and `time_ns`, and the `output` of a step beside the main one, if there is any."""

    @abstractmethod
    def _restore(
        self, state: Mapping[str, Plain], time_ns: int, output: Plain, scene: Snapshot
    ) -> None:
        """Restore the state that `_save` returned; `output` is None without one."""

    @abstractmethod
    def give_up(self) -> None:
        """Disconnect from a model that has failed; never raises."""

    @abstractmethod
    def restart_process(self) -> None:
        """Make a new instance of a model that was given up, to be registered and initialized again."""

    @abstractmethod
    def stop(self) -> RunFailed | None:
        """Stop the model; never raises, but returns the failure if the model fails."""
