"""The event of a picture: what a detector found in it, and beside it what is really there, for analysis only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.events import Event, Json

PICTURE = "picture"
"""Name of the event."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Something that was detected.

    Attributes:
        object: name of the object that the detector takes it for.
        pose: x y z [m], qw qx qy qz in the frame of the event.
        confidence: 0 to 1.
        behind: name of the object that is really there; empty if that is not said.
    """

    object: str
    pose: tuple[float, ...]
    confidence: float
    behind: str = ""


def picture(time_ns: int, frame: str, found: Sequence[Detection]) -> Event:
    """Return the event of a picture.

    Args:
        time_ns: when it was taken.
        frame: link of the robot in which the poses are; empty: the world.
        found: what was detected.
    """
    rows: list[Json] = [
        {"object": one.object, "pose": list(one.pose), "confidence": one.confidence}
        for one in found
    ]
    truth: list[Json] = [one.behind for one in found]
    return Event(PICTURE, time_ns, arguments={"frame": frame, "found": rows, "truth": truth})


def frame_of(event: Event) -> str:
    """Return the link in whose frame the poses of a picture are; empty: the world."""
    return str(event.arguments["frame"])


def detections(event: Event) -> Iterator[Detection]:
    """Yield what was detected in a picture, without what is really there."""
    rows = event.arguments["found"]
    assert isinstance(rows, list)
    for row in rows:
        assert isinstance(row, dict)
        pose, confidence = row["pose"], row["confidence"]
        assert isinstance(pose, list)
        assert isinstance(confidence, float | int)
        numbers = tuple(float(number) for number in pose if isinstance(number, float | int))
        yield Detection(str(row["object"]), numbers, float(confidence))
