"""Custom viewers and file formats, which show runs in other tools.

A format is a function that writes a finished run as a file. An entry point of the group `hetwin.formats`, whose name is
the ending of such files, names the function, and `hetwin show RUN --out X.json` calls it::

    import json
    from pathlib import Path

    from hetwin_suite.command import Result, write_text
    from hetwin_suite.episode import open_episode
    from hetwin_suite.viewer import model_colours


    def write_owners(run: Path, file: Path) -> Result:
        episode = open_episode(run)
        colours = model_colours(episode.models)
        rows = [
            [span.from_ns / 1e9, entity, colours[span.model]]
            for (entity, _), spans in episode.responsibilities.items()
            for span in spans
        ]
        write_text(file, json.dumps(rows), "the owners")
        return Result({"rows": len(rows)}, [f"{file}: {len(rows)} rows"])

A `Viewer` shows live and finished runs. An entry point of the group `hetwin.viewers` names it, and `hetwin run --viewer
NAME` and `hetwin show RUN --viewer NAME` use it. It reads the data to show from a `Feed`, and pauses, steps and
otherwise controls the run through `RunControls`. A `RunEncoder` converts states to the messages of a log; `AccessRules`
keeps foreign web pages out of a server.
"""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.topics import (
    CONTACTS,
    DIAGNOSTICS,
    EVENTS,
    HANDOVERS,
    MARKERS,
    REGISTRY,
    RESPONSIBILITIES,
    STATIC_TRANSFORMS,
    TRANSFORMS,
    Encoded,
    Topic,
)
from hetwin_core.episodes.encoder import RunEncoder
from hetwin_core.episodes.messages import definition, typestore
from hetwin_core.episodes.periodic_messages import contact_lines
from hetwin_core.episodes.run_messages import event as event_messages
from hetwin_core.episodes.run_messages import handover as handover_message
from hetwin_core.episodes.run_messages import note as note_message
from hetwin_core.episodes.run_messages import registry as registry_message
from hetwin_suite.view.live.doors import LOOPBACK, AccessRules
from hetwin_suite.view.live.feed import (
    Feed,
    Happening,
    HappeningKind,
    LiveState,
    Phase,
    RunEnd,
    RunFacts,
)
from hetwin_suite.view.live.hands import (
    Control,
    HandOver,
    Pause,
    Raise,
    Resume,
    RunControls,
    SetPace,
    Step,
)
from hetwin_suite.view.palette import model_colours, rgb
from hetwin_suite.view.viewers import ShownRun, Viewer

__all__ = [
    "CONTACTS",
    "DIAGNOSTICS",
    "EVENTS",
    "HANDOVERS",
    "LOOPBACK",
    "MARKERS",
    "REGISTRY",
    "RESPONSIBILITIES",
    "STATIC_TRANSFORMS",
    "TRANSFORMS",
    "AccessRules",
    "Control",
    "Encoded",
    "Feed",
    "HandOver",
    "Happening",
    "HappeningKind",
    "LiveState",
    "ModelRecord",
    "Pause",
    "Phase",
    "Raise",
    "Resume",
    "RunControls",
    "RunEncoder",
    "RunEnd",
    "RunFacts",
    "SetPace",
    "ShownRun",
    "Step",
    "Topic",
    "Viewer",
    "contact_lines",
    "definition",
    "event_messages",
    "handover_message",
    "model_colours",
    "note_message",
    "registry_message",
    "rgb",
    "typestore",
]
