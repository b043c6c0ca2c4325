"""The parameters of the main model, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import ParameterKind, ParameterRequest
from hetwin_core.ensemble.scene.hands import HandDescription
from model_nodes.main_physics.checks import above_zero, listing, mapping, number, pose
from model_nodes.main_physics.fittings import Belt, RangeSensor, read_belt, read_range_sensor
from model_nodes.main_physics.world.description import IDENTITY, Pose

MAX_RATE = 1e6

REQUESTS: tuple[ParameterRequest, ...] = (
    ParameterRequest("world", ParameterKind.PATH, "SDFormat world", False),
    ParameterRequest("robot", ParameterKind.ANY, "URDF file, or mapping with urdf and more", False),
    ParameterRequest("hands", ParameterKind.ANY, "hands of the robot", False, []),
    ParameterRequest("entities", ParameterKind.ANY, "entity -> {tags}", False, {}),
    ParameterRequest("engine", ParameterKind.TEXT, "auto, or an engine's name", False, "auto"),
    ParameterRequest("options", ParameterKind.ANY, "the engine's own settings", False, {}),
    ParameterRequest("source", ParameterKind.ANY, "recording that moves the joints", False),
    ParameterRequest(
        "scene", ParameterKind.ANY, "entity -> {pose}, or {model, pose} to add one", False, {}
    ),
    ParameterRequest("rate", ParameterKind.NUMBER, "steps per simulated second", False, 400.0),
    ParameterRequest("substeps", ParameterKind.INTEGER, "parts of a step", False, 1),
    ParameterRequest(
        "proximity_range", ParameterKind.NUMBER, "pairs closer than this are told", False, 0.02, "m"
    ),
    ParameterRequest(
        "proximity_objects", ParameterKind.ANY, "objects whose proximity is told", False
    ),
    ParameterRequest(
        "contact_time", ParameterKind.NUMBER, "time constant of contacts", False, None, "s"
    ),
)


@dataclass(frozen=True, slots=True)
class RobotSettings:
    """The robot: its URDF, where it stands, and by patterns of names its springs (stiffness), sensors and belts."""

    urdf: str
    name: str = ""
    pose: Pose = IDENTITY
    joints_at_start: Mapping[str, float] = field(default_factory=dict)
    springs: Mapping[str, float] = field(default_factory=dict)
    range_sensors: Mapping[str, RangeSensor] = field(default_factory=dict)
    belts: Mapping[str, Belt] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """All parameters of the main model."""

    world: Path | None
    robot: RobotSettings | None
    hands: tuple[HandDescription, ...]
    tags: Mapping[str, tuple[str, ...]]
    engine: str
    options: Mapping[str, Any]
    source: Any
    poses: Mapping[str, Pose]
    added: Mapping[str, str]
    rate: float
    substeps: int
    proximity_range: float
    proximity_objects: tuple[str, ...] | None
    contact_time: float | None


def read_settings(parameters: Mapping[str, Any]) -> Settings:
    """Check what the conductor resolved.

    Raises:
        BadInput: naming the parameter that cannot be used.
    """
    given = {r.name: parameters.get(r.name, r.default) for r in REQUESTS}
    world, objects = given["world"], given["proximity_objects"]
    if world is None and given["robot"] is None:
        raise BadInput("there is neither a world nor a robot", expected="world, robot, or both")
    return Settings(
        None if world is None else Path(world),
        _robot(given["robot"]),
        tuple(_hand(i, hand) for i, hand in enumerate(listing(given["hands"], "hands"))),
        {
            name: _tags(name, notes)
            for name, notes in mapping(given["entities"], "entities").items()
        },
        str(given["engine"]),
        mapping(given["options"], "options"),
        given["source"],
        *_scene(mapping(given["scene"], "scene")),
        above_zero(given["rate"], "rate", MAX_RATE),
        int(above_zero(given["substeps"], "substeps")),
        above_zero(given["proximity_range"], "proximity_range"),
        None if objects is None else tuple(listing(objects, "proximity_objects")),
        None
        if given["contact_time"] is None
        else above_zero(given["contact_time"], "contact_time"),
    )


def _robot(given: Any) -> RobotSettings | None:
    if given is None:
        return None
    if isinstance(given, str):
        return RobotSettings(given)
    known = {"urdf", "name", "pose", "joints_at_start", "springs", "range_sensors", "belts"}
    robot = mapping(given, "robot")
    for key in robot:
        if key not in known:
            raise BadInput(
                "is no such key", where=f"robot.{key}", found=key, expected=", ".join(sorted(known))
            )
    if not isinstance(robot.get("urdf"), str):
        raise BadInput(
            "names no file", where="robot.urdf", found=robot.get("urdf"), expected="a URDF file"
        )
    start = mapping(robot.get("joints_at_start") or {}, "robot.joints_at_start")
    springs = mapping(robot.get("springs") or {}, "robot.springs")
    sensors = mapping(robot.get("range_sensors") or {}, "robot.range_sensors")
    belts = mapping(robot.get("belts") or {}, "robot.belts")
    return RobotSettings(
        robot["urdf"],
        robot.get("name") or "",
        pose(robot.get("pose") or IDENTITY, "robot.pose"),
        {k: number(v, f"robot.joints_at_start.{k}") for k, v in start.items()},
        {k: above_zero(v, f"robot.springs.{k}") for k, v in springs.items()},
        {k: read_range_sensor(v, f"robot.range_sensors.{k}") for k, v in sensors.items()},
        {k: read_belt(v, f"robot.belts.{k}") for k, v in belts.items()},
    )


def _hand(index: int, given: Any) -> HandDescription:
    where = f"hands.{index}"
    hand = mapping(given, where)
    for key in ("name", "link"):
        if not isinstance(hand.get(key), str) or not hand[key]:
            raise BadInput(f"has no {key}", where=where, found=dict(hand), expected=f"a {key}")
    where = f"hands.{hand['name']}"
    joints = tuple(str(j) for j in hand.get("joints") or ())
    positions: dict[str, tuple[float, ...]] = {}
    for key in ("closed", "opened"):
        values = listing(hand.get(key) or [], f"{where}.{key}")
        positions[key] = tuple(number(v, f"{where}.{key}") for v in values)
        if values and len(values) != len(joints):
            raise BadInput(
                f"has {len(values)} positions",
                where=f"{where}.{key}",
                found=list(values),
                expected=f"one for each of {', '.join(joints) or 'no joints'}",
            )
    return HandDescription(
        name=hand["name"],
        robot=str(hand.get("robot") or ""),
        link=hand["link"],
        offset=pose(hand.get("offset") or IDENTITY, f"{where}.offset"),
        joints=joints,
        closed=positions["closed"],
        opened=positions["opened"],
    )


def _tags(name: str, given: Any) -> tuple[str, ...]:
    notes = mapping(given, f"entities.{name}")
    return tuple(str(tag) for tag in listing(notes.get("tags") or [], f"entities.{name}.tags"))


def _scene(given: Mapping[str, Any]) -> tuple[dict[str, Pose], dict[str, str]]:
    """Where entities are at the start, and the models of those that are added."""
    poses, added = {}, {}
    for name, notes in given.items():
        where = f"scene.{name}"
        spec = mapping(notes, where)
        if not spec or set(spec) - {"model", "pose"}:
            expected = "{pose: [7]}, or {model: FILE, pose: [7]} to add an object"
            raise BadInput("is not placed", where=where, found=dict(spec), expected=expected)
        if "pose" in spec:
            poses[name] = pose(spec["pose"], f"{where}.pose")
        if "model" in spec:
            if not isinstance(spec["model"], str) or not spec["model"]:
                expected = "a file, model:// or package://, in SDFormat or URDF"
                raise BadInput(
                    "names no model", where=where, found=spec["model"], expected=expected
                )
            added[name] = spec["model"]
    return poses, added
