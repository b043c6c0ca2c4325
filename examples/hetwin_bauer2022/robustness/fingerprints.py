"""Fingerprints of everything that decides a verdict: episodes, code, scenarios, worlds, engines.

A stored verdict is valid while its fingerprints are unchanged. Code is hashed without comments, docstrings and layout,
and only models of the approach are included, so that a change of one model invalidates no other verdicts.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points, version
from importlib.util import find_spec
from pathlib import Path

import yaml

from hetwin_bauer2022.evaluation.approaches import RULES, scenario_name, task_of
from hetwin_bauer2022.evaluation.rules import THRESHOLDS
from hetwin_bauer2022.mismatch import Axis, Place
from hetwin_suite.runs import find_scenario, load_scenario, resource

_LENGTH = 16
_ENGINES = ("mujoco-core", "numpy")
_EVALUATION = "hetwin_bauer2022.evaluation"
_MISMATCH = "hetwin_bauer2022.mismatch"
_REALITY = ("hetwin_stand_ins", "hetwin_bauer2022")
_RULE_MODULES = (
    f"{_EVALUATION}.rules",
    "hetwin_bauer2022.containers",
    "hetwin_bauer2022.two_hands.blocked_fingers",
)
_DRAWING_FOLDER = "robustness"
"""Modules that only draw results, and decide no verdict."""


def of_episode(folder: Path) -> str:
    """Return the digest of an episode's files, independent of its path."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:_LENGTH]


def of_recording() -> str:
    """Return the fingerprint of the code that records episodes."""
    digest = hashlib.sha256("".join(map(_of_module, _REALITY)).encode())
    return digest.hexdigest()[:_LENGTH]


@cache
def of_approach(scenario: str, approach: str, axis: Axis | None, physics: str) -> str:
    """Return the fingerprint of everything except the episode.

    Args:
        scenario: scenario of the episodes, which is a task.
        approach: name of the approach.
        axis: axis of the mismatch; None: no mismatch.
        physics: contact settings and engine.
    """
    digest = hashlib.sha256(physics.encode())
    modules = [f"{_EVALUATION}.approaches", f"{_EVALUATION}.judge"]
    if approach in RULES:
        modules += _RULE_MODULES
        digest.update(THRESHOLDS.read_bytes())
    else:
        file = find_scenario(scenario_name(task_of(scenario), approach))
        models = load_scenario(file).models
        digest.update(repr([(plan.name, plan.type) for plan in models]).encode())
        for part in _scenario_files(file):
            digest.update(part.read_bytes())
        modules += ["hetwin_core.ensemble", *_model_modules(plan.type for plan in models)]
        digest.update(" ".join(f"{name} {version(name)}" for name in _ENGINES).encode())
    if axis is not None:
        modules += [*_REALITY, _MISMATCH] if axis.place is Place.REALITY else [_MISMATCH]
        modules.append(type(axis).__module__)
    for module in sorted(set(modules)):
        digest.update(_of_module(module).encode())
    return digest.hexdigest()[:_LENGTH]


def _scenario_files(scenario: Path) -> Iterator[Path]:
    """Yield a scenario, its base scenarios, world and robot."""
    file: Path | None = scenario
    while file is not None:
        yield file
        extended = yaml.safe_load(file.read_text(encoding="utf-8")).get("extends")
        next_to_it = file.parent / extended if extended else None
        file = next_to_it if next_to_it is None or next_to_it.is_file() else find_scenario(extended)
    yield from sorted(resource("worlds").glob("*.sdf"))
    yield resource("urdf") / "two_hand_robot.urdf"


def _model_modules(types: Iterable[str]) -> Iterator[str]:
    """Yield the packages of models, including those of plugins, and their shared packages."""
    for kind in types:
        for point in entry_points(group="hetwin.models", name=kind):
            module = point.module
            parts = module.split(".")
            yield ".".join(parts[:2] if parts[0] == "model_nodes" else parts[:1])
    spec = find_spec("model_nodes")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    modules = (point.module.split(".") for point in entry_points(group="hetwin.models"))
    model_modules = {parts[1] for parts in modules if parts[0] == "model_nodes"}
    for file in sorted(folder.iterdir()) if folder else ():
        if file.stem not in model_modules and (
            file.suffix == ".py" or (file / "__init__.py").exists()
        ):
            yield f"model_nodes.{file.stem}" if file.stem != "__init__" else "model_nodes.__init__"


@cache
def _of_module(name: str) -> str:
    spec = find_spec(name.removesuffix(".__init__"))
    if spec is None or spec.origin is None:
        return name
    origin = Path(spec.origin)
    is_package = origin.name == "__init__.py" and not name.endswith(".__init__")
    files = sorted(origin.parent.rglob("*.py")) if is_package else [origin]
    files = [file for file in files if file.parent.name != _DRAWING_FOLDER]
    digest = hashlib.sha256(name.encode())
    for file in files:
        digest.update(file.relative_to(origin.parent).as_posix().encode())
        digest.update(_of_code(file.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()


def _of_code(text: str) -> str:
    """Return the code without comments, docstrings and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [
                part
                for part in node.body
                if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            ]
    return ast.dump(tree)
