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
from hetwin_testing.fixture import Broken

NOTHING = "no_such_thing"
TOLERANCE = 1e-9


def check_round_trips(bench: Bench) -> str:
    """Check handovers of every attribute that the model can own: take and release, or release and take back.

    Raises:
        Broken: if a value differs when it is released right after it was taken, or a refusal has side effects.
    """
    slots = [
        slot
        for slot, place in enumerate(bench.scene.layout.slots)
        if bench.plan.provides(place.attribute.name)
    ]
    if not slots:
        return "provides nothing that the scene has"
    passed: list[str] = []
    refused: list[str] = []
    for slot in slots:
        own = bench.table.owner(slot) == bench.index
        good = _out_and_in(bench, slot) if own else _in_and_out(bench, slot)
        place = bench.scene.layout.slots[slot]
        (passed if good else refused).append(f"{place.entity}.{place.attribute.name}")
    parts = [("handed over", passed), ("refused", refused)]
    return "; ".join(f"{word}: {some(names, 6)}" for word, names in parts if names)


def take_any(bench: Bench) -> str:
    """Hand the first attribute of another model to this one that it accepts, and return its name; empty if none."""
    for slot, place in enumerate(bench.scene.layout.slots):
        if bench.table.owner(slot) == bench.index or not bench.plan.provides(place.attribute.name):
            continue
        if _take(bench, slot):
            _move(bench, slot, bench.index, bench.scene.value(slot))
            return f"{place.entity}.{place.attribute.name}"
    return ""


def _in_and_out(bench: Bench, slot: int) -> bool:
    """Take, release, take, step and release an attribute of another model; return whether the model accepts it."""
    place = bench.scene.layout.slots[slot]
    if not _take(bench, slot):
        return False
    given = bench.scene.value(slot)
    _compare(bench, slot, given, _release(bench, slot))
    if not _take(bench, slot):
        raise Broken(
            f"took {place.entity}.{place.attribute.name} once, and refuses it after it was released"
        )
    _move(bench, slot, bench.index, given)
    for _ in range(3):
        bench.step()
    _move(bench, slot, bench.other, _release(bench, slot))
    bench.step()
    return True


def _out_and_in(bench: Bench, slot: int) -> bool:
    """Release an attribute of the model, step without it, and take it back; return whether the model releases it."""
    place = bench.scene.layout.slots[slot]
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
            raise Broken(
                f"does not take {place.entity}.{place.attribute.name} back after it was released"
            )
        given = bench.scene.value(slot)
        _compare(bench, slot, given, _release(bench, slot))
    _take(bench, slot)
    _move(bench, slot, bench.index, given)
    bench.step()
    return True


def _move(bench: Bench, slot: int, to: int, value: Value) -> None:
    bench.table.move(slot, to)
    bench.scene.put(slot, value)


def _take(bench: Bench, slot: int) -> bool:
    place = bench.scene.layout.slots[slot]
    value, scene = bench.scene.value(slot), bench.snapshot()
    try:
        take(bench.model, place.entity, place.attribute.name, value, scene)
    except Refused:
        if bench.table.owner(slot) != bench.index:
            bench.step()  # fails if the model returns the attribute nevertheless
        return False
    return True


def _release(bench: Bench, slot: int) -> Value:
    place = bench.scene.layout.slots[slot]
    what = f"{place.entity}.{place.attribute.name}"
    value = release(bench.model, place.entity, place.attribute.name, bench.snapshot())
    if not isinstance(value, Value):
        raise Broken(f"releases {what} with {type(value).__name__}; expected a Value")
    data = value.data
    good = isinstance(data, np.ndarray) and data.shape == (place.attribute.size,)
    if not good or not np.isfinite(data).all() or data.dtype != np.float64:
        raise Broken(
            f"releases {what} as {data!r}; expected {place.attribute.size} finite float64 numbers"
        )
    if place.attribute.name == POSE.name and not is_pose(data):
        raise Broken(f"releases {what} with a quaternion that is no unit: {data[3:7].tolist()}")
    if value.parent != WORLD:
        raise Broken(f"releases {what} in the frame {value.parent!r}; expected the world")
    if value.time_ns != bench.scene.time_ns:
        raise Broken(
            f"releases {what} of {value.time_ns / 1e9:.4f} s; expected {bench.scene.time_ns / 1e9:.4f} s"
        )
    return value


