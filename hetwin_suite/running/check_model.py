"""The check of a model from Python; what it needs is loaded when it is called, for every model imports its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.conformance.result import CheckResult
from hetwin_core.ensemble.model import Model


def check_model(
    model: str | type[Model], parameters: Mapping[str, Any] | None = None
) -> list[CheckResult]:
    """Check that a model keeps the contract that the conductor relies on, as ``hetwin model check`` does.

    It runs in this process, so that a debugger can follow; a model that hangs is not ended.

    Args:
        model: a class, MODULE:CLASS, or a model type.
        parameters: values that are used instead of invented ones.

    Raises:
        BadInput: if there is no such model.
    """
    from hetwin_core.ensemble.conformance.suite import check_model_type

    return check_model_type(model, parameters)
