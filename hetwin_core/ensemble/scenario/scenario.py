"""A scenario that has been read and checked, ready to be run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from hetwin_core.ensemble.catalogue import declared, model_class
from hetwin_core.ensemble.clock import MainClock, divisor, nearest_rates
from hetwin_core.ensemble.concern_words import ROBOT_HEALTH
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import Evaluator, all_evaluators, own_functions
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.installed import SCENARIOS, installs
from hetwin_core.ensemble.model import Model, Stepping
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.ensemble.node_type import NODE, node_class
from hetwin_core.ensemble.own_modules import in_use, use_modules_in
from hetwin_core.ensemble.resources import DATA_SCHEME, Kind, find, find_known, names_of
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.household import complete, placed_beside
from hetwin_core.ensemble.scenario.robot import OneOfSeveral, Robot
from hetwin_core.ensemble.scenario.schema import ModelEntry, OnFailure, ScenarioFile
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base, with_variant
from hetwin_core.ensemble.scene.values import ANY_ATTRIBUTE
from hetwin_core.ensemble.triggers.trigger import Trigger, compile_evaluators, compile_triggers
from hetwin_core.ensemble.validation import check

ModelClass: TypeAlias = type[Model]

INITIALIZE_DEADLINE_S = 30.0

_ROBOT_HEALTH_CLASS = "model_nodes.robot_health:RobotHealth"


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """One model of the ensemble, as it will be run.

    Attributes:
        index: its place in the scenario; owners are counted by it.
        every: it steps at every so many steps of the main model.
        deadline: wall seconds that a call may take.
        on_failure: what becomes of the run when it fails.
        patience: the same for `initialize`, which may read large files; more only if the scenario gives no deadline.
        folder: where the module of `cls` lies, if it is beside the scenario and not installed.
        in_conductor: it runs in the conductor's process over every transport; it watches the run for its user, and
            what it contributes is no part of the digest.
        own_process: it has a process of its own in a run without ROS.
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

    @property
    def is_foreign(self) -> bool:
        """Whether it is a ROS node of any language, which hetwin neither makes nor starts."""
        return self.type == NODE

    @property
    def parameters_at(self) -> str:
        """The scenario's key that holds the parameters."""
        return self.name if self.in_conductor else f"models.{self.name}.parameters"

    def deadline_of(self, call: str) -> float:
        """Wall seconds that a call of this name may take."""
        return self.patience if call == "initialize" else self.deadline

    def provides(self, attribute: str) -> bool:
        """Whether it can be responsible for attributes of this name."""
        names = [spec.name for spec in self.cls.provides]
        return attribute in names or ANY_ATTRIBUTE.name in names


