"""The models of a scenario, planned for a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from hetwin_core.ensemble.catalogue import declare_model, model_class
from hetwin_core.ensemble.clock import divisor, required_divisor
from hetwin_core.ensemble.concern_words import ROBOT_HEALTH
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Model, Stepping
from hetwin_core.ensemble.node_type import NODE, node_class
from hetwin_core.ensemble.scenario.schema import AdmitEntry, ModelEntry, OnFailure, ScenarioFile
from hetwin_core.ensemble.scenario_modules import folder_of_module
from hetwin_core.ensemble.scene.values import ANY_ATTRIBUTE

ModelClass: TypeAlias = type[Model]

INITIALIZE_DEADLINE_S = 30.0

_ROBOT_HEALTH_CLASS = "model_nodes.robot_health:RobotHealth"


@dataclass(frozen=True, slots=True)
class Seat:
    """A slot for a model that may join: the scenario's key that admits a node, and what the model will own."""

    key: str
    owns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """One model of the ensemble, planned for a run.

    Attributes:
        index: index in the scenario's order, by which owners are numbered.
        every: number of main steps per step of the model.
        deadline: wall time that a call may take [s].
        on_failure: consequence of its failure.
        patience: deadline of `initialize` [s], which may read large files; longer than `deadline` only if the
            scenario gives none.
        folder: folder of the module of `cls`, if it lies beside the scenario and is not installed.
        in_conductor: it runs in the conductor's process over every transport; it watches the run for its user, and
            its contribution is not part of the digest.
        own_process: it has a process of its own in a run without ROS.
        seat: seat of a model that may join during the run, and is absent before; None for all others.
    """

    index: int
    name: str
    type: str
    cls: ModelClass
    main: bool
    stepping: Stepping
    every: int
    beside: bool
    deadline: float
    parameters: dict[str, Any]
    on_failure: OnFailure = OnFailure.STOP
    patience: float = INITIALIZE_DEADLINE_S
    folder: Path | None = None
    in_conductor: bool = False
    own_process: bool = False
    seat: Seat | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether it is a ROS node of any language, which hetwin does not start."""
        return self.type == NODE

    @property
    def parameters_key(self) -> str:
        """The scenario's key with the parameters."""
        if self.seat is not None:
            return f"admit.{self.seat.key}.parameters"
        return self.name if self.in_conductor else f"models.{self.name}.parameters"

    def deadline_of(self, call: str) -> float:
        """Wall time that a call of this name may take [s]."""
        return self.patience if call == "initialize" else self.deadline

    def provides(self, attribute: str) -> bool:
        """Whether it can be responsible for attributes of this name."""
        names = [spec.name for spec in self.cls.provides]
        return attribute in names or ANY_ATTRIBUTE.name in names


def model_plans(file: ScenarioFile) -> tuple[ModelPlan, ...]:
    """The models of a scenario: its own, the observer of the robot, and the seats of those that may join.

    Raises:
        BadInput: naming the key that cannot be used.
    """
    mains = [name for name, entry in file.models.items() if entry.main]
    if len(mains) != 1:
        raise BadInput(
            "one model must be the main one"
            if not mains
            else "two models claim to be the main one",
            where="models",
            found=mains or list(file.models),
            expected="exactly one model with main: true",
        )
    plans = [
        _plan(index, name, entry, file) for index, (name, entry) in enumerate(file.models.items())
    ]
    main = next(plan for plan in plans if plan.main)
    if getattr(main.cls, "watched", False) and file.robot_health is not False:
        plans.append(_robot_health(len(plans), file))
    for key, admitted in file.admit.items():
        plans += _seats(len(plans), key, admitted, file)
    return tuple(plans)


def _seats(first: int, key: str, entry: AdmitEntry, file: ScenarioFile) -> list[ModelPlan]:
    """The seats that a name or pattern admits.

    Raises:
        BadInput: if the key admits no valid model, or its name is taken.
    """
    count = entry.places if "*" in key else 1
    names = [key.replace("*", str(number + 1), 1) for number in range(count)]
    for name in names:
        if name in file.models or not name.isidentifier() or (count == 1 != entry.places):
            raise BadInput(
                "no model can join under this name",
                where=f"admit.{key}",
                found=key,
                expected="a name that no model has, or a pattern with one *, which may have several places",
            )
    owns = tuple((owned.entity, owned.attribute) for owned in entry.owns)
    seats = [
        replace(_plan(first + number, name, entry, file, f"admit.{key}"), seat=Seat(key, owns))
        for number, name in enumerate(names)
    ]
    for index, (_, attribute) in enumerate(owns):
        if not seats[0].provides(attribute):
            raise BadInput(
                "it cannot be responsible for this attribute",
                where=f"admit.{key}.owns.{index}.attribute",
                found=attribute,
                expected=f"one of {', '.join(spec.name for spec in seats[0].cls.provides) or 'none'}",
            )
    return seats


