"""A main model that can be watched: the toy physics with a robot of two joints, whose report a test writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hetwin_core.ensemble.model import MainChanges, MainContribution, MainTick
from hetwin_core.ensemble.parameters import parameter
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, no_rows
from hetwin_core.ensemble.scene.values import AttributeSpec
from hetwin_core.ensemble.scene.watch import Finding, Watch, WatchLayout
from support.toys import ToyPhysics, ToySettings

JOINTS = ("shoulder", "elbow")
LINKS = ("base", "forearm")
LAYOUT = WatchLayout(
    robots=(("arm", 2),),
    joints=JOINTS,
    driven=(True, True),
    lower=(-1.0, None),
    upper=(1.0, None),
    velocity=(2.0, 2.0),
    effort=(10.0, None),
)
SPECS = tuple(
    AttributeSpec(name, 2, unit)
    for name, unit in (("joint_positions", "rad"), ("joint_velocities", "rad/s"))
)
ENTITIES = (
    Entity("arm", EntityKind.ROBOT, joints=JOINTS),
    Entity("base", EntityKind.LINK, owner="arm"),
    Entity("forearm", EntityKind.LINK, owner="arm", parent="base", joint="elbow"),
    Entity("table", EntityKind.STATIC),
)


class WatchedSettings(ToySettings):
    shoulder: list[float] = parameter("", [0.0])
    away: float = 0.0
    touch: list[float] | None = None
    findings: list[dict[str, Any]] = parameter("", [])


class WatchedToy(ToyPhysics):
    """Moves the shoulder along `shoulder` (one position per step, the last one stays), and the twin `away` from it.

    While `touch` = [from, to, depth] the forearm is that deep inside the table; `findings` are of its source.
    """

    watched = True
    settings_class = WatchedSettings

    def initialize(self, settings: WatchedSettings, scene: MainContribution) -> None:
        super().initialize(settings, scene)
        self._shoulder = list(settings.shoulder)
        self._away = settings.away
        self._touch = settings.touch or (0.0, -1.0, 0.0)
        self._at = self._shoulder[0]
        scene.entities = (*scene.entities, *ENTITIES)
        self._table = [e.name for e in scene.entities].index("table")
        for spec in SPECS:
            scene.set("arm", spec, np.zeros(2))
        findings = tuple(Finding(**finding) for finding in settings.findings)
        scene.watch = replace(LAYOUT, findings=findings)

    def step(self, tick: MainTick) -> MainChanges:
        output = super().step(tick)
        before, self._at = self._at, self._shoulder.pop(0) if self._shoulder else self._at
        speed = (self._at - before) / (tick.period_ns / 1e9)
        joints = [self._at + self._away, 0.0, speed, 0.0]
        assert output.block is not None
        output.block = np.concatenate([output.block, joints])
        output.tables |= Watch(
            time_ns=tick.time_ns,
            recorded=np.array([self._at, 0.0]),
            recorded_velocities=np.array([speed, 0.0]),
            measured_efforts=np.array([5.0, np.nan]),
            expected_efforts=np.array([4.0, np.nan]),
            clearances=self._clearances(tick.time_ns / 1e9),
        ).tables()
        return output

    def _clearances(self, now: float) -> Any:
        begin, end, depth = self._touch
        if not begin <= now <= end:
            return no_rows(CLEARANCES)
        forearm = self._table - 1
        return np.array([[forearm, self._table, -depth, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0]])
