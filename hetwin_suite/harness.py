"""Load, step and save a single model without a run, for a test bench, a unit test or a measurement.

The conductor loads, steps and saves models with these functions; a test bench can call them for a single model::

    from hetwin_suite.harness import model_class

    monitor = model_class("grasp_monitor")
    print(monitor.summary, [request.name for request in monitor.requests()])

`hetwin_testing` (`pip install "hetwin-suite[testing]"`) is such a bench: it checks that a model fulfils the contract.
"""

from __future__ import annotations

from hetwin_core.ensemble.catalogue import model_class
from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.start.parameters import matching_entities
from hetwin_core.ensemble.conductor.step.outputs import OutputWriter
from hetwin_core.ensemble.model import AttributeStart
from hetwin_core.ensemble.model_abilities import command, release, restore, save, take
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest
from hetwin_core.ensemble.scenario_modules import (
    distrust,
    distrusted_by,
    untrusted_module_error,
    use_modules_in,
)
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.poses import is_pose
from hetwin_core.ensemble.scene.scene import ResponsibilityTable, Scene
from hetwin_core.ensemble.scene.snapshot import proximity_tables
from hetwin_core.ensemble.supervision.heartbeat import where_it_hangs
from hetwin_core.ensemble.supervision.watched import WorkFailed, ending, in_a_child

__all__ = [
    "AttributeStart",
    "HandDescription",
    "MainClock",
    "OutputWriter",
    "ParameterKind",
    "ParameterRequest",
    "ResponsibilityTable",
    "Scene",
    "WorkFailed",
    "command",
    "distrust",
    "distrusted_by",
    "ending",
    "in_a_child",
    "is_pose",
    "matching_entities",
    "model_class",
    "proximity_tables",
    "release",
    "restore",
    "save",
    "take",
    "untrusted_module_error",
    "use_modules_in",
    "where_it_hangs",
]
