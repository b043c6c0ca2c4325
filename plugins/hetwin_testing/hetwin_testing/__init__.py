"""Tests with hetwin: recordings that a twin judges in pytest, and the conformance suite of models.

A file ``NAME.hetwin.yaml`` beside tests lists recordings, scenarios and expectations (`docs/ci.md`). In Python, the
fixture `twin` replays recordings, and `check_model` checks a model::

    from hetwin_testing import Twin, check_model


    def test_the_box_is_delivered(twin: Twin) -> None:
        twin.run("pick_and_place").expect('holds(on("box", "tray"), at(end))', verdict="fine")


    def test_the_contract() -> None:
        assert all(result.ok for result in check_model("rigid_grasp"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_testing.fixture import CheckResult as CheckResult
    from hetwin_testing.suite import check_model as check_model
    from hetwin_testing.twin import DoesNotHold as DoesNotHold
    from hetwin_testing.twin import Twin as Twin
    from hetwin_testing.twin import TwinRun as TwinRun

_HOMES = {
    "CheckResult": "fixture",
    "DoesNotHold": "twin",
    "Twin": "twin",
    "TwinRun": "twin",
    "check_model": "suite",
}
"""Name -> module in this package, imported when the name is first used."""

__all__ = ["CheckResult", "DoesNotHold", "Twin", "TwinRun", "check_model"]


def __getattr__(name: str) -> object:
    """Import an exported name when it is first used (PEP 562), so that every pytest starts without it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
