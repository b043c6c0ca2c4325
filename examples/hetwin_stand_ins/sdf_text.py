"""Writes worlds of simple shapes as SDFormat: each shape is both collision and visual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SdfShape:
    """A shape of a model: box (x y z), cylinder (radius, length), sphere (radius) or plane (x y).

    Attributes:
        name: name, unique in its model.
        kind: kind of shape.
        size: full lengths [m].
        at: centre in the model [m].
        turn: roll, pitch, yaw [rad].
    """

    name: str
    kind: str
    size: tuple[float, ...]
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SdfModel:
    """A model with one link.

    Attributes:
        name: name of the model.
        parts: shapes of the link.
        at: position in the world [m].
        colour: red, green, blue.
        friction: coefficient of sliding friction.
        mass: mass [kg]; 0 for a static model.
        inertia: ixx, iyy, izz about its origin [kg m^2].
        turn: roll, pitch, yaw [rad].
    """

    name: str
    parts: Sequence[SdfShape]
    at: tuple[float, float, float]
    colour: tuple[float, float, float]
    friction: float = 0.5
    mass: float = 0.0
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)


def world_sdf(name: str, comment: str, models: Sequence[SdfModel]) -> str:
    """Return a complete world file."""
    lines = [
        '<?xml version="1.0"?>',
        f"<!-- {comment} -->",
        '<sdf version="1.9">',
        f'  <world name="{name}">',
        "    <gravity>0 0 -9.81</gravity>",
        '    <physics name="fine" type="ignored">',
        "      <max_step_size>0.001</max_step_size>",
        "      <real_time_factor>1</real_time_factor>",
        "    </physics>",
        '    <light name="sun" type="directional">',
        "      <pose>0 0 5 0 0 0</pose>",
        "      <diffuse>0.8 0.8 0.8 1</diffuse>",
        "      <specular>0.2 0.2 0.2 1</specular>",
        "      <direction>0.4 0.3 -1</direction>",
        "      <cast_shadows>true</cast_shadows>",
        "    </light>",
    ]
    for model in models:
        lines += _model(model)
    return "\n".join([*lines, "  </world>", "</sdf>", ""])


def _model(model: SdfModel) -> list[str]:
    lines = [f'    <model name="{model.name}">']
    if not model.mass:
        lines.append("      <static>true</static>")
    pose = f"{_numbers_text(model.at)} {_numbers_text(model.turn)}"
    lines += [f"      <pose>{pose}</pose>", '      <link name="link">']
    if model.mass:
        moments = dict(zip(("ixx", "iyy", "izz"), model.inertia, strict=True))
        inertia = "".join(
            f"<{key}>{moments.get(key, 0.0):.4g}</{key}>"
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        lines += [
            "        <inertial>",
            f"          <mass>{model.mass:g}</mass>",
            f"          <inertia>{inertia}</inertia>",
            "        </inertial>",
        ]
    for part in model.parts:
        lines += _part(part, model)
    return [*lines, "      </link>", "    </model>"]


def _part(part: SdfShape, model: SdfModel) -> list[str]:
    pose = f"<pose>{_numbers_text(part.at)} {_numbers_text(part.turn)}</pose>"
    geometry = f"<geometry>{_geometry(part)}</geometry>"
    mu = f"<ode><mu>{model.friction:g}</mu><mu2>{model.friction:g}</mu2></ode>"
    colour = f"<diffuse>{_numbers_text(model.colour)} 1</diffuse>"
    return [
        f'        <collision name="{part.name}">',
        f"          {pose}{geometry}",
        f"          <surface><friction>{mu}</friction></surface>",
        "        </collision>",
        f'        <visual name="{part.name}_visual">',
        f"          {pose}{geometry}<material>{colour}</material>",
        "        </visual>",
    ]


def _geometry(part: SdfShape) -> str:
    if part.kind == "box":
        return f"<box><size>{_numbers_text(part.size)}</size></box>"
    if part.kind == "plane":
        return f"<plane><normal>0 0 1</normal><size>{_numbers_text(part.size)}</size></plane>"
    geometry_text = f"<radius>{part.size[0]:g}</radius>"
    if part.kind == "cylinder":
        geometry_text += f"<length>{part.size[1]:g}</length>"
    return f"<{part.kind}>{geometry_text}</{part.kind}>"


def _numbers_text(numbers: tuple[float, ...]) -> str:
    return " ".join(f"{number:.9g}" for number in numbers)
