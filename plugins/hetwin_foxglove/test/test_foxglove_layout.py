"""The layout for Foxglove without ROS shows what is served."""

from __future__ import annotations

import json
import re

import pytest

from hetwin_foxglove.services import TYPES, read_request, service_schemas
from hetwin_suite.command import resource

pytest.importorskip("foxglove", reason="the extra foxglove is not installed")

from support.small_run import SmallRun

from hetwin_foxglove.library import foxglove
from hetwin_foxglove.recorded import RunReader


def test_its_topics_and_services_are_there(small_run: SmallRun) -> None:
    text = (resource("launch") / "foxglove_direct_layout.json").read_text(encoding="utf-8")
    layout = json.loads(text)
    panels = layout["configById"]
    assert json.dumps(layout["layout"]).count("!") == len(panels)
    channels = RunReader(small_run.out).channels(foxglove().Context())
    calls = [panel for name, panel in panels.items() if name.startswith("CallService!")]
    others = [panel for name, panel in panels.items() if not name.startswith("CallService!")]
    topics = set(re.findall(r'"(/[\w/]+)', json.dumps(others)))
    assert topics <= channels.names
    assert {"/hetwin/markers", "/hetwin/contacts", "/hetwin/responsibilities"} <= topics
    for call in calls:
        request, _ = service_schemas(TYPES[call["serviceName"]])
        read_request(call["requestPayload"].encode(), request)
    assert {call["buttonText"] for call in calls} >= {"Pause", "Go on", "Step 40"}