def _robot_health(index: int, file: ScenarioFile) -> ModelPlan:
    """The observer of the robot; if it fails, the run continues without it, and the summary reports it.

    Raises:
        BadInput: if a model of the scenario has its name.
    """
    if ROBOT_HEALTH in file.models:
        raise BadInput(
            "this name is taken by the observer that hetwin adds",
            where=f"models.{ROBOT_HEALTH}",
            found=ROBOT_HEALTH,
            expected=f"another name; the key {ROBOT_HEALTH} beside models sets its parameters",
        )
    given = file.robot_health
    entry = ModelEntry(
        type=_ROBOT_HEALTH_CLASS,
        on_failure=OnFailure.HAND_BACK,
        parameters=given if isinstance(given, dict) else {},
    )
    plan = _plan(index, ROBOT_HEALTH, entry, file)
    return replace(plan, type=ROBOT_HEALTH, in_conductor=True)


def _plan(
    index: int, name: str, entry: ModelEntry, file: ScenarioFile, where: str = ""
) -> ModelPlan:
    where = where or f"models.{name}"
    try:
        cls = _class_of(entry)
    except BadInput as error:
        raise error.at(f"{where}.type") from None
    if entry.main and not cls.can_be_main:
        raise BadInput(
            "this model cannot be the main one",
            where=f"{where}.main",
            found=entry.type,
            expected="a simulation that times the others, e.g. main_physics",
        )
    stepping = entry.step or cls.stepping
    if entry.main and stepping is not Stepping.SERVICE:
        raise BadInput(
            "the main model is stepped by service",
            where=f"{where}.step",
            found=str(stepping),
            expected="service",
        )
    if entry.main and entry.on_failure is not OnFailure.STOP:
        raise BadInput(
            "a run cannot continue without its main model",
            where=f"{where}.on_failure",
            found=entry.on_failure.value,
            expected="stop",
        )
    if entry.process == "own" and (entry.main or stepping is not Stepping.SERVICE):
        raise BadInput(
            "only a model that the conductor steps, other than the main one, gets a process of its own",
            where=f"{where}.process",
            found="own",
            expected="shared, or step: service" if not entry.main else "shared",
        )
    parameters = dict(entry.parameters)
    if entry.engine is not None:
        parameters.setdefault("engine", entry.engine)
    deadline = file.deadline if entry.deadline is None else entry.deadline
    is_given = entry.deadline is not None or "deadline" in file.model_fields_set
    return ModelPlan(
        index=index,
        name=name,
        type=entry.type,
        cls=cls,
        main=entry.main,
        stepping=stepping,
        every=_every(where, entry, cls.rate, file.rate),
        beside=entry.coupling == "beside",
        deadline=deadline,
        patience=deadline if is_given else max(deadline, INITIALIZE_DEADLINE_S),
        parameters=parameters,
        on_failure=entry.on_failure,
        folder=None if entry.type == NODE else folder_of_module(entry.type.partition(":")[0]),
        own_process=entry.process == "own",
    )


def _class_of(entry: ModelEntry) -> ModelClass:
    if entry.type == NODE:
        return node_class(entry.provides, entry.parameters)
    return declare_model(model_class(entry.type))


def _every(where: str, entry: ModelEntry, own_rate: float | None, main_rate: float) -> int:
    if entry.main:
        if entry.every not in (None, 1) or (entry.rate is not None and entry.rate != main_rate):
            raise BadInput(
                "the main model steps at the scenario's rate",
                where=f"{where}.rate",
                found=entry.rate or entry.every,
                expected=f"no rate here, or {main_rate:g}",
            )
        return 1
    if entry.every is not None:
        return entry.every
    rate = entry.rate or own_rate or main_rate
    if entry.rate is None:  # a default need not divide the rate exactly
        return divisor(main_rate, rate) or max(1, round(main_rate / rate))
    return required_divisor(main_rate, rate, f"{where}.rate", ", or every: N")
