"""Topics of sensors whose model has another name in Gazebo than in the user's world."""

from __future__ import annotations

from dataclasses import replace

from model_nodes.main_physics.world.description import Body, Extra
from model_nodes.main_physics.world.xml_file import Element

_ENDINGS = {
    "air_pressure": "air_pressure",
    "air_speed": "air_speed",
    "altimeter": "altimeter",
    "camera": "image",
    "contact": "contact",
    "depth_camera": "depth_image",
    "force_torque": "forcetorque",
    "gps": "navsat",
    "gpu_lidar": "scan",
    "imu": "imu",
    "logical_camera": "logical_camera",
    "magnetometer": "magnetometer",
    "navsat": "navsat",
    "thermal": "image",
}
"""Type of a sensor -> how Gazebo's own name of its topic ends."""


def with_topics(body: Body, world: str) -> Body:
    """Return a part of a divided model whose sensors have the topics that they have in the whole model."""
    model, divided, _ = body.name.partition("::")
    if not divided:
        return body
    links = tuple(
        replace(
            link,
            extras=tuple(_with_topic(e, _path(world, model, link.name)) for e in link.extras),
        )
        for link in body.links
    )
    return replace(body, links=links)


def _path(world: str, model: str, link: str) -> str:
    *inner, own = link.split("::")
    models = "".join(f"/model/{name}" for name in (model, *inner))
    return f"/world/{world}{models}/link/{own}"


def _with_topic(extra: Extra, path: str) -> Extra:
    element = extra.element
    ending = _ENDINGS.get(element.attributes.get("type", ""))
    if extra.tag != "sensor" or ending is None or element.child("topic") is not None:
        return extra
    text = f"{path}/sensor/{element.attributes.get('name', '')}/{ending}"
    topic = Element("topic", {}, element.line, element.file, text)
    return replace(extra, element=replace(element, children=[*element.children, topic]))
