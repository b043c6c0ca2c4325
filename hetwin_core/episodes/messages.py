"""The message types of a log: common and hetwin's own; and templates of messages in which only numbers change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from rosbags.serde.cdr import generate_deserialize_cdr, generate_getsize_cdr, generate_serialize_cdr
from rosbags.serde.ros1 import generate_ros1_to_cdr
from rosbags.typesys.base import TypesysError, normalize_fieldname
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import HETWIN_TYPES
from hetwin_core.episodes.definition_text import type_from, types_in

if TYPE_CHECKING:
    from types import ModuleType

    from rosbags.interfaces import Bitcvt, BitcvtSize, CDRDeser, CDRSer, CDRSerSize, Msgdef
    from rosbags.interfaces.typing import Typesdict


class LazyTypestore(Typestore):
    """The library's store of types, with classes and functions that are made on first use.

    The library itself makes a dozen functions for each type, and for each that it contains, which takes longer than
    the log of a short run. Messages can be written little-endian, and read in both byte orders; those of ROS 1 can
    be converted.
    """

    def __init__(self, base: ModuleType | None = None) -> None:
        super().__init__(base)
        self.types = _Classes(self.fielddefs, self.types)
        self.cache = _FunctionCache(self)
        # Writing one message needs the functions of dozens of types, with a single dictionary access each.
        self.get_msgdef: Callable[[str], Msgdef[object]] = self.cache.__getitem__  # type: ignore[assignment]

    def register(self, typs: Typesdict) -> None:
        """Add types.

        Raises:
            TypesysError: if one exists with another definition.
        """
        for name, (constants, fields, *_) in typs.items():
            if name in self.fielddefs and _with_lower_names(
                self.fielddefs[name][1]
            ) != _with_lower_names(fields):
                raise TypesysError(f"Type {name!r} is already present with different definition.")
            self.fielddefs.setdefault(name, (constants, fields))

    def prepare_reading(self) -> None:
        """Make the deserializers of all types.

        Raises:
            Exception: of any type, if a definition is malformed or uses a type that is missing.
        """
        for name in self.fielddefs:
            _ = self.get_msgdef(name).deserialize_cdr_le


def _with_lower_names(fields: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [(name.lower(), kind) for name, kind in fields]


class _Classes(dict[str, Any]):
    """The class of each type, made on first access.

    Raises:
        KeyError: if there is no such type.
    """

    def __init__(self, definitions: Typesdict, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self._definitions = definitions

    def __missing__(self, typename: str) -> Any:
        constants, fields = self._definitions[typename][:2]
        body: dict[str, Any] = {normalize_fieldname(name): value for name, _, value in constants}
        kinds = {normalize_fieldname(name): Any for name, _ in fields}
        body |= {"__annotations__": kinds, "__msgtype__": typename, "__module__": __name__}
        body["__doc__"] = f"A message of type {typename}."  # dataclasses take long to make one
        found = self[typename] = dataclass(type(typename.replace("/", "__"), (), body))
        return found


class _FunctionCache(dict[str, "Msgdef[object]"]):
    """The functions of each type, made on first access.

    Raises:
        KeyError: if there is no such type.
    """

    def __init__(self, store: LazyTypestore) -> None:
        self._store = store

    def __missing__(self, typename: str) -> Msgdef[object]:
        found = self[typename] = cast("Msgdef[object]", _Functions(self._store, typename))
        return found


class _Functions:
    """The parts of the library's `Msgdef` that are used."""

    def __init__(self, store: LazyTypestore, name: str) -> None:
        self._store = store
        self.name = name
        self.fields = [(normalize_fieldname(n), kind) for n, kind in store.fielddefs[name][1]]
        self.cls: type[object] = store.types[name]

    @cached_property
    def getsize_cdr(self) -> CDRSerSize:
        """Function that returns the serialized size of a message."""
        function, self.size_cdr = generate_getsize_cdr(self.fields, self._store)
        return function

    @cached_property
    def size_cdr(self) -> int:
        """Size of every message; 0 if it varies."""
        self.getsize_cdr, size = generate_getsize_cdr(self.fields, self._store)
        return size

    @cached_property
    def serialize_cdr_le(self) -> CDRSer:
        """Function that serializes a message."""
        return generate_serialize_cdr(self.fields, self._store, "le")

    @cached_property
    def deserialize_cdr_le(self) -> CDRDeser:
        """Function that deserializes a little-endian message."""
        return generate_deserialize_cdr(self.fields, self._store, "le")

    @cached_property
    def deserialize_cdr_be(self) -> CDRDeser:
        """Function that deserializes a big-endian message."""
        return generate_deserialize_cdr(self.fields, self._store, "be")

    @cached_property
    def getsize_ros1_to_cdr(self) -> BitcvtSize:
        """Function that returns the converted size of a ROS 1 message."""
        function = generate_ros1_to_cdr(self.fields, self.name, self._store, copy=False)
        return cast("BitcvtSize", function)

    @cached_property
    def ros1_to_cdr(self) -> Bitcvt:
        """Function that converts a ROS 1 message."""
        function = generate_ros1_to_cdr(self.fields, self.name, self._store, copy=True)
        return cast("Bitcvt", function)


@cache
def typestore() -> LazyTypestore:
    """All types that a log uses.

    The common interfaces in a log are the same in every distribution since Jazzy, including their hashes.

    Raises:
        BadInput: if this installation lacks hetwin's message definitions.
    """
    types = types_in("common_interfaces")
    for path in sorted(resource("msg").glob("*.msg")):
        name = HETWIN_TYPES + path.stem
        types[name] = type_from(path.read_text(encoding="utf-8"), name)
    store = LazyTypestore()
    store.register(types)
    return store


