"""Checks under unusual conditions: odd parameters, a late start, the wall clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.conformance.bench import Bench
from hetwin_core.ensemble.conformance.result import Broken
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest

ODD: Mapping[ParameterKind, tuple[Any, ...]] = {
    ParameterKind.NUMBER: (0.0, -1.0, 1e12),
    ParameterKind.INTEGER: (0, -1),
    ParameterKind.VECTOR: ([], [-1.0]),
    ParameterKind.TEXT: ("no such text",),
    ParameterKind.PATH: ("/no/such/file",),
}
"""Values of the right kind that may make no sense."""
DEADLINE_S = 10.0
"""The deadline of each call, unless the scenario has another [s]."""
LATE_STEPS = 7


def check_odd_parameters(
    requests: Sequence[ParameterRequest], bench: Callable[[str, Any], Bench]
) -> str:
    """Check that an odd value of a parameter is used, or refused as bad input.

    Args:
        requests: what the model asks for.
        bench: a bench with one parameter replaced, by name and value.

    Raises:
        Broken: if the model fails in another way.
    """
    used, refused = 0, 0
    for request in requests:
        for value in ODD.get(request.kind, ()):
            try:
                bench(request.name, value).initialize()
            except BadInput:
                refused += 1
            except Broken as error:
                raise Broken(f"with {request.name} = {value!r} it {error}") from None
            except Exception as error:
                raise Broken(
                    f"with {request.name} = {value!r} it raises {type(error).__name__}: {error};"
                    " expected BadInput, or that it is used"
                ) from error
            else:
                used += 1
    return f"{used} used, {refused} refused"


def check_late_start(bench: Bench) -> None:
    """Check that an instance that is started in the middle of a run, as after a restart, steps from there on.

    Raises:
        Broken, RunFailed: if it does not.
    """
    bench.pass_time(LATE_STEPS)
    bench.start()
    for _ in range(LATE_STEPS):
        bench.step()


def check_deadline(bench: Bench) -> str:
    """Check that no call takes longer than a scenario allows by default.

    Raises:
        Broken: if one does.
    """
    call, took = max(bench.longest.items(), key=lambda item: item[1])
    if took > DEADLINE_S:
        raise Broken(f"{call} takes {took:.1f} s; a scenario gives {DEADLINE_S:g} s by default")
    return f"longest: {call}, {took:.3f} s"