@dataclass(frozen=True, slots=True)
class Scenario:
    """A checked scenario; paths in it are absolute, and `functions` are those that its expressions may call.

    `variant` names the one of its variants that is laid over it, and that the other attributes hold already.
    """

    file: ScenarioFile
    path: Path
    document: strict_yaml.Document
    clock: MainClock
    models: tuple[ModelPlan, ...]
    triggers: tuple[Trigger, ...]
    functions: Mapping[str, Evaluator]
    variant: str | None = None

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.file.scenario

    @property
    def example(self) -> tuple[str, ...]:
        """The commands that run it, in order."""
        return example_of(self.file, self.name)

    @property
    def robot_file(self) -> str | None:
        """What the scenario names as the file of its only robot; None if it has none, or several."""
        robot = self.file.robot
        return robot.urdf if isinstance(robot, Robot) else robot

    def with_keys(self, keys: Mapping[str, Any]) -> Scenario:
        """Return the scenario with other values of some of its keys, as its file would have them.

        Raises:
            BadInput: if one of them cannot be used.
        """
        data = {**self.document.data, **keys}
        return build_scenario(self.document.over(self.document, self.path, data), self.path)

    def with_files(self, world: Path | None = None, robot: Path | None = None) -> Scenario:
        """Return the scenario with other files of its world and its only robot; None leaves what it has."""
        changed: dict[str, Any] = {} if world is None else {"world": str(world.resolve())}
        if robot is not None:
            given, urdf = self.file.robot, str(robot.resolve())
            changed["robot"] = urdf
            if isinstance(given, Robot):
                changed["robot"] = given.model_copy(update={"urdf": urdf})
        return replace(self, file=self.file.model_copy(update=changed)) if changed else self

    @property
    def main(self) -> ModelPlan:
        """The model that times the others."""
        return next(model for model in self.models if model.main)

    def plan(self, name: str) -> ModelPlan | None:
        """The model of this name."""
        for model in self.models:
            if model.name == name:
                return model
        return None

    @property
    def placeable(self) -> tuple[ModelPlan, ...]:
        """The models that hetwin may run in processes of their own."""
        return tuple(m for m in self.models if not (m.in_conductor or m.is_foreign))

    def chosen(self, names: str) -> frozenset[str]:
        """Names of models that may run elsewhere: some of them, separated by commas, or ``all``.

        Raises:
            BadInput: if there is no such model.
        """
        known = [model.name for model in self.placeable]
        asked = {name.strip() for name in names.split(",") if name.strip()}
        if asked == {"all"}:
            return frozenset(known)
        for name in sorted(asked - set(known)):
            raise BadInput(
                "the scenario has no such model",
                file=self.path,
                where="models",
                found=name,
                expected=f"all, or some of {', '.join(known)}{perhaps(name, known)}",
            )
        return frozenset(asked)

    def placed(self, error: BadInput) -> BadInput:
        """The same error with the file and the line of the key that it names; see `Document.placed`."""
        beside = placed_beside(error, self.document, self.file, self.path)
        return beside or self.document.placed(error, self.path)

    def path_of(self, name: str) -> Path | None:
        """A file that the scenario names; None if it does not exist."""
        return find(name, *self.document.folders(self.path))

    def described(self, text: str, kind: Kind, where: str) -> str:
        """The path of a robot or world that the scenario names; a reference such as package:// stays one.

        Raises:
            BadInput: if there is none.
        """
        if "://" in text and not text.startswith(DATA_SCHEME):
            return text
        try:
            near = self.document.folders(self.path)
            return str(find_known(text, kind, where=where, near=near).file)
        except BadInput as error:
            raise self.placed(error) from None

    def folder_of(self, *key: str) -> Path:
        """The folder of the file in which a key stands: the scenario's, or that of one that it extends."""
        return self.document.file_of(key, self.path).parent


def example_of(file: ScenarioFile, name: str) -> tuple[str, ...]:
    """The commands that run a scenario, in order.

    Args:
        file: what it says.
        name: by which the commands name it.
    """
    commands = file.example or ["hetwin run {scenario}"]
    return tuple(command.replace("{scenario}", name) for command in commands)


def find_scenario(name: str) -> Path:
    """A scenario by path, or by name among hetwin's own.

    Raises:
        BadInput: if there is none.
    """
    path = Path(name)
    if path.is_file():
        return path.resolve()
    for candidate in (name, f"scenarios/{name}", f"scenarios/{name}.yaml"):
        found = find(candidate)
        if found is not None and found.is_file():
            return found
    known = {*scenario_names(), *(str(file) for file in path.parent.glob("*.yaml"))}
    expected = f"a YAML file, or the name of one of hetwin's{perhaps(name, sorted(known))}"
    if name in SCENARIOS:
        expected = installs(SCENARIOS[name])
    raise BadInput("there is no such scenario", file=name, expected=expected)


def scenario_names() -> list[str]:
    """Names of hetwin's own scenarios, as `find_scenario` finds them."""
    return names_of("scenarios", ".yaml")


def load_scenario(path: str | Path, variant: str | None = None) -> Scenario:
    """Read and check a scenario file.

    Args:
        path: of the file; or, as a string, what `find_scenario` takes.
        variant: one of its variants, which is laid over it; None: the scenario as it stands.

    Raises:
        BadInput: with file, line, key, what was found and what was expected.
    """
    file = find_scenario(path) if isinstance(path, str) else path
    document = with_variant(load_with_base(file), variant, file)
    return replace(build_scenario(document, file), variant=variant)