def _compare(bench: Bench, slot: int, given: Value, released: Value) -> None:
    """Compare a value with the one that was taken; a pose's twist may differ, e.g. by the motion of the hand."""
    place = bench.scene.layout.slots[slot]
    expected, found = given.data, released.data.copy()
    if place.attribute.name == POSE.name:
        expected, found = expected[:7], found[:7]
        if float(expected[3:7] @ found[3:7]) < 0:
            found[3:7] *= -1.0
    away = float(np.abs(expected - found).max())
    if away > TOLERANCE:
        raise Broken(
            f"releases {place.entity}.{place.attribute.name} right after it was taken as"
            f" {found.tolist()}; it was given {expected.tolist()}"
        )


def check_refusals(bench: Bench) -> str:
    """Check that unknown entities and attributes are refused with `Refused`.

    Raises:
        Broken: if the model accepts one, or raises another error.
    """
    layout, scene = bench.scene.layout, bench.snapshot()
    entity = layout.entities[0].name if layout.entities else NOTHING
    provides = bench.plan.cls.provides
    spec = provides[0] if provides else POSE
    provided = spec.name
    data = (
        pose_value((0.0, 0.0, 0.0)).data if spec.name == POSE.name else np.zeros(max(spec.size, 1))
    )
    value = Value(data, scene.time_ns)
    model = bench.model
    for name, attribute in ((NOTHING, provided), (entity, NOTHING)):
        what = f"{name}.{attribute}"
        _refuses(f"take of {what}", partial(take, model, name, attribute, value, scene))
        _refuses(f"release of {what}", partial(release, model, name, attribute, scene))
    return "unknown entity and attribute"


def check_unknown_command(bench: Bench) -> None:
    """Check that an unknown command is refused.

    Raises:
        Broken: if it is accepted, or another error is raised.
    """
    _refuses(f"command {NOTHING}", partial(command, bench.model, NOTHING, {}))


def _refuses(what: str, call: object) -> None:
    assert callable(call)
    try:
        call()
    except Refused:
        return
    except Exception as error:
        raise Broken(f"{what} raises {type(error).__name__}: {error}; expected Refused") from error
    raise Broken(f"{what} is accepted; expected Refused")


ODD: Mapping[ParameterKind, tuple[Any, ...]] = {
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
        Broken: if the model raises another error.
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
        Broken: if one does.
    """
    call, took = max(bench.longest.items(), key=lambda item: item[1])
    if took > DEADLINE_S:
        raise Broken(f"{call} takes {took:.1f} s; a scenario gives {DEADLINE_S:g} s by default")
    return f"longest: {call}, {took:.3f} s"


LATER = 40
"""Number of steps after the state was saved."""


def check_saving(started: Callable[[], Bench], count: int) -> str:
    """Check that an instance restored from a saved state continues with the same outputs, to the bit.

    A model may refuse to be saved.

    Args:
        started: makes a bench with a started model.
        count: number of steps before the state is saved.

    Raises:
        Broken: if outputs differ, or the state is no plain data.
    """
    first, second = started(), started()
    taken = {_go(bench, count) for bench in (first, second)}
    try:
        size = second.restart_process()
    except Refused as refusal:
        return f"refuses to be saved: {refusal}"
    for bench in (first, second):
        _step(bench, LATER)
        bench.model.stop()
    for number, (one, other) in enumerate(zip(first.trace, second.trace, strict=True)):
        if one != other:
            raise Broken(
                f"goes on differently from step {number} on than if it had not been saved after step {count}"
                f" and restored: {_difference(one, other)}"
            )
    return (
        f"{size} numbers and texts, also while it has {', '.join(filter(None, taken)) or 'nothing'}"
    )


def _go(bench: Bench, count: int) -> str:
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


def _difference(one: str, other: str) -> str:
    """Return the first difference of two outputs as text."""
    names = ("time", "numbers", "events", "requests", "ended")
    pairs = zip(names, json.loads(one), json.loads(other), strict=False)
    for name, left, right in pairs:
        if left == right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            parts = sorted(k for k in {*left, *right} if left.get(k) != right.get(k))
            return f"{name} of {', '.join(parts)}"
        return f"{name} {right}, not {left}"
    return "its contribution"
