"""hetwin's front door: how to write models, run scenarios and read episodes from Python.

For example::

    import hetwin_suite
    from hetwin_suite.episode import at, on, open_episode

    summary = hetwin_suite.run("pick_and_place", out="runs/today")
    open_episode(summary.log).holds(on("box", "tray"), at(12.0))

`run` and what models need are here; everything else is in a module of its own:

- `hetwin_suite.runs`: run a scenario, and take runs in hand while they go on,
- `hetwin_suite.episode`: read, ask and compare episodes; write recordings,
- `hetwin_suite.study`: many runs,
- `hetwin_suite.robot`: motions, programs and skills of robots; stand-ins for real ones,
- `hetwin_suite.mismatch`: ways in which reality and twin differ,
- `hetwin_suite.engine`: physics without an ensemble,
- `hetwin_suite.page`: pages, plots and pictures,
- `hetwin_suite.machines`: networks of state machines.

What they list in `__all__` is the API that version numbers promise: within a major version nothing of it is
taken away or changes its meaning. Everything else, in this package and in those that it stands on, may move from one
release to the next. Importing this package loads none of them.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_core.ensemble.conformance.result import CheckResult as CheckResult
    from hetwin_core.ensemble.errors import BadInput as BadInput
    from hetwin_core.ensemble.errors import HetwinError as HetwinError
    from hetwin_core.ensemble.errors import Refused as Refused
    from hetwin_core.ensemble.errors import RunFailed as RunFailed
    from hetwin_core.ensemble.events import Event as Event
    from hetwin_core.ensemble.events import EventKind as EventKind
    from hetwin_core.ensemble.events import Json as Json
    from hetwin_core.ensemble.expressions.evaluators import scene_only as scene_only
    from hetwin_core.ensemble.model import AttributeStart as AttributeStart
    from hetwin_core.ensemble.model import Contribution as Contribution
    from hetwin_core.ensemble.model import Model as Model
    from hetwin_core.ensemble.model import ModelDescription as ModelDescription
    from hetwin_core.ensemble.model import ModelKind as ModelKind
    from hetwin_core.ensemble.model import Request as Request
    from hetwin_core.ensemble.model import RequestKind as RequestKind
    from hetwin_core.ensemble.model import StepInput as StepInput
    from hetwin_core.ensemble.model import StepOutput as StepOutput
    from hetwin_core.ensemble.model import Stepping as Stepping
    from hetwin_core.ensemble.parameters import EntityName as EntityName
    from hetwin_core.ensemble.parameters import EntityNames as EntityNames
    from hetwin_core.ensemble.parameters import ModelId as ModelId
    from hetwin_core.ensemble.parameters import ParameterKind as ParameterKind
    from hetwin_core.ensemble.parameters import ParameterRequest as ParameterRequest
    from hetwin_core.ensemble.parameters import Parameters as Parameters
    from hetwin_core.ensemble.parameters import ResolvedHand as ResolvedHand
    from hetwin_core.ensemble.parameters import ResolvedPath as ResolvedPath
    from hetwin_core.ensemble.parameters import ResolvedPose as ResolvedPose
    from hetwin_core.ensemble.parameters import parameter as parameter
    from hetwin_core.ensemble.scene.fidelity import FIDELITY as FIDELITY
    from hetwin_core.ensemble.scene.fidelity import Fidelity as Fidelity
    from hetwin_core.ensemble.scene.hands import HandDescription as HandDescription
    from hetwin_core.ensemble.scene.layout import EVERYTHING as EVERYTHING
    from hetwin_core.ensemble.scene.layout import Entity as Entity
    from hetwin_core.ensemble.scene.layout import EntityKind as EntityKind
    from hetwin_core.ensemble.scene.layout import Layout as Layout
    from hetwin_core.ensemble.scene.layout import Selection as Selection
    from hetwin_core.ensemble.scene.poses import compose as compose
    from hetwin_core.ensemble.scene.poses import extrapolate as extrapolate
    from hetwin_core.ensemble.scene.poses import relative_to as relative_to
    from hetwin_core.ensemble.scene.shapes import Shape as Shape
    from hetwin_core.ensemble.scene.shapes import ShapeKind as ShapeKind
    from hetwin_core.ensemble.scene.snapshot import Snapshot as Snapshot
    from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH as EXTERNAL_WRENCH
    from hetwin_core.ensemble.scene.values import POSE as POSE
    from hetwin_core.ensemble.scene.values import WORLD as WORLD
    from hetwin_core.ensemble.scene.values import AttributeSpec as AttributeSpec
    from hetwin_core.ensemble.scene.values import Floats as Floats
    from hetwin_core.ensemble.scene.values import Meaning as Meaning
    from hetwin_core.ensemble.scene.values import Value as Value
    from hetwin_core.ensemble.scene.values import pose_value as pose_value
    from hetwin_suite.running.api import Summary as Summary
    from hetwin_suite.running.api import check_model as check_model
    from hetwin_suite.running.api import run as run

_HERE = {
    "hetwin_core.ensemble.conformance.result": "CheckResult",
    "hetwin_core.ensemble.errors": "BadInput HetwinError Refused RunFailed",
    "hetwin_core.ensemble.events": "Event EventKind Json",
    "hetwin_core.ensemble.expressions.evaluators": "scene_only",
    "hetwin_core.ensemble.model": "AttributeStart Contribution Model ModelDescription ModelKind Request"
    " RequestKind StepInput StepOutput Stepping",
    "hetwin_core.ensemble.parameters": "EntityName EntityNames ModelId ParameterKind ParameterRequest Parameters"
    " ResolvedHand ResolvedPath ResolvedPose parameter",
    "hetwin_core.ensemble.scene.fidelity": "FIDELITY Fidelity",
    "hetwin_core.ensemble.scene.hands": "HandDescription",
    "hetwin_core.ensemble.scene.layout": "EVERYTHING Entity EntityKind Layout Selection",
    "hetwin_core.ensemble.scene.poses": "compose extrapolate relative_to",
    "hetwin_core.ensemble.scene.shapes": "Shape ShapeKind",
    "hetwin_core.ensemble.scene.snapshot": "Snapshot",
    "hetwin_core.ensemble.scene.values": "EXTERNAL_WRENCH POSE WORLD AttributeSpec Floats Meaning Value pose_value",
    "hetwin_suite.running.api": "Summary check_model run",
}
_HOME_OF = {name: module for module, names in _HERE.items() for name in names.split()}
_MOVED = {
    "episode": "ANY Answer Atom Comparison END Episode NotKnown START Term Variable When at attached compare_runs"
    " connected contact during event fluent held in_container loc moving on open_episode state supporting throughout"
    " visible",
    "robot": "CannotReach Failed JointTrajectory Percept Robot SkillScene Task TrajectoryPoint",
    "mismatch": "BeliefAxis EpisodeFacts HandFacts JointStates RealWorld RealityAxis RecordingAxis TwinAxis TwinFiles",
    "machines": "Watch read_network",
}
_NEW_HOME = {name: f"{__name__}.{home}" for home, names in _MOVED.items() for name in names.split()}
"""Name that was exported here -> the module that has it now. Until version 0.3 it is here, too, with a warning."""

__all__ = sorted(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Import what is exported when it is first used (PEP 562), and what was exported here, with a warning."""
    if name in _HOME_OF:
        found: object = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = found
        return found
    if name not in _NEW_HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _NEW_HOME[name]
    warnings.warn(
        f"{__name__}.{name} is now {home}.{name}; here it goes with version 0.3",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """Every exported name, also those that are not imported yet."""
    return sorted({*globals(), *__all__})
