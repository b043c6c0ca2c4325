"""The detector of a camera: parameters, noise, misses and confusions, and the event of a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from hetwin_suite.model import (
    AboveZero,
    Amount,
    EntityName,
    EntityNames,
    Event,
    Finite,
    Floats,
    Json,
    Parameters,
    Pose,
    Whole,
    multiply,
    parameter,
    rotation_by,
)

Share = Annotated[Finite, Field(ge=0, le=1)]
EVERY = "*"
"""Key for all objects that have no key of their own."""


class Settings(Parameters):
    """All parameters of the model."""

    frame: EntityName = parameter("link or other entity that the camera is fixed to")
    at: Pose = parameter(
        "its pose there: x y z, qw qx qy qz; it looks along x, with z up", [0, 0, 0, 1, 0, 0, 0]
    )
    objects: EntityNames = parameter("what it may see: a tag, or a list of names", "graspable")
    width: Annotated[AboveZero, Field(lt=math.pi)] = parameter(
        "horizontal field of view", 1.05, "rad"
    )
    height: Annotated[AboveZero, Field(lt=math.pi)] = parameter(
        "vertical field of view", 0.8, "rad"
    )
    nearest: Amount = parameter("minimum distance at which objects are seen", 0.1, "m")
    reach: AboveZero = parameter("maximum distance at which objects are seen", 3.0, "m")
    rays: Annotated[Whole, Field(gt=0, le=10_000)] = parameter(
        "rays cast per object, to test occlusion", 48
    )
    least: Share = parameter("minimum share of its points seen for an object to be visible", 0.15)
    during: tuple[str, ...] = parameter(
        "operations during which it takes pictures; none: at all times", ("look",)
    )
    noise: Amount = parameter("standard deviation of detected positions, along each axis", 0.0, "m")
    turn_noise: Amount = parameter(
        "standard deviation of detected rotations, about each axis", 0.0, "rad"
    )
    miss: Share | dict[str, Share] = parameter(
        "probability that a visible object is missed, or object -> probability (* for others)", 0.0
    )
    confusion: dict[str, dict[str, Share]] = parameter(
        "object -> what it is taken for instead -> probability", {}
    )


PICTURE = "picture"
"""Name of the event that a picture was taken."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A detected object.

    Attributes:
        object: name that the detector reports; wrong if it confuses the object with another.
        pose: x y z [m], qw qx qy qz in the frame of the picture.
        confidence: 0 to 1.
        behind: true name of the object (ground truth); empty if not given.
    """

    object: str
    pose: tuple[float, ...]
    confidence: float
    behind: str = ""


def picture(time_ns: int, frame: str, found: Sequence[Detection]) -> Event:
    """Return the event of a picture.

    Args:
        time_ns: time of the picture.
        frame: robot link whose frame the poses are in; empty: the world.
        found: the detections.
    """
    rows: list[Json] = [
        {"object": seen.object, "pose": list(seen.pose), "confidence": seen.confidence}
        for seen in found
    ]
    truth: list[Json] = [detection.behind for detection in found]
    return Event(PICTURE, time_ns, arguments={"frame": frame, "found": rows, "truth": truth})


def frame_of(event: Event) -> str:
    """Return the link in whose frame a picture's poses are; empty: the world."""
    return str(event.arguments["frame"])


def detections(event: Event) -> Iterator[Detection]:
    """Yield the detections of a picture, without the ground truth."""
    rows = event.arguments["found"]
    assert isinstance(rows, list)
    for row in rows:
        assert isinstance(row, dict)
        pose, confidence = row["pose"], row["confidence"]
        assert isinstance(pose, list)
        assert isinstance(confidence, float | int)
        numbers = tuple(float(number) for number in pose if isinstance(number, float | int))
        yield Detection(str(row["object"]), numbers, float(confidence))


class Detector:
    """Simulates a detector; it draws the same number of random numbers for each object, whether detected or not.

    Args:
        settings: noise, misses and confusions.
        objects: names of the objects.
        seed: seed of the random numbers.
    """

    def __init__(self, settings: Settings, objects: Sequence[str], seed: int) -> None:
        miss = settings.miss
        by_name: Mapping[str, float] = miss if isinstance(miss, dict) else {EVERY: miss}
        self._miss = {name: by_name.get(name, by_name.get(EVERY, 0.0)) for name in objects}
        self._confusion, self._noise = settings.confusion, settings.noise
        self._turn_noise = settings.turn_noise
        self._random = np.random.default_rng(seed)

    def detect(self, name: str, pose: Floats, share: float, visible: bool) -> Detection | None:
        """Return the detection of an object, or None if it is not detected.

        Args:
            name: name of the object.
            pose: (13,) pose and twist in the frame of the picture.
            share: share of the object that is seen, 0 to 1.
            visible: whether that share suffices for a detection.
        """
        shift = self._noise * self._random.standard_normal(3)
        rotation = rotation_by((self._turn_noise * self._random.standard_normal(3)).tolist())
        missed, mistaken = self._random.random(2).tolist()
        if not visible or missed < self._miss[name]:
            return None
        position = (pose[:3] + shift).tolist()
        numbers = (*position, *multiply(rotation, pose[3:7].tolist()))
        return Detection(self._taken_for(name, mistaken), numbers, 0.5 + 0.5 * share, name)

    def _taken_for(self, name: str, drawn: float) -> str:
        for other, probability in self._confusion.get(name, {}).items():
            if drawn < probability:
                return other
            drawn -= probability
        return name
