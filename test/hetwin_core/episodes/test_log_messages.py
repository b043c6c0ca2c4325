"""The log's own definitions of the common interfaces are those of ROS 2."""

from __future__ import annotations

import pytest
from rosbags.typesys import Stores, get_typestore

from hetwin_core.episodes.messages import header, message, typestore

COMMON = sorted(name for name in typestore().fielddefs if not name.startswith("hetwin/"))


@pytest.fixture(scope="module", params=[Stores.ROS2_JAZZY, Stores.ROS2_KILTED])
def distribution(request: pytest.FixtureRequest) -> object:
    return get_typestore(request.param)


@pytest.mark.parametrize("name", COMMON)
def test_text_and_hash_are_those_of_the_distribution(name: str, distribution: object) -> None:
    ours, theirs = typestore(), distribution
    assert ours.generate_msgdef(name, ros_version=2) == theirs.generate_msgdef(name, ros_version=2)  # type: ignore[attr-defined]
    assert ours.hash_rihs01(name) == theirs.hash_rihs01(name)  # type: ignore[attr-defined]


def test_messages_are_written_and_read_as_by_the_library() -> None:
    store = get_typestore(Stores.ROS2_JAZZY)
    kind = "geometry_msgs/msg/TransformStamped"
    sent = message(
        kind,
        header=header(1_500_000_000, "world"),
        child_frame_id="box",
        transform=message(
            "geometry_msgs/msg/Transform",
            translation=message("geometry_msgs/msg/Vector3", x=1.0, y=2.0, z=3.0),
            rotation=message("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0),
        ),
    )
    raw = bytes(typestore().serialize_cdr(sent, kind))
    assert raw == bytes(store.serialize_cdr(sent, kind))
    assert typestore().deserialize_cdr(raw, kind) == sent
