"""Viewers of one's own: they show runs, or write them as files, for tools that people have.

A format is a function that writes a run that is over; an entry point `hetwin.formats` names it by the ending of its
files, and `hetwin show RUN --out X.json` calls it::

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

A `Viewer` shows runs while they go on, too; an entry point `hetwin.viewers` names it, and `hetwin run --viewer NAME`
and `hetwin show RUN --viewer NAME` call it. It is given a `Feed`, from which it takes the data to show, and
`Hands`, with which a run is paused, stepped and handed over. A `RunEncoder` turns states into the messages that a log
holds; `Doors` keeps foreign web pages out of a server.
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
from hetwin_suite.view.live.doors import LOOPBACK, Doors
from hetwin_suite.view.live.feed import Begun, Feed, Happening, HappeningKind, Now, Over, Phase
from hetwin_suite.view.live.hands import Deed, GoOn, HandOver, Hands, HoldTo, Pause, Raise, Step
from hetwin_suite.view.palette import model_colours, rgb
from hetwin_suite.view.viewers import Shown, Viewer

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
    "Begun",
    "Deed",
    "Doors",
    "Encoded",
    "Feed",
    "GoOn",
    "HandOver",
    "Hands",
    "Happening",
    "HappeningKind",
    "HoldTo",
    "ModelRecord",
    "Now",
    "Over",
    "Pause",
    "Phase",
    "Raise",
    "RunEncoder",
    "Shown",
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
