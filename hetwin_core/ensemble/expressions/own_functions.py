"""Functions that a scenario names as its evaluators: ``near: "my_module:near"``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import Evaluator
from hetwin_core.ensemble.own_modules import refusal

_FUNCTION = re.compile(r"\s*([A-Za-z_][\w.]*):([A-Za-z_]\w*)\s*\Z")


def is_function(text: str) -> bool:
    """Whether an evaluator of a scenario names a function, MODULE:FUNCTION; any other is an expression."""
    return _FUNCTION.match(text) is not None


def own_functions(texts: Mapping[str, str]) -> dict[str, Evaluator]:
    """Import the functions among a scenario's evaluators; each gets the scene and the arguments of the expression.

    Args:
        texts: name -> expression, or MODULE:FUNCTION of an installed module or one beside the scenario.

    Raises:
        BadInput: if one cannot be imported or is no function.
    """
    return {name: _imported(name, text) for name, text in texts.items() if is_function(text)}


def _imported(name: str, text: str) -> Evaluator:
    module, _, function = text.strip().partition(":")
    problem = "this is no function"
    try:
        found = getattr(import_module(module), function)
        if callable(found):
            evaluator: Evaluator = found
            return evaluator
    except ModuleNotFoundError as error:
        problem = f"the evaluator cannot be imported: {error}"
        if (refused := refusal(error.name or "")) is not None:
            raise refused from error
    except Exception as error:  # a module of anyone's may raise anything while it is imported
        problem = f"the evaluator cannot be imported: {type(error).__name__}: {error}"
    raise BadInput(
        problem,
        where=f"evaluators.{name}",
        found=text,
        expected="MODULE:FUNCTION, installed or beside the scenario, or an expression",
    )
