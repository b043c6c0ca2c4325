"""Objects recorded as plain data, and made again as they were."""

import random
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

import mujoco
import numpy as np
import pytest

from hetwin_core.ensemble.saving.plain import StateError
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record

HERE = (__name__.partition(".")[0],)


class Colour(Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: float


@dataclass(frozen=True, slots=True)
class Fixed:
    name: str
    parts: tuple[int, ...]


@dataclass(slots=True)
class Track:
    seen: list[int] = field(default_factory=list)


class Leaf:
    def __init__(self, root: "Root | None") -> None:
        self.root = root
        self.values = [1, 2]
        self.same_values = self.values


class Root:
    def __init__(self) -> None:
        self.leaf = Leaf(self)
        self.table = np.zeros((2, 5))
        self.row = self.table[1, 2:]
        self.random = np.random.default_rng(3)
        self.function = len
        self.track: Track | None = None


def again(value: Any, fresh: Any = None) -> Any:
    """The value, recorded and rebuilt."""
    return rebuild(record(value), fresh, HERE)


VALUES = (
    None,
    True,
    3,
    -0.0,
    float("inf"),
    "text",
    [1, [2]],
    (1, (2, "x")),
    {"a": 1},
    {1: "a", (2, "b"): [3]},
    {"$ref": 1},
    {1, 2},
    frozenset({"a"}),
    deque([1, 2], 3),
    OrderedDict(a=1),
    Counter("aab"),
    b"bytes",
    MappingProxyType({"a": 1}),
    slice(1, None, 2),
    Colour.RED,
    Point(1, 2.0),
    Fixed("a", (1, 2)),
    np.float64(1.5),
    np.int32(4),
)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back_with_their_type(value):
    found = again(value)
    assert type(found) is type(value)
    assert found == value


def test_default_dict_makes_items_as_before():
    found = again(defaultdict(list, {1: [2]}))
    assert found[5] == []
    assert found[1] == [2]


def test_bits_of_arrays_and_their_types_stay():
    array = np.array([[np.nan, -0.0, 1e-310]], np.float32)
    found = again(array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()


def test_nothing_is_shared_with_what_was_recorded():
    array = np.zeros(2)
    saved = record({"a": array})
    array[0] = 1.0
    assert rebuild(saved)["a"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_generator_goes_on_with_the_same_numbers(kind):
    generator = np.random.Generator(getattr(np.random, kind)(5))
    generator.random(7)
    found = again(generator)
    assert found.random(5).tolist() == generator.random(5).tolist()


def test_pythons_generator_goes_on_with_the_same_numbers():
    generator = random.Random(5)
    generator.gauss()
    found = again(generator)
    assert [found.gauss(), found.random()] == [generator.gauss(), generator.random()]


def test_instances_in_collections_are_those_of_the_fresh_one():
    def made() -> dict[str, Any]:
        one, other, third = Track([1]), Track([2]), Track([3])
        return {
            "deque": deque([one], 2),
            "proxy": MappingProxyType({"a": other}),
            "default": defaultdict(list, a=third),
            "ordered": OrderedDict(a=(Track([4]),)),
        }

    saved, fresh = made(), made()
    saved["deque"][0].seen.append(5)
    found = again(saved, fresh)
    assert found["deque"][0] is fresh["deque"][0]
    assert found["deque"][0].seen == [1, 5]
    for name in ("proxy", "default"):
        assert found[name]["a"] is fresh[name]["a"]
    assert found["ordered"]["a"][0] is fresh["ordered"]["a"][0]


def test_instances_stay_and_get_their_state():
    root, fresh = Root(), Root()
    root.leaf.values.append(3)
    root.track = Track([4])
    leaf = fresh.leaf
    found = again(root, fresh)
    assert found is fresh
    assert found.leaf is leaf
    assert leaf.root is fresh
    assert leaf.values == [1, 2, 3]
    assert found.track == Track([4])


def test_what_is_one_thing_stays_one_thing():
    found = again(Root(), Root())
    assert found.leaf.same_values is found.leaf.values
    found.row[1] = 9.0
    assert found.table[1, 3] == 9.0


def test_attributes_that_are_gone_go():
    root, fresh = Root(), Root()
    del root.track
    assert not hasattr(again(root, fresh), "track")


def test_functions_are_those_of_the_fresh_object():
    root, fresh = Root(), Root()
    fresh.function = max
    assert again(root, fresh).function is max


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (threading.Lock(), r"thing\.x \(lock\) cannot be saved"),
        (iter([1]), r"thing\.x \(list_iterator\) cannot be saved"),
        (mujoco.MjModel.from_xml_string("<mujoco/>"), r"thing\.x \(MjModel\) cannot be saved"),
        (np.array([object()]), r"thing\.x \(ndarray\) cannot be saved"),
        (defaultdict(lambda: 0), r"thing\.x, with <function .*\(defaultdict\) cannot be saved"),
        (ValueError("x"), r"thing\.x \(ValueError\) cannot be saved"),
    ],
)
def test_what_has_its_state_elsewhere_is_named(bad, text):
    with pytest.raises(StateError, match=text):
        record({"x": bad}, name="thing")


def test_numbers_of_a_library_are_named():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    )
    with pytest.raises(StateError, match=r"thing\.x, whose numbers belong to .* cannot be saved"):
        record({"x": mujoco.MjData(model).qpos}, name="thing")


