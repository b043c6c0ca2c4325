"""Runs of a scenario, with control while they run.

`hetwin_suite.run` runs a scenario as the command `hetwin run` does, with a log in a folder. A session runs a scenario
in this process and calls its listeners; between two steps it can be inspected, changed and stopped::

    from hetwin_suite.runs import RunOptions, session

    heights = []
    run = session(
        "pick_and_place",
        options=RunOptions(duration=0.2),
        at_barrier=lambda now: heights.append(now.scene.pose("box")[2]),
    )
    print(run.run().ended, max(heights))
"""

from __future__ import annotations

from hetwin_core.ensemble.catalogue import model_types
from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.concerns import Severity, concerns_of, verdict_of
from hetwin_core.ensemble.conductor.reporting.coverage import parse_claims, unmet_claims
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
    handover_row,
)
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.parameters import parameters_of
from hetwin_core.ensemble.conductor.start.shared_keys import merged_scene
from hetwin_core.ensemble.conductor.start.sources import LIVE, source_specs
from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.events import event_from_summary
from hetwin_core.ensemble.installed import import_library
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.ensemble.supervision.watched import end_with_parent
from hetwin_core.ensemble.triggers.evaluation import BoundTrigger, Evaluation
from hetwin_core.ensemble.triggers.schema import OnAction, OnEvent
from hetwin_core.ensemble.triggers.trigger import Trigger
from hetwin_core.ensemble.words import (
    event_line,
    event_words,
    failure_row_words,
    is_routine_touch,
    seconds,
)
from hetwin_core.episodes.log_writer import RunLog

__all__ = [
    "LIVE",
    "BadInput",
    "BetweenSteps",
    "BoundTrigger",
    "Checkpoint",
    "Conductor",
    "Evaluation",
    "Handover",
    "HetwinError",
    "ModelPlan",
    "OnAction",
    "OnEvent",
    "RunFailed",
    "RunListener",
    "RunLog",
    "RunOptions",
    "RunStart",
    "RunSummary",
    "Scenario",
    "Severity",
    "Trigger",
    "concerns_of",
    "end_with_parent",
    "event_from_summary",
    "event_line",
    "event_words",
    "failure_row_words",
    "find_scenario",
    "handover_row",
    "import_library",
    "is_routine_touch",
    "load_scenario",
    "merged_scene",
    "model_types",
    "one_of",
    "parameters_of",
    "parse_claims",
    "resource",
    "say",
    "seconds",
    "session",
    "source_specs",
    "unmet_claims",
    "verdict_of",
]
