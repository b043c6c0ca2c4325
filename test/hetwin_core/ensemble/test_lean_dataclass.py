"""A lean dataclass does what one of the standard library does."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields
from functools import partial
from typing import Any, ClassVar

import pytest

from hetwin_core.ensemble.lean_dataclass import dataclass as lean

Decorator = Callable[..., Any]


def place(dataclass: Decorator, **options: Any) -> Any:
    """A class with fields of all kinds."""

    class Place:
        """Where something is."""

        unit: ClassVar[str] = "m"
        x: float
        y: float = 2.0
        names: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)
        last: int = field(default=7, kw_only=True)
        counted: int = field(default=3, init=False)
        made: dict[str, int] = field(default_factory=dict, init=False, hash=False)

    return dataclass(**options)(Place)


@lean(frozen=True, slots=True)
class Saved:
    """One that is pickled by its name."""

    x: float
    words: tuple[str, ...] = ()


def shown(cls: Any, **given: Any) -> str:
    """An instance as a text."""
    return repr(cls(**given))


OPTIONS = [
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "kw_only": True},
    {"frozen": True, "order": True},
]


def done(deed: Callable[[], Any]) -> Any:
    """What a deed returns, or the error that it raises; addresses and the names of modules are left out."""
    try:
        return deed()
    except (TypeError, AttributeError) as error:
        return type(error), str(error).replace("__init__()", "").split(".")[-1]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_instances_are_alike(options: dict[str, bool]) -> None:
    lean_one, std_one = place(lean, **options), place(dataclasses.dataclass, **options)
    given: list[dict[str, Any]] = [{"x": 1.0}, {"x": 1.0, "y": 3, "names": ["a"], "last": 1}, {}]
    given += [{"x": 1.0, "counted": 2}, {"x": 1.0, "z": 2}, {"x": 1.0, "note": "n"}]
    for one in given:
        assert done(partial(shown, lean_one, **one)) == done(partial(shown, std_one, **one))
    assert done(lambda: repr(lean_one(1.0, 2.0))) == done(lambda: repr(std_one(1.0, 2.0)))
    assert done(lambda: repr(lean_one())) == done(lambda: repr(std_one()))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_comparison_hash_and_copies_are_alike(options: dict[str, bool]) -> None:
    results = []
    for dataclass in (lean, dataclasses.dataclass):
        cls = place(dataclass, **options)
        one, same, other = cls(x=1.0), cls(x=1.0, note="other"), cls(x=2.0)
        hashed = done(lambda one=one: hash(one))
        found = [one == same, one == other, one != 1, cls.__hash__ is None, cls.__match_args__]
        found += [
            repr(dataclasses.replace(one, x=5.0)) if "counted" not in cls.__match_args__ else 0
        ]
        found += [dataclasses.asdict(one), repr(copy.copy(one)), repr(copy.deepcopy(one))]
        found += [[f.name for f in fields(cls)], hasattr(one, "__dict__"), cls.__doc__]
        found += [str(cls.__dataclass_params__), hashed if not isinstance(hashed, int) else 0]
        results.append(found)
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "change", [lambda one: setattr(one, "x", 2.0), lambda one: delattr(one, "x")]
)
@pytest.mark.parametrize("slots", [False, True])
def test_a_frozen_one_does_not_change(change: Callable[[Any], None], slots: bool) -> None:
    errors = []
    for dataclass in (lean, dataclasses.dataclass):
        with pytest.raises(FrozenInstanceError) as raised:
            change(place(dataclass, frozen=True, slots=slots)(x=1.0))
        errors.append(str(raised.value))
    assert errors[0] == errors[1]


def test_it_is_pickled() -> None:
    one = Saved(1.0, ("a",))
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(one) == hash((1.0, ("a",)))


@pytest.mark.parametrize("above", [lean, dataclasses.dataclass])
@pytest.mark.parametrize("below", [lean, dataclasses.dataclass])
def test_one_derives_from_another(above: Decorator, below: Decorator) -> None:
    base = place(above, frozen=True, slots=True)

    @below(frozen=True, slots=True)
    class Named(base):  # type: ignore[misc]
        """One with a name."""

        name: str = "n"

        def __post_init__(self) -> None:
            object.__setattr__(self, "counted", 4)

    one = Named(x=1.0, name="m")
    assert (one.x, one.name, one.counted) == (1.0, "m", 4)
    assert one == Named(x=1.0, name="m") != base(x=1.0)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        one.name = "k"


def test_what_a_class_says_itself_counts() -> None:
    @lean(frozen=True)
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2)
    assert repr(Own(1)) == "own"
    assert hash(Own(1)) == hash((1,))


def test_init_is_compiled_once_for_its_class() -> None:
    cls = place(lean, slots=True)
    before = cls.__init__
    cls(x=1.0)
    compiled = cls.__init__
    cls(x=2.0)
    assert before is not compiled is cls.__init__
    assert compiled.__qualname__ == f"{cls.__qualname__}.__init__"
