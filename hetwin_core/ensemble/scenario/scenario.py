"""A scenario that was read and checked, ready to be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.evaluators import Evaluator, all_evaluators, own_functions
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.installed import SCENARIOS, install_command
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.ensemble.resources import DATA_SCHEME, Kind, find, find_known, names_of
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.household import complete, locate_in_attributes_file
from hetwin_core.ensemble.scenario.model_plan import ModelPlan, model_plans
from hetwin_core.ensemble.scenario.robot import NamedRobot, Robot
from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base, with_variant
from hetwin_core.ensemble.scenario_modules import use_modules_in
from hetwin_core.ensemble.triggers.trigger import Trigger, compile_evaluators, compile_triggers
from hetwin_core.ensemble.validation import check


@dataclass(frozen=True, slots=True)
class Scenario:
    """A checked scenario; its paths are absolute, and its expressions may call `functions`.

    `variant` names the variant that is merged into all other attributes.
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
        """The scenario's file of its only robot; None without a robot, or with several."""
        robot = self.file.robot
        return robot.urdf if isinstance(robot, Robot) else robot

    def with_keys(self, keys: Mapping[str, Any]) -> Scenario:
        """Return the scenario with other values of some keys, given as its file would have them.

        Raises:
            BadInput: if one of them cannot be used.
        """
        data = {**self.document.data, **keys}
        return build_scenario(self.document.merged_over(self.document, self.path, data), self.path)

    def with_files(self, world: Path | None = None, robot: Path | None = None) -> Scenario:
        """Return the scenario with other files of its world and its only robot; None keeps the present one."""
        changed: dict[str, Any] = {} if world is None else {"world": str(world.resolve())}
        if robot is not None:
            written, urdf = self.file.robot, str(robot.resolve())
            changed["robot"] = urdf
            if isinstance(written, Robot):
                changed["robot"] = written.model_copy(update={"urdf": urdf})
        return replace(self, file=self.file.model_copy(update=changed)) if changed else self

    @property
    def main(self) -> ModelPlan:
        """The model that times the others."""
        return next(model for model in self.models if model.main)

    def plan(self, name: str) -> ModelPlan | None:
        """The model of this name; None if there is none."""
        for model in self.models:
            if model.name == name:
                return model
        return None

    def seat_for(self, name: str, is_taken: Callable[[int], bool]) -> ModelPlan:
        """The seat of a model that wants to join.

        Args:
            name: name of a seat, or one that a pattern covers.
            is_taken: whether the seat with an index is taken.

        Raises:
            Refused: if the scenario admits no such model, or all its seats are taken.
        """
        plan = self.plan(name)
        if plan is not None and plan.seat is None:
            raise Refused(f"{name} is a model of the scenario, and takes part already")
        admitted_seats = [p for p in self.models if p.seat and fnmatchcase(name, p.seat.key)]
        candidates = admitted_seats if plan is None else [plan]
        for seat in candidates:
            if not is_taken(seat.index):
                return seat
        if candidates:
            raise Refused(f"{name} cannot join: {', '.join(p.name for p in candidates)} taken")
        admitted = ", ".join(self.file.admit) or "none"
        raise Refused(
            f"the scenario {self.name} has no model {name!r} and admits none of that name;"
            f" models: {', '.join(self.file.models)}; admit: {admitted}"
        )

    @property
    def buttons(self) -> dict[str, dict[str, Json]]:
        """Event and arguments of each button of a page, by its caption."""
        return {name: entry.model_dump() for name, entry in self.file.buttons.items()}

    @property
    def relocatable_models(self) -> tuple[ModelPlan, ...]:
        """The models that hetwin may run in processes of their own."""
        return tuple(m for m in self.models if not (m.in_conductor or m.is_foreign or m.seat))

    def chosen(self, names: str) -> frozenset[str]:
        """Names of models that may run elsewhere: some of them, separated by commas, or ``all``.

        Raises:
            BadInput: if there is no such model.
        """
        known = [model.name for model in self.relocatable_models]
        requested = {name.strip() for name in names.split(",") if name.strip()}
        if requested == {"all"}:
            return frozenset(known)
        for name in sorted(requested - set(known)):
            raise BadInput(
                "the scenario has no such model",
                file=self.path,
                where="models",
                found=name,
                expected=f"all, or some of {', '.join(known)}{perhaps(name, known)}",
            )
        return frozenset(requested)

    def placed(self, error: BadInput) -> BadInput:
        """The same error with the file and the line of its key; see `Document.placed`."""
        located = locate_in_attributes_file(error, self.document, self.file, self.path)
        return located or self.document.placed(error, self.path)

    def path_of(self, name: str) -> Path | None:
        """A file that the scenario names; None if it does not exist."""
        return find(name, *self.document.folders(self.path))

    def described(self, text: str, kind: Kind, where: str) -> str:
        """The path of a robot or world that the scenario names; a URI such as package:// is returned unchanged.

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
        """The folder of the file that contains a key: the scenario, or one that it extends."""
        return self.document.file_of(key, self.path).parent


def example_of(file: ScenarioFile, name: str) -> tuple[str, ...]:
    """The commands that run a scenario, in order.

    Args:
        file: its content.
        name: its name in the commands.
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
        expected = install_command(SCENARIOS[name])
    raise BadInput("there is no such scenario", file=name, expected=expected)


def scenario_names() -> list[str]:
    """Names of hetwin's own scenarios, as `find_scenario` finds them."""
    return names_of("scenarios", ".yaml")


def load_scenario(path: str | Path, variant: str | None = None) -> Scenario:
    """Read and check a scenario file.

    Args:
        path: path of the file; or, as a string, an argument of `find_scenario`.
        variant: name of a variant to merge; None: the scenario as written.

    Raises:
        BadInput: with file, line, key, finding and expectation.
    """
    file = find_scenario(path) if isinstance(path, str) else path
    document = with_variant(load_with_base(file), variant, file)
    return replace(build_scenario(document, file), variant=variant)


def build_scenario(document: strict_yaml.Document, path: Path) -> Scenario:
    """Check a document that has been read; see `load_scenario`."""
    try:
        written = _validate(document)
        try:
            file = complete(written, document.folders(path))
        except BadInput as error:
            raise locate_in_attributes_file(error, document, written, path) or error from None
        clock = MainClock(file.rate)
        use_modules_in(*document.folders(path))
        models = model_plans(file)
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
    for part in (Robot, NamedRobot):
        part.model_rebuild()  # has no effect on classes that are complete
    return check(ScenarioFile, document.data)


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
            provided = ", ".join(spec.name for spec in plan.cls.provides) or "nothing"
            raise BadInput(
                f"{plan.name} cannot be responsible for this attribute",
                where=f"responsibilities.{index}.attribute",
                found=entry.attribute,
                expected=f"an attribute that it declares: {provided}",
            )
