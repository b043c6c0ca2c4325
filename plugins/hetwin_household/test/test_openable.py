"""A cupboard with a hinged door is open above a tenth of the door's travel."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.household import happened, home, lived

from hetwin_core.ensemble.errors import BadInput

CUPBOARD = """
  <model name="cupboard"><pose>0.3 0.1 0.2 0 0 0</pose>
    <link name="body"><inertial><mass>50</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
      <collision name="c"><pose>0.1 0 0 0 0 0</pose><geometry><box><size>0.3 0.3 0.4</size></box></geometry>
      </collision></link>
    <link name="door"><pose>-0.16 0 0 0 0 0</pose>
      <inertial><mass>0.5</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
      <collision name="c"><geometry><box><size>0.01 0.28 0.36</size></box></geometry></collision></link>
    <joint name="fixed" type="fixed"><parent>world</parent><child>body</child></joint>
    <joint name="hinge" type="revolute"><pose>0 0.14 0 0 0 0</pose><parent>body</parent><child>door</child>
      <axis><xyz>0 0 -1</xyz><limit><lower>0</lower><upper>1.6</upper></limit>
        <dynamics><damping>0.2</damping></dynamics></axis></joint>
  </model>"""
KEYS = "entities: {cupboard: {attributes: {openable: {joint: JOINT, closed: 0.0, opened: 1.57}}}}\n"


@pytest.mark.parametrize(("way", "events"), [(0.0, []), (-0.1, ["opened"])])
def test_a_finger_behind_the_door_opens_it(tmp_path: Path, way: float, events: list[str]) -> None:
    keys = KEYS.replace("JOINT", "hinge")
    points = [(0.3, 0.175, 0.5), (0.6, 0.175, 0.7), (1.2, 0.175 + way, 0.7)]
    outcome = lived(home(tmp_path, [CUPBOARD], keys, points))
    assert outcome.summary.error is None, outcome.summary.error
    assert outcome.summary.state["open(cupboard)"] is bool(events)
    assert happened(outcome) == [(name, "cupboard") for name in events]


def test_a_joint_that_is_not_there(tmp_path: Path) -> None:
    file = home(tmp_path, [CUPBOARD], KEYS.replace("JOINT", "hinges"))
    with pytest.raises(BadInput) as caught:
        lived(file)
    assert "entities.cupboard.attributes.openable.joint" in str(caught.value)
    assert "'hinge'" in str(caught.value)
