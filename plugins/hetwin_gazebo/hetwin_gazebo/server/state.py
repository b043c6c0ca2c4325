"""The state of a world as its server reports it, by components.

Gazebo writes poses and vectors as text with six significant digits, but reads any number of digits; lists of numbers
are messages with full precision.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo.sdf_parts import split_name, top_name

_OFFSET, _PRIME, _BITS = 0xCBF29CE484222325, 0x100000001B3, 64


@cache
def type_id(name: str) -> int:
    """Return Gazebo's id of a component type: 64 bits of FNV-1a of its full name."""
    found = _OFFSET
    for byte in f"gz_sim_components.{name}".encode():
        found = (found ^ byte) * _PRIME % 2**_BITS
    return found


def encode_vector(vector: Any) -> bytes:
    """Encode one of Gazebo's vectors."""
    return _encode((vector.x(), vector.y(), vector.z()))


def encode_pose(pose: Any) -> bytes:
    """Encode one of Gazebo's poses: position, then roll, pitch and yaw."""
    return encode_vector(pose.pos()) + b" " + encode_vector(pose.rot().euler())


def decode_vector(data: bytes) -> Any:
    """Decode a vector."""
    return gazebo().math.Vector3d(*(float(word) for word in data.split()))


def decode_pose(data: bytes) -> Any:
    """Decode a pose."""
    x, y, z, roll, pitch, yaw = (float(word) for word in data.split())
    math = gazebo().math
    return math.Pose3d(math.Vector3d(x, y, z), math.Quaterniond(roll, pitch, yaw))


def encode_values(values: Iterable[float]) -> bytes:
    """Encode a list of numbers."""
    encoded: bytes = gazebo().message("double_v_pb2", "Double_V")(data=values).SerializeToString()
    return encoded


def decode_values(data: bytes) -> list[float]:
    """Decode a list of numbers."""
    return list(gazebo().message("double_v_pb2", "Double_V").FromString(data).data)


def _encode(values: Iterable[float]) -> bytes:
    return " ".join(repr(value) for value in values).encode()


class WorldState:
    """All components of all entities after one iteration of the server.

    Args:
        message: message with the full state.

    Attributes:
        iterations: number of steps of the server since its start or reset.
        paused: whether the world is paused between requests.
    """

    def __init__(self, message: Any) -> None:
        self._entities = message.state.entities
        self._signed = _has_signed_keys(message)
        self._changes: dict[tuple[int, int], bytes | None] = {}
        self._removed: set[int] = set()
        self._read_statistics(message)

    def _read_statistics(self, message: Any) -> None:
        self.iterations = int(message.stats.iterations)
        self.paused = bool(message.stats.paused)

    def update(self, message: Any) -> None:
        """Apply the changes of an iteration."""
        for number, entity in message.state.entities.items():
            if entity.remove:
                self._removed.add(number)
            for component in entity.components.values():
                value = None if component.remove else bytes(component.component)
                self._changes[number, component.type] = value
        self._read_statistics(message)

    def get(self, entity: int, component: str) -> bytes | None:
        """Return a component of an entity; None if it has none of this type."""
        number = type_id(component)
        if (entity, number) in self._changes and entity not in self._removed:
            return self._changes[entity, number]
        if entity not in self._entities or entity in self._removed:
            return None
        components = self._entities[entity].components
        key = number - 2**64 if self._signed and number >= 2**63 else number
        if key not in components or components[key].remove:
            return None
        return bytes(components[key].component)

    def require(self, entity: int, component: str) -> bytes:
        """Return a component that the entity must have.

        Raises:
            KeyError: if it has none, since the entity was removed.
        """
        found = self.get(entity, component)
        if found is None:
            raise KeyError(component)
        return found

    def with_component(self, component: str) -> Iterator[int]:
        """Iterate over the entities with a component of this type."""
        return (entity for entity in self._entities if self.get(entity, component) is not None)

    @property
    def world(self) -> int:
        """The entity of the world."""
        return next(self.with_component("World"))


class EntityTree:
    """The names of a world's models, and of their links, joints and collisions.

    Parts of nested models have names as in SDFormat, ``inner::link``.

    Attributes:
        models: name -> entity, of the models at the top level of the world.
    """

    def __init__(self, state: WorldState) -> None:
        self._names: dict[int, str] = {}
        self._children: dict[tuple[int, str], dict[str, int]] = defaultdict(dict)
        for kind in ("Model", "Link", "Joint", "Collision"):
            for entity in state.with_component(kind):
                name = (state.get(entity, "Name") or b"").decode()
                self._names[entity] = name
                parent = int(state.get(entity, "ParentEntity") or b"0")
                self._children[parent, kind][name] = entity
        self._world = state.world
        self.models = self._children[self._world, "Model"]

    def model(self, name: str) -> int | None:
        """Return a model of the world, or one nested in a model; None if there is none."""
        if (top_level := self.models.get(top_name(name))) is not None:
            return top_level
        *outer, last = name.split("::")
        return self._find(self._world, (*outer, last))

    def find(self, model: int, name: str, kind: str) -> int | None:
        """Return a part of a model, a ``Link`` or a ``Joint``; None if there is none."""
        scopes, last = split_name(name)
        scope = self._find(model, scopes)
        return None if scope is None else self.children(scope, kind).get(last)

    def _find(self, scope: int, names: Iterable[str]) -> int | None:
        found: int | None = scope
        for name in names:
            found = None if found is None else self.children(found, "Model").get(name)
        return found

    def names(self, model: int, kind: str) -> list[str]:
        """Return the sorted names of all parts of a model of a kind."""
        names = list(self.children(model, kind))
        for name, nested in self.children(model, "Model").items():
            names += [f"{name}::{inner}" for inner in self.names(nested, kind)]
        return sorted(names)

    def children(self, entity: int, kind: str) -> dict[str, int]:
        """Return name -> entity of an entity's children of a kind: ``Model``, ``Link``, ``Joint``, ``Collision``."""
        return self._children.get((entity, kind), {})


@cache
def _map_is_signed(descriptor: Any) -> bool:
    key = descriptor.fields_by_name["components"].message_type.fields_by_name["key"]
    return bool(key.cpp_type in (key.CPPTYPE_INT32, key.CPPTYPE_INT64))


def _has_signed_keys(message: Any) -> bool:
    # Older releases of the messages use signed numbers as keys of the same components.
    state = message.state.DESCRIPTOR.fields_by_name["entities"].message_type
    return _map_is_signed(state.fields_by_name["value"].message_type)
