"""Random changes of a healthy pick-and-place, each with what is to be said about it and when."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import yaml
from health_recording import JointSeries, Recording, write_recording
from health_sweep import Sweep

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats

BASE = "pick_and_place"
TABLE_TOP = 0.75
BOX_SIZE, BOX_AT = (0.05, 0.05, 0.1), (0.45, 0.2, 0.8)
TRAY_SIZE, TRAY_AT = (0.24, 0.24, 0.08), (0.42, -0.26, 0.79)
DEEP = 0.03
"""How far inside another thing an object starts [m]."""
PULSE_S, PULSE_SHARE = 0.2, 0.2
WALL = (0.3, 0.02, 0.3)
BEYOND, LIMIT_S, OVER, FAR = 1.5, 0.3, 0.3, 0.9
_STEEPEST = 1.875  # slope of `_there_and_back` on its way up, which takes half of it
_FINGERS = "gripper"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a joint: position [rad or m], speed [per s] and effort [Nm or N]."""

    lower: float
    upper: float
    velocity: float
    effort: float


@dataclass(frozen=True, slots=True)
class Healthy:
    """What is changed.

    Attributes:
        recording: of the arm.
        limits: of its joints, by name.
        sweep: where the robot's links are in the healthy run.
    """

    recording: Recording
    limits: Mapping[str, Limits]
    sweep: Sweep


@dataclass(frozen=True, slots=True)
class Change:
    """One change, and what is to be said of it.

    Attributes:
        kind: of the change.
        names: of the concern, any of which is right.
        about: arguments that the concern must have; a list names alternatives.
        at: when it begins [s].
        scenario: keys of the changed scenario, over those of the base.
        recording: the changed recording; None: the base's.
        files: further files, by name.
    """

    kind: str
    names: tuple[str, ...]
    about: Mapping[str, Any]
    at: float
    scenario: Mapping[str, Any] = field(default_factory=dict)
    recording: Recording | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write scenario and recording; returns the scenario's file."""
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        content = {"extends": str(resource("scenarios", f"{BASE}.yaml")), **self.scenario}
        if self.recording is not None:
            content["source"] = str(write_recording(self.recording, folder / "recording"))
        file = folder / "scenario.yaml"
        file.write_text(yaml.safe_dump(json.loads(json.dumps(content))), encoding="utf-8")
        return file

    def is_said_by(self, concern: Mapping[str, Any], within: float) -> bool:
        """Whether a concern names kind, link or joint, and time."""
        arguments = concern["arguments"]
        return (
            concern["name"] in self.names
            and all(_fits(arguments.get(key), value) for key, value in self.about.items())
            and abs(concern["from"] - self.at) <= within
        )


def _fits(found: object, expected: object) -> bool:
    return found in expected if isinstance(expected, list) else found == expected


Draw: TypeAlias = Callable[[Healthy, np.random.Generator], Change]


def base_in_table(_healthy: Healthy, random: np.random.Generator) -> Change:
    """The robot's base stands inside the table."""
    x, y = float(random.uniform(0.3, 0.86)), float(random.uniform(-0.45, 0.45))
    urdf = str(resource("urdf", "tabletop_arm.urdf"))
    robot = {"urdf": urdf, "pose": [x, y, 0, 1, 0, 0, 0]}
    return Change(
        "base in the table",
        ("starts_inside", "link_touches"),
        {"link": "base_link", "partner": "table"},
        0.0,
        {"robot": robot},
    )


def wall_in_the_way(healthy: Healthy, random: np.random.Generator) -> Change:
    """A wall stands where the arm will be."""
    while True:
        pose = healthy.sweep.somewhere(random)
        first, links = healthy.sweep.first_inside(pose, WALL)
        if first > 0.5:
            break
    size = " ".join(map(str, WALL))
    geometry = f"<geometry><box><size>{size}</size></box></geometry>"
    text = (
        '<sdf version="1.9"><model name="wall"><static>true</static><link name="wall">'
        f'<collision name="wall">{geometry}</collision></link></model></sdf>'
    )
    return Change(
        "wall in the way",
        ("link_touches",),
        {"link": links, "partner": "wall"},
        first,
        {"scene": {"wall": {"model": "wall.sdf", "pose": pose}}},
        files={"wall.sdf": text},
    )


def starts_inside(_healthy: Healthy, random: np.random.Generator) -> Change:
    """The box starts 3 cm inside the table or the tray."""
    x, y, z = BOX_AT
    partner = str(random.choice(["table", "tray"]))
    if partner == "table":
        x, y = float(random.uniform(0.35, 0.6)), float(random.uniform(0.0, 0.4))
        z -= DEEP
    else:
        side = float(random.choice([-1.0, 1.0]))
        x = TRAY_AT[0] + side * (0.5 * (TRAY_SIZE[0] + BOX_SIZE[0]) - DEEP)
        y = TRAY_AT[1] + float(random.uniform(-0.05, 0.05))
    scene = {"box": {"pose": [x, y, z, 1, 0, 0, 0]}}
    about = {"object": ["box", partner], "partner": [partner, "box"]}
    return Change("starts inside", ("starts_inside",), about, 0.0, {"scene": scene})


