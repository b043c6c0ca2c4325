"""hetwin's front door: how to write models, run scenarios and read episodes from Python.

For example::

    import hetwin_suite
    from hetwin_suite.episode import at, on, open_episode

    summary = hetwin_suite.run("pick_and_place", out="runs/today")
    open_episode(summary.log).holds(on("box", "tray"), at(12.0))

`run` is here; everything else is in a module of its own:

- `hetwin_suite.model`: write a model,
- `hetwin_suite.runs`: run a scenario, and take runs in hand while they go on,
- `hetwin_suite.episode`: read and ask episodes; write recordings,
- `hetwin_suite.tables`: episodes as tables,
- `hetwin_suite.study`: many runs,
- `hetwin_suite.robot`: motions, programs and skills of robots; stand-ins for real ones,
- `hetwin_suite.source`: what moves robots, for sources of one's own,
- `hetwin_suite.engine`: physics without an ensemble, and engines of one's own,
- `hetwin_suite.grasp`: a grasp that holds in a MuJoCo world of one's own,
- `hetwin_suite.shapes`: distances and insides of a scene's objects,
- `hetwin_suite.page`: pages, plots and pictures,
- `hetwin_suite.viewer`: runs elsewhere than on the page, while they go on and as files,
- `hetwin_suite.wire`: messages as robots publish and hear them,
- `hetwin_suite.command`: commands of one's own,
- `hetwin_suite.expressions`: expressions of one's own,
- `hetwin_suite.harness`: a model outside of runs.

The names in their `__all__` are the API that version numbers promise: within a major version nothing of it is taken
away or changes its meaning. Everything else, in this package and in those that it stands on, may move from one
release to the next. Importing this package loads none of them.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_suite.running.api import Summary as Summary
    from hetwin_suite.running.api import run as run

_CORE = "hetwin_core.ensemble"
_MOVED = {
    "hetwin_suite.model": "AttributeSpec BadInput EXTERNAL_WRENCH Entity EntityKind EntityName EntityNames"
    " Event EventKind FIDELITY Fidelity Floats Json Layout Meaning ModelId POSE Parameters Refused RunFailed Selection"
    " Shape ShapeKind Snapshot Stepping Value WORLD compose extrapolate parameter pose_value relative_to"
    " scene_only",
    "hetwin_suite.runs": "HetwinError",
    "hetwin_suite.episode": "ANY Answer Atom END Episode NotKnown START Term Variable When at attached"
    " connected contact during event fluent held in_container loc moving on open_episode state supporting"
    " throughout visible",
    "hetwin_suite.robot": "CannotReach Failed JointTrajectory Percept Robot SkillScene Task TrajectoryPoint",
    "hetwin_bauer2022.mismatch": "BeliefAxis EpisodeFacts HandFacts JointStates RealWorld RealityAxis RecordingAxis"
    " TwinAxis TwinFiles",
    "hetwin_compare": "Comparison compare_runs",
    "hetwin_machines": "Watch read_network",
    "hetwin_testing": "CheckResult check_model",
    # of the contract of models in version 0.1
    f"{_CORE}.former_model": "Contribution Model ModelDescription ModelKind ResolvedHand ResolvedPath ResolvedPose"
    " StepInput StepOutput",
    f"{_CORE}.model": "AttributeStart Request RequestKind",
    f"{_CORE}.parameters": "ParameterKind ParameterRequest",
    f"{_CORE}.scene.hands": "HandDescription",
    f"{_CORE}.scene.layout": "EVERYTHING",
}
_HOME = {name: home for home, names in _MOVED.items() for name in names.split()}
"""Name that was exported here -> the module that has it. Until version 0.3 it is here, too, with a warning."""
_EXTRAS = {
    "hetwin_machines": "machines",
    "hetwin_bauer2022.mismatch": "examples",
    "hetwin_testing": "testing",
    "hetwin_compare": "compare",
}
"""Homes that are packages of their own -> the extras that install these."""

__all__ = ["Summary", "run"]


def __getattr__(name: str) -> object:
    """Import exported names when they are first used (PEP 562), and formerly exported ones with a warning."""
    if name in __all__:
        found: object = getattr(import_module("hetwin_suite.running.api"), name)
        globals()[name] = found
        return found
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    now = (
        f"is now {home}.{name}"
        if not home.startswith(_CORE)
        else "is replaced in hetwin_suite.model"
    )
    warnings.warn(
        f"{__name__}.{name} {now}; here it goes with version 0.3", DeprecationWarning, stacklevel=2
    )
    if home in _EXTRAS:
        from hetwin_core.ensemble.installed import library_of

        needed = f"{name} is in a package of its own"
        return getattr(library_of(_EXTRAS[home], home, needed), name)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """Every exported name, also those that are not imported yet."""
    return sorted({*globals(), *__all__})
