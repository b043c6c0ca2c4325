"""A hand with four fingers around an object, made from geometry alone, for the tests of the localization.

The palm's z points to the finger tips; two fingers stand at +x and two at -x and flex towards the middle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.poses import compose, multiply, relative_to, rotate, rotation_matrix
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import (
    POSE,
    AttributeSpec,
    Floats,
    Shape,
    ShapeKind,
    pose_value,
)
from hetwin_in_hand import InHandLocalization
from hetwin_in_hand.geometry import ObjectGeometry

LENGTHS = (0.040, 0.028, 0.022)
RADII = (0.008, 0.008, 0.010)
PLACES = ((0.055, 0.02), (0.055, -0.02), (-0.055, 0.02), (-0.055, -0.02))
HEIGHT = 0.11
GRASP = 0.18
"""z of the grasp frame in the palm."""
FINGERS = range(4)
JOINTS = tuple(f"joint_{f}_{j}" for f in FINGERS for j in range(3))
LINKS = tuple(f"link_{f}_{j}" for f in FINGERS for j in range(3))
OPENED = (-0.6, 0.3, 0.3)
CLOSED = (1.0, 0.9, 0.9)
PERIOD_NS = 20_000_000

BALL = (Shape(ShapeKind.SPHERE, (0.033,)),)
ROD = (Shape(ShapeKind.CYLINDER, (0.025, 0.12)),)
BLOCK = (Shape(ShapeKind.BOX, (0.05, 0.12, 0.04)),)


def _finger_shapes(joint: int) -> tuple[Shape, ...]:
    length, radius = LENGTHS[joint], RADII[joint]
    middle, end = ((0, 0, z, 1, 0, 0, 0) for z in (length / 2, length))
    return (
        Shape(ShapeKind.CYLINDER, (0.008, length), middle),
        Shape(ShapeKind.SPHERE, (radius,), end),
    )


def entities(shapes: tuple[Shape, ...]) -> tuple[Entity, ...]:
    palm = Shape(ShapeKind.BOX, (0.13, 0.085, 0.03), (0, 0, 0.095, 1, 0, 0, 0))
    links = [
        Entity(
            f"link_{f}_{j}",
            EntityKind.LINK,
            owner="robot",
            parent=f"link_{f}_{j - 1}" if j else "palm",
            joint=f"joint_{f}_{j}",
            shapes=_finger_shapes(j),
        )
        for f in FINGERS
        for j in range(3)
    ]
    return (
        Entity("robot", EntityKind.ROBOT, joints=JOINTS),
        Entity("palm", EntityKind.LINK, owner="robot", shapes=(palm,)),
        *links,
        Entity("hand", EntityKind.HAND, owner="robot", parent="palm", joints=JOINTS),
        Entity("thing", EntityKind.OBJECT, tags=("graspable",), shapes=shapes),
        Entity("table", EntityKind.STATIC),
    )


def hand_parameter() -> dict[str, object]:
    return {
        "name": "hand",
        "robot": "robot",
        "link": "palm",
        "joints": list(JOINTS),
        "finger_links": list(LINKS),
        "opened": [*OPENED] * 4,
        "closed": [*CLOSED] * 4,
    }


def links_in_palm(positions: Sequence[float]) -> dict[str, Floats]:
    """Poses (13,) of the finger links in the palm, from the joints' positions."""
    poses: dict[str, Floats] = {}
    for finger, (x, y) in enumerate(PLACES):
        at = np.array((x, y, HEIGHT))
        turn = (0.0, 0.0, 0.0, 1.0) if x > 0 else (1.0, 0.0, 0.0, 0.0)
        for joint in range(3):
            half = positions[3 * finger + joint] / 2
            turn = multiply(turn, (math.cos(half), 0.0, math.sin(half), 0.0))
            poses[f"link_{finger}_{joint}"] = pose_value(at, turn).data
            at = at + np.array(rotate(turn, (0.0, 0.0, LENGTHS[joint])))
    return poses


def gap(finger: int, positions: Sequence[float], shapes: tuple[Shape, ...], pose: Floats) -> float:
    """Distance of a finger from an object at `pose` in the hand: of spheres along its bones."""
    geometry, turn = ObjectGeometry(shapes), rotation_matrix(pose[3:7])
    links = links_in_palm(positions)
    points, radii = [], []
    for joint in range(3):
        link = links[f"link_{finger}_{joint}"]
        along = np.linspace(0.0, LENGTHS[joint], 12)
        points.append(link[:3] + along[:, None] * rotation_matrix(link[3:7])[:, 2])
        radii.append(np.where(along == LENGTHS[joint], RADII[joint], 0.008))
    local = (np.concatenate(points) - np.array((0, 0, GRASP)) - pose[:3]) @ turn
    return float((geometry.measure(local)[0] - np.concatenate(radii)).min())


