"""Writes robots of simple shapes as URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A box (x y z), cylinder (radius, length) or sphere (radius) of a link, at `at`, turned by `rpy`."""

    kind: str
    size: tuple[float, ...]
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    colour: str = "ivory"

    def xml(self) -> str:
        """Return the content of ``<geometry>``."""
        if self.kind == "box":
            return f'<box size="{_words(self.size)}"/>'
        if self.kind == "cylinder":
            return f'<cylinder radius="{self.size[0]:g}" length="{self.size[1]:g}"/>'
        return f'<sphere radius="{self.size[0]:g}"/>'

    def inertia(self, mass: float) -> tuple[float, float, float]:
        """Return the moments of inertia about its axes, in kg m^2."""
        if self.kind == "box":
            x, y, z = (length**2 for length in self.size)
            return mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y)
        radius = self.size[0]
        if self.kind == "cylinder":
            across = mass * (3 * radius**2 + self.size[1] ** 2) / 12
            return across, across, mass * radius**2 / 2
        return (0.4 * mass * radius**2,) * 3


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint; the damping is that of its gears."""

    parent: str
    at: tuple[float, float, float]
    axis: tuple[int, int, int]
    lower: float
    upper: float
    effort: float
    velocity: float = 3.0
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    damping: float = 1.0
    friction: float = 0.2
    kind: str = "revolute"


def robot_text(header: str, name: str, colours: Mapping[str, str], parts: Sequence[str]) -> str:
    """Return a complete URDF.

    Args:
        header: the declaration, and a comment.
        name: of the robot.
        colours: red, green, blue and alpha, by name.
        parts: its links and joints.
    """
    lines = [header + f'<robot name="{name}">']
    lines += [f'  <material name="{n}"><color rgba="{c}"/></material>' for n, c in colours.items()]
    return "\n".join([*lines, *parts, "</robot>", ""])


def link_text(name: str, mass: float, *shapes: Shape) -> str:
    """Return a link with the inertia of its first shape; each shape is both visual and collision."""
    main = shapes[0]
    ixx, iyy, izz = (f"{moment:.4g}" for moment in main.inertia(mass))
    lines = [
        f'  <link name="{name}">',
        f"    <inertial>{_origin(main.at, main.rpy)}",
        f'      <mass value="{mass:g}"/>',
        f'      <inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/>',
        "    </inertial>",
    ]
    for number, shape in enumerate(shapes, start=1):
        place = f"{_origin(shape.at, shape.rpy)}<geometry>{shape.xml()}</geometry>"
        label = f"{name}_{number}"
        lines.append(
            f'    <visual name="{label}_visual">{place}<material name="{shape.colour}"/></visual>'
        )
        lines.append(f'    <collision name="{label}">{place}</collision>')
    return "\n".join([*lines, "  </link>"])


def joint_text(name: str, child: str, joint: Joint) -> str:
    """Return a joint that moves a link."""
    limit = f'lower="{joint.lower:g}" upper="{joint.upper:g}" effort="{joint.effort:g}"'
    return "\n".join(
        [
            f'  <joint name="{name}" type="{joint.kind}">',
            f'    <parent link="{joint.parent}"/><child link="{child}"/>',
            f"    {_origin(joint.at, joint.rpy)}",
            f'    <axis xyz="{_words(joint.axis)}"/>',
            f'    <limit {limit} velocity="{joint.velocity:g}"/>',
            f'    <dynamics damping="{joint.damping:g}" friction="{joint.friction:g}"/>',
            "  </joint>",
        ]
    )


def fixed_text(
    name: str,
    parent: str,
    child: str,
    at: tuple[float, float, float],
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> str:
    """Return a joint that does not move."""
    return "\n".join(
        [
            f'  <joint name="{name}" type="fixed">',
            f'    <parent link="{parent}"/><child link="{child}"/>',
            f"    {_origin(at, rpy)}",
            "  </joint>",
        ]
    )


def _origin(at: tuple[float, ...], rpy: tuple[float, ...]) -> str:
    turn = f' rpy="{" ".join(f"{angle:.9g}" for angle in rpy)}"' if any(rpy) else ""
    return f'<origin xyz="{_words(at)}"{turn}/>'


def _words(numbers: tuple[float, ...]) -> str:
    return " ".join(f"{number:g}" for number in numbers)
