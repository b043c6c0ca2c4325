"""Checks of a model's declaration before it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from hetwin_suite.harness import ParameterKind, ParameterRequest
from hetwin_suite.model import (
    PARTICLE_SIZE,
    AttributeSpec,
    Meaning,
    Model,
    Stepping,
    learnable_parameters,
)
from hetwin_testing.fixture import ContractViolation

MAX_CONSTRUCTOR_S = 0.5
METHOD_GROUPS = (("take", "release"), ("save", "restore"), ("compares", "thresholds"))
"""Methods that a model must have together or not at all, see `model_abilities`."""


def check_declaration(cls: type[Model]) -> None:
    """Check the declaration of a model's class.

    Raises:
        ContractViolation: if it is inconsistent.
    """
    cls.declare()
    if not isinstance(cls.summary, str) or not cls.summary or "\n" in cls.summary:
        raise ContractViolation(f"the summary is {cls.summary!r}; expected one sentence")
    if not isinstance(cls.stepping, Stepping):
        raise ContractViolation(f"stepping is {cls.stepping!r}; expected a Stepping")
    if cls.rate is not None and not (math.isfinite(cls.rate) and cls.rate > 0):
        raise ContractViolation(f"the rate is {cls.rate}; expected a positive number, or None")
    names = [spec.name for spec in cls.provides]
    if len(set(names)) != len(names):
        raise ContractViolation(f"provides has a name twice: {names}")
    for spec in cls.provides:
        check_spec(spec, min_size=0)  # 0: the size depends on the entity, e.g. one number per joint
    if cls.can_be_main and cls.stepping is not Stepping.SERVICE:
        raise ContractViolation("a model that can be the main one must be stepped by service")
    _check_abilities(cls)


def _check_abilities(cls: type[Model]) -> None:
    for members in METHOD_GROUPS:
        has = {name: hasattr(cls, name) for name in members}
        if len({*has.values()}) > 1:
            present, missing = (
                ", ".join(n for n in has if has[n] is is_present) for is_present in (True, False)
            )
            raise ContractViolation(
                f"it has {present}, but no {missing}; it needs all of them, or none"
            )
    names = [request.name for request in cls.requests()]
    unknown = [name for name in learnable_parameters(cls) if name not in names]
    if unknown:
        raise ContractViolation(
            f"its threshold {unknown[0]!r} is not a parameter; expected one of {names}"
        )


def check_spec(spec: AttributeSpec, min_size: int = 1) -> None:
    """Check that an attribute's declaration is consistent, and that it has at least `min_size` numbers.

    Raises:
        ContractViolation: if it is inconsistent.
    """
    if not spec.name:
        raise ContractViolation("an attribute has no name")
    if spec.size < min_size:
        raise ContractViolation(
            f"the attribute {spec.name} has {spec.size} numbers; expected at least {min_size}"
        )
    if spec.meaning is Meaning.PARTICLES:
        if spec.size % PARTICLE_SIZE:
            rows = f"expected a multiple of {PARTICLE_SIZE}"
            raise ContractViolation(
                f"{spec.name} are particles, but have {spec.size} numbers; {rows}"
            )
    elif spec.meaning is not Meaning.QUANTITY and spec.size != 1:
        raise ContractViolation(
            f"{spec.name} is a {spec.meaning}, but has {spec.size} numbers; expected 1"
        )


def construct(cls: type[Model]) -> Model:
    """Construct an instance.

    Raises:
        ContractViolation: if the constructor takes arguments or much time.
    """
    start = time.perf_counter()
    try:
        model = cls()
    except TypeError as error:
        raise ContractViolation(
            f"{error}; expected a constructor that takes no arguments"
        ) from None
    duration = time.perf_counter() - start
    if duration > MAX_CONSTRUCTOR_S:
        raise ContractViolation(
            f"the constructor takes {duration:.1f} s; costly work belongs in initialize"
        )
    return model


def check_parameters(cls: type[Model]) -> Sequence[ParameterRequest]:
    """Check that the parameters have unique names, and defaults that fit their kinds.

    Raises:
        ContractViolation: if they do not.
    """
    requests = cls.requests()
    names: set[str] = set()
    for request in requests:
        if not isinstance(request, ParameterRequest):
            raise ContractViolation(f"{request!r} is not a ParameterRequest")
        if not isinstance(request.kind, ParameterKind):
            raise ContractViolation(f"{request.name}: {request.kind!r} is not a ParameterKind")
        if not request.name or request.name in names:
            raise ContractViolation(
                f"two parameters are called {request.name!r}; expected unique names"
            )
        names.add(request.name)
        if request.default is not None and not _fits(request.kind, request.default):
            raise ContractViolation(
                f"{request.name}: the default {request.default!r} is not of kind {request.kind.value}"
            )
    if list(cls.requests()) != list(requests):
        raise ContractViolation("the parameters differ when they are requested again")
    return requests


def _fits(kind: ParameterKind, value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_list = isinstance(value, list | tuple)
    match kind:
        case ParameterKind.NUMBER:
            return is_number and math.isfinite(value)
        case ParameterKind.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case ParameterKind.BOOLEAN:
            return isinstance(value, bool)
        case ParameterKind.VECTOR:
            return is_list and all(_fits(ParameterKind.NUMBER, x) for x in value)
        case ParameterKind.POSE:
            return isinstance(value, str) or (
                is_list and len(value) == 7 and _fits(ParameterKind.VECTOR, value)
            )
        case ParameterKind.ENTITIES:
            return isinstance(value, str) or (is_list and all(isinstance(x, str) for x in value))
        case ParameterKind.FUNCTIONAL:
            return isinstance(value, dict)
        case ParameterKind.ANY:
            return True
        case _:
            return isinstance(value, str)
