"""Strategies of a library: their file, their plans at a moment, and the race that finds the best one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field, JsonValue

from hetwin_futures.intervals import half_width
from hetwin_programs import skill_of
from hetwin_suite.command import load_yaml, resource, resource_names
from hetwin_suite.model import (
    BadInput,
    EvaluationError,
    Expression,
    Finite,
    Json,
    Snapshot,
    Strict,
    Text,
    check,
    perhaps,
)

_DIGITS = 9


def plans_of(
    library: Library, scene: Snapshot, event: Mapping[str, Json] | None
) -> dict[str, dict[str, Any]]:
    """Return strategy -> the source that executes it from a moment on.

    Args:
        library: the library.
        scene: scene of the moment, as the robot believes it.
        event: arguments of the action that starts at the moment; None if none does.

    Raises:
        BadInput: with file, line and key, if an expression has no value.
    """
    filler = _Filler(scene, event)
    try:
        return {
            name: {"plan": filler.steps(actions, f"strategies.{name}")}
            for name, actions in library.file.strategies.items()
        }
    except BadInput as error:
        raise library.placed(error) from None


class _Filler:
    """Evaluates the expressions in the arguments of actions."""

    def __init__(self, scene: Snapshot, event: Mapping[str, Json] | None) -> None:
        self._scene, self._event = scene, event

    def steps(self, actions: Sequence[Action], where: str) -> list[dict[str, Any]]:
        return [self._step(action, f"{where}.{number}") for number, action in enumerate(actions)]

    def _step(self, action: Action, where: str) -> dict[str, Any]:
        step: dict[str, Any] = {
            "operation": action.operation,
            "arguments": self._filled(action.arguments, f"{where}.arguments"),
        }
        if action.skill is not None:
            step["skill"] = action.skill
        if action.at is not None:
            after = self._filled(action.at, f"{where}.at")
            if not _is_time(after):
                raise BadInput(
                    "this is no time",
                    where=f"{where}.at",
                    found=after,
                    expected="seconds, at least 0",
                )
            step["at"] = round(self._scene.time_ns / 1e9 + after, _DIGITS)
        return step

    def _filled(self, data: Any, where: str) -> Any:
        if isinstance(data, str) and data.startswith(EXPRESSION):
            return self._value(data.removeprefix(EXPRESSION), where)
        if isinstance(data, dict):
            return {key: self._filled(value, f"{where}.{key}") for key, value in data.items()}
        if isinstance(data, list):
            return [self._filled(value, f"{where}.{n}") for n, value in enumerate(data)]
        return data

    def _value(self, text: str, where: str) -> Any:
        expression = Expression(text, where)
        if self._event is None and expression.variables:
            raise BadInput(
                "no action begins at this moment",
                where=where,
                found=f"{EXPRESSION}{text}",
                expected="--before ACTION, whose arguments are those of event",
            )
        try:
            return expression.evaluate({"event": dict(self._event or {})}, {"pose": self._pose})
        except EvaluationError as error:
            raise BadInput(
                f"the expression has no value: {error}",
                where=where,
                found=f"{EXPRESSION}{text}",
                expected=f"arguments of the action that begins: {', '.join(self._event or {})}",
            ) from None

    def _pose(self, entity: str) -> list[float]:
        """Return the pose of an entity before anything is drawn."""
        return [float(number) for number in self._scene.pose(entity)[:7]]


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value < inf


FOLDER = "scenarios/libraries"
EXPRESSION = "$"
"""Prefix of a text that is an expression, evaluated at the moment."""


class Action(Strict):
    """An operation of a strategy."""

    operation: Text = Field(description="name of the operation, as the robot announces it")
    arguments: dict[str, JsonValue] = Field(
        default={},
        description="arguments; a text that begins with $ is an expression, such as $event.container",
    )
    skill: Text | None = Field(
        None,
        description="installed skill that generates the motion; default: the operation's name",
    )
    at: Annotated[Finite, Field(ge=0)] | Text | None = Field(
        None,
        description="start in s after the decision, or an expression; default: when the previous action is over",
    )


class LibraryFile(Strict):
    """A library of strategies."""

    description: str = ""
    utility: Text | None = Field(
        None,
        description="a question to a future's episode with a number as its answer; default: 1 if it succeeds, else 0",
    )
    critical: Finite = Field(
        0.2,
        ge=0,
        le=1,
        description="a strategy that fails in a larger share of futures is critical",
    )
    strategies: dict[Text, Annotated[list[Action], Field(min_length=1)]] = Field(
        min_length=1, description="name -> actions, executed in this order"
    )


@dataclass(frozen=True)
class Library:
    """A library that was read from a file.

    Attributes:
        file: content of the file.
        path: path of the file.
        placed: adds file and line to an error about one of its keys.
    """

    file: LibraryFile
    path: Path
    placed: Callable[[BadInput], BadInput]


def read_library(name: str) -> Library:
    """Read and check a library.

    Args:
        name: path of a YAML file, or name of a library of hetwin.

    Raises:
        BadInput: with file, line and key, if the file is missing or no library, or names a skill that is not installed.
    """
    path = _find(name)
    document = load_yaml(path)

    def placed(error: BadInput) -> BadInput:
        return document.placed(error, path)

    try:
        file = check(LibraryFile, _mapping(document.data))
        if file.utility is not None:
            Expression(file.utility, "utility")
        for strategy, actions in file.strategies.items():
            for number, action in enumerate(actions):
                _check(action, f"strategies.{strategy}.{number}")
    except BadInput as error:
        raise placed(error) from None
    return Library(file, path, placed)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of libraries."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **LibraryFile.model_json_schema(),
    }


def _find(name: str) -> Path:
    for candidate in (Path(name).expanduser(), Path(FOLDER, f"{name}.yaml")):
        if candidate.is_file():
            return candidate.resolve()
        with suppress(BadInput):
            found = resource(*candidate.parts)
            if found.is_file():
                return found
    close = perhaps(name, resource_names(FOLDER, ".yaml"))
    expected = f"a YAML file with strategies, or the name of one of hetwin's{close}"
    if name == "aims":
        expected = 'pip install "hetwin-suite[examples]"'
    raise BadInput("there is no such library", file=name, where="--library", expected=expected)


def _mapping(data: object) -> object:
    if isinstance(data, dict):
        return data
    found = data if isinstance(data, str) else type(data).__name__
    raise BadInput("this is no library", found=found, expected="a mapping with the key strategies")


def _check(action: Action, where: str) -> None:
    """Check that an action's skill is installed, and that its expressions can be parsed."""
    key = "operation" if action.skill is None else "skill"
    try:
        skill_of(action.skill or action.operation)
    except BadInput as error:
        raise error.at(f"{where}.{key}") from None
    _check_expressions(action.arguments, f"{where}.arguments")
    _check_expressions(action.at, f"{where}.at")


