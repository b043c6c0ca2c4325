"""Values in what JSON knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def plain(value: object) -> Any:
    """The same as dictionaries, lists, texts and finite numbers; other numbers become null, the rest text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
