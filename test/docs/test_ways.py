"""The ways of four data through the code, as the reference lists them: followed in real runs."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from support.recorded_bags import MS, annotation, joints, write_bag
from support.ways import ROOT, Holds, Way, followed

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Changes, MainChanges, MainTick, Tick
from hetwin_core.ensemble.parameters import Parameters
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.scenario.schema import ModelEntry, ScenarioFile
from hetwin_core.ensemble.scenario.strict_yaml import Document
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.log_writer import RunLog
from model_nodes.main_physics.sources.joint_messages import JointSample
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.joint_table import Group, RawSamples
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.sources.recorded_motion import RecordedJoints

PAGE = ROOT / "docs" / "reference" / "ways.md"
LONGEST = 13
POSITION = 1.2345678901
OPERATION = "marked_operation"
DWELL = 0.0512345
STEP, STEP_NS = 152, 380_000_000
_PERIOD = 17 * MS
"""Of the recording: no sample is at the time of the step that is followed."""
_SAMPLES = 24
_JOINTS = (
    *("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"),
    *("wrist_roll_joint", "wrist_pitch_joint", "hand_roll_joint"),
    *("gripper_left_finger_joint", "gripper_right_finger_joint"),
)
_SCENARIO = f"""
extends: pick_and_place
models:
  grasp: {{type: grasp_monitor, rate: 50, parameters: {{hand: gripper, dwell: {DWELL}}}}}
triggers:
  - name: follows
    on: {{action: "*"}}
    do: [{{raise: {{event: done, arguments: {{what: $event.name}}}}}}]
"""


def _inside(holds: Holds, value: object, *carriers: type, depth: int = 7) -> bool:
    """Whether a value, or what is in it, is the datum.

    Args:
        holds: whether it is.
        value: looked into if it is a short list or mapping, or one of the carriers.
        carriers: types.
        depth: so far.
    """
    if holds(value):
        return True
    within: Sequence[object] = ()
    if isinstance(value, list | tuple):
        within = value
    elif type(value) is dict:  # no class of a library, which may warn
        within = list(value.values())
    elif isinstance(value, carriers):
        within = [getattr(value, name, None) for name in _attributes(value)]
    return depth > 0 and any(_inside(holds, one, *carriers, depth=depth - 1) for one in within)


def _attributes(value: object) -> Iterator[str]:
    yield from getattr(value, "__dict__", ())
    yield from getattr(value, "__dataclass_fields__", ())


def _is_sample(value: object) -> bool:
    """Whether it is the marked position, or an array or message with it."""
    if isinstance(value, np.ndarray):
        return value.dtype == np.float64 and bool((value == POSITION).any())
    if isinstance(value, bytes | bytearray | memoryview):
        return struct.pack("<d", POSITION) in bytes(value)
    return value == POSITION if isinstance(value, float) else False


def _is_event(value: object) -> bool:
    """Whether it is the marked event, or text or a message with its name."""
    if isinstance(value, bytes | bytearray | memoryview):
        return OPERATION.encode() in bytes(value)
    return value.name == OPERATION if isinstance(value, Event) else False


def _is_parameter(value: object) -> bool:
    """Whether it is the marked number, or a text with it."""
    if isinstance(value, str):
        return f"dwell: {DWELL}" in value
    return value == DWELL if isinstance(value, float) else False


def _is_step(value: object) -> bool:
    """Whether it is the number or the time of the step, or what is handed over in it."""
    if isinstance(value, Tick | MainTick | Changes | MainChanges | Snapshot):
        return value.time_ns == STEP_NS
    return value in (STEP, STEP_NS) if type(value) is int else False


@dataclass(frozen=True)
class Datum:
    """A datum that is followed: how it is known, in what it is carried, and what hands it over without a value."""

    heading: str
    holds: Holds
    carriers: tuple[type, ...] = ()
    bare: tuple[str, ...] = ()


DATA = (
    Datum(
        "A joint sample",
        _is_sample,
        (JointSample, Group, RawSamples, Series, RecordedJoints, JointMotion),
    ),
    Datum("An event", _is_event, (MainChanges, Changes)),
    Datum(
        "A parameter",
        _is_parameter,
        (Document, ScenarioFile, ModelEntry, ModelPlan, Scenario, Parameters),
    ),
    Datum("A step", _is_step, bare=("step", "stretch")),
)


def _listed(heading: str) -> list[str]:
    """The files that the page lists on a way."""
    _, _, section = PAGE.read_text().partition(f"## {heading}\n")
    assert section, f"{PAGE} has no section {heading!r}"
    return re.findall(r"^\d+\. `([\w/]+\.py)`: ", re.split(r"\n##", section)[0], re.MULTILINE)


def _recording(folder: Path) -> Path:
    """The joints of the tabletop arm, one of them at the marked position for a while, and an annotation."""
    messages = []
    for i in range(_SAMPLES):
        elbow = POSITION if 4 <= i <= 7 else 1.2 + 0.001 * i
        positions = [elbow if joint == "elbow_joint" else 0.0 for joint in _JOINTS]
        messages.append(joints(i * _PERIOD, _JOINTS, positions))
    messages.insert(3, annotation(3 * _PERIOD - MS, OPERATION, "begin"))
    return write_bag(folder, messages)


@pytest.fixture
def run(tmp_path: Path) -> Callable[[], None]:
    """Reads a scenario and runs it on a recording, with its log; both hold what is marked."""
    recording = _recording(tmp_path / "recording")
    scenario = tmp_path / "marked.yaml"
    scenario.write_text(_SCENARIO)

    def run() -> None:
        read = load_scenario(scenario)
        options = RunOptions(source=str(recording), engine="mujoco")
        summary = session(read, options=options, listeners=[RunLog(tmp_path / "run")]).run()
        assert summary.ended == "recording", summary.error
        assert {"name": "done", "what": OPERATION}.items() <= _done(summary.events).items()

    return run


def _done(events: Sequence[Mapping[str, object]]) -> dict[str, object]:
    arguments = next(e["arguments"] for e in events if e["name"] == "done")
    assert isinstance(arguments, Mapping)
    return {"name": "done", **arguments}


@pytest.mark.parametrize("datum", DATA, ids=lambda datum: datum.heading)
def test_the_page_lists_the_way(datum: Datum, run: Callable[[], None]) -> None:
    files = _listed(datum.heading)
    assert 2 < len(files) <= LONGEST
    begin = files[0] if datum.bare else ""  # the time of a step is known before it begins
    with followed(
        lambda value: _inside(datum.holds, value, *datum.carriers), datum.bare, begin
    ) as way:
        run()
    assert [file for file in way.met if file in files] == files
    unhanded = [
        file
        for i, file in enumerate(files[1:], 1)
        if not any((giver, file) in way.handed for giver in ("", *files[:i]))
    ]
    assert not unhanded
    assert not way.between(files)
    assert files[1] in way.between([files[0], *files[2:]])


def test_a_file_is_missing_if_it_hands_on_to_a_later_one() -> None:
    way = Way(lambda value: False)
    way.handed = {("a", "x"), ("x", "y"), ("y", "b"), ("a", "helper"), ("helper", "a"), ("b", "c")}
    assert way.between(["a", "b", "c"]) == {"x", "y"}
    assert way.between(["a", "x", "y", "b", "c"]) == set()
