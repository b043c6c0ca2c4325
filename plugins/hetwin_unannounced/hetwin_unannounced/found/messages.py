"""The first message of a type in a recording or from a live robot, and the transforms that come with it."""

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


class FinderParameters(Strict):
    """Parameters that all finders have.

    Attributes:
        topic: topic of the message; default: the only one of its type.
        recording: path of the recording that has the topic; default: the source's recording.
        frames: name of a frame -> its pose in the world; for frames that transforms do not connect to the world.
        wait: timeout for a live robot's message [s].
    """

    topic: Text | None = None
    recording: Text | None = None
    frames: dict[Text, Pose7] = Field(default_factory=dict)
    wait: Annotated[float, Field(gt=0, le=3600)] = 10.0


def first_message(
    request: SceneRequest,
    parameters: FinderParameters,
    message_type: str,
    is_usable: Callable[[Any], bool],
) -> tuple[Any, Frames]:
    """Return the first usable message of a type, and the frames that are known at that time.

    Args:
        request: request of the run.
        parameters: parameters of the finder.
        message_type: type of the message, such as nav_msgs/msg/OccupancyGrid.
        is_usable: returns whether a message can be used.

    Raises:
        BadInput: if there is no usable message, or no source has messages.
    """
    frames = Frames(known_frames(request.robots, parameters.frames))
    if parameters.recording is not None:
        path = (request.folder / Path(parameters.recording).expanduser()).resolve()
        return _first_recorded(path, parameters, message_type, is_usable, frames), frames
    for source in request.sources.values():
        if isinstance(source.get("recording"), str):
            return _first_recorded(
                Path(source["recording"]), parameters, message_type, is_usable, frames
            ), frames
        if isinstance(source.get("live"), str):
            listener = Listener(source["live"], frames, parameters.wait)
            return listener.first(parameters.topic, message_type, is_usable), frames
    raise BadInput(
        f"the run has no source with a {message_type}",
        where="recording",
        expected="a recording or a live robot as source, or `recording: PATH` here",
    )


def _first_recorded(
    path: Path,
    parameters: FinderParameters,
    message_type: str,
    is_usable: Callable[[Any], bool],
    frames: Frames,
) -> Any:
    bag = Bag(path)
    try:
        topic = _topic_in(bag, parameters, message_type)
        transform_topics = [name for name in TRANSFORMS if TF in bag.types(name)]
        decoders = {name: bag.decoder(name) for name in (topic, *transform_topics)}
        found = None
        for message in bag.messages([topic, *transform_topics]):
            if isinstance(message, ReadFault):
                break
            name, _, raw = message
            decoded = decoders[name](raw)
            if name != topic:
                frames.add_transforms(decoded)
            elif found is None and is_usable(decoded):
                found = decoded
    finally:
        bag.close()
    if found is None:
        raise BadInput(
            f"no message of {topic} is a whole {message_type}",
            file=path,
            where="topic",
            found=topic,
            expected="at least one, which other messages may change later",
        )
    return found


def _topic_in(bag: Bag, parameters: FinderParameters, message_type: str) -> str:
    if parameters.topic is not None:
        topic = bag.require(parameters.topic, "topic")
        if topic.type == message_type:
            return topic.name
        raise BadInput(
            "the topic has another type",
            file=bag.path,
            where="topic",
            found=topic.type,
            expected=message_type,
        )
    names = [
        topic.name for topic in bag.topics.values() if topic.type == message_type and topic.messages
    ]
    if len(names) == 1:
        return names[0]
    raise BadInput(
        f"the recording has {'several topics' if names else 'no topic'} of this type",
        file=bag.path,
        where="topic",
        found=", ".join(names) or None,
        expected=f"one topic of type {message_type}, or `topic: NAME`",
    )
