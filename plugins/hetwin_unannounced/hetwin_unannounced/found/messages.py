"""The first message of a kind that a recording or a live robot has, and the transforms beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hetwin_suite.model import BadInput, Pose7, Strict, Text
from hetwin_suite.source import SceneRequest
from hetwin_suite.wire import Bag, ReadFault
from hetwin_unannounced.found.frames import Frames, known_frames
from hetwin_unannounced.found.live import TF, TRANSFORMS, Listener


class Asked(Strict):
    """What every finder takes.

    Attributes:
        topic: default: the only one of its type.
        recording: in which it is; default: that of the source.
        frames: name of a frame -> its pose in the world, where no transforms lead there.
        wait: how long to wait for a live robot's message [s].
    """

    topic: Text | None = None
    recording: Text | None = None
    frames: dict[Text, Pose7] = Field(default_factory=dict)
    wait: Annotated[float, Field(gt=0, le=3600)] = 10.0


def first_message(
    request: SceneRequest, asked: Asked, kind: str, usable: Callable[[Any], bool]
) -> tuple[Any, Frames]:
    """Return the first message of a type that can be used, however it is decoded, and the frames of that time.

    Args:
        request: of the run.
        asked: parameters.
        kind: type of the message, such as nav_msgs/msg/OccupancyGrid.
        usable: whether a message will do.

    Raises:
        BadInput: if there is none, or the source has no messages.
    """
    frames = Frames(known_frames(request.robots, asked.frames))
    if asked.recording is not None:
        path = (request.folder / Path(asked.recording).expanduser()).resolve()
        return _recorded(path, asked, kind, usable, frames), frames
    for source in request.sources.values():
        if isinstance(source.get("recording"), str):
            return _recorded(Path(source["recording"]), asked, kind, usable, frames), frames
        if isinstance(source.get("live"), str):
            listener = Listener(source["live"], frames, asked.wait)
            return listener.first(asked.topic, kind, usable), frames
    raise BadInput(
        f"the run has no source with a {kind}",
        where="recording",
        expected="a recording or a live robot as source, or `recording: PATH` here",
    )


def _recorded(
    path: Path, asked: Asked, kind: str, usable: Callable[[Any], bool], frames: Frames
) -> Any:
    bag = Bag(path)
    try:
        topic = _topic_in(bag, asked, kind)
        moved = [name for name in TRANSFORMS if TF in bag.types(name)]
        decoders = {name: bag.decoder(name) for name in (topic, *moved)}
        found = None
        for message in bag.messages([topic, *moved]):
            if isinstance(message, ReadFault):
                break
            name, _, raw = message
            decoded = decoders[name](raw)
            if name != topic:
                frames.add_transforms(decoded)
            elif found is None and usable(decoded):
                found = decoded
    finally:
        bag.close()
    if found is None:
        raise BadInput(
            f"no message of {topic} is a whole {kind}",
            file=path,
            where="topic",
            found=topic,
            expected="at least one, which other messages may change later",
        )
    return found


def _topic_in(bag: Bag, asked: Asked, kind: str) -> str:
    if asked.topic is not None:
        topic = bag.require(asked.topic, "topic")
        if topic.type == kind:
            return topic.name
        raise BadInput(
            "the topic has another type",
            file=bag.path,
            where="topic",
            found=topic.type,
            expected=kind,
        )
    names = [topic.name for topic in bag.topics.values() if topic.type == kind and topic.messages]
    if len(names) == 1:
        return names[0]
    raise BadInput(
        f"the recording has {'several topics' if names else 'no topic'} of this type",
        file=bag.path,
        where="topic",
        found=", ".join(names) or None,
        expected=f"one topic of type {kind}, or `topic: NAME`",
    )
