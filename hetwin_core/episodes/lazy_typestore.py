"""A store of message types that prepares only what is used of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, cast

from rosbags.serde.cdr import generate_deserialize_cdr, generate_getsize_cdr, generate_serialize_cdr
from rosbags.serde.ros1 import generate_ros1_to_cdr
from rosbags.typesys.base import normalize_fieldname
from rosbags.typesys.store import Typestore

if TYPE_CHECKING:
    from types import ModuleType

    from rosbags.interfaces import Bitcvt, BitcvtSize, CDRDeser, CDRSer, CDRSerSize, Msgdef


class LazyTypestore(Typestore):
    """The library's store, which makes a function when it is first called for.

    The library itself makes a dozen for each type, and for each that it consists of, which takes longer than the log
    of a short run. Messages can be written in the byte order of this kind of machine, little-endian, and read in both;
    those of ROS 1 can be converted.
    """

    def __init__(self, base: ModuleType | None = None) -> None:
        super().__init__(base)
        self.cache = _Made(self)
        # Writing one message asks for the functions of dozens of types, which is one look into a dictionary each.
        self.get_msgdef: Callable[[str], Msgdef[object]] = self.cache.__getitem__  # type: ignore[method-assign]

    def prepare_reading(self) -> None:
        """Make what reads messages of all types.

        Raises:
            Exception: of many kinds, if a definition is malformed or uses a type that is missing.
        """
        for name in self.fielddefs:
            _ = self.get_msgdef(name).deserialize_cdr_le


class _Made(dict[str, "Msgdef[object]"]):
    """The functions of each type, made when they are first asked for.

    Raises:
        KeyError: if there is no such type.
    """

    def __init__(self, store: LazyTypestore) -> None:
        self._store = store

    def __missing__(self, typename: str) -> Msgdef[object]:
        found = self[typename] = cast("Msgdef[object]", _Functions(self._store, typename))
        return found


class _Functions:
    """What the library's `Msgdef` has, as far as it is used here."""

    def __init__(self, store: LazyTypestore, name: str) -> None:
        self._store = store
        self.name = name
        self.fields = [(normalize_fieldname(n), kind) for n, kind in store.fielddefs[name][1]]
        self.cls: type[object] = store.types[name]

    @cached_property
    def getsize_cdr(self) -> CDRSerSize:
        """Returns the size of a message."""
        function, self.size_cdr = generate_getsize_cdr(self.fields, self._store)
        return function

    @cached_property
    def size_cdr(self) -> int:
        """Size of every message; 0 if it varies."""
        self.getsize_cdr, size = generate_getsize_cdr(self.fields, self._store)
        return size

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
