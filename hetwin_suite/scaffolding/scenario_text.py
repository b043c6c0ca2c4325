"""The text of a scenario for a recording, with comments for the user who edits it."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from hetwin_suite.scaffolding.choosing_robot import RECORDED_FILE
from hetwin_suite.scaffolding.hands import FoundHand
from hetwin_suite.scaffolding.new_scenario import Draft
from model_nodes.main_physics.sources.joint_table import USUAL_TOPIC
from model_nodes.main_physics.sources.recording import RecordedTopic
from model_nodes.main_physics.sources.reports.by_type import reader_of

TABLE, BOX = "table.sdf", "box.sdf"
OBJECTS = "objects"
TABLE_HEIGHT = 0.02
"""Thickness of the example's table top [m]."""
TABLE_OFFSET = 0.2
"""Horizontal distance of the table's middle beyond the box, seen from the robot [m]."""
BOX_SIZE = 0.04
"""Size of the example's box if the fingers do not show a width [m]."""
MIN_BOX = 0.005
"""Minimum width between the fingers that is taken as size of the box [m]."""
_MAX_PARENTS = 2
"""Maximum number of parent folders in a relative path; beyond that, the path is absolute."""
_WIDTH = 100
_VALUES = re.compile(r"std_msgs/msg/(U?Int\d+|String)")
_COLUMN = 40
_MAX_NAMED = 16
"""Maximum number of names in a comment."""


def scenario_text(draft: Draft, out: Path) -> str:
    """Return the YAML text of a scenario.

    Args:
        draft: content of the scenario.
        out: folder of the scenario's file, for relative paths.
    """
    return "\n".join(line.rstrip() for line in _lines(draft, out)) + "\n"


def _lines(draft: Draft, out: Path) -> Iterator[str]:
    recording, robot = draft.recording, draft.body.name
    yield f"# A twin of {robot} as it was recorded in {recording.path.name}: {recording.duration_s:.1f} s,"
    yield f"# {len(draft.chosen.matching.joints)} joints. Written by `hetwin new`; it is yours to edit:"
    yield f"#   hetwin check {draft.name}.yaml     checks it"
    yield f"#   hetwin run {draft.name}.yaml       runs it"
    yield f"scenario: {_flow(draft.name)}"
    yield f"description: {_flow(f'The recorded joints of {robot} move its twin.')}"
    yield ""
    yield _with_comment(
        "world: worlds/empty.sdf", "a floor; to add what else stands there, see below"
    )
    yield from _robot(draft, out)
    yield _with_comment("rate: 400", "steps of the physics per simulated second")
    yield ""
    yield from _source(draft, out)
    if draft.hands:
        yield ""
        yield from _hands(draft)
    yield ""
    yield from _models(draft)
    yield ""
    yield from _objects(draft)


def _robot(draft: Draft, out: Path) -> Iterator[str]:
    yield "robot:"
    chosen = draft.chosen
    reference = chosen.robot.reference or relative(chosen.robot.file, out)
    yield f"  urdf: {_flow(RECORDED_FILE if chosen.description else reference)}"
    why = ": nothing of it is ever below the floor" if draft.height else ""
    yield _with_comment(f"  pose: [0, 0, {draft.height:g}, 1, 0, 0, 0]", f"x y z, qw qx qy qz{why}")
    if draft.start:
        yield _with_comment(
            "  joints_at_start:", "joints that were not recorded, and cannot be at 0"
        )
        for name, value in draft.start.items():
            yield f"    {_flow(name)}: {value:g}"
    if draft.packages:
        yield _with_comment("packages:", "where the files of a package:// are")
        for name, folder in draft.packages.items():
            yield f"  {_flow(name)}: {_flow(relative(Path(folder), out))}"


