"""The parameters of the main model, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hetwin_suite.ensemble.errors import BadInput
from hetwin_suite.ensemble.hands import HandDescription
from hetwin_suite.ensemble.model import ParameterKind, ParameterRequest
from hetwin_suite.model_nodes.main_physics.description import IDENTITY, Pose
from hetwin_suite.model_nodes.main_physics.transforms import pose_of

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
    """The robot: its URDF, where it stands, and which joints are springs (pattern -> stiffness)."""

    urdf: str
    name: str = ""
    pose: Pose = IDENTITY
    joints_at_start: Mapping[str, float] = field(default_factory=dict)
    springs: Mapping[str, float] = field(default_factory=dict)


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
        tuple(_hand(i, hand) for i, hand in enumerate(_list(given["hands"], "hands"))),
        {name: _tags(name, notes) for name, notes in _map(given["entities"], "entities").items()},
        str(given["engine"]),
        _map(given["options"], "options"),
        given["source"],
        *_scene(_map(given["scene"], "scene")),
        _above_zero(given["rate"], "rate", MAX_RATE),
        int(_above_zero(given["substeps"], "substeps")),
        _above_zero(given["proximity_range"], "proximity_range"),
        None if objects is None else tuple(_list(objects, "proximity_objects")),
        None
        if given["contact_time"] is None
        else _above_zero(given["contact_time"], "contact_time"),
    )


def _robot(given: Any) -> RobotSettings | None:
    if given is None:
        return None
    if isinstance(given, str):
        return RobotSettings(given)
    known = {"urdf", "name", "pose", "joints_at_start", "springs"}
    robot = _map(given, "robot")
    for key in robot:
        if key not in known:
            raise BadInput(
                "is no such key", where=f"robot.{key}", found=key, expected=", ".join(sorted(known))
            )
    if not isinstance(robot.get("urdf"), str):
        raise BadInput(
            "names no file", where="robot.urdf", found=robot.get("urdf"), expected="a URDF file"
        )
    start = _map(robot.get("joints_at_start") or {}, "robot.joints_at_start")
    springs = _map(robot.get("springs") or {}, "robot.springs")
    return RobotSettings(
        robot["urdf"],
        robot.get("name") or "",
        _pose(robot.get("pose") or IDENTITY, "robot.pose"),
        {k: _number(v, f"robot.joints_at_start.{k}") for k, v in start.items()},
        {k: _above_zero(v, f"robot.springs.{k}") for k, v in springs.items()},
    )


def _hand(index: int, given: Any) -> HandDescription:
    where = f"hands.{index}"
    hand = _map(given, where)
    for key in ("name", "link"):
        if not isinstance(hand.get(key), str) or not hand[key]:
            raise BadInput(f"has no {key}", where=where, found=dict(hand), expected=f"a {key}")
    where = f"hands.{hand['name']}"
    joints = tuple(str(j) for j in hand.get("joints") or ())
    positions: dict[str, tuple[float, ...]] = {}
    for key in ("closed", "opened"):
        values = _list(hand.get(key) or [], f"{where}.{key}")
        positions[key] = tuple(_number(v, f"{where}.{key}") for v in values)
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
        offset=_pose(hand.get("offset") or IDENTITY, f"{where}.offset"),
        joints=joints,
        closed=positions["closed"],
        opened=positions["opened"],
    )


def _tags(name: str, given: Any) -> tuple[str, ...]:
    notes = _map(given, f"entities.{name}")
    return tuple(str(tag) for tag in _list(notes.get("tags") or [], f"entities.{name}.tags"))


def _scene(given: Mapping[str, Any]) -> tuple[dict[str, Pose], dict[str, str]]:
    """Where entities are at the start, and the models of those that are added."""
    poses, added = {}, {}
    for name, notes in given.items():
        where = f"scene.{name}"
        spec = _map(notes, where)
        if not spec or set(spec) - {"model", "pose"}:
            expected = "{pose: [7]}, or {model: FILE, pose: [7]} to add an object"
            raise BadInput("is not placed", where=where, found=dict(spec), expected=expected)
        if "pose" in spec:
            poses[name] = _pose(spec["pose"], f"{where}.pose")
        if "model" in spec:
            if not isinstance(spec["model"], str) or not spec["model"]:
                expected = "a file, model:// or package://, in SDFormat or URDF"
                raise BadInput(
                    "names no model", where=where, found=spec["model"], expected=expected
                )
            added[name] = spec["model"]
    return poses, added


def _pose(given: Any, where: str) -> Pose:
    values = [_number(v, where) for v in _list(given, where)]
    expected = "seven numbers x y z, qw qx qy qz"
    if len(values) != 7:
        raise BadInput(f"has {len(values)} numbers", where=where, found=values, expected=expected)
    if sum(q * q for q in values[3:]) < 1e-12:
        raise BadInput("has no rotation", where=where, found=values, expected=expected)
    return pose_of(values)


def _number(given: Any, where: str) -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not math.isfinite(given):
        raise BadInput("is not a number", where=where, found=given, expected="a finite number")
    return float(given)


def _above_zero(given: Any, where: str, most: float = math.inf) -> float:
    value = _number(given, where)
    if value <= 0:
        raise BadInput("is not positive", where=where, found=given, expected="a number above 0")
    if value > most:
        raise BadInput("is too much", where=where, found=given, expected=f"at most {most:g}")
    return value


def _map(given: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise BadInput("is not a mapping", where=where, found=given, expected="names with values")
    return given


def _list(given: Any, where: str) -> Sequence[Any]:
    if not isinstance(given, list | tuple):
        raise BadInput("is not a list", where=where, found=given, expected="a list")
    return given
