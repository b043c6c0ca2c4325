"""`hetwin model check`: checks a model's contract in a child process, which is terminated if the model hangs."""

from __future__ import annotations

from collections.abc import Mapping
from multiprocessing import RawValue
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_suite.command import ProgressReminder, Result, completions, json_object, to_stderr

if TYPE_CHECKING:
    from hetwin_testing.fixture import CheckResult

PATIENCE_S = 10.0
"""Maximum duration of a call [s], the default of `deadline` in a scenario."""


def _model_types(incomplete: str) -> list[str]:
    from hetwin_suite.runs import model_types

    return completions(incomplete, model_types())


def check(
    model: Annotated[
        str,
        typer.Argument(help="MODULE:CLASS, or a model type", autocompletion=_model_types),
    ],
    parameters: Annotated[
        str | None,
        typer.Option(help="values for parameters that cannot be invented, as a JSON object"),
    ] = None,
) -> Result:
    """Check that a model keeps the contract that the conductor relies on.

    Example: hetwin model check rigid_grasp
    """
    results = check_model_watched(model, json_object(parameters, "--parameters"))
    ok = all(result.ok for result in results)
    rows = [{"check": r.check, "ok": r.ok, "says": r.detail} for r in results]
    lines = [
        f"{'ok  ' if result.ok else 'FAIL'}  {result.check}{': ' if result.detail else ''}{result.detail}"
        for result in results
    ]
    return Result({"model": model, "ok": ok, "checks": rows}, lines, int(not ok))


def check_model_watched(model: str, parameters: Mapping[str, Any]) -> list[CheckResult]:
    """Return the results of the suite; a check in which the model hangs or crashes is the last one.

    Args:
        model: MODULE:CLASS, installed or in the working directory, or a model type.
        parameters: parameter -> value; others are invented.

    Raises:
        BadInput: if there is no such model.
    """
    from hetwin_suite.harness import WorkFailed, in_a_child, use_modules_in
    from hetwin_testing.fixture import CheckResult, Report
    from hetwin_testing.suite import check_model

    calls = RawValue("Q", 0)  # in shared memory
    results: list[CheckResult] = []
    current_check = ["import"]

    def heartbeat() -> None:
        calls.value += 1

    def work(send: Any) -> None:
        use_modules_in(Path.cwd())
        check_model(model, parameters, Report(send, send), heartbeat)

    def on_message(message: str | CheckResult) -> None:
        if isinstance(message, str):
            current_check[0] = message
        else:
            results.append(message)

    def progress() -> object:
        return calls.value, len(results), current_check[0]

    def waiting() -> None:
        patience.remind(f"checking {current_check[0]}")

    patience = ProgressReminder(to_stderr)
    try:
        in_a_child(work, on_message, progress, PATIENCE_S, "hetwin_testing/", while_waiting=waiting)
    except WorkFailed as failure:
        results.append(CheckResult(current_check[0], False, str(failure)))
    return results
