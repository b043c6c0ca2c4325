"""Checks of a model's behaviour with responsibilities, under unusual conditions, and from a saved state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hetwin_suite.harness import ParameterKind, ParameterRequest, command, is_pose, release, take
from hetwin_suite.model import POSE, WORLD, BadInput, Refused, Value, pose_value, some
from hetwin_testing.bench import Bench
from hetwin_testing.fixture import ContractViolation

UNKNOWN_NAME = "no_such_thing"
TOLERANCE = 1e-9


def check_round_trips(bench: Bench) -> str:
    """Check handovers of every attribute that the model can own: take and release, or release and take back.

    Raises:
        ContractViolation: if a value changes between taking and releasing it, or a refusal has side effects.
    """
    slots = [
        slot
        for slot, slot_spec in enumerate(bench.scene.layout.slots)
        if bench.plan.provides(slot_spec.attribute.name)
    ]
    if not slots:
        return "provides nothing that the scene has"
    passed: list[str] = []
    refused: list[str] = []
    for slot in slots:
        is_own = bench.table.owner(slot) == bench.index
        accepted = _release_and_take_back(bench, slot) if is_own else _take_and_release(bench, slot)
        slot_spec = bench.scene.layout.slots[slot]
        (passed if accepted else refused).append(f"{slot_spec.entity}.{slot_spec.attribute.name}")
    parts = [("handed over", passed), ("refused", refused)]
    return "; ".join(f"{word}: {some(names, 6)}" for word, names in parts if names)


def take_any(bench: Bench) -> str:
    """Hand the first attribute of another model to this one that it accepts, and return its name; empty if none."""
    for slot, slot_spec in enumerate(bench.scene.layout.slots):
        if bench.table.owner(slot) == bench.index or not bench.plan.provides(
            slot_spec.attribute.name
        ):
            continue
        if _take(bench, slot):
            _move(bench, slot, bench.index, bench.scene.value(slot))
            return f"{slot_spec.entity}.{slot_spec.attribute.name}"
    return ""


def _take_and_release(bench: Bench, slot: int) -> bool:
    """Take, release, take, step and release an attribute of another model; return whether the model accepts it."""
    slot_spec = bench.scene.layout.slots[slot]
    if not _take(bench, slot):
        return False
    before = bench.scene.value(slot)
    _compare(bench, slot, before, _release(bench, slot))
    if not _take(bench, slot):
        raise ContractViolation(
            f"accepted {slot_spec.entity}.{slot_spec.attribute.name} once, and refuses it after releasing it"
        )
    _move(bench, slot, bench.index, before)
    for _ in range(3):
        bench.step()
    _move(bench, slot, bench.other, _release(bench, slot))
    bench.step()
    return True


def _release_and_take_back(bench: Bench, slot: int) -> bool:
    """Release an attribute of the model, step without it, and take it back; return whether the model releases it."""
    slot_spec = bench.scene.layout.slots[slot]
    try:
        value = _release(bench, slot)
    except Refused:
        bench.step()
        return False
    _move(bench, slot, bench.other, value)
    for _ in range(3):
        bench.step()
    for _ in range(2):
        if not _take(bench, slot):
            raise ContractViolation(
                f"does not take {slot_spec.entity}.{slot_spec.attribute.name} back after it was released"
            )
        before = bench.scene.value(slot)
        _compare(bench, slot, before, _release(bench, slot))
    _take(bench, slot)
    _move(bench, slot, bench.index, before)
    bench.step()
    return True


def _move(bench: Bench, slot: int, new_owner: int, value: Value) -> None:
    bench.table.move(slot, new_owner)
    bench.scene.put(slot, value)


def _take(bench: Bench, slot: int) -> bool:
    slot_spec = bench.scene.layout.slots[slot]
    value, scene = bench.scene.value(slot), bench.snapshot()
    try:
        take(bench.model, slot_spec.entity, slot_spec.attribute.name, value, scene)
    except Refused:
        if bench.table.owner(slot) != bench.index:
            bench.step()  # fails if the model returns the attribute nevertheless
        return False
    return True


def _release(bench: Bench, slot: int) -> Value:
    slot_spec = bench.scene.layout.slots[slot]
    label = f"{slot_spec.entity}.{slot_spec.attribute.name}"
    value = release(bench.model, slot_spec.entity, slot_spec.attribute.name, bench.snapshot())
    if not isinstance(value, Value):
        raise ContractViolation(f"releases {label} with {type(value).__name__}; expected a Value")
    data = value.data
    is_valid = isinstance(data, np.ndarray) and data.shape == (slot_spec.attribute.size,)
    if not is_valid or not np.isfinite(data).all() or data.dtype != np.float64:
        raise ContractViolation(
            f"releases {label} as {data!r}; expected {slot_spec.attribute.size} finite float64 numbers"
        )
    if slot_spec.attribute.name == POSE.name and not is_pose(data):
        raise ContractViolation(
            f"releases {label} with a quaternion that is not normalized: {data[3:7].tolist()}"
        )
    if value.parent != WORLD:
        raise ContractViolation(
            f"releases {label} in the frame {value.parent!r}; expected the world"
        )
    if value.time_ns != bench.scene.time_ns:
        raise ContractViolation(
            f"releases {label} with the time {value.time_ns / 1e9:.4f} s; expected {bench.scene.time_ns / 1e9:.4f} s"
        )
    return value


def _compare(bench: Bench, slot: int, before: Value, released: Value) -> None:
    """Compare a value with the one that was taken; a pose's twist may differ, e.g. by the motion of the hand."""
    slot_spec = bench.scene.layout.slots[slot]
    expected, found = before.data, released.data.copy()
    if slot_spec.attribute.name == POSE.name:
        expected, found = expected[:7], found[:7]
        if float(expected[3:7] @ found[3:7]) < 0:
            found[3:7] *= -1.0
    deviation = float(np.abs(expected - found).max())
    if deviation > TOLERANCE:
        raise ContractViolation(
            f"releases {slot_spec.entity}.{slot_spec.attribute.name} right after it was taken as"
            f" {found.tolist()}; it was given {expected.tolist()}"
        )