class Loud:
    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def __setattr__(self, name: str, value: object) -> None:
        raise AssertionError("its code was run")

    def __del__(self) -> None:
        type(self).made += 1


class Quiet:
    def __init__(self) -> None:
        raise AssertionError("its code was run")


class Eager:
    def __iter__(self) -> Any:
        raise AssertionError("its code was run")

    keys = __getitem__ = __len__ = __index__ = __iter__


def test_no_code_of_a_class_is_run():
    found = rebuild({"$object": f"{__name__}:Quiet", "of": {"a": 1}}, packages=HERE)
    assert vars(found) == {"a": 1}


@pytest.mark.parametrize(
    "name",
    [
        "subprocess:Popen",
        "os:system",
        f"{__name__}:Loud",
        f"{__name__}:Quiet.__init__",
        "nowhere:A",
    ],
)
def test_other_classes_are_not_made(name):
    with pytest.raises(StateError, match="which cannot be restored"):
        rebuild({"$object": name, "of": {}}, packages=HERE)


@pytest.mark.parametrize(
    "saved",
    [
        {"$ref": 3},
        {"$enum": "x"},
        {"$enum": [f"{__name__}:Colour", "BLUE"]},
        {"$named": [f"{__name__}:Point", [1]]},
        {"$generator": [{"bit_generator": "eval"}]},
        {"$generator": [[1]]},
        {"$generator": []},
        {"$random": [[3, [1], None]]},
        {"$random": [{"$tuple": [2, {"$object": f"{__name__}:Eager", "of": {}}, None]}]},
        {"$counter": [{"$object": f"{__name__}:Eager", "of": {}}]},
        {"$ordered": [{"$object": f"{__name__}:Eager", "of": {}}]},
        {"$proxy": [{"$object": f"{__name__}:Eager", "of": {}}]},
        {"$default": ["list", {"$object": f"{__name__}:Eager", "of": {}}]},
        {"$default": ["eval", {}]},
        {"$deque": ["x", 1]},
        {"$slice": [1, 2, 3, 4]},
        {"$bytes": [3]},
        {"$view": [np.zeros(3), 8, [100], [8]]},
        {"$what": [1]},
        {"$object": f"{__name__}:Fixed", "of": {"other": 1}},
    ],
)
def test_what_is_no_saved_state_is_refused(saved):
    with pytest.raises(StateError):
        rebuild(saved, packages=HERE, name="thing")


@pytest.mark.parametrize(
    "value", [[1, 2], np.arange(3), {"a": [1.0]}], ids=["list", "array", "dict"]
)
def test_what_is_rebuilt_is_no_part_of_what_was_saved(value: Any) -> None:
    saved = record(value)
    first = rebuild(saved)
    inner = first["a"] if isinstance(first, dict) else first
    inner[0] = 7
    np.testing.assert_equal(rebuild(saved), value)