def _check_expressions(data: object, where: str) -> None:
    if isinstance(data, str) and data.startswith(EXPRESSION):
        Expression(data.removeprefix(EXPRESSION), where).check_names(("pose",), ("event",))
    elif isinstance(data, dict):
        for key, value in data.items():
            _check_expressions(value, f"{where}.{key}")
    elif isinstance(data, list):
        for number, value in enumerate(data):
            _check_expressions(value, f"{where}.{number}")


FIRST = 4
"""Futures of each strategy in the first round."""

Trial = tuple[int, int]
"""Index of a strategy, and number of a draw."""
Values = Mapping[Trial, float]
"""Trial -> utility of its future."""
RunTrials = Callable[[Sequence[Trial]], tuple[Values, bool]]
"""Runs the futures of trials; returns the utilities of those that finished, and whether time is candidates."""


def race(strategies: int, most: int, ask: RunTrials) -> int | None:
    """Return the index of the best strategy, the first of equal ones; None if no future has a utility.

    Args:
        strategies: number of strategies.
        most: maximum number of futures of each strategy.
        ask: runs the futures of trials.
    """
    candidates, done = list(range(strategies)), 0
    found: dict[Trial, float] = {}
    total = min(FIRST, most)
    while done < total:
        trials = [(strategy, draw) for draw in range(done, total) for strategy in candidates]
        values, goes_on = ask(trials)
        found.update(values)
        if not goes_on:
            break
        done, total = total, min(2 * total, most)
        candidates = _survivors(candidates, found)
        if len(candidates) == 1:
            break
    best = _ranked(candidates, found)[:1]
    return best[0] if best else None


def _survivors(candidates: Sequence[int], found: Values) -> list[int]:
    """Return the better half in its given order, without strategies that are significantly worse than the best one."""
    ranked = _ranked(candidates, found)
    if not ranked:
        return []
    half = ranked[: (len(candidates) + 1) // 2]
    stays = {one for one in half if not _is_worse(one, half[0], found)}
    return [candidate for candidate in candidates if candidate in stays]


def _ranked(strategies: Iterable[int], found: Values) -> list[int]:
    """Return the strategies with at least one utility, the best first."""
    means = {
        strategy: fmean(values)
        for strategy in strategies
        if (values := _utilities_of(strategy, found).values())
    }
    return sorted(means, key=lambda one: (-means[one], one))


def _utilities_of(strategy: int, found: Values) -> dict[int, float]:
    """Return draw -> utility of a strategy."""
    return {draw: value for (one, draw), value in found.items() if one == strategy}


def _is_worse(strategy: int, best: int, found: Values) -> bool:
    """Whether the strategy's 95 % interval of paired differences to the best one lies below 0."""
    ours, theirs = _utilities_of(strategy, found), _utilities_of(best, found)
    less = [theirs[draw] - ours[draw] for draw in ours.keys() & theirs.keys()]
    half = half_width(less)
    return half is not None and len(less) >= FIRST and fmean(less) > half
