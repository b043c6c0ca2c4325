"""Encodes and decodes steps and their outputs as flat messages, for models in other processes.

Both are sent at every step, and in Python each field of a message costs microseconds, several times. So they have few
fields, long arrays of numbers, and JSON for what is seldom present. ``msg/ModelCall.msg`` and ``msg/ModelOutput.msg``
define the layout; any objects with these fields will do. Other calls that come with the scene have it as a step has it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from hetwin_core.ensemble.event_codec import event_from_row, event_to_row
from hetwin_core.ensemble.model import Changes, MainChanges, MainTick, Request, RequestKind, Tick
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, Snapshot
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from hetwin_core.ensemble.transport.value_check import wrong_numbers, wrong_output

NONE = -1
"""Stands for a count where there is no array at all."""
LATER = -2
"""Stands for a count of rows of proximity that are computed when they are asked for."""
_STEP_HEAD = 5
_PER_FOREIGN = 3
_PER_STEP = 4
_PER_VALUE = 4
_UNKNOWN_PARENT = -2


class StepFields(Protocol):
    """The request of a step: ``hetwin/ModelCall``."""

    index: Any
    numbers: Any
    tables: Any
    events: str


class OutputFields(Protocol):
    """The output of a step: ``hetwin/ModelOutput``."""

    index: Any
    numbers: Any
    more: str


def fill_step(
    message: StepFields, tick: Tick, further: Sequence[int] = (), *, with_state: bool = True
) -> None:
    """Fill a ``hetwin/ModelCall``; without a state it has the state's time only, for models that read nothing."""
    scene = tick.scene
    rows = len(scene.proximity) if with_state else NONE
    index = [tick.time_ns, tick.period_ns, scene.time_ns, rows, len(further), *further]
    numbers = array("d")
    if with_state:
        numbers.frombytes(scene.values.tobytes())
        numbers.frombytes(scene.proximity.tobytes())
        tables = array("i", scene.owners.tobytes())
        tables.frombytes(scene.parents.tobytes())
        message.tables = tables
    for key, value in tick.foreign.items() if isinstance(tick, MainTick) else ():
        index += (
            scene.layout.slot_id(*key),
            parent_id(scene.layout, value.parent),
            value.time_ns,
        )
        numbers.frombytes(value.data.tobytes())
    message.index = array("q", index)
    message.numbers = numbers
    if tick.events:
        message.events = json.dumps([event_to_row(event) for event in tick.events])


def read_step(message: StepFields, at_start: Snapshot) -> tuple[MainTick, Sequence[int]]:
    """Decode a ``hetwin/ModelCall``.

    Args:
        message: the message.
        at_start: the scene at the start, which is used if the message has no state.

    Returns:
        The step, and the times of the steps that may follow at once [ns].
    """
    layout = at_start.layout
    index: list[int] = message.index.tolist()
    time_ns, period_ns, scene_ns, rows, count = index[:_STEP_HEAD]
    numbers = np.frombuffer(message.numbers, np.float64)
    at = 0
    if rows == NONE:
        scene = replace(at_start, time_ns=scene_ns)
    else:
        tables = np.frombuffer(message.tables, np.int32)
        slots, at = len(layout.slots), layout.size + rows * PROXIMITY_COLUMNS
        near = numbers[layout.size : at].reshape(-1, PROXIMITY_COLUMNS)
        values, owners, parents = numbers[: layout.size], tables[:slots], tables[slots:]
        scene = Snapshot(layout, at_start.models, scene_ns, values, owners, parents, near)
    foreign: dict[tuple[str, str], Value] = {}
    places = index[_STEP_HEAD + count :]
    for i in range(0, len(places), _PER_FOREIGN):
        slot = layout.slots[places[i]]
        end = at + slot.attribute.size
        parent = parent_name(layout, places[i + 1])
        foreign[slot.entity, slot.attribute.name] = Value(numbers[at:end], places[i + 2], parent)
        at = end
    events = tuple(map(event_from_row, json.loads(message.events))) if message.events else ()
    further = index[_STEP_HEAD : _STEP_HEAD + count]
    return MainTick(time_ns, period_ns, scene, events, foreign), further


def fill_outputs(message: OutputFields, outputs: Sequence[Changes], layout: Layout) -> None:
    """Fill a ``hetwin/ModelOutput`` with the outputs of steps, of which only the last holds more than numbers.

    Of attributes that the scene does not have only the names are sent. Rows of proximity that are computed when they
    are read are left for later, but for those of the last step.

    Raises:
        ValueError: if the last output cannot be encoded.
    """
    *early, last = outputs
    wrong = wrong_output(last)
    if wrong is not None:
        raise ValueError(wrong)
    index, numbers = array("q", [len(outputs)]), array("d")
    for output in early:
        _fill_arrays(output, index, numbers)
    _fill_arrays(last, index, numbers, is_last=True)
    more = _more(last)
    for key, value in last.values.items():
        if not layout.has(*key):
            more.setdefault("unknown", []).append(key)
            continue
        _check_value(value, layout, key)
        parent = parent_id(layout, value.parent)
        index.extend((layout.slot_id(*key), parent, value.time_ns, value.data.size))
        numbers.frombytes(value.data.tobytes())
    message.index = index
    message.numbers = numbers
    if more:
        try:
            message.more = json.dumps(more)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the arguments of events must be JSON: {error}") from None


