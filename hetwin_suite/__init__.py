"""hetwin's front door: how to write models, run scenarios and read episodes from Python.

For example::

    import hetwin_suite
    from hetwin_suite.episode import at, on, open_episode

    summary = hetwin_suite.run("pick_and_place", out="runs/today")
    open_episode(summary.log).holds(on("box", "tray"), at(12.0))

`run` is here; everything else is in a module of its own:

- `hetwin_suite.model`: write a model,
- `hetwin_suite.runs`: run a scenario, and control it while it runs,
- `hetwin_suite.episode`: read and query episodes; write recordings,
- `hetwin_suite.tables`: episodes as tables,
- `hetwin_suite.study`: many runs,
- `hetwin_suite.robot`: kinematics and motions of robots; stand-ins for real ones,
- `hetwin_suite.source`: custom motion sources of robots,
- `hetwin_suite.engine`: physics without an ensemble, and custom engines,
- `hetwin_suite.shapes`: distances between a scene's objects, and points inside of them,
- `hetwin_suite.page`: pages, plots and pictures,
- `hetwin_suite.viewer`: external viewers of live runs and of episodes,
- `hetwin_suite.wire`: messages that robots publish and receive,
- `hetwin_suite.command`: custom commands,
- `hetwin_suite.expressions`: expressions in custom files,
- `hetwin_suite.harness`: a model that is stepped without a run, for tests.

The names in their `__all__` are the public API: within a major version no name is removed and none changes its
meaning. Everything else, in this package and in the packages below it, may change with each release. Importing this
package imports none of these modules.
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
    "hetwin_suite.robot": "JointTrajectory TrajectoryPoint",
    "hetwin_programs": "CannotReach Failed Percept Robot SkillScene Task",
    "hetwin_bauer2022.mismatch": "BeliefAxis EpisodeFacts HandFacts JointStates RealWorld RealityAxis RecordingAxis"
    " TwinAxis TwinFiles",
    "hetwin_compare": "Comparison compare_runs",
    "hetwin_machines": "Watch read_network",
    "hetwin_testing": "CheckResult check_model",
    # the model contract of version 0.1
    f"{_CORE}.former_model": "Contribution Model ModelDescription ModelKind ResolvedHand ResolvedPath ResolvedPose"
    " StepInput StepOutput",
    f"{_CORE}.model": "AttributeStart Request RequestKind",
    f"{_CORE}.parameters": "ParameterKind ParameterRequest",
    f"{_CORE}.scene.hands": "HandDescription",
    f"{_CORE}.scene.layout": "EVERYTHING",
}
_HOME = {name: home for home, names in _MOVED.items() for name in names.split()}
"""Name that this package once exported -> its module. Importing it from here still works until version 0.3, with a
warning."""
_EXTRAS = {
    "hetwin_machines": "machines",
    "hetwin_bauer2022.mismatch": "examples",
    "hetwin_testing": "testing",
    "hetwin_compare": "compare",
    "hetwin_programs": "programs",
}
"""Module of a separate package -> the extra that installs the package."""

__all__ = ["Summary", "run"]


def __getattr__(name: str) -> object:
    """Import an exported name on first use (PEP 562); a formerly exported name raises a DeprecationWarning."""
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
        f"{__name__}.{name} {now}; version 0.3 removes it here", DeprecationWarning, stacklevel=2
    )
    if home in _EXTRAS:
        from hetwin_core.ensemble.installed import import_library

        needed = f"{name} is in a package of its own"
        return getattr(import_library(_EXTRAS[home], home, needed), name)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """All exported names, including those not yet imported."""
    return sorted({*globals(), *__all__})
