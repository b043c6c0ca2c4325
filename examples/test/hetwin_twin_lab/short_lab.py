"""The lab with one mission, which follows a path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from hetwin_suite.runs import find_scenario

SCENARIO = find_scenario("twin_lab")
_L2 = """
inputs: [result]
events: [reported]
outputs: [give, mission, target, over]
advance: once
machines:
  deliberation:
    initial: START
    init: {give: false, mission: 2, target: 2, over: false}
    states:
      START:
        - {if: "true", do: {give: true}, to: GIVE}
      GIVE:
        - {if: "true", do: {give: false}, to: WAIT}
      WAIT: []
"""


def short_lab(folder: Path, timeout: float = 16.0) -> Path:
    """Write a lab whose only mission is to follow a path; its link waits so long for answers [s]."""
    (folder / "l2.yaml").write_text(_L2, encoding="utf-8")
    text = SCENARIO.read_text(encoding="utf-8")
    for old, new in (
        ("file: scenarios/networks/lab_l2.yaml", "file: l2.yaml"),
        ("real: real, timeout: 16.0", f"real: real, timeout: {timeout!r}"),
    ):
        assert old in text
        text = text.replace(old, new)
    lab = folder / "short.yaml"
    lab.write_text(text, encoding="utf-8")
    return lab


def changed_lab(folder: Path, variant: str, **models: Any) -> Path:
    """Write a variant of the lab in which some parameters of models are others, by model."""
    data = yaml.safe_load(SCENARIO.read_text(encoding="utf-8"))
    chosen = data["variants"][variant]
    for name, parameters in models.items():
        entry = chosen["models"].setdefault(name, {})
        chosen["models"][name] = parameters and {
            **entry,
            "parameters": {**entry.get("parameters", {}), **parameters},
        }
    lab = folder / "changed.yaml"
    lab.write_text(yaml.safe_dump({**data, "variants": {variant: chosen}}), encoding="utf-8")
    return lab
