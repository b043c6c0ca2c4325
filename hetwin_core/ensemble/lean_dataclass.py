"""The standard library's dataclasses, but for methods that are made without a compiler, or when they are first called.

The library compiles up to eight functions for each class, which takes as long as it takes to import a small module. A
run has hundreds of such classes, and needs a quarter of these functions. Here `__init__` is compiled for the first
instance; all others are closures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type[Any] | None = None, /, **options: bool) -> Any:
        """Make a class a dataclass; see `dataclasses.dataclass`."""
        return (lambda one: _lean(one, options)) if cls is None else _lean(cls, options)


Methods: TypeAlias = dict[str, Any]


def _lean(cls: Any, options: Mapping[str, bool]) -> Any:
    kinds = vars(cls).get("__annotations__", {}).values()
    if options.get("order") or any("InitVar" in str(kind) for kind in kinds):
        return dataclasses.dataclass(**options)(cls)
    explicit = {name for name, value in vars(cls).items() if value is not None}
    is_frozen, eq = options.get("frozen", False), options.get("eq", True)
    is_derived = hasattr(cls, "__dataclass_fields__")  # then the library compares `frozen`
    left: dict[str, Any] = {"init": False, "repr": False, "eq": False}
    left["frozen"] = is_frozen and is_derived
    made: Any = dataclasses.dataclass(**{**options, **left})(cls)
    fields = dataclasses.fields(made)
    methods: Methods = {"__init__": _first_init(made, fields, is_frozen=is_frozen)}
    methods["__repr__"] = _text([field.name for field in fields if field.repr])
    if eq:
        methods |= _comparison(fields, is_frozen=is_frozen)
    if is_frozen and not is_derived:
        methods |= _unchanging(made, fields, has_slots=options.get("slots", False))
    for name in methods.keys() - explicit:
        setattr(made, name, methods[name])
    said = made.__dataclass_params__
    said.init, said.repr, said.eq, said.frozen = True, True, eq, is_frozen
    return made


def _first_init(made: Any, fields: Sequence[Field[Any]], *, is_frozen: bool) -> Callable[..., None]:
    """The method that makes the `__init__` of a class for its first instance, and puts it in its own place."""

    def __init__(self: object, *given: object, **named: object) -> None:  # noqa: N807
        made.__init__ = init = _init(made, fields, is_frozen=is_frozen)
        init(self, *given, **named)

    return __init__


def _init(made: Any, fields: Sequence[Field[Any]], *, is_frozen: bool) -> Callable[..., None]:
    """Compile the method that sets all fields."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    placed, named, lines = ["self"], ["*"], []
    for field in fields:
        name, default, is_made = field.name, f"_of_{field.name}", field.default is MISSING
        known[default] = field.default_factory if is_made else field.default
        has_default, value = known[default] is not MISSING, name
        if field.init:
            given = "" if not has_default else "=_MISSING" if is_made else f"={default}"
            (named if field.kw_only else placed).append(name + given)
            if has_default and is_made:
                value = f"{default}() if {name} is _MISSING else {name}"
        elif has_default:
            value = f"{default}()" if is_made else default
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(placed + (named if len(named) > 1 else []))
    exec(f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__, init.__module__ = f"{made.__qualname__}.__init__", made.__module__
    return init


def _values(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return a function that returns the values of some fields."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _text(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def __repr__(self: object) -> str:  # noqa: N807
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({said})"

    return __repr__


def _comparison(fields: Sequence[Field[Any]], *, is_frozen: bool) -> Methods:
    values = _values([field.name for field in fields if field.compare])
    hashed = _values([f.name for f in fields if (f.compare if f.hash is None else f.hash)])

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(hashed(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if is_frozen else None}


def _unchanging(made: Any, fields: Sequence[Field[Any]], *, has_slots: bool) -> Methods:
    """The methods of a class whose fields are set once."""
    names = [field.name for field in fields]

    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    def __getstate__(self: object) -> list[Any]:  # noqa: N807
        return [getattr(self, name) for name in names]

    def __setstate__(self: object, state: Sequence[Any]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    changing = {"__setattr__": __setattr__, "__delattr__": __delattr__}
    saved = {"__getstate__": __getstate__, "__setstate__": __setstate__} if has_slots else {}
    return {**changing, **saved}