def _source(draft: Draft, out: Path) -> Iterator[str]:
    recording, matching = draft.recording, draft.chosen.matching
    yield "source:"
    yield f"  recording: {_flow(relative(recording.path, out))}"
    if draft.topics and draft.topics != (USUAL_TOPIC,):
        yield f"  joint_states: {_flow(list(draft.topics))}"
    for key, value in draft.reading.keys().items():
        yield f"  {key}: {_flow(value)}"
    if matching.renamed:
        yield _with_comment("  joints:", "name in the recording: name of the robot")
        for recorded, own in matching.renamed.items():
            yield f"    {_flow(recorded)}: {_flow(own)}"
    if draft.only_recorded:
        yield from _names_comment("  # not of this robot:", draft.only_recorded)
    if draft.only_model:
        yield from _names_comment("  # not recorded, they stay where they are:", draft.only_model)
    reports = [
        name for name, topic in recording.topics.items() if topic.count and reader_of(topic.type)
    ]
    if reports:
        yield from _names_comment(
            "  # also read, reports of actions, grippers, controllers, trees:", reports
        )
    values = [topic.name for topic in recording.topics.values() if _may_annotate(topic)]
    if values:
        yield "  # If a topic says what the robot's program does, its values can become operations:"
        yield "  # annotations:"
        for name in values[:2]:
            yield f"  #   - topic: {_flow(name)}"
            yield "  #     map: {1: reach, 2: {operation: move_hand, arguments: {hand: HAND}}}"


def _may_annotate(topic: RecordedTopic) -> bool:
    """Whether the values of a topic may be actions of the robot's program."""
    return _VALUES.fullmatch(topic.type) is not None and topic.count > 1


def _hands(draft: Draft) -> Iterator[str]:
    recorded = {*draft.chosen.matching.joints.values()}
    yield "hands:"
    for hand in draft.hands:
        x, y, z = hand.offset
        yield f"  {hand.name}:  # {hand.kind}"
        if hand.unsure:
            yield from _comment("    #", hand.unsure.split(" "), "")
        yield f"    link: {_flow(hand.link)}"
        yield _with_comment(
            f"    offset: [{x:g}, {y:g}, {z:g}, 1, 0, 0, 0]", "between the finger tips"
        )
        if not hand.joints:
            continue
        if recorded.isdisjoint(hand.joints):
            yield "    # its fingers were not recorded"
            continue
        for key in ("joints", "opened", "closed"):
            yield from _wrapped(f"    {key}: ", list(getattr(hand, key)))


def _models(draft: Draft) -> Iterator[str]:
    hands = [hand for hand in draft.hands if hand.name in draft.watched]
    yield "models:"
    yield "  physics: {type: main_physics, main: true}"
    if not hands:
        return
    for hand in hands:
        grasp, holding = _names_of_models(hand, hands)
        parameters = f"parameters: {{hand: {hand.name}}}"
        yield f"  # whether {hand.name} holds something, and what moves it then"
        yield f"  {grasp}: {{type: grasp_monitor, rate: 50, {parameters}}}"
        yield f"  {holding}: {{type: rigid_grasp, rate: 100, {parameters}}}"
    yield "  # says what was picked up and put down"
    yield "  handling: {type: handling_observer, rate: 100}"
    yield ""
    yield "responsibilities:"
    yield '  - {entity: "*", attribute: pose, model: physics}'
    yield ""
    yield "triggers:"
    for hand in hands:
        grasp, holding = _names_of_models(hand, hands)
        yield f"  - name: {grasp}_begins"
        yield f"    on: {{event: {grasp}.grip_closed}}"
        yield '    if: "held_object(event.hand) == null"'
        yield "    do:"
        yield f"      - hand_over: {{entity: $event.object, attribute: pose, to: {holding}}}"
        yield f"  - name: {grasp}_ends"
        yield f"    on: {{event: {grasp}.grip_lost}}"
        yield "    do:"
        yield "      - hand_over: {entity: $event.object, attribute: pose, to: physics}"


def _names_of_models(hand: FoundHand, hands: Sequence[FoundHand]) -> tuple[str, str]:
    return (
        ("grasp", "holding") if len(hands) == 1 else (f"grasp_{hand.name}", f"holding_{hand.name}")
    )