def _fill_arrays(
    output: Changes, index: array[int], numbers: array[float], *, is_last: bool = False
) -> None:
    """Add a step's block, rows of proximity and watch, which only a main model has.

    Raises:
        ValueError: if one of them has another shape or type.
    """
    index.append(output.time_ns)
    if not isinstance(output, MainChanges):
        index.extend((NONE, NONE, NONE))
        return
    near = output.proximity_rows if is_last else output.proximity
    named = ("the block", output.block, 1), ("proximity", near, 2), ("the watch", output.watch, 1)
    for name, given, dimensions in named:
        if given is None:
            index.append(NONE)
        elif callable(given):
            index.append(LATER)
        else:
            _check_floats(name, given, dimensions)
            index.append(given.size)
            numbers.frombytes(given.tobytes())


def read_outputs(
    message: OutputFields, layout: Layout, rows_at: Callable[[int], Floats] | None = None
) -> list[MainChanges]:
    """The outputs of all steps that were taken; inverse of `fill_outputs`.

    Args:
        message: the message.
        layout: of the scene.
        rows_at: returns the rows of proximity of a step, by its time [ns], if the message leaves them for later.
    """
    index: list[int] = message.index.tolist()
    numbers = np.frombuffer(message.numbers, np.float64)
    outputs: list[MainChanges] = []
    at, place = 0, 1
    for _ in range(index[0]):
        time_ns, size, near_size, watch_size = index[place : place + _PER_STEP]
        place += _PER_STEP
        block = watch = None
        near: Floats | Callable[[], Floats] | None = None
        if size != NONE:
            block, at = numbers[at : at + size], at + size
        if near_size == LATER and rows_at is not None:
            near = partial(rows_at, time_ns)
        elif near_size != NONE:
            rows, at = numbers[at : at + near_size], at + near_size
            near = rows if near_size % PROXIMITY_COLUMNS else rows.reshape(-1, PROXIMITY_COLUMNS)
        if watch_size != NONE:
            watch, at = numbers[at : at + watch_size], at + watch_size
        outputs.append(MainChanges(time_ns, block=block, proximity=near, watch=watch))
    last = outputs[-1]
    for i in range(place, len(index), _PER_VALUE):
        slot_id, parent, time_ns, size = index[i : i + _PER_VALUE]
        slot = layout.slots[slot_id]
        value = Value(numbers[at : at + size], time_ns, parent_name(layout, parent))
        last.values[slot.entity, slot.attribute.name] = value
        at += size
    if message.more:
        _take_more(last, json.loads(message.more))
    return outputs


def parent_id(layout: Layout, name: str) -> int:
    """Index of a frame, -1 for the world."""
    index = layout.entity_id(name)
    return _UNKNOWN_PARENT if index < 0 and name != WORLD else index


def parent_name(layout: Layout, index: int) -> str:
    """Name of the frame with this index."""
    if index == _UNKNOWN_PARENT:
        return "(unknown frame)"
    return WORLD if index < 0 else layout.entities[index].name


def _more(output: Changes) -> dict[str, Any]:
    """The parts of an output that are seldom present."""
    more: dict[str, Any] = {}
    if output.events:
        more["events"] = [event_to_row(event) for event in output.events]
    if output.requests:
        more["requests"] = [[r.kind.value, r.entity, r.attribute] for r in output.requests]
    if not isinstance(output, MainChanges):
        return more
    if output.ended:
        more["ended"] = True
    if output.input_ns is not None:
        more["input_ns"] = output.input_ns
    if output.late:
        more["late"] = True
    return more


def _take_more(output: MainChanges, more: Mapping[str, Any]) -> None:
    for entity, attribute in more.get("unknown", ()):
        output.values[entity, attribute] = Value(np.empty(0), 0)
    output.events = list(map(event_from_row, more.get("events", ())))
    output.requests = [Request(RequestKind(k), e, a) for k, e, a in more.get("requests", ())]
    output.ended = more.get("ended", False)
    output.input_ns = more.get("input_ns")
    output.late = more.get("late", False)


def _check_floats(name: str, numbers: Floats, dimensions: int) -> None:
    if numbers.dtype != np.float64 or numbers.ndim != dimensions:
        shape = "flat float64" if dimensions == 1 else f"float64 in rows of {PROXIMITY_COLUMNS}"
        raise ValueError(f"{name} is {numbers.dtype} of shape {numbers.shape}; expected {shape}")


def _check_value(value: object, layout: Layout, key: tuple[str, str]) -> None:
    """Check that the value is a flat array of float64; the conductor checks the numbers.

    Raises:
        ValueError: if it is not.
    """
    data = value.data if isinstance(value, Value) else None
    if isinstance(data, np.ndarray) and data.dtype == np.float64 and data.ndim == 1:
        return
    attribute = layout.slots[layout.slot_id(*key)].attribute
    raise ValueError(f"{'.'.join(key)} {wrong_numbers(value, attribute)}")
