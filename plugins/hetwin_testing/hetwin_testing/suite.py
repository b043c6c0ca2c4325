"""The conformance suite of the model contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hetwin_suite.harness import model_class
from hetwin_suite.model import Model
from hetwin_testing.bench import Bench
from hetwin_testing.checks import (
    check_deadline,
    check_late_start,
    check_odd_parameters,
    check_refusals,
    check_round_trips,
    check_saving,
    check_unknown_command,
)
from hetwin_testing.declaration import check_declaration, check_parameters, construct
from hetwin_testing.fixture import ENTITIES, CheckResult, ContractViolation, Report, values_for

DURATION_S = 2.4
MAX_STEPS = 1000
MAIN_STEPS = 200


def check_model(
    model: str | type[Model],
    parameters: Mapping[str, Any] | None = None,
    report: Report | None = None,
    heartbeat: Callable[[], None] = lambda: None,
) -> list[CheckResult]:
    """Check that a model keeps the contract that the conductor relies on, as ``hetwin model check`` does.

    The suite runs in this process, so that a debugger can follow; a model that hangs is not terminated.

    The model runs on a small scene: a robot's hand that takes a box from a table. A model that can be the main one
    brings its own scene; if it requests a world, it gets one of hetwin's.

    Args:
        model: a class, MODULE:CLASS, or a model type.
        parameters: parameter -> value as `initialize` receives it; others are invented.
        report: collects the results.
        heartbeat: called before each call of the model, for a process that supervises this one.

    Raises:
        BadInput: if there is no such model.
    """
    cls = model_class(model) if isinstance(model, str) else model
    suite = _Suite(cls, dict(parameters or {}), report or Report(), heartbeat)
    return suite.run()


class _Suite:
    """The checks of one model in the order of its life cycle; each check needs the earlier ones to pass."""

    def __init__(
        self, cls: type[Model], given: dict[str, Any], report: Report, heartbeat: Callable[[], None]
    ) -> None:
        self._cls = cls
        self._given_parameters = given
        self._report = report
        self._heartbeat = heartbeat
        self._values: dict[str, Any] = {}

    def run(self) -> list[CheckResult]:
        check = self._report.run
        (
            check("declaration", self._check_declaration)
            and check("constructor without arguments", self._construct)
            and check("parameters", self._parameters)
            and check("initialize", self._initialize)
            and check("start", self._start)
            and check("step", self._step)
            and self._behaviour()
        )
        return self._report.results

    def _behaviour(self) -> bool:
        check = self._report.run
        check("same seed and input, same bits", self._determinism)
        check("take and release", lambda: check_round_trips(self._started()))
        check("save and restore", self._saving)
        check("refusal of what it does not know", lambda: check_refusals(self._stepped()))
        check("refusal of unknown commands", lambda: check_unknown_command(self._stepped()))
        if not self._cls.can_be_main:
            check("start in the middle of a run", self._late_start)
        check("odd parameters", self._odd_parameters)
        check("within the deadline", self._deadline)
        return check("stop, and stop again", self._stop)

    def _check_declaration(self) -> str:
        check_declaration(self._cls)
        return self._cls.summary

    def _construct(self) -> None:
        construct(self._cls)

    def _parameters(self) -> str:
        requests = check_parameters(self._cls)
        is_main = self._cls.can_be_main
        names = [request.name for request in requests]
        unknown = sorted(set(self._given_parameters) - set(names))
        if unknown:
            raise ContractViolation(f"has no parameter {unknown[0]!r}; expected one of {names}")
        entities = () if is_main else ENTITIES
        self._values = values_for(requests, entities, self._given_parameters, can_be_main=is_main)
        return ", ".join(names) or "none"

    def _initialize(self) -> str:
        try:
            contribution = self._bench().initialize()
        except ContractViolation:
            raise
        except Exception as error:
            raise ContractViolation(
                f"raised {type(error).__name__}: {error}; if the invented parameters do not suit it,"
                " give others with --parameters"
            ) from error
        return f"{len(contribution.entities)} entities, {len(contribution.attributes)} attributes"

    def _start(self) -> None:
        self._started().model.stop()

    def _step(self) -> str:
        bench = self._stepped(self._step_count())
        bench.model.stop()
        return f"{len(bench.trace) - 1} steps, {bench.events} events"

    def _determinism(self) -> None:
        first, second = self._stepped(self._step_count()), self._stepped(self._step_count())
        for bench in (first, second):
            bench.model.stop()
        if first.trace == second.trace:
            return
        for number, (first_text, second_text) in enumerate(
            zip(first.trace, second.trace, strict=False)
        ):
            if first_text != second_text:
                position = "initialize" if number == 0 else f"step {number}"
                raise ContractViolation(
                    f"two instances differ from {position} on: {_excerpts(first_text, second_text)}; randomness must"
                    " come only from a generator `random`, or one seeded with `seed`"
                )
        raise ContractViolation(
            f"two instances took {len(first.trace)} and {len(second.trace)} steps"
        )

    def _saving(self) -> str:
        return check_saving(self._started, self._step_count() // 2)

    def _late_start(self) -> None:
        bench = self._bench()
        bench.initialize()
        check_late_start(bench)
        bench.model.stop()

    def _odd_parameters(self) -> str:
        def bench(name: str, value: object) -> Bench:
            values = {**self._values, name: value}
            return Bench(self._cls, values, self._heartbeat)

        return check_odd_parameters(self._cls.requests(), bench)

    def _deadline(self) -> str:
        bench = self._stepped(self._step_count())
        bench.model.stop()
        return check_deadline(bench)

    def _stop(self) -> None:
        bench = self._stepped()
        bench.model.stop()
        bench.model.stop()

    def _step_count(self) -> int:
        if self._cls.can_be_main:
            return MAIN_STEPS
        return min(MAX_STEPS, round(DURATION_S * (self._cls.rate or 100.0)))

    def _bench(self) -> Bench:
        return Bench(self._cls, self._values, self._heartbeat)

    def _started(self) -> Bench:
        bench = self._bench()
        bench.initialize()
        bench.start()
        return bench

    def _stepped(self, count: int = 2) -> Bench:
        bench = self._started()
        for _ in range(count):
            if bench.ended:
                break
            bench.step()
        return bench


def _excerpts(first_text: str, second_text: str) -> str:
    """Return the excerpts of two texts around their first difference."""
    index = next(
        (i for i, (a, b) in enumerate(zip(first_text, second_text, strict=False)) if a != b), 0
    )
    start = max(0, index - 30)
    return f"...{first_text[start : index + 30]}... and ...{second_text[start : index + 30]}..."