def check_refusals(bench: Bench) -> str:
    """Check that unknown entities and attributes are refused with `Refused`.

    Raises:
        ContractViolation: if the model accepts one, or raises another error.
    """
    layout, scene = bench.scene.layout, bench.snapshot()
    entity = layout.entities[0].name if layout.entities else UNKNOWN_NAME
    provides = bench.plan.cls.provides
    spec = provides[0] if provides else POSE
    provided = spec.name
    data = (
        pose_value((0.0, 0.0, 0.0)).data if spec.name == POSE.name else np.zeros(max(spec.size, 1))
    )
    value = Value(data, scene.time_ns)
    model = bench.model
    for name, attribute in ((UNKNOWN_NAME, provided), (entity, UNKNOWN_NAME)):
        label = f"{name}.{attribute}"
        _check_refused(f"take of {label}", partial(take, model, name, attribute, value, scene))
        _check_refused(f"release of {label}", partial(release, model, name, attribute, scene))
    return "unknown entity and attribute"


def check_unknown_command(bench: Bench) -> None:
    """Check that an unknown command is refused.

    Raises:
        ContractViolation: if it is accepted, or another error is raised.
    """
    _check_refused(f"command {UNKNOWN_NAME}", partial(command, bench.model, UNKNOWN_NAME, {}))


def _check_refused(label: str, call: object) -> None:
    assert callable(call)
    try:
        call()
    except Refused:
        return
    except Exception as error:
        raise ContractViolation(
            f"{label} raises {type(error).__name__}: {error}; expected Refused"
        ) from error
    raise ContractViolation(f"{label} is accepted; expected Refused")


ODD_VALUES: Mapping[ParameterKind, tuple[Any, ...]] = {
    ParameterKind.NUMBER: (0.0, -1.0, 1e12),
    ParameterKind.INTEGER: (0, -1),
    ParameterKind.VECTOR: ([], [-1.0]),
    ParameterKind.TEXT: ("no such text",),
    ParameterKind.PATH: ("/no/such/file",),
}
"""Values of the right kind that may be invalid for the parameter."""
DEADLINE_S = 10.0
"""Deadline of each call, unless the scenario has another one [s]."""
LATE_STEPS = 7


