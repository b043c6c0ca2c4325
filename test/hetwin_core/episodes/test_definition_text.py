"""Definitions that hetwin brings are read as the library's grammar reads them."""

from __future__ import annotations

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.base import TypesysError

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.topics import HETWIN_TYPES
from hetwin_core.episodes.definition_text import _DEFINITIONS, type_from, types_in
from hetwin_core.episodes.messages import LazyTypestore, typestore


@pytest.mark.parametrize("collection", ["common_interfaces", "vision_msgs"])
def test_collections(collection: str) -> None:
    text = (_DEFINITIONS / f"{collection}.txt").read_text("utf-8")
    first, rest = text.removeprefix("MSG: ").split("\n", 1)
    assert types_in(collection) == get_types_from_msg(rest, first)


def test_own_messages() -> None:
    for path in resource("msg").glob("*.msg"):
        text, name = path.read_text("utf-8"), HETWIN_TYPES + path.stem
        assert {name: type_from(text, name)} == get_types_from_msg(text, name)


def test_what_hetwin_does_not_bring_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a/msg/B: .*unsupported line: int32 x 5"):
        type_from("float64 y\nint32 x 5", "a/msg/B")


def test_classes_are_those_of_the_library() -> None:
    known = get_typestore(Stores.ROS2_JAZZY)
    for name in ("std_msgs/msg/Header", "visualization_msgs/msg/Marker"):
        ours, theirs = typestore().types[name], known.types[name]
        assert list(ours.__dataclass_fields__) == [
            field for field in theirs.__dataclass_fields__ if field.islower() and field[0] != "_"
        ]
        assert ours.__msgtype__ == theirs.__msgtype__
    assert typestore().types["visualization_msgs/msg/Marker"].SPHERE == 2


def test_a_type_has_one_definition() -> None:
    store = LazyTypestore()
    store.register(get_types_from_msg("float64 x", "a/msg/B"))
    store.register(get_types_from_msg("float64 X", "a/msg/B"))
    with pytest.raises(TypesysError, match="'a/msg/B' is already present"):
        store.register(get_types_from_msg("float64 y", "a/msg/B"))