@cache
def definition(typename: str) -> str:
    """The definition of a type and of all types that it contains, as in bags."""
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
    """Convert a ``builtin_interfaces/Time`` to ns; the inverse of `stamp`."""
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
    w, x, y, z = map(float, row)
    return message("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def pose_message(row: Sequence[float] | Floats) -> Any:
    """A ``geometry_msgs/Pose`` from x y z, qw qx qy qz."""
    position, rotation = point_message(row[:3]), quaternion_message(row[3:7])
    return message("geometry_msgs/msg/Pose", position=position, orientation=rotation)


def colour_message(rgba: Iterable[float]) -> Any:
    """A ``std_msgs/ColorRGBA``."""
    r, g, b, a = map(float, rgba)
    return message("std_msgs/msg/ColorRGBA", r=r, g=g, b=b, a=a)


_CDR_HEADER = 4
_MARK_SEC, _MARK_NANOSEC = 0x5A17_30E5, 0x3B9A_0C4D
_FIRST_MARKS: dict[type, float] = {
    np.float64: -(2.0**1000),
    np.float32: -(2.0**124),
    np.int32: -0x0B00_0000,
    np.uint64: 0xF51C_0DE5_0000_0000,
}
"""First placeholder of each type. Its first byte does not occur in UTF-8, and the last four bytes of a float64 are 0,
so that it differs from texts and other placeholders.
"""

Number: TypeAlias = Any
"""A number of one of the types in `_FIRST_MARKS`, which have no common type in NumPy."""


class _Blank(NamedTuple):
    dtype: type
    marks: NDArray[Any]
    is_scalar: bool = False


class Blanks:
    """Placeholders for numbers of a message that are filled in later.

    Attributes:
        stamp: placeholder for all stamps of the message.
    """

    def __init__(self) -> None:
        self.stamp = message("builtin_interfaces/msg/Time", sec=_MARK_SEC, nanosec=_MARK_NANOSEC)
        self.given: list[_Blank] = []
        self._count = 0

    def numbers(self, count: int, dtype: type = np.float64) -> NDArray[Any]:
        """Return `count` placeholders to be put into the message; their numbers are given later in the same order."""
        first, indices = _FIRST_MARKS[dtype], np.arange(self._count, self._count + count)
        self._count += count
        if issubclass(dtype, np.floating):
            marks: NDArray[Any] = (first * (1.0 - indices * 2.0**-21)).astype(dtype)
        else:
            marks = np.array(first, dtype) + indices.astype(dtype)
        self.given.append(_Blank(dtype, marks))
        return marks

    def number(self, dtype: type = np.float64) -> Any:
        """Return one placeholder; its number is given later as a scalar, not as an array."""
        mark = self.numbers(1, dtype).item()
        self.given[-1] = self.given[-1]._replace(is_scalar=True)
        return mark


class CdrTemplate:
    """A serialized message with placeholders for its numbers.

    CDR aligns every number to its own size, counted from the end of the four-byte header, so that the body can be
    viewed as an array of any one type.

    Args:
        typename: type of the message.
        make: makes the message, with placeholders for its numbers.

    Raises:
        ValueError: if a placeholder is not in the message exactly once.
    """

    def __init__(self, typename: str, make: Callable[[Blanks], object]) -> None:
        blanks = Blanks()
        data = bytes(typestore().serialize_cdr(make(blanks), typename))
        padding = -(len(data) - _CDR_HEADER) % 8
        self._buffer = bytearray(data + bytes(padding))
        self._data = memoryview(self._buffer)[: len(data)].toreadonly()
        self._words = self._view(np.int32)
        self._sec = _compact_indices(self._words == _MARK_SEC)
        self._nanosec = _compact_indices(self._words == _MARK_NANOSEC)
        self._parts = [self._part(blank) for blank in blanks.given]

    def _view(self, dtype: type) -> NDArray[Any]:
        return np.frombuffer(self._buffer, dtype, offset=_CDR_HEADER)

    def _part(self, blank: _Blank) -> tuple[NDArray[Any], Any]:
        """Return a view on the message, and the indices of a blank's numbers in it."""
        view, marks = self._view(blank.dtype), blank.marks
        if not len(marks):
            return view, slice(0, 0)
        with np.errstate(invalid="ignore"):  # the view contains texts, too
            indices = np.flatnonzero((view >= marks[0]) & (view <= marks[-1]))
        indices = indices[np.argsort(view[indices])]
        if not np.array_equal(view[indices], marks):
            raise ValueError("a number of a template is not in its message exactly once")
        if blank.is_scalar:
            return view, int(indices[0])
        if len(indices) == indices[-1] - indices[0] + 1 and (np.diff(indices) == 1).all():
            return view[indices[0] : indices[-1] + 1], slice(None)
        return view, indices

    def fill(self, time_ns: int, *numbers: Number) -> memoryview:
        """Put a time into all stamps, and numbers into all blanks.

        Args:
            time_ns: the time.
            numbers: numbers of each blank, in the order in which the blanks were made.

        Returns:
            The serialized message, valid until the next call.
        """
        self._words[self._sec], self._words[self._nanosec] = divmod(time_ns, 1_000_000_000)
        for (view, indices), values in zip(self._parts, numbers, strict=True):
            view[indices] = values
        return self._data

    def is_filled_with(self, *numbers: Number) -> bool:
        """Whether the message contains these numbers already, equal to the bit."""
        return all(
            view[indices].tobytes() == np.asarray(values, view.dtype).tobytes()
            for (view, indices), values in zip(self._parts, numbers, strict=True)
        )


def _compact_indices(found: NDArray[np.bool_]) -> Any:
    """The indices of a placeholder; a single one as an integer, with which NumPy is much faster."""
    indices = np.flatnonzero(found)
    return int(indices[0]) if len(indices) == 1 else indices