def check_odd_parameters(
    requests: Sequence[ParameterRequest], bench: Callable[[str, Any], Bench]
) -> str:
    """Check that an odd value of a parameter is accepted, or refused as bad input.

    Args:
        requests: parameters of the model.
        bench: makes a bench with one parameter replaced, from its name and value.

    Raises:
        ContractViolation: if the model raises another error.
    """
    accepted, refused = 0, 0
    for request in requests:
        for value in ODD_VALUES.get(request.kind, ()):
            try:
                bench(request.name, value).initialize()
            except BadInput:
                refused += 1
            except ContractViolation as error:
                raise ContractViolation(f"with {request.name} = {value!r} it {error}") from None
            except Exception as error:
                raise ContractViolation(
                    f"with {request.name} = {value!r} it raises {type(error).__name__}: {error};"
                    " expected BadInput, or no error"
                ) from error
            else:
                accepted += 1
    return f"{accepted} used, {refused} refused"


def check_late_start(bench: Bench) -> None:
    """Check that an instance can start in the middle of a run, as after a restart.

    Raises:
        Broken, RunFailed: if it cannot.
    """
    bench.pass_time(LATE_STEPS)
    bench.start()
    for _ in range(LATE_STEPS):
        bench.step()


def check_deadline(bench: Bench) -> str:
    """Check that no call exceeds the default deadline of a scenario.

    Raises:
        ContractViolation: if one does.
    """
    call, duration = max(bench.longest_calls.items(), key=lambda item: item[1])
    if duration > DEADLINE_S:
        raise ContractViolation(
            f"{call} takes {duration:.1f} s; a scenario gives {DEADLINE_S:g} s by default"
        )
    return f"longest: {call}, {duration:.3f} s"


STEPS_AFTER_SAVING = 40
"""Number of steps after the state was saved."""


def check_saving(start_bench: Callable[[], Bench], count: int) -> str:
    """Check that an instance restored from a saved state continues with the same outputs, to the bit.

    A model may refuse to be saved.

    Args:
        start_bench: makes a bench with a started model.
        count: number of steps before the state is saved.

    Raises:
        ContractViolation: if outputs differ, or the state is not plain data.
    """
    first, second = start_bench(), start_bench()
    taken = {_step_with_taken_attribute(bench, count) for bench in (first, second)}
    try:
        size = second.restart_process()
    except Refused as refusal:
        return f"refuses to be saved: {refusal}"
    for bench in (first, second):
        _step(bench, STEPS_AFTER_SAVING)
        bench.model.stop()
    for number, (first_output, second_output) in enumerate(
        zip(first.trace, second.trace, strict=True)
    ):
        if first_output != second_output:
            raise ContractViolation(
                f"differs from an uninterrupted instance from step {number} on, when saved after step {count}"
                f" and restored, in its {_describe_difference(first_output, second_output)}"
            )
    return (
        f"{size} numbers and texts, also while it has {', '.join(filter(None, taken)) or 'nothing'}"
    )


def _step_with_taken_attribute(bench: Bench, count: int) -> str:
    """Step, hand the model an attribute if it accepts one, and step again; return the name of the attribute."""
    _step(bench, count // 2)
    taken = take_any(bench)
    _step(bench, count - count // 2)
    return taken


def _step(bench: Bench, count: int) -> None:
    for _ in range(count):
        if bench.ended:
            return
        bench.step()


def _describe_difference(first_output: str, second_output: str) -> str:
    """Return the first difference of two outputs as text."""
    names = ("time", "numbers", "events", "requests", "ended")
    pairs = zip(names, json.loads(first_output), json.loads(second_output), strict=False)
    for name, left, right in pairs:
        if left == right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            parts = sorted(k for k in {*left, *right} if left.get(k) != right.get(k))
            return f"{name} of {', '.join(parts)}"
        return f"{name} {right}, not {left}"
    return "contribution"
