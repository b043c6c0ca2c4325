"""Encodes and decodes steps and their outputs as flat messages, for models in other processes.

Both are sent at every step, and each field of a message costs several microseconds in Python. They therefore have
few fields: long arrays of numbers, and JSON for rarely used values. ``msg/ModelCall.msg`` and
``msg/ModelOutput.msg`` define the layout; any objects with these fields are accepted. Other calls with a scene
encode it like a step.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from hetwin_core.ensemble.events import Event, event_from_row, event_to_row
from hetwin_core.ensemble.model import Changes, MainChanges, MainTick, Request, RequestKind, Tick
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import TABLES, Snapshot, Table, shape_problem
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from hetwin_core.ensemble.transport.port import numbers_problem, output_problem

NO_ARRAY = -1
"""Count that stands for a missing array."""
_STEP_HEAD = 4
_OUTPUT_HEAD = 3
_PER_FOREIGN = 3
_PER_TABLE = 3
_PER_VALUE = 4
_UNKNOWN_PARENT = -2
_RARE_KEYS = ("events", "requests", "unknown", "ended", "input_ns", "late", "quiet_ns")
_TABLE_NAMES = tuple(TABLES)
"""Tables in the order of their numbers in messages."""


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
    message: StepFields,
    tick: Tick,
    reads: Collection[str] | None = _TABLE_NAMES,
) -> None:
    """Fill a ``hetwin/ModelCall``.

    Args:
        message: the message.
        tick: the step.
        reads: names of the tables to send; None: send only the time of the state, for a model that reads nothing.
    """
    scene = tick.scene
    sent = [name for name in _TABLE_NAMES if reads and name in reads and name in scene.tables]
    count = NO_ARRAY if reads is None else len(sent)
    index = [tick.time_ns, tick.period_ns, scene.time_ns, count]
    numbers = array("d")
    if reads is not None:
        numbers.frombytes(scene.values.tobytes())
        for name in sent:
            table = scene.tables[name]
            index += _TABLE_NAMES.index(name), table.time_ns, len(table.rows())
            numbers.frombytes(table.rows().tobytes())
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


def read_step(message: StepFields, at_start: Snapshot) -> MainTick:
    """Decode a ``hetwin/ModelCall``.

    Args:
        message: the message.
        at_start: the scene at the start, used if the message has no state.
    """
    layout = at_start.layout
    index: list[int] = message.index.tolist()
    time_ns, period_ns, scene_ns, sent = index[:_STEP_HEAD]
    numbers = np.frombuffer(message.numbers, np.float64)
    offset, remaining = 0, index[_STEP_HEAD:]
    if sent == NO_ARRAY:
        scene = replace(at_start, time_ns=scene_ns)
    else:
        tables = np.frombuffer(message.tables, np.int32)
        slots, offset = len(layout.slots), layout.size
        values, owners, parents = numbers[: layout.size], tables[:slots], tables[slots:]
        tables_read: dict[str, Table] = {}
        for _ in range(sent):
            (number, table_ns, rows), remaining = remaining[:_PER_TABLE], remaining[_PER_TABLE:]
            end = offset + rows * TABLES[_TABLE_NAMES[number]].number
            tables_read[_TABLE_NAMES[number]] = _table(number, numbers[offset:end], table_ns)
            offset = end
        scene = Snapshot(layout, at_start.models, scene_ns, values, owners, parents, tables_read)
    foreign: dict[tuple[str, str], Value] = {}
    for i in range(0, len(remaining), _PER_FOREIGN):
        slot = layout.slots[remaining[i]]
        end = offset + slot.attribute.size
        parent = parent_name(layout, remaining[i + 1])
        foreign[slot.entity, slot.attribute.name] = Value(
            numbers[offset:end], remaining[i + 2], parent
        )
        offset = end
    events = tuple(map(event_from_row, json.loads(message.events))) if message.events else ()
    return MainTick(time_ns, period_ns, scene, events, foreign)


def fill_output(message: OutputFields, output: Changes, layout: Layout) -> None:
    """Fill a ``hetwin/ModelOutput`` with the output of a step; attributes that the scene lacks are sent as names only.

    Raises:
        ValueError: if the output cannot be encoded.
    """
    problem = output_problem(output)
    if problem is not None:
        raise ValueError(problem)
    index, numbers = array("q"), array("d")
    _fill_arrays(output, index, numbers)
    more = _rare_parts(output)
    for key, value in output.values.items():
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


def _fill_arrays(output: Changes, index: array[int], numbers: array[float]) -> None:
    """Add a step's block and tables.

    Raises:
        ValueError: if one of them has another shape or type.
    """
    if not isinstance(output, MainChanges):
        index.extend((output.time_ns, NO_ARRAY, 0))
        return
    block, tables = output.block, output.tables
    if block is not None and (block.dtype != np.float64 or block.ndim != 1):
        kind = f"{block.dtype} of shape {block.shape}"
        raise ValueError(f"the block is {kind}; expected flat float64")
    index.extend((output.time_ns, NO_ARRAY if block is None else block.size, len(tables)))
    if block is not None:
        numbers.frombytes(block.tobytes())
    for name, table in tables.items():
        rows = table.rows()
        if (problem := shape_problem(name, rows)) is not None:
            raise ValueError(f"the table {name} {problem}")
        index.extend((_TABLE_NAMES.index(name), rows.size))
        numbers.frombytes(rows.tobytes())


def read_output(message: OutputFields, layout: Layout) -> MainChanges:
    """Decode a ``hetwin/ModelOutput`` in the scene of this layout; inverse of `fill_output`.

    Raises:
        ValueError: if its arrays or `more` are invalid.
    """
    index: list[int] = message.index.tolist()
    numbers = np.frombuffer(message.numbers, np.float64)
    if len(index) < _OUTPUT_HEAD:
        raise ValueError(_mismatch_text(f"index has {len(index)} numbers"))
    (time_ns, size, count), offset, position = index[:_OUTPUT_HEAD], 0, _OUTPUT_HEAD
    output = MainChanges(time_ns)
    if size != NO_ARRAY:
        output.block, offset = numbers[:size], size
    for _ in range(count):
        (number, size), position = index[position : position + 2], position + 2
        output.tables[_TABLE_NAMES[number]] = _table(number, numbers[offset : offset + size])
        offset += size
    if (len(index) - position) % _PER_VALUE:
        raise ValueError(_mismatch_text(f"index has {len(index)} numbers"))
    for i in range(position, len(index), _PER_VALUE):
        slot_id, parent, time_ns, size = index[i : i + _PER_VALUE]
        slot = layout.slots[slot_id]
        value = Value(numbers[offset : offset + size], time_ns, parent_name(layout, parent))
        output.values[slot.entity, slot.attribute.name] = value
        offset += size
    if offset != len(numbers):
        raise ValueError(
            _mismatch_text(
                f"numbers has {len(numbers)} values, and the sizes in index add up to {offset}"
            )
        )
    if message.more:
        _read_rare_parts(output, json.loads(message.more))
    return output


def _mismatch_text(found: str) -> str:
    return (
        f"{found}; expected index as [time, -1, 0] and [slot, parent, time, size] of each value, and in numbers the"
        " values one after the other"
    )


def parent_id(layout: Layout, name: str) -> int:
    """Index of a frame, -1 for the world."""
    index = layout.entity_id(name)
    return _UNKNOWN_PARENT if index < 0 and name != WORLD else index


def parent_name(layout: Layout, index: int) -> str:
    """Name of the frame with this index."""
    if index == _UNKNOWN_PARENT:
        return "(unknown frame)"
    return WORLD if index < 0 else layout.entities[index].name


def _rare_parts(output: Changes) -> dict[str, Any]:
    """The rarely used parts of an output."""
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
    if output.quiet_ns is not None:
        more["quiet_ns"] = output.quiet_ns
    return more


def _read_rare_parts(output: MainChanges, more: Mapping[str, Any]) -> None:
    for key in more.keys() - set(_RARE_KEYS):
        raise ValueError(
            f"more has the unknown key {key!r}; expected some of {', '.join(_RARE_KEYS)}"
        )
    for entity, attribute in more.get("unknown", ()):
        output.values[entity, attribute] = Value(np.empty(0), 0)
    output.events = list(map(_event, more.get("events", ())))
    output.requests = [Request(RequestKind(k), e, a) for k, e, a in more.get("requests", ())]
    output.ended = more.get("ended", False)
    output.input_ns = more.get("input_ns")
    output.late = more.get("late", False)
    output.quiet_ns = more.get("quiet_ns")


def _event(row: Any) -> Event:
    try:
        return event_from_row(row)
    except (ValueError, TypeError, LookupError) as error:
        raise ValueError(
            f"events has the row {row!r}; expected [name, time in ns, kind, source, sequence, {{arguments}}]"
        ) from error


def _table(number: int, numbers: Floats, time_ns: int = 0) -> Table:
    return Table(numbers.reshape(-1, TABLES[_TABLE_NAMES[number]].number), time_ns=time_ns)


def _check_value(value: object, layout: Layout, key: tuple[str, str]) -> None:
    """Check that the value is a flat array of float64; the conductor checks the numbers.

    Raises:
        ValueError: if it is not.
    """
    data = value.data if isinstance(value, Value) else None
    if isinstance(data, np.ndarray) and data.dtype == np.float64 and data.ndim == 1:
        return
    attribute = layout.slots[layout.slot_id(*key)].attribute
    raise ValueError(f"{'.'.join(key)} {numbers_problem(value, attribute)}")
