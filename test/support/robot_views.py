"""Views for tests of what watches the robot: an arm of two joints, a forearm, a base, a table, a floor, a box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, TABLES, TOUCHES, Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Shape, ShapeKind, pose_value
from hetwin_core.ensemble.scene.watch import Watch, WatchLayout
from model_nodes.robot_health.view import View
from support.scene_of import scene_of
from support.watched_toy import LAYOUT

PERIOD_NS = 20_000_000
ENTITIES = (
    Entity("arm", EntityKind.ROBOT, joints=LAYOUT.joints),
    Entity("base", EntityKind.LINK, owner="arm"),
    Entity("forearm", EntityKind.LINK, owner="arm", parent="base", joint="elbow"),
    Entity("table", EntityKind.STATIC, shapes=(Shape(ShapeKind.BOX, (1.0, 1.0, 0.1)),)),
    Entity("floor", EntityKind.STATIC, shapes=(Shape(ShapeKind.PLANE, (9.0, 9.0)),)),
    Entity("box", EntityKind.OBJECT, shapes=(Shape(ShapeKind.BOX, (0.1, 0.1, 0.1)),)),
    Entity("gripper", EntityKind.HAND, owner="arm", parent="forearm"),
)


def scene(time_ns: int = 0, *more: tuple[str, AttributeSpec]) -> Snapshot:
    """The scene, with the joints' attributes and others."""
    joints = [
        ("arm", AttributeSpec("joint_positions", 2)),
        ("arm", AttributeSpec("joint_velocities", 2)),
    ]
    poses = {e.name: pose_value((0.0, 0.0, 0.0)).data for e in ENTITIES if e.name != "arm"}
    return scene_of(ENTITIES, poses, time_ns=time_ns, attributes=[*joints, *more])


def layout() -> Layout:
    """The entities' layout."""
    return scene().layout


def clearance(link: str, partner: str, distance: float) -> list[float]:
    """A row of `Watch.clearances`."""
    ids = layout().entity_id(link), layout().entity_id(partner)
    return [*ids, distance, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0]


def touch(
    link: str, other: str, first: int, last: int, depth: float = 0.001, force: float = 5.0
) -> list[float]:
    """A row of `Watch.touches`, from one step to another."""
    ids = layout().entity_id(link), layout().entity_id(other)
    return [*ids, first * PERIOD_NS, last * PERIOD_NS, depth, force, 0.1, 0.2, 0.3]


def view(
    step: int,
    *,
    recorded: Sequence[float] = (0.0, 0.0),
    velocities: Sequence[float] = (0.0, 0.0),
    measured: Sequence[float] = (np.nan, np.nan),
    expected: Sequence[float] = (np.nan, np.nan),
    positions: Sequence[float] | None = None,
    clearances: Sequence[Sequence[float]] = (),
    touches: Sequence[Sequence[float]] = (),
    delay_ns: int = 0,
    robot: WatchLayout = LAYOUT,
    **more: Any,
) -> View:
    """A view with a report, at so many periods after the start; the twin is where it was recorded, unless said."""
    report = Watch(
        time_ns=step * PERIOD_NS,
        recorded=np.array(recorded, np.float64),
        recorded_velocities=np.array(velocities, np.float64),
        measured_efforts=np.array(measured, np.float64),
        expected_efforts=np.array(expected, np.float64),
        clearances=np.array(clearances, np.float64).reshape(-1, TABLES[CLEARANCES].number),
        delay_ns=delay_ns,
        touches=np.array(touches, np.float64).reshape(-1, TABLES[TOUCHES].number),
    )
    return View(
        step * PERIOD_NS,
        scene(step * PERIOD_NS),
        robot,
        report,
        np.array(recorded if positions is None else positions, np.float64),
        np.zeros(2),
        **more,
    )