def _objects(draft: Draft) -> Iterator[str]:
    x, y, z = (0.6, 0.0, 0.4)
    yield "# A table and a box on it: take the `# ` away, and say where they are."
    if draft.grasp is not None:
        x, y, z = draft.grasp.position
        yield f"# (The box is where {draft.grasp.hand} closes first, {draft.grasp.time_s:.1f} s from the start.)"
    distance = max(math.hypot(x, y), 1e-6)
    table_position = [
        x + TABLE_OFFSET * x / distance,
        y + TABLE_OFFSET * y / distance,
        z - _box_size(draft) / 2 - 0.011,
    ]
    yield "# scene:"
    at = ", ".join(f"{value:.3g}" for value in table_position)
    yield f"#   table: {{model: {OBJECTS}/{TABLE}, pose: [{at}, 1, 0, 0, 0]}}"
    yield f"#   box: {{model: {OBJECTS}/{BOX}, pose: [{x:g}, {y:g}, {z:g}, 1, 0, 0, 0]}}"
    yield "# entities:"
    yield "#   box: {tags: [graspable]}     # what hands may hold"


# ---------------------------------------------------------------------- text


def relative(path: Path, out: Path) -> str:
    """Return a path relative to the scenario's folder if that is near, otherwise the absolute path."""
    path, out = path.resolve(), out.resolve()
    text = os.path.relpath(path, out)
    return str(path) if text.startswith("../" * (_MAX_PARENTS + 1)) else Path(text).as_posix()


def _flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


def _wrapped(key: str, values: Sequence[Any]) -> Iterator[str]:
    """Yield a key with a list as value, on several lines if it is long."""
    line = key + "["
    indent = " " * len(line)
    for index, value in enumerate(values):
        text = f"{value:g}" if isinstance(value, float) else _flow(value)
        text += "]" if index == len(values) - 1 else ","
        if len(line) + 1 + len(text) > _WIDTH and line.strip() != "":
            yield line
            line = indent
        line += text if line.endswith(("[", indent)) else f" {text}"
    yield line


def _with_comment(text: str, comment: str) -> str:
    """Return a line followed by a comment in a fixed column."""
    return f"{text:{_COLUMN}}  # {comment}"


def _names_comment(start: str, names: Sequence[str]) -> Iterator[str]:
    """Yield a comment that lists names, at most `_MAX_NAMED`."""
    more = [f"and {len(names) - _MAX_NAMED} more"] if len(names) > _MAX_NAMED else []
    yield from _comment(start, [*names[:_MAX_NAMED], *more])


def _comment(start: str, parts: Sequence[str], between: str = ",") -> Iterator[str]:
    line = start
    for index, part in enumerate(parts):
        text = part + ("" if index == len(parts) - 1 else between)
        if len(line) + 1 + len(text) > _WIDTH:
            yield line
            line = start[: start.index("#") + 1] + "  "
        line += f" {text}"
    yield line


def _box_size(draft: Draft) -> float:
    """Return the distance between the fingers in the grasp, otherwise a size that most hands can hold [m]."""
    width = 0.0 if draft.grasp is None else draft.grasp.width
    return width if width > MIN_BOX else BOX_SIZE


def objects(draft: Draft) -> Mapping[str, str]:
    """Return file name -> SDFormat text of the example's objects."""
    size = _box_size(draft)
    return {
        TABLE: _sdf("table", (0.8, 0.8, TABLE_HEIGHT), "0.72 0.58 0.42 1"),
        BOX: _sdf("box", (size, size, size), "0.85 0.45 0.20 1", mass=0.1),
    }


def _sdf(
    name: str, size: tuple[float, float, float], colour: str, *, mass: float | None = None
) -> str:
    """Return a cuboid as an SDFormat model; without a mass [kg] it is static."""
    shape = " ".join(f"{side:g}" for side in size)
    inertial = "" if mass is None else _inertial(mass, size)
    return f"""<?xml version="1.0"?>
<sdf version="1.9">
  <model name="{name}">
    <static>{str(mass is None).lower()}</static>
    <link name="link">{inertial}
      <collision name="collision">
        <geometry><box><size>{shape}</size></box></geometry>
      </collision>
      <visual name="visual">
        <geometry><box><size>{shape}</size></box></geometry>
        <material><diffuse>{colour}</diffuse></material>
      </visual>
    </link>
  </model>
</sdf>
"""


def _inertial(mass: float, size: tuple[float, float, float]) -> str:
    x, y, z = (side * side * mass / 12 for side in size)
    return f"""
      <inertial>
        <mass>{mass:g}</mass>
        <inertia><ixx>{y + z:.3g}</ixx><iyy>{x + z:.3g}</iyy><izz>{x + y:.3g}</izz></inertia>
      </inertial>"""
