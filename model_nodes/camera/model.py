"""Camera: which objects it can see, and what a detector finds in its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hetwin_core.ensemble.annotations import phase_of
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import (
    POSE,
    POSE_SIZE,
    AttributeSpec,
    Floats,
    Meaning,
)
from model_nodes.camera.detector import EVERY, PICTURE, Detector, Settings, picture
from model_nodes.camera.sight import Sight, View

VISIBLE = AttributeSpec("visible", meaning=Meaning.TRUTH)
"""Whether a camera can see an object."""


class Camera(Model[Settings]):
    """Observes which objects are in its picture and not hidden; takes pictures while the robot looks.

    The event ``picture`` has the arguments ``frame`` (the robot's link that the camera is fixed to; empty: the poses
    are in the world), ``found`` (object, pose, confidence of each detection) and ``truth`` (what each really is), which
    is for analysis and never reaches the robot.
    """

    summary = (
        "A camera: what is visible, and what a detector with noise, misses and confusions finds."
    )
    rate = 5.0
    provides = (VISIBLE,)
    raises: ClassVar[Mapping[str, str]] = {
        PICTURE: "a picture was taken: frame, found (object, pose, confidence), truth"
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the attribute ``visible`` of each object.

        Raises:
            BadInput: if a parameter cannot be used.
        """
        self._objects = list(dict.fromkeys(settings.objects))
        self._looking: set[str] = set()
        for name in self._objects:
            scene.set(name, VISIBLE, 0.0)
        scene.needs(("*", POSE.name))
        if not self._objects:
            scene.warn("there is no object that the camera may see")

    def start(self, scene: Snapshot) -> None:
        """Find frame and objects in the scene.

        Raises:
            BadInput: if one is missing.
        """
        layout, settings = scene.layout, self.settings
        posed = [slot.entity for slot in layout.slots if slot.attribute.name == POSE.name]
        frames = [*posed, *(hand.name for hand in layout.of_kind(EntityKind.HAND))]
        _check("frame", settings.frame, frames)
        for name in self._objects:
            _check("objects", name, posed)
        _check_names(settings, self._objects)
        view = View(settings.width, settings.height, settings.nearest, settings.reach)
        self._sight = Sight(layout, self._objects, view, settings.rays)
        self._detector = Detector(settings, self._objects, self.seed)
        self._at = np.zeros(POSE_SIZE)
        self._at[:7] = settings.at
        self._link = _link(layout, settings.frame)

    def step(self, tick: Tick) -> Changes:
        """Say what is visible, and take a picture while the robot looks."""
        self._listen(tick.events)
        scene, settings = tick.scene, self.settings
        frame = scene.pose(settings.frame)
        shares = self._sight.shares(scene, compose(frame, self._at), settings.frame)
        seen = (shares > 0.0) & (shares >= settings.least)
        changes = tick.changes()
        for name, visible in zip(self._objects, seen.tolist(), strict=True):
            changes.set(name, VISIBLE, float(visible))
        if self._looking or not settings.during:
            changes.events.append(self._picture(tick, frame, shares, seen.tolist()))
        return changes

    def _picture(self, tick: Tick, frame: Floats, shares: Floats, seen: list[bool]) -> Event:
        found = []
        for name, share, visible in zip(self._objects, shares.tolist(), seen, strict=True):
            pose = tick.scene.pose(name)
            there = relative_to(frame, pose) if self._link else pose
            found.append(self._detector.detect(name, there, share, visible))
        return picture(tick.time_ns, self._link, [one for one in found if one is not None])

    def _listen(self, events: tuple[Event, ...]) -> None:
        """Take note of which operations that look go on."""
        for event in events:
            if event.kind is not EventKind.ACTION or event.name not in self.settings.during:
                continue
            key = str(event.arguments.get("task", event.name))
            if phase_of(event) == "begin":
                self._looking.add(key)
            else:
                self._looking.discard(key)


def _link(layout: Layout, frame: str) -> str:
    """The frame, if it is a link of a robot; else empty."""
    entity = layout.entity(frame)
    robots = {robot.name for robot in layout.of_kind(EntityKind.ROBOT)}
    return frame if entity.kind is EntityKind.LINK and entity.owner in robots else ""


def _check(where: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise BadInput(
            "the scene has no such entity with a pose",
            where=where,
            found=name,
            expected=one_of(name, known),
        )


def _check_names(settings: Settings, objects: list[str]) -> None:
    """Check that misses and confusions are of objects that the camera may see.

    Raises:
        BadInput: if one is not, or probabilities are more than 1 together.
    """
    missed = settings.miss if isinstance(settings.miss, dict) else {}
    for name in missed:
        if name != EVERY:
            _check(f"miss.{name}", name, [*objects, EVERY])
    for name, others in settings.confusion.items():
        _check(f"confusion.{name}", name, objects)
        for other in others:
            _check(f"confusion.{name}.{other}", other, objects)
        if sum(others.values()) > 1.0 + 1e-9:
            raise BadInput(
                "these probabilities are more than 1 together",
                where=f"confusion.{name}",
                found=dict(others),
                expected="at most 1",
            )