def build_scenario(document: strict_yaml.Document, path: Path) -> Scenario:
    """Check a document that has been read; see `load_scenario`."""
    try:
        given = _validate(document)
        try:
            file = complete(given, document.folders(path))
        except BadInput as error:
            raise placed_beside(error, document, given, path) or error from None
        clock = MainClock(file.rate)
        use_modules_in(*document.folders(path))
        models = _plans(file)
        functions = {**all_evaluators(), **own_functions(file.evaluators)}
        evaluators = compile_evaluators(file.evaluators, functions)
        names = {m.name for m in models}
        triggers = compile_triggers(file.triggers, evaluators, functions, names)
        _check_responsibilities(file, models)
        for name, question in file.outcomes.items():
            Expression(question, f"outcomes.{name}")
    except BadInput as error:
        raise document.placed(error, path) from None
    return Scenario(file, path, document, clock, models, triggers, functions)


def _validate(document: strict_yaml.Document) -> ScenarioFile:
    if not isinstance(document.data, dict):
        raise BadInput(
            "this is not a scenario",
            found=type(document.data).__name__,
            expected="a mapping with scenario, world, models ...",
        )
    for part in (Robot, OneOfSeveral):
        part.model_rebuild()  # what is built already is not built again where others have it
    return check(ScenarioFile, document.data)


def _plans(file: ScenarioFile) -> tuple[ModelPlan, ...]:
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
    return tuple(plans)


def _robot_health(index: int, file: ScenarioFile) -> ModelPlan:
    """The observer of the robot; a run goes on without it if it fails, which the outcome names.

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


def _plan(index: int, name: str, entry: ModelEntry, file: ScenarioFile) -> ModelPlan:
    where = f"models.{name}"
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
            "without its main model a run cannot go on",
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
        every=_every(name, entry, cls.rate, file.rate),
        beside=entry.coupling == "beside",
        deadline=deadline,
        patience=deadline if is_given else max(deadline, INITIALIZE_DEADLINE_S),
        parameters=parameters,
        on_failure=entry.on_failure,
        folder=None if entry.type == NODE else in_use(entry.type.partition(":")[0]),
        own_process=entry.process == "own",
    )


def _class_of(entry: ModelEntry) -> ModelClass:
    if entry.type == NODE:
        return node_class(entry.provides, entry.parameters)
    return declared(model_class(entry.type))


def _every(name: str, entry: ModelEntry, own_rate: float | None, main_rate: float) -> int:
    if entry.main:
        if entry.every not in (None, 1) or (entry.rate is not None and entry.rate != main_rate):
            raise BadInput(
                "the main model steps at the scenario's rate",
                where=f"models.{name}.rate",
                found=entry.rate or entry.every,
                expected=f"no rate here, or {main_rate:g}",
            )
        return 1
    if entry.every is not None:
        return entry.every
    given = entry.rate is not None
    rate = entry.rate or own_rate or main_rate
    every = divisor(main_rate, rate)
    if every is None and not given:
        every = max(1, round(main_rate / rate))  # a default need not divide the rate exactly
    if every is None:
        near = " or ".join(f"{r:g}" for r in nearest_rates(main_rate, rate))
        raise BadInput(
            "this rate does not divide the main model's rate",
            where=f"models.{name}.rate",
            found=rate,
            expected=f"{near} with the main rate {main_rate:g}, or every: N",
        )
    return every


def _check_responsibilities(file: ScenarioFile, models: tuple[ModelPlan, ...]) -> None:
    plans = {model.name: model for model in models}
    for index, entry in enumerate(file.responsibilities):
        plan = plans.get(entry.model)
        if plan is None:
            raise BadInput(
                "there is no such model",
                where=f"responsibilities.{index}.model",
                found=entry.model,
                expected=one_of(entry.model, plans),
            )
        if not plan.provides(entry.attribute):
            can = ", ".join(spec.name for spec in plan.cls.provides) or "nothing"
            raise BadInput(
                f"{plan.name} cannot be responsible for this attribute",
                where=f"responsibilities.{index}.attribute",
                found=entry.attribute,
                expected=f"an attribute that it declares: {can}",
            )
