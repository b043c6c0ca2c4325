"""Writes a run of known truth: the recording, the robot's description, the scene and the scenario."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from health_recording import JointSeries, Recording, write_recording
from verdict_cases import ASKED, EFFORTS, FINGERS, HEIGHT, MASSES, SHAPES, Case
from verdict_motions import PERIOD_S
from verdict_robots import KINDS, Kind, description, lab
from verdict_scenes import Thing

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats

HAND = "hand"
_EPOCH_NS = 1_733_000_000_000_000_000


def write_case(case: Case, folder: Path) -> Path:
    """Write all files of a run into a new folder; returns the scenario's."""
    folder.mkdir(parents=True)
    recording = _write_recording(case, folder / "recording")
    content = {
        "scenario": f"{case.kind}_{case.robot}",
        "world": str(resource("worlds", "empty.sdf")),
        "robot": {"urdf": _write_robot(case, folder), "pose": [0, 0, HEIGHT, 1, 0, 0, 0]},
        "rate": 400,
        "source": {"recording": str(recording)},
        **_handling(case),
        **_scene(case, folder),
    }
    file = folder / "scenario.yaml"
    file.write_text(yaml.safe_dump(json.loads(json.dumps(content)), sort_keys=False))
    return file


def asked_s(case: Case) -> float | None:
    """How long the run is asked to go on, where that is longer than its recording [s]."""
    return float(case.motion.seconds[-1]) if case.truth.ends == "early" else None


# ---------------------------------------------------------------------- the recording


def _write_recording(case: Case, folder: Path) -> Path:
    """Returns its folder."""
    arm, fingers = _series(case)
    kept = case.motion.seconds <= case.truth.until
    if case.truth.ends == "early":
        arm = _until(arm, kept)
        if fingers is not None and case.how == ASKED:
            fingers = _until(fingers, kept)
    series = tuple(one for one in (arm, fingers) if one is not None)
    return write_recording(Recording(series, (), _EPOCH_NS), folder)


def _series(case: Case) -> tuple[JointSeries, JointSeries | None]:
    """Joint states of the arm and of its fingers, as two drivers publish them."""
    kind, robot = KINDS[case.robot], lab(case.robot)
    random = np.random.default_rng((*case.seed, 1))
    motion, times = case.motion.positions, case.motion.seconds
    holds = _between(times, case.truth.held) if case.load[0] > 0.0 else np.zeros(len(times), bool)
    lifted = holds & (times >= case.motion.marks.get("lifted", 0.0))
    load = np.where(lifted, case.load[0], 0.0)
    efforts = robot.efforts(motion, PERIOD_S, load)
    arm = len(kind.joints)
    efforts[:, arm:] -= (holds * case.load[1])[:, None]
    limits = np.array((*kind.effort, *(20.0 for _ in kind.fingers)))
    spread = np.array((*(case.noise.arm,) * arm, *(case.noise.fingers for _ in kind.fingers)))
    noisy = motion + spread * random.standard_normal(motion.shape)
    speeds = np.gradient(motion, PERIOD_S, axis=0)
    speeds = speeds + case.noise.velocity * random.standard_normal(motion.shape)
    efforts = efforts + case.noise.effort * limits * random.standard_normal(motion.shape)
    told = efforts if EFFORTS not in case.without else np.empty((len(times), 0))
    stamps = _EPOCH_NS + np.round(times * 1e9).astype(np.int64)
    names = robot.joints

    def part(columns: slice) -> JointSeries:
        return JointSeries(
            tuple(names[columns]), stamps, noisy[:, columns], speeds[:, columns], told[:, columns]
        )

    has_fingers = bool(kind.fingers) and FINGERS not in case.without
    return part(slice(0, arm)), part(slice(arm, None)) if has_fingers else None


def _between(times: Floats, span: tuple[float, float]) -> Any:
    return (times >= span[0]) & (times < span[1])


def _until(series: JointSeries, kept: Any) -> JointSeries:
    return JointSeries(
        series.names,
        series.times_ns[kept],
        series.positions[kept],
        series.velocities[kept],
        series.efforts[kept],
    )


# ---------------------------------------------------------------------- the robot