def jump(healthy: Healthy, random: np.random.Generator) -> Change:
    """A joint's series jumps, and stays where it jumped to."""
    recording, joint = healthy.recording, _arm_joint(healthy, random)
    series, column = recording.of(joint)
    at, t = _moment(recording, series, random, 0.5, 0.5)
    positions = series.positions.copy()
    positions[t >= 0, column] += float(random.choice([-1.0, 1.0]) * random.uniform(0.2, 0.8))
    changed = recording.replaced(series, replace(series, positions=positions))
    return Change("jump", ("jump",), {"joint": joint}, at, recording=changed)


def two_publishers(healthy: Healthy, random: np.random.Generator) -> Change:
    """A second publisher says something else of one joint, on the same topic or on another."""
    recording, joint = healthy.recording, _arm_joint(healthy, random)
    series, column = recording.of(joint)
    positions = series.positions.copy()
    positions[:, column] += float(random.uniform(0.1, 0.5))
    topic = str(random.choice([series.topic, "/other/joint_states"]))
    other = replace(series.later(), positions=positions, topic=topic)
    changed = recording.replaced(series, series, other)
    about = {"joint": joint, "topic": [series.topic, topic]}
    return Change("two publishers", ("contradiction",), about, 0.0, recording=changed)


def beyond_limit(healthy: Healthy, random: np.random.Generator) -> Change:
    """A joint goes beyond a limit of its position, speed or effort."""
    recording, joint = healthy.recording, _arm_joint(healthy, random)
    series, column = recording.of(joint)
    at, t = _moment(recording, series, random, 1.0, 3.0)
    limits = healthy.limits[joint]
    quantity = str(random.choice(["position", "velocity", "effort"]))
    if quantity == "effort":
        efforts = series.efforts.copy()
        efforts[(t >= 0) & (t < LIMIT_S), column] = BEYOND * limits.effort
        other = replace(series, efforts=efforts)
    else:
        lasts, positions = 2.5, series.positions.copy()
        if quantity == "velocity":
            lasts = 2 * FAR * _STEEPEST / (BEYOND * limits.velocity)
        bump = _there_and_back(t / lasts)
        height = FAR
        if quantity == "position":  # the least with which it gets so far beyond
            reached = (limits.upper + OVER - positions[:, column])[bump > 0] / bump[bump > 0]
            height = float(reached.min())
        positions[:, column] += height * bump
        other = series.with_positions(positions)
        beyond = other.positions[:, column] > limits.upper
        if quantity == "velocity":
            beyond = np.abs(other.velocities[:, column]) > limits.velocity
        at = float(recording.seconds(series)[int(np.argmax(beyond))])
    about = {"joint": joint, "quantity": quantity}
    changed = recording.replaced(series, other)
    return Change("limit", ("beyond_limit",), about, at, recording=changed)


def effort_pulse(healthy: Healthy, random: np.random.Generator) -> Change:
    """Something touches the robot for 0.2 s."""
    recording = healthy.recording
    joint = str(random.choice(list(recording.joints)))
    series, column = recording.of(joint)
    at, t = _moment(recording, series, random, 0.3, 0.8)
    efforts = series.efforts.copy()
    size = float(random.choice([-1.0, 1.0])) * PULSE_SHARE * healthy.limits[joint].effort
    efforts[(t >= 0) & (t < PULSE_S), column] += size
    changed = recording.replaced(series, replace(series, efforts=efforts))
    return Change("effort pulse", ("unexpected_effort",), {"joint": joint}, at, recording=changed)


DRAWS: tuple[Draw, ...] = (
    base_in_table,
    wall_in_the_way,
    starts_inside,
    jump,
    two_publishers,
    beyond_limit,
    effort_pulse,
)


def draw_changes(healthy: Healthy, count: int, seed: int) -> list[Change]:
    """Draw changes, each kind in turn; change i of a seed does not depend on their number."""
    return [DRAWS[i % len(DRAWS)](healthy, np.random.default_rng([seed, i])) for i in range(count)]


def _arm_joint(healthy: Healthy, random: np.random.Generator) -> str:
    return str(random.choice([j for j in healthy.recording.joints if not j.startswith(_FINGERS)]))


def _moment(
    recording: Recording,
    series: JointSeries,
    random: np.random.Generator,
    early: float,
    late: float,
) -> tuple[float, Floats]:
    """A sample's time, so long after the beginning and before the end [s], and all times against it."""
    seconds = recording.seconds(series)
    row = int(np.searchsorted(seconds, random.uniform(early, seconds[-1] - late)))
    return float(seconds[row]), seconds - seconds[row]


def _there_and_back(share: Floats) -> Floats:
    """A smooth rise from 0 at 0 to 1 at 0.5, and back to 0 at 1."""
    s = np.clip(1.0 - np.abs(2.0 * share - 1.0), 0.0, 1.0)
    rise: Floats = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return rise