def closed_on(shapes: tuple[Shape, ...], pose: Floats) -> list[float]:
    """Finger joint positions at which every finger just touches an object at `pose` in the hand."""
    found: list[float] = []
    for finger in FINGERS:
        low, high = 0.0, 1.0
        for _ in range(30):
            middle = (low + high) / 2
            everywhere = [*_posture(middle)] * 4
            low, high = (
                (middle, high) if gap(finger, everywhere, shapes, pose) > 0 else (low, middle)
            )
        found += _posture(low)
    return found


def _posture(share: float) -> list[float]:
    return [o + share * (c - o) for o, c in zip(OPENED, CLOSED, strict=True)]


@dataclass
class Scene:
    """A world with the hand, an object and the model that localizes it."""

    shapes: tuple[Shape, ...]
    noise: float = 0.0005
    """Of the joints' encoders in rad."""
    seed: int = 0
    parameters: Mapping[str, float] = field(default_factory=dict)
    offset: float = 0.0
    """Of the joints' zeros in rad: so much they seem more closed than they are."""

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        everything = entities(self.shapes)
        attributes = [(e.name, POSE) for e in everything[1:]]
        attributes.append(("robot", AttributeSpec("joint_positions", len(JOINTS))))
        attributes.append(("robot", AttributeSpec("joint_efforts", len(JOINTS))))
        attributes.append(("thing", AttributeSpec("pose_covariance", 21)))
        self.layout = Layout.build(everything, attributes)
        self.time_ns = 0
        self.hand = pose_value((0.4, 0.1, 1.0), (0.0, 1.0, 0.0, 0.0)).data
        self.positions = [*OPENED] * 4
        self.efforts = np.zeros(12)
        self.values = np.zeros(self.layout.size)
        self.events: list[Event] = []
        self.model = InHandLocalization()
        given = {"hand": hand_parameter(), "objects": ["thing"], **self.parameters}
        self.model.contribute(given, 0)
        self.model.start(self.snapshot())

    def snapshot(self) -> Snapshot:
        palm = compose(self.hand, pose_value((0.0, 0.0, -GRASP)).data)
        measured = np.array(self.positions) + self.noise * self.random.normal(size=12)
        measured += self.offset
        poses = {
            name: compose(palm, pose) for name, pose in links_in_palm(measured.tolist()).items()
        }
        for name, pose in {**poses, "palm": palm, "hand": self.hand}.items():
            self.values[self.layout.range_of(name, "pose")] = pose
        self.values[self.layout.range_of("robot", "joint_positions")] = measured
        self.values[self.layout.range_of("robot", "joint_efforts")] = self.efforts
        slots = len(self.layout.slots)
        nobody = np.full(slots, -1, np.int32)
        owners = np.zeros(slots, np.int32)
        return Snapshot(self.layout, ("physics",), self.time_ns, self.values.copy(), owners, nobody)

    def step(self, period_ns: int = PERIOD_NS) -> Floats:
        """Step the model; returns the object's pose in the world."""
        self.time_ns += period_ns
        output = self.model.step(Tick(self.time_ns, period_ns, self.snapshot()))
        self.events += output.events
        value = output.values["thing", "pose"]
        self.covariance = output.values["thing", "pose_covariance"].data
        self.parent = value.parent
        return compose(self.hand, value.data) if value.parent == "hand" else value.data

    def press(self, effort: float = 0.4) -> None:
        """All finger joints flex with this effort."""
        self.efforts = np.full(12, effort)

    def close_on(self, pose: Floats, seconds: float = 0.4) -> Floats:
        """Close the fingers on an object that really is at `pose` in the hand, press and wait a little."""
        target = np.array(closed_on(self.shapes, pose))
        start, steps = np.array(self.positions), round(seconds * 1e9 / PERIOD_NS)
        for i in range(1, steps + 1):
            self.positions = (start + (target - start) * i / steps).tolist()
            self.step()
        self.press()
        for _ in range(10):
            estimate = self.step()
        return estimate

    def in_hand(self, world: Floats) -> Floats:
        return relative_to(self.hand, world)


def full(triangle: Floats) -> Floats:
    """The covariance (6, 6) from its upper triangle."""
    matrix = np.zeros((6, 6))
    matrix[np.triu_indices(6)] = triangle
    return np.asarray(matrix + matrix.T - np.diag(np.diag(matrix)))
