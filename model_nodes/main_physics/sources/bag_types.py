"""Message types of a recording: as the recording defines them, else those of the common interfaces and hetwin.

Types of ROS 1 are read as those of ROS 2, that is, their headers lack `seq`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag1,
    MessageDefinition,
    MessageDefinitionFormat,
    Nodetype,
)
from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore
from rosbags.typesys.stores import empty

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.topics import ANNOTATIONS, BELIEFS, JOINT_STATES, TASKS
from hetwin_core.episodes.definition_text import type_from, types_in
from hetwin_core.episodes.messages import LazyTypestore
from model_nodes.main_physics.sources.action_types import (
    DEFINITIONS,
    IMPLIED,
    message_of,
)

ACTION_ANNOTATION = ANNOTATIONS.type
JOINT_STATE = JOINT_STATES.type
TRANSFORMS = ("tf2_msgs/msg/TFMessage", "tf/msg/tfMessage")
"""Types of transforms; the second one is from early ROS 1."""

_VALUE_TYPES = {
    "bool",
    "byte",
    "char",
    "string",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
_IDL_SEPARATOR = "=" * 80 + "\n"
_HEADER = "std_msgs/msg/Header"


@cache
def known_types() -> Typestore:
    """Return the common interfaces of ROS 2, the types that actions imply, and hetwin's messages of robot programs."""
    store = get_typestore(Stores.LATEST)
    for type_name in (ACTION_ANNOTATION, TASKS.type, BELIEFS.type):
        text = resource("msg", f"{type_name.rpartition('/')[2]}.msg").read_text(encoding="utf-8")
        store.register({type_name: type_from(text, type_name)})
    store.register(types_in("vision_msgs"))
    for type_name, versions in DEFINITIONS.items():
        store.register(get_types_from_msg(versions[0], type_name))
    return store


@cache
def _other_types(type_name: str) -> tuple[Typestore, ...]:
    """Return the common interfaces, once with each alternative definition of one type."""
    found = []
    for text in DEFINITIONS.get(type_name, ())[1:]:
        types = dict(get_types_from_msg(text, type_name))
        store = get_typestore(Stores.LATEST)
        store.register(types)
        found.append(store)
    return tuple(found)


@cache
def ros1_types() -> Typestore:
    """Return the common interfaces of ROS 1."""
    store = get_typestore(Stores.EMPTY)
    store.register(_without_seq(dict(get_typestore(Stores.ROS1_NOETIC).fielddefs)))
    for name in TRANSFORMS:
        store.register(get_types_from_msg("geometry_msgs/TransformStamped[] transforms", name))
    return store


def ros1_converter(connection: Connection, file: Path) -> Callable[[bytes], bytes]:
    """Return a function that converts a ROS 1 topic's messages to CDR.

    Raises:
        BadInput: see `recorded_types`.
    """
    store, name = recorded_types(connection, file), connection.msgtype

    def convert(raw: bytes) -> bytes:
        return bytes(store.ros1_to_cdr(raw, name))

    return convert


def recorded_types(connection: Connection, file: Path) -> Typestore:
    """Return the types that a topic's messages consist of.

    Raises:
        BadInput: if neither the recording nor hetwin defines them, or the definition is malformed.
    """
    store = _common_types(connection)
    if store is None:
        store = own = LazyTypestore(empty)
        try:
            own.register(_parse(connection.msgdef, connection.msgtype))
            own.prepare_reading()
        except Exception as error:
            raise BadInput(
                f"the definition of {connection.msgtype} cannot be read ({error})",
                file=file,
                where=connection.topic,
                expected="a .msg or .idl definition with all types that it uses",
            ) from error
    if connection.msgtype not in store.fielddefs:
        raise BadInput(
            "the recording does not define the type of this topic",
            file=file,
            where=connection.topic,
            found=connection.msgtype,
            expected="a recording with message definitions, or a type of the common interfaces",
        )
    return store


def _common_types(connection: Connection) -> Typestore | None:
    """The common interfaces, if the recording does not define the topic's type; loading them takes a while."""
    definition = connection.msgdef
    if definition.format is not MessageDefinitionFormat.NONE and definition.data.strip():
        return None
    common = ros1_types() if _is_ros1(connection) else known_types()
    has_no_definition = definition.format is MessageDefinitionFormat.NONE
    return common if has_no_definition or connection.msgtype in common.fielddefs else None


def decoder_for(connection: Connection, file: Path) -> Callable[[bytes], Any]:
    """Return a decoder that converts this topic's messages to objects with the fields of its type.

    Raises:
        BadInput: see `recorded_types`.
    """
    store, name = recorded_types(connection, file), connection.msgtype
    has_versions = name in DEFINITIONS and store is known_types()
    *versions, last = (store, *(_other_types(name) if has_versions else ()))

    def decode(raw: bytes) -> Any:
        for version in versions:
            # a decoder may raise anything for messages of another version
            with suppress(Exception):
                return version.deserialize_cdr(raw, name)
        return last.deserialize_cdr(raw, name)

    return decode


def own_fields(connection: Connection, type_name: str) -> list[str] | None:
    """Return the field names in the recording's own definition of a type; None if there is none."""
    try:
        types = _parse(connection.msgdef, connection.msgtype)
    except Exception:
        return None
    return [name for name, _ in types[type_name][1]] if type_name in types else None


def value_field_problem(store: Typestore, connection: Connection, field: str) -> str | None:
    """Return the expectation if `field` (a dotted path) is not a boolean, integer or string; otherwise None."""
    current = connection.msgtype
    *outer, last = field.split(".")
    for name in outer:
        inner = dict(store.fielddefs[current][1]).get(name)
        if inner is None or inner[0] is not Nodetype.NAME:
            return f"a field of {current} that has fields itself: {_field_names(store, current)}"
        current = str(inner[1])
    found = dict(store.fielddefs[current][1]).get(last)
    if found is None:
        return f"a field of {current}: {_field_names(store, current)}"
    if found[0] is Nodetype.BASE and str(found[1][0]) in _VALUE_TYPES:
        return None
    return f"a field of {current} that is an integer or a string"


def _field_names(store: Typestore, type_name: str) -> str:
    return ", ".join(name for name, _ in store.fielddefs[type_name][1])


def _is_ros1(connection: Connection) -> bool:
    return isinstance(connection.ext, ConnectionExtRosbag1)


def _without_seq(types: dict[str, Any]) -> dict[str, Any]:
    if _HEADER in types:
        constants, fields = types[_HEADER]
        types[_HEADER] = constants, [field for field in fields if field[0] != "seq"]
    return types


def _parse(definition: MessageDefinition, name: str) -> dict[str, Any]:
    if definition.format is MessageDefinitionFormat.NONE:
        return {}
    if definition.format is MessageDefinitionFormat.MSG:
        if "/action/" in name and "---" in definition.data:
            common = get_typestore(Stores.LATEST).fielddefs
            implied = dict(get_types_from_msg(message_of(name, definition.data), name))
            return {**{name_: common[name_] for name_ in IMPLIED}, **implied}
        return _without_seq(dict(get_types_from_msg(definition.data, name)))
    if not definition.data.startswith(f"{_IDL_SEPARATOR}IDL: "):
        return dict(get_types_from_idl(definition.data))
    types: dict[str, Any] = {}
    for part in definition.data.split(_IDL_SEPARATOR)[1:]:
        types.update(get_types_from_idl(part.split("\n", 1)[1]))
    return types
