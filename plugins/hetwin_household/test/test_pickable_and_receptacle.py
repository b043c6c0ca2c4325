"""What is pickable and what is a receptacle is what observers look at, without a tag."""

from __future__ import annotations

from pathlib import Path

from support.household import box, happened, home, lived

BOWL = """
  <model name="bowl"><static>true</static><pose>0.5 0 0 0 0 0</pose><link name="link">
    <collision name="c"><pose>0 0 0.01 0 0 0</pose><geometry><box><size>.2 .2 .02</size></box></geometry></collision>
    <collision name="w"><pose>.1 0 0.05 0 0 0</pose><geometry><box><size>.01 .2 .1</size></box></geometry></collision>
  </link></model>"""
KEYS = """
entities:
  egg: {attributes: {pickable: {}}}
  bowl: {attributes: {receptacle: {}}}
triggers:
  - name: near
    on: {event: entered}
    if: "has('bowl', 'receptacle') && !has('egg', 'openable')"
    let: {found: "nearest_object('bowl', {'kind': 'pickable'})"}
    do: [{raise: {event: found, arguments: {object: $found}}}]
"""


def test_the_observers_are_there_and_look_at_them(tmp_path: Path) -> None:
    things = [BOWL, box("egg", "0.5 0 0.25", "0.04 0.04 0.04"), box("stone", "0.6 0.3 0.02")]
    outcome = lived(home(tmp_path, things, KEYS, [(0.8, 0.0, 0.0)]))
    assert outcome.summary.error is None, outcome.summary.error
    state = outcome.summary.state
    assert state["in_container(egg, bowl)"] is True
    assert state["on(egg, bowl)"] is True
    assert ("found", "egg") in happened(outcome)
    assert not any("stone" in name and name.startswith("in_container") for name in state)
