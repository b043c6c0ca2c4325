"""Scenarios that extend another one and change some of its keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from hetwin_suite.runs import load_scenario


def with_parameters(
    path: Path, variant: str | None, parameters: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a scenario's key `models` with some parameters changed; the value None removes a parameter."""
    models = deepcopy(load_scenario(path, variant).document.data["models"])
    for name, values in parameters.items():
        merged = {**models[name].get("parameters", {}), **values}
        models[name]["parameters"] = {k: v for k, v in merged.items() if v is not None}
    return {"models": models}


def extending_yaml(path: Path, keys: Mapping[str, Any], folder: Path | None = None) -> str:
    """Return the YAML of a scenario that extends another one.

    Args:
        path: path of the scenario to extend.
        keys: changed keys.
        folder: folder of the new file; None: the new scenario names the other one by its absolute path.
    """
    base = path if folder is None else Path(os.path.relpath(path, folder))
    data = {"extends": str(base), **keys}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
