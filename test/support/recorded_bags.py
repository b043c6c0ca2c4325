"""Writes small recordings."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer, storage_mcap
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from model_nodes.main_physics.sources.bag_types import (
    ACTION_ANNOTATION,
    JOINT_STATE,
    known_types,
    ros1_types,
)

EPOCH_NS = 1_700_000_000_000_000_000
MS = 1_000_000
TYPES = known_types()
# Each writer looks it up among all packages, which takes longer than to write a small bag.
storage_mcap.version = functools.cache(storage_mcap.version)


@functools.cache
def _ros1() -> tuple[Typestore, Typestore]:
    """Types as rosbags converts them, without the `seq` of headers, and the definitions that ROS 1 records."""
    types, definitions = get_typestore(Stores.EMPTY), get_typestore(Stores.EMPTY)
    ours = {ACTION_ANNOTATION: TYPES.fielddefs[ACTION_ANNOTATION]}
    types.register({**ros1_types().fielddefs, **ours})
    definitions.register({**types.fielddefs, **get_typestore(Stores.ROS1_NOETIC).fielddefs})
    return types, definitions


@dataclass(frozen=True)
class Recorded:
    """A message to write, or raw bytes in its place; `time_ns` is the log time less `EPOCH_NS`.

    Only ROS 1 records the `caller`, the node that published it.
    """

    topic: str
    type: str
    time_ns: int
    message: Any
    caller: str = ""


def header(stamp_ns: int, frame: str = "") -> Any:
    """A header; the stamp counts from `EPOCH_NS`."""
    seconds, nanoseconds = divmod(EPOCH_NS + stamp_ns, 1_000_000_000)
    stamp = TYPES.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    return TYPES.types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)


def joints(
    time_ns: int,
    names: Sequence[str],
    positions: Sequence[float],
    *,
    efforts: Sequence[float] = (),
    velocities: Sequence[float] = (),
    stamp_ns: int | None = None,
    topic: str = "/joint_states",
    frame: str = "",
) -> Recorded:
    """Joint states logged at `time_ns` and stamped with the same time, unless said otherwise."""
    message = TYPES.types[JOINT_STATE](
        header=header(time_ns if stamp_ns is None else stamp_ns, frame),
        name=list(names),
        position=np.array(positions, np.float64),
        velocity=np.array(velocities, np.float64),
        effort=np.array(efforts, np.float64),
    )
    return Recorded(topic, JOINT_STATE, time_ns, message)


def annotation(
    time_ns: int,
    operation: str,
    phase: str,
    arguments: object = None,
    topic: str = "/actions",
    stamp_ns: int | None = None,
) -> Recorded:
    """A hetwin/msg/ActionAnnotation; `arguments` are JSON text, or what becomes that."""
    message = TYPES.types[ACTION_ANNOTATION](
        header=header(time_ns if stamp_ns is None else stamp_ns),
        operation=operation,
        phase=phase,
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments or {}),
    )
    return Recorded(topic, ACTION_ANNOTATION, time_ns, message)


def plain(time_ns: int, topic: str, type_name: str, **fields: Any) -> Recorded:
    """A message of a type without header."""
    return Recorded(topic, type_name, time_ns, TYPES.types[type_name](**fields))


def write_bag(
    folder: Path,
    messages: Iterable[Recorded],
    *,
    storage: StoragePlugin = StoragePlugin.MCAP,
    compression: CompressionMode = CompressionMode.NONE,
    empty_topics: Sequence[tuple[str, str]] = (),
    undefined: Sequence[str] = (),
) -> Path:
    """Write a recording into a new folder, in the order given; without the definitions of some types."""
    writer = Writer(folder, version=9, storage_plugin=storage)
    writer.set_compression(compression, CompressionFormat.ZSTD)
    connections: dict[tuple[str, str], Any] = {}
    with writer:
        for topic, type_name in empty_topics:
            writer.add_connection(topic, type_name, typestore=TYPES)
        for one in messages:
            key = one.topic, one.type
            if key not in connections:
                # Recorders leave the definitions of an action's own types empty.
                is_empty = "/action/" in one.type or one.type in undefined
                defined = {"msgdef": "", "rihs01": "RIHS01_0"} if is_empty else {}
                connections[key] = writer.add_connection(
                    *key,
                    **(defined or {"typestore": TYPES}),  # type: ignore[arg-type]
                )
            raw = one.message
            if not isinstance(raw, bytes):
                raw = bytes(TYPES.serialize_cdr(raw, one.type))
            writer.write(connections[key], EPOCH_NS + one.time_ns, raw)
    return folder


def write_ros1_bag(
    path: Path,
    messages: Iterable[Recorded],
    *,
    compression: Writer1.CompressionFormat | None = None,
    empty_topics: Sequence[tuple[str, str]] = (),
) -> Path:
    """Write a ROS 1 bag, in the order given; a message's `caller` is the node that published it."""
    types, definitions = _ros1()
    writer = Writer1(path)
    if compression is not None:
        writer.set_compression(compression)
    connections: dict[tuple[str, str, str], Any] = {}
    with writer:
        for topic, type_name in empty_topics:
            writer.add_connection(topic, type_name, typestore=definitions)
        for one in messages:
            key = one.topic, one.type, one.caller
            if key not in connections:
                connections[key] = writer.add_connection(
                    one.topic, one.type, typestore=definitions, callerid=one.caller or None
                )
            raw = one.message
            if not isinstance(raw, bytes):
                cdr = types.serialize_cdr(raw, one.type)
                raw = bytes(types.cdr_to_ros1(cdr, one.type))
            writer.write(connections[key], EPOCH_NS + one.time_ns, raw)
    return path


def storage_file(folder: Path) -> Path:
    """The one storage file of a recording."""
    return next(path for path in folder.iterdir() if path.name != "metadata.yaml")


def sine(count: int = 100, period_ns: int = 20 * MS) -> list[Recorded]:
    """Two joints that swing, in one message each period."""
    times = [k * period_ns for k in range(count)]
    return [joints(t, ("a", "b"), (np.sin(t / 3e8), 2.0 * np.cos(t / 5e8))) for t in times]
