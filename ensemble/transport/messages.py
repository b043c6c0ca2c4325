"""Filling and reading messages without knowing ROS: by the names of their fields.

Long arrays are `array.array`: what the generated message classes keep without looking at each number, and what
numpy reads without copying.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hetwin_suite.ensemble.events import Event, EventKind
from hetwin_suite.ensemble.layout import Layout
from hetwin_suite.ensemble.model import StepInput, StepOutput
from hetwin_suite.ensemble.snapshot import PROXIMITY_COLUMNS, Snapshot
from hetwin_suite.ensemble.transport.ahead import QuietSteps, outputs
from hetwin_suite.ensemble.transport.wire import asked_from_text, asked_to_text
from hetwin_suite.ensemble.value_check import wrong_numbers, wrong_output
from hetwin_suite.ensemble.values import WORLD, Floats, Ints, Value

NS = 1_000_000_000


def doubles(numbers: Floats) -> array[float]:
    """A float64 array for a message."""
    packed = array("d")
    packed.frombytes(numbers.tobytes())
    return packed


def ints(numbers: Ints) -> array[int]:
    """An int32 array for a message."""
    packed = array("i")
    packed.frombytes(numbers.tobytes())
    return packed


def fill_time(message: Any, time_ns: int) -> None:
    """Fill a ``builtin_interfaces/Time``; times before 0 are not negative seconds only."""
    message.sec, message.nanosec = divmod(time_ns, NS)


def read_time(message: Any) -> int:
    """Nanoseconds of a ``builtin_interfaces/Time``."""
    return int(message.sec) * NS + int(message.nanosec)


def fill_state(message: Any, scene: Snapshot, step: int = 0) -> None:
    """Fill a ``hetwin/SceneState``."""
    fill_time(message.stamp, scene.time_ns)
    message.step = step
    message.values = doubles(scene.values)
    message.owners = ints(scene.owners)
    message.parents = ints(scene.parents)
    message.proximity = doubles(scene.proximity)


def read_state(message: Any, layout: Layout, models: tuple[str, ...]) -> Snapshot:
    """Read a ``hetwin/SceneState``, without copying its numbers."""
    return Snapshot(
        layout,
        models,
        read_time(message.stamp),
        np.frombuffer(message.values, np.float64),
        np.frombuffer(message.owners, np.int32),
        np.frombuffer(message.parents, np.int32),
        _rows(message.proximity),
    )


def fill_event(message: Any, event: Event) -> Any:
    """Fill a ``hetwin/Event`` and answer it."""
    fill_time(message.stamp, event.time_ns)
    message.name = event.name
    message.kind = event.kind.value
    message.source = event.source
    message.sequence = event.sequence
    try:
        message.arguments = json.dumps(dict(event.arguments))
    except (TypeError, ValueError) as error:
        raise ValueError(f"the arguments of the event {event.name} must be JSON: {error}") from None
    return message


def read_event(message: Any) -> Event:
    """Read a ``hetwin/Event``.

    Raises:
        ValueError: if its kind is unknown, or its arguments are no JSON object.
    """
    arguments = json.loads(message.arguments) if message.arguments else {}
    if not isinstance(arguments, dict):
        raise ValueError(f"arguments of {message.name!r} must be a JSON object, not {arguments!r}")
    return Event(
        message.name,
        read_time(message.stamp),
        EventKind(message.kind or "model"),
        message.source,
        message.sequence,
        arguments,
    )


def fill_step(
    message: Any, tick: StepInput, step: int, new_event: Any, *, with_state: bool = True
) -> None:
    """Fill the request of ``hetwin/StepModel``; a model that reads nothing needs no state but its time."""
    fill_time(message.time, tick.time_ns)
    message.step = step
    message.period_ns = tick.period_ns
    if with_state:
        fill_state(message.state, tick.scene, step)
    else:
        fill_time(message.state.stamp, tick.scene.time_ns)
    message.events = [fill_event(new_event(), event) for event in tick.events]
    if tick.foreign:
        layout = tick.scene.layout
        message.foreign_slots = [layout.slot_id(*key) for key in tick.foreign]
        message.foreign_parents = [layout.entity_id(v.parent) for v in tick.foreign.values()]
        message.foreign_times = [v.time_ns for v in tick.foreign.values()]
        message.foreign_values = doubles(np.concatenate([v.data for v in tick.foreign.values()]))


def read_step(message: Any, at_start: Snapshot) -> StepInput:
    """Read the request of ``hetwin/StepModel``; without a state, the scene is as it was at the start."""
    layout = at_start.layout
    foreign: dict[tuple[str, str], Value] = {}
    if len(message.foreign_slots):
        numbers = np.frombuffer(message.foreign_values, np.float64)
        foreign = _values(
            layout, message.foreign_slots, message.foreign_parents, message.foreign_times, numbers
        )
    return StepInput(
        read_time(message.time),
        message.period_ns,
        _scene_of(message.state, at_start),
        tuple(read_event(e) for e in message.events),
        foreign,
    )


def _scene_of(message: Any, at_start: Snapshot) -> Snapshot:
    if len(message.values) or not at_start.layout.size:
        return read_state(message, at_start.layout, at_start.models)
    return replace(at_start, time_ns=read_time(message.stamp))


def fill_output(message: Any, output: StepOutput, layout: Layout, new_event: Any) -> None:
    """Fill a ``hetwin/ModelOutput``.

    Attributes that the scene does not have are left out; their names stand in `unknown`.

    Raises:
        ValueError: if it cannot be said in a message.
    """
    wrong = wrong_output(output)
    if wrong is not None:
        raise ValueError(wrong)
    fill_time(message.time, output.time_ns)
    known = {key: v for key, v in output.values.items() if layout.has(*key)}
    for key, value in known.items():
        _check_array(value, layout, key)
    message.unknown = [f"{e}.{a}" for e, a in output.values if not layout.has(e, a)]
    if known:
        message.slots = [layout.slot_id(*key) for key in known]
        message.parents = [parent_id(layout, v.parent) for v in known.values()]
        message.times = [v.time_ns for v in known.values()]
        message.sizes = [v.data.size for v in known.values()]
        message.values = doubles(np.concatenate([v.data.ravel() for v in known.values()]))
    if output.block is not None:
        message.has_block = True
        if output.block.dtype != np.float64 or output.block.ndim != 1:
            raise ValueError(
                f"the block is {output.block.dtype} of shape {output.block.shape}; expected flat float64"
            )
        message.block = doubles(output.block)
    if output.proximity is not None:
        message.has_proximity = True
        message.proximity = doubles(output.proximity)
    message.events = [fill_event(new_event(), event) for event in output.events]
    message.requests = asked_to_text(output.requests)
    message.ended = output.ended
    message.input_ns = output.input_ns or 0
    message.late = output.late


def _check_array(value: object, layout: Layout, key: tuple[str, str]) -> None:
    """Whether the value is a flat array of float64; the conductor looks at the numbers."""
    data = value.data if isinstance(value, Value) else None
    if isinstance(data, np.ndarray) and data.dtype == np.float64 and data.ndim == 1:
        return
    attribute = layout.slots[layout.slot_id(*key)].attribute
    raise ValueError(f"{'.'.join(key)} {wrong_numbers(value, attribute)}")


def read_output(message: Any, layout: Layout) -> StepOutput:
    """Read a ``hetwin/ModelOutput``."""
    values: dict[tuple[str, str], Value] = {}
    if len(message.slots):
        numbers = np.frombuffer(message.values, np.float64)
        values = _values(
            layout, message.slots, message.parents, message.times, numbers, message.sizes
        )
    for name in message.unknown:
        entity, _, attribute = name.partition(".")
        values[entity, attribute] = Value(np.empty(0), 0)
    return StepOutput(
        read_time(message.time),
        values,
        np.frombuffer(message.block, np.float64) if message.has_block else None,
        _rows(message.proximity) if message.has_proximity else None,
        [read_event(e) for e in message.events],
        asked_from_text(message.requests),
        message.ended,
        message.input_ns or None,
        message.late,
    )


def fill_early(message: Any, early: QuietSteps) -> None:
    """Fill what ``hetwin/StepModel`` answers for the steps before the last one."""
    if not len(early):
        return
    message.early_times = early.times
    message.early_blocks = early.blocks
    message.early_rows = early.rows
    message.early_proximity = early.proximity


def read_early(message: Any) -> Iterator[StepOutput]:
    """Read what `fill_early` filled."""
    return outputs(
        message.early_times, message.early_blocks, message.early_rows, message.early_proximity
    )


def _rows(numbers: Any) -> Floats:
    return np.frombuffer(numbers, np.float64).reshape(-1, PROXIMITY_COLUMNS)


_UNKNOWN_PARENT = -2


def parent_id(layout: Layout, name: str) -> int:
    """Index of a frame, -1 for the world."""
    index = layout.entity_id(name)
    return _UNKNOWN_PARENT if index < 0 and name != WORLD else index


def parent_name(layout: Layout, index: int) -> str:
    """Name of the frame with this index."""
    if index == _UNKNOWN_PARENT:
        return "(unknown frame)"
    return WORLD if index < 0 else layout.entities[index].name


def _values(
    layout: Layout, slots: Any, parents: Any, times: Any, numbers: Floats, sizes: Any = None
) -> dict[tuple[str, str], Value]:
    values: dict[tuple[str, str], Value] = {}
    offset = 0
    for i, slot_id in enumerate(slots):
        slot = layout.slots[slot_id]
        size = slot.attribute.size if sizes is None else sizes[i]
        data = numbers[offset : offset + size]
        offset += size
        parent = parent_name(layout, parents[i])
        values[slot.entity, slot.attribute.name] = Value(data, int(times[i]), parent)
    return values


def to_floats(numbers: Any) -> Floats:
    """A float64 array of a message, as numpy sees it."""
    return np.frombuffer(numbers, np.float64)
