"""The log's own definitions of the common interfaces are those of ROS 2."""

from __future__ import annotations

import pytest
from rosbags.typesys import Stores, get_typestore

from hetwin_core.ensemble import topics
from hetwin_core.episodes.messages import header, message, stamp, typestore
from hetwin_core.episodes.run_messages import responsibilities

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


@pytest.mark.parametrize(
    "owners",
    [
        {},
        {("box", "pose"): "physics"},
        {("b", ""): "π", ("cup", "pose"): "in_hand", ("ball_1", "held"): "abc", ("", ""): ""},
    ],
)
def test_the_table_of_responsibilities_is_as_the_library_writes_it(
    owners: dict[tuple[str, str], str],
) -> None:
    kind = topics.RESPONSIBILITIES.type
    rows = [
        message(topics.HETWIN_TYPES + "Responsibility", entity=e, attribute=a, model=m)
        for (e, a), m in owners.items()
    ]
    sent = message(kind, stamp=stamp(12_000_000_345), responsibilities=rows)
    expected = bytes(typestore().serialize_cdr(sent, kind))
    assert responsibilities(12_000_000_345, owners).data == expected
