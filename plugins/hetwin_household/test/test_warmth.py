"""Stoves heat and fridges cool what is near or inside, as the exact solution has it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from support.household import box, happened, home, lived

from hetwin_core.ensemble.errors import BadInput

ROOM, ROOM_RATE = 296.15, 5e-4
STOVE = box("stove", "1 0 0.1", "0.4 0.4 0.2", static=True)
POT = box("pot", "1 0 0.23")
FAR = box("far", "3 0 0.03")
TWO_SOURCES = """{stove: {attributes: {heatable: {temperature: 400, rate: 1, inside: true, when: hot(pot)}}},
    pot: {attributes: {coolable: {temperature: 200, rate: 1, within: 1, when: cold(stove)}}}}"""
HOT = "{temperature: 473.15, rate: 0.1, WHERE}"


def exact(seconds: float, source: float, rate: float) -> float:
    goal = (rate * source + ROOM_RATE * ROOM) / (rate + ROOM_RATE)
    return goal + (ROOM - goal) * math.exp(-(rate + ROOM_RATE) * seconds)


@pytest.mark.parametrize("rate", [1, 100])
def test_a_stove_heats_as_the_exact_solution(tmp_path: Path, rate: int) -> None:
    keys = f"""
        entities: {{stove: {{attributes: {{heatable: {HOT.replace("WHERE", "within: 0.2")}}}}}}}
        models:
          physics: {{type: main_physics, main: true}}
          temperature: {{type: temperature, rate: {rate}}}
        """
    outcome = lived(home(tmp_path, [STOVE, POT, FAR], keys, [(2.0, 0.0, 0.0)]))
    assert outcome.summary.error is None, outcome.summary.error
    scene = outcome.record.scenes[-1]
    assert scene.get("pot", "temperature")[0] == pytest.approx(exact(2.0, 473.15, 0.1), abs=0.01)
    assert scene.get("far", "temperature")[0] == pytest.approx(ROOM, abs=1e-9)
    assert happened(outcome) == [("became_hot", "pot")]
    became = next(e.time_ns for e in outcome.record.events) / 1e9
    assert exact(became, 473.15, 0.1) > 318.15
    assert exact(became - 1.0 / rate, 473.15, 0.1) <= 318.15


def test_a_fridge_cools_what_is_inside_unless_it_is_told_not_to(tmp_path: Path) -> None:
    wall = (
        '<collision name="{0}"><pose>{0} 0 0.3 0 0 0</pose><geometry>'
        "<box><size>.02 .6 .6</size></box></geometry></collision>"
    )
    walls = f"""
      <model name="fridge"><static>true</static><pose>2 0 0 0 0 0</pose>
        <link name="link">{wall.format(-0.3)}{wall.format(0.3)}</link></model>"""
    keys = """
        entities:
          fridge: {attributes: {coolable: {temperature: 263.15, rate: 0.8, inside: true, when: "WHEN"}}}
        """
    milk = box("milk", "2 0 0.03")
    for when, cold in (
        ("!moved_far", None),
        ("distance(fridge, milk) > 99.0", False),
        ("true", True),
    ):
        file = home(tmp_path, [walls, milk, FAR], keys.replace("WHEN", when), [(1.0, 0.0, 0.0)])
        if cold is None:
            with pytest.raises(BadInput, match=r"entities\.fridge\.attributes\.coolable\.when"):
                lived(file)
            continue
        outcome = lived(file)
        assert outcome.summary.error is None, outcome.summary.error
        assert outcome.summary.state["cold(milk)"] is cold
        assert outcome.summary.state["cold(far)"] is False
        assert happened(outcome) == ([("became_cold", "milk")] if cold else [])


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ("stove: {attributes: {heatable: {temperature: 400, rate: 0.1}}}", "either within"),
        (
            "stove: {attributes: {heatable: {temperature: -4, rate: 0.1, inside: true}}}",
            "greater than 0",
        ),
        ("stove: {attributes: {heatabel: {}}}", "heatable"),
        ("stove: {attributes: {pickable: {}, pickable: {}}}", "twice"),
        (
            "stove: {attributes: {heatable: {temperature: 400, rate: 0.1, inside: true, when: 'hot(('}}}",
            "syntax error",
        ),
        (TWO_SOURCES, "stove -> pot -> stove"),
    ],
)
def test_what_cannot_be(tmp_path: Path, attributes: str, says: str) -> None:
    inner = attributes if attributes.startswith("{") else "{" + attributes + "}"
    with pytest.raises(BadInput, match=says):
        lived(home(tmp_path, [STOVE, POT], f"entities: {inner}\n"))


def test_a_world_s_file_says_so_for_all_its_scenarios(tmp_path: Path) -> None:
    file = home(tmp_path, [STOVE, POT, FAR], "entities: {far: {attributes: {moveable: true}}}\n")
    beside = tmp_path / "home.attributes.yaml"
    beside.write_text(f"stove: {{heatable: {HOT.replace('WHERE', 'within: 0.2')}}}\n")
    assert ("became_hot", "pot") in happened(lived(home_for(file, 2.0)))
    beside.write_text("stove: {heatable: {temperature: warm}}\n")
    with pytest.raises(BadInput, match=r"home\.attributes\.yaml: line 1, stove\.heatable"):
        lived(file)


@pytest.mark.parametrize(
    ("beside", "says"),
    [
        ("stoves: {pickable: {}}\n", r"line 1, stoves: the world has no such entity"),
        (
            "far: {moveable: {}}\npot: {openable: {joint: lid, closed: 0, opened: 1}}\n",
            r"line 2, pot\.openable\.joint: it has no such joint",
        ),
        (
            """stove: {heatable: {temperature: 400, rate: 1, inside: true, when: hot(pot)}}
pot: {coolable: {temperature: 200, rate: 1, within: 1, when: cold(stove)}}
""",
            r"line 1, stove: heat sources depend on each other",
        ),
    ],
)
def test_what_cannot_be_is_found_in_the_world_s_file(
    tmp_path: Path, beside: str, says: str
) -> None:
    file = home(tmp_path, [STOVE, POT, FAR], "entities: {far: {attributes: {pickable: true}}}\n")
    (tmp_path / "home.attributes.yaml").write_text(beside)
    with pytest.raises(BadInput, match=r"home\.attributes\.yaml: " + says):
        lived(file)


def home_for(file: Path, seconds: float) -> Path:
    motion = file.with_name("motion.yaml")
    motion.write_text(
        motion.read_text().replace("time_from_start: 1.0", f"time_from_start: {seconds}")
    )
    return file