def _write_robot(case: Case, folder: Path) -> str:
    """The robot's description: as it comes, or with what is missing left out."""
    kind = KINDS[case.robot]
    if not case.without & {SHAPES, MASSES}:
        return kind.urdf
    root = ET.fromstring(ET.tostring(description(kind.name)))
    for link in root.findall("link"):
        unwanted = ["collision"] if SHAPES in case.without else ["inertial"]
        for child in [c for c in link if c.tag in unwanted]:
            link.remove(child)
    file = folder / "robot.urdf"
    ET.ElementTree(root).write(file)
    return str(file)


# ---------------------------------------------------------------------- the scene


def _scene(case: Case, folder: Path) -> dict[str, Any]:
    """What stands around."""
    scene, entities = {}, {}
    for name, thing in case.scene.items():
        (folder / f"{name}.sdf").write_text(sdf(name, thing))
        x, y, z = thing.box.at
        half = 0.5 * thing.box.yaw
        pose = [x, y, z + HEIGHT, float(np.cos(half)), 0.0, 0.0, float(np.sin(half))]
        scene[name] = {"model": f"{name}.sdf", "pose": pose}
        if thing.mass is not None:
            entities[name] = {"tags": ["graspable"]}
    return {**({"scene": scene} if scene else {}), **({"entities": entities} if entities else {})}


def sdf(name: str, thing: Thing) -> str:
    """A cuboid as an SDFormat model."""
    size = " ".join(f"{side:g}" for side in thing.box.size)
    geometry = f"<geometry><box><size>{size}</size></box></geometry>"
    inertial = "" if thing.mass is None else _inertial(thing.mass, thing.box.size)
    return (
        f'<sdf version="1.9"><model name="{name}"><static>{str(thing.mass is None).lower()}</static>'
        f'<link name="link">{inertial}<collision name="collision">{geometry}</collision>'
        f'<visual name="visual">{geometry}</visual></link></model></sdf>'
    )


def _inertial(mass: float, size: tuple[float, float, float]) -> str:
    x, y, z = (side * side * mass / 12.0 for side in size)
    inertia = f"<ixx>{y + z:.4g}</ixx><iyy>{x + z:.4g}</iyy><izz>{x + y:.4g}</izz>"
    return f"<inertial><mass>{mass:g}</mass><inertia>{inertia}</inertia></inertial>"


def _handling(case: Case) -> dict[str, Any]:
    """Hands, models and triggers, as `hetwin new` writes them; and the model that ends the run."""
    models: dict[str, Any] = {"physics": {"type": "main_physics", "main": True}}
    ending = {"failed": "Raises", "stopped": "Stops"}.get(case.truth.ends)
    if ending:
        settings = {"at": round(case.truth.until, 3)}
        models["ending"] = {"type": f"verdict_models:{ending}", "parameters": settings}
    kind = KINDS[case.robot]
    responsible = {"entity": "*", "attribute": "pose", "model": "physics"}
    if not kind.fingers:
        return {"models": models, "responsibilities": [responsible]}
    hand = _hand(kind)
    if FINGERS in case.without:
        del hand["joints"], hand["opened"], hand["closed"]
        return {"hands": {HAND: hand}, "models": models, "responsibilities": [responsible]}
    given = {"hand": HAND}
    models |= {
        "grasp": {"type": "grasp_monitor", "rate": 50, "parameters": given},
        "holding": {"type": "rigid_grasp", "rate": 100, "parameters": given},
        "handling": {"type": "handling_observer", "rate": 100},
    }
    return {
        "hands": {HAND: hand},
        "models": models,
        "responsibilities": [responsible],
        "triggers": [*_triggers()],
    }


def _hand(kind: Kind) -> dict[str, Any]:
    return {
        "link": kind.hand[0],
        "offset": [0, 0, kind.tip, 1, 0, 0, 0],
        "joints": list(kind.fingers),
        "opened": list(kind.opened),
        "closed": list(kind.closed),
    }


def _triggers() -> list[Mapping[str, Any]]:
    def hand_over(to: str) -> list[Any]:
        return [{"hand_over": {"entity": "$event.object", "attribute": "pose", "to": to}}]

    return [
        {
            "name": "grasp_begins",
            "on": {"event": "grasp.grip_closed"},
            "if": "held_object(event.hand) == null",
            "do": hand_over("holding"),
        },
        {
            "name": "grasp_ends",
            "on": {"event": "grasp.grip_lost"},
            "do": hand_over("physics"),
        },
    ]
