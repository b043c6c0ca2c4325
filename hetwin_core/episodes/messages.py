"""The message types of a log: the common ones, and hetwin's own from their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rosbags.serde.cdr import generate_deserialize_cdr, generate_getsize_cdr, generate_serialize_cdr
from rosbags.serde.ros1 import generate_ros1_to_cdr
from rosbags.typesys import get_types_from_msg
from rosbags.typesys.base import normalize_fieldname
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import HETWIN_TYPES

if TYPE_CHECKING:
    from rosbags.interfaces import Bitcvt, BitcvtSize, CDRDeser, CDRSer, CDRSerSize, Msgdef

_DEFINITIONS = Path(__file__).with_name("definitions")


class LazyTypestore(Typestore):
    """The library's store, which makes a function when it is first called for.

    The library itself makes a dozen for each type, and for each that it consists of, which takes longer than the log
    of a short run. Messages can be written in the byte order of this kind of machine, little-endian, and read in both;
    those of ROS 1 can be converted.
    """

    def get_msgdef(self, typename: str) -> Msgdef[object]:
        """The functions for a type.

        Raises:
            KeyError: if there is no such type.
        """
        found = self.cache.get(typename)
        if found is None:
            found = self.cache[typename] = cast("Msgdef[object]", _Functions(self, typename))
        return found

    def prepare_reading(self) -> None:
        """Make what reads messages of all types.

        Raises:
            Exception: of many kinds, if a definition is malformed or uses a type that is missing.
        """
        for name in self.fielddefs:
            _ = self.get_msgdef(name).deserialize_cdr_le


class _Functions:
    """What the library's `Msgdef` has, as far as it is used here."""

    def __init__(self, store: LazyTypestore, name: str) -> None:
        self._store = store
        self.name = name
        self.fields = [(normalize_fieldname(n), kind) for n, kind in store.fielddefs[name][1]]
        self.cls: type[object] = store.types[name]

    @cached_property
    def _size(self) -> tuple[CDRSerSize, int]:
        return generate_getsize_cdr(self.fields, self._store)

    @property
    def getsize_cdr(self) -> CDRSerSize:
        """Returns the size of a message."""
        return self._size[0]

    @property
    def size_cdr(self) -> int:
        """Size of every message; 0 if it varies."""
        return self._size[1]

    @cached_property
    def serialize_cdr_le(self) -> CDRSer:
        """Writes a message."""
        return generate_serialize_cdr(self.fields, self._store, "le")

    @cached_property
    def deserialize_cdr_le(self) -> CDRDeser:
        """Reads a little-endian message."""
        return generate_deserialize_cdr(self.fields, self._store, "le")

    @cached_property
    def deserialize_cdr_be(self) -> CDRDeser:
        """Reads a big-endian message."""
        return generate_deserialize_cdr(self.fields, self._store, "be")

    @cached_property
    def getsize_ros1_to_cdr(self) -> BitcvtSize:
        """Returns the size that a message of ROS 1 will have."""
        function = generate_ros1_to_cdr(self.fields, self.name, self._store, copy=False)
        return cast("BitcvtSize", function)

    @cached_property
    def ros1_to_cdr(self) -> Bitcvt:
        """Converts a message of ROS 1."""
        function = generate_ros1_to_cdr(self.fields, self.name, self._store, copy=True)
        return cast("Bitcvt", function)


def types_in(collection: str) -> dict[str, Any]:
    """Return the types of a collection, as ROS 2 has them from Humble or Jazzy on.

    The definitions are here since a library's whole collection of them takes a fifth of a second to load, and packages
    need not be installed to be read. They have no comments, and each stands after its name, as bags carry them.
    """
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    first, rest = text.removeprefix("MSG: ").split("\n", 1)
    return dict(get_types_from_msg(rest, first))


def definitions_in(collection: str) -> dict[str, tuple[str, ...]]:
    """Return type -> its definitions, the usual one first, of a collection in which each stands below its name."""
    found: dict[str, tuple[str, ...]] = {}
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    for block in text.split("#### ")[1:]:
        name, _, definition = block.partition("\n")
        found[name] = (*found.get(name, ()), definition)
    return found


@cache
def typestore() -> LazyTypestore:
    """All types that a log uses.

    The common interfaces that a log needs are the same in every distribution from Jazzy on, hashes included.

    Raises:
        BadInput: if this installation lacks hetwin's message definitions.
    """
    types = types_in("common_interfaces")
    for path in sorted(resource("msg").glob("*.msg")):
        types.update(get_types_from_msg(path.read_text(encoding="utf-8"), HETWIN_TYPES + path.stem))
    store = LazyTypestore()
    store.register(types)
    return store


def definition(typename: str) -> str:
    """The text that defines a type, with those of all types that it has, as bags carry it."""
    text, _ = typestore().generate_msgdef(typename, ros_version=2)
    return str(text)


def message(typename: str, **fields: object) -> Any:
    """Make a message of a type, e.g. ``message("std_msgs/msg/String", data="...")``."""
    make: Any = typestore().types[typename]
    return make(**fields)


def stamp(time_ns: int) -> Any:
    """A ``builtin_interfaces/Time``."""
    sec, nanosec = divmod(time_ns, 1_000_000_000)
    return message("builtin_interfaces/msg/Time", sec=sec, nanosec=nanosec)


def nanoseconds(time: Any) -> int:
    """Inverse of `stamp`."""
    return int(time.sec) * 1_000_000_000 + int(time.nanosec)


def header(time_ns: int, frame: str = "") -> Any:
    """A ``std_msgs/Header``."""
    return message("std_msgs/msg/Header", stamp=stamp(time_ns), frame_id=frame)


def point_message(row: Iterable[float]) -> Any:
    """A ``geometry_msgs/Point``."""
    return _vector("Point", row)


def vector_message(row: Iterable[float]) -> Any:
    """A ``geometry_msgs/Vector3``."""
    return _vector("Vector3", row)


def _vector(kind: str, row: Iterable[float]) -> Any:
    x, y, z = row
    return message(f"geometry_msgs/msg/{kind}", x=float(x), y=float(y), z=float(z))


def quaternion_message(row: Iterable[float]) -> Any:
    """A ``geometry_msgs/Quaternion`` from w, x, y, z."""
    w, x, y, z = (float(number) for number in row)
    return message("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def pose_message(row: Sequence[float] | Floats) -> Any:
    """A ``geometry_msgs/Pose`` from x y z, qw qx qy qz."""
    place, turn = point_message(row[:3]), quaternion_message(row[3:7])
    return message("geometry_msgs/msg/Pose", position=place, orientation=turn)


def colour_message(rgba: Iterable[float]) -> Any:
    """A ``std_msgs/ColorRGBA``."""
    r, g, b, a = (float(number) for number in rgba)
    return message("std_msgs/msg/ColorRGBA", r=r, g=g, b=b, a=a)
