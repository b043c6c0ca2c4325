"""References name an attribute of the scene, or some of its numbers."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec
from model_nodes.references import Reference

ARM = Entity("arm.left", EntityKind.ROBOT, joints=("shoulder", "elbow"))
BOX = Entity("box", EntityKind.OBJECT)
LAYOUT = Layout.build(
    (ARM, BOX),
    [
        ("box", POSE),
        ("arm.left", AttributeSpec("joint_positions", 2)),
        ("arm.left", AttributeSpec("charge")),
    ],
)


@pytest.mark.parametrize(
    ("text", "key", "indices"),
    [
        ("box.pose", ("box", "pose"), list(range(13))),
        ("box.pose[2]", ("box", "pose"), [2]),
        ("box.pose[0:3]", ("box", "pose"), [0, 1, 2]),
        ("arm.left.joint_positions[elbow]", ("arm.left", "joint_positions"), [1]),
        ("arm.left.joint_positions[0]", ("arm.left", "joint_positions"), [0]),
        (" arm.left.charge ", ("arm.left", "charge"), [0]),
    ],
)
def test_what_is_meant(text: str, key: tuple[str, str], indices: list[int]) -> None:
    reference = Reference.from_text(text, "inputs.u")
    assert reference.key == key
    attribute, found = reference.find(LAYOUT, "inputs.u")
    assert attribute.name == key[1]
    assert found.tolist() == indices


@pytest.mark.parametrize(
    "text", ["box", ".pose", "box.", "box.pose[]", "box.pose[1", "box.pose[1][2]"]
)
def test_what_names_no_attribute(text: str) -> None:
    with pytest.raises(BadInput, match="this names no attribute"):
        Reference.from_text(text, "inputs.u")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("crate.pose", "there is no such entity"),
        ("bax.pose", "perhaps 'box'"),
        ("box.charge", "box has no such attribute; found 'box.charge'; expected one of pose"),
        ("box.pose[13]", "an index from 0 to 12, or a range"),
        ("box.pose[3:3]", "an index from 0 to 12, or a range"),
        ("box.pose[x]", "an index from 0 to 12, or a range"),
        ("arm.left.joint_positions[wrist]", "or a joint: shoulder, elbow"),
        ("arm.left.charge[elbow]", "or a joint: shoulder, elbow"),
    ],
)
def test_what_the_scene_does_not_have(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=r"^inputs\.u: ") as caught:
        Reference.from_text(text, "inputs.u").find(LAYOUT, "inputs.u")
    assert words in str(caught.value)
