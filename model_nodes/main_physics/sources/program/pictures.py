"""The events of cameras that hold pictures, and what of them a robot's program gets to see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hetwin_core.ensemble.events import Event, EventKind
from model_nodes.camera.events import PICTURE, detections, frame_of
from model_nodes.robot_program.messages import Picture, Seen, Sensed


def pictures_in(
    events: Iterable[Event], links: Mapping[str, str], sensed: Sensed
) -> Iterator[Picture]:
    """Yield the pictures of the robot's cameras, and of those that stand in the world.

    Args:
        events: of all models.
        links: the scene's name of a link of the robot -> its own.
        sensed: what the robot senses now.
    """
    for event in events:
        if event.kind is not EventKind.MODEL or event.name != PICTURE:
            continue
        frame = frame_of(event)
        if not frame or frame in links:
            found = (Seen(one.object, one.pose, one.confidence) for one in detections(event))
            yield Picture(event.source, links.get(frame, ""), tuple(found), sensed)
