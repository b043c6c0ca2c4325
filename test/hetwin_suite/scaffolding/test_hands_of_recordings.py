"""What `hetwin new` makes of hands of many kinds, and of recordings in which they close."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.arms_with_hands import (
    STROKE,
    Position,
    box,
    clamp,
    fingers,
    jaw,
    joint,
    link,
    recorded,
    robot,
    steps,
)

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite import run
from hetwin_suite.scaffolding.hands import FoundHand
from hetwin_suite.scaffolding.new_scenario import Draft, draft_scenario
from hetwin_suite.scaffolding.written import write_scenario

FIRST = steps((2.0, 0.043), (2.9, 0.017))
"""The clamp closes on something 34 mm wide."""


def both(position: Position) -> dict[str, Position]:
    return {"slide_a": position, "slide_b": position}


def drafted(bag: Path, file: Path, *hands: str) -> Draft:
    return draft_scenario(bag, robot=str(file), hands=hands)


def only_hand(draft: Draft) -> FoundHand:
    (hand,) = draft.hands
    return hand


# ---------------------------------------------------------------------- which closing is the first


@pytest.mark.parametrize("opens_s", [0.1, 0.4, 0.9, 2.4])
@pytest.mark.parametrize("closes_first", [False, True])
def test_the_first_closing_that_stops_short_is_the_first(
    opens_s: float, closes_first: bool, tmp_path: Path
) -> None:
    """However fast the fingers open, and whether they were shut before and close on nothing afterwards."""
    before = [(0.0, 0.043), (0.4, 0.0), (0.6, 0.0), (1.4, 0.043)] if closes_first else []
    first = [(2.0, 0.043), (2.9, 0.017), (5.0, 0.017)]
    later = [(5.0 + opens_s, 0.043), (7.5, 0.043), (9.0, 0.0)]
    bag = recorded(tmp_path, both(steps(*before, *first, *later)), 10.0, 80)
    found = drafted(bag, robot(tmp_path, clamp())).grasp
    assert found is not None
    assert found.time_s == pytest.approx(2.8, abs=0.05)
    assert found.width == pytest.approx(0.034, abs=1e-4)
    assert found.position == pytest.approx((0.455, 0.201, 0.35), abs=0.005)


def test_what_comes_later_does_not_change_the_first_closing(tmp_path: Path) -> None:
    move = steps((2.0, 0.043), (2.9, 0.017), (5.0, 0.017), (5.9, 0.043), (7.5, 0.043), (9.0, 0.0))
    file = robot(tmp_path, clamp())
    whole = drafted(recorded(tmp_path, both(move), 10.0, 80, "whole"), file).grasp
    part = drafted(recorded(tmp_path, both(move), 7.0, 80, "part"), file).grasp
    assert whole is not None
    assert part is not None
    assert whole.position == pytest.approx(part.position, abs=2e-3)
    assert whole.width == pytest.approx(part.width, abs=1e-6)


def test_a_closing_on_nothing_is_taken_if_there_is_no_other(tmp_path: Path) -> None:
    bag = recorded(tmp_path, both(steps((1.0, 0.043), (2.0, 0.0))), 3.0)
    found = drafted(bag, robot(tmp_path, clamp())).grasp
    assert found is not None
    assert found.time_s == pytest.approx(1.9, abs=0.05)
    assert found.width == 0.0


def test_fingers_that_tremble_do_not_open(tmp_path: Path) -> None:
    def trembling(seconds: float) -> float:
        return FIRST(seconds) + 2e-4 * float(np.sin(90.0 * seconds))

    found = drafted(recorded(tmp_path, both(trembling), 6.0), robot(tmp_path, clamp())).grasp
    assert found is not None
    assert found.time_s == pytest.approx(2.8, abs=0.06)


# ---------------------------------------------------------------------- one jaw

TALL = "0.012 0.0215 0.08"
BETWEEN = """
scene:
  table: {model: objects/table.sdf, pose: [0.472, 0, 0.35, 1, 0, 0, 0]}
  box: {model: objects/tall.sdf, pose: [0.472, 0.00575, 0.4, 1, 0, 0, 0]}
entities:
  box: {tags: [graspable]}
"""
JAWS: dict[str, tuple[str, float, float]] = {
    "opens upwards": (jaw((-0.1, 1.6)), 1.6, -0.1),
    "is open at 0": (jaw((-1.4, 0.0), turned=1.4), 0.0, -1.4),
    "opens downwards": (jaw((-1.6, 0.1), axis="0 0 -1"), -1.6, 0.1),
    "is half open at 0": (jaw((-0.7, 0.7), turned=0.7), 0.7, -0.7),
    "opens by less than it could be turned": (jaw((0.0, 0.5)), 0.5, 0.0),
}


@pytest.mark.parametrize("kind", JAWS)
def test_a_single_jaw_is_open_where_it_is_far_from_the_fixed_side(
    kind: str, tmp_path: Path
) -> None:
    text, opened, closed = JAWS[kind]
    half = (opened + closed) / 2.0
    move = steps((1.0, opened), (2.0, half))
    draft = drafted(recorded(tmp_path, {"jaw": move}, 4.0), robot(tmp_path, text))
    hand = only_hand(draft)
    assert (hand.opened, hand.closed) == ((opened,), (closed,))
    assert (hand.link, hand.kind) == ("claw_base", "one jaw against a fixed side")
    assert draft.watched == (hand.name,)


def test_a_box_between_a_jaw_and_the_fixed_side_is_picked_up(tmp_path: Path) -> None:
    """The jaw stops where a box on a table touches it and the fixed side, and the arm lifts it."""
    moves = {
        "turn": lambda _: 0.0,
        "lift": steps((2.2, 0.0), (3.2, -0.4)),
        "jaw": steps((0.4, 0.9), (1.4, 0.285)),
    }
    draft = drafted(recorded(tmp_path, moves, 4.0), robot(tmp_path, jaw((-0.1, 1.6))))
    file = write_scenario(draft, tmp_path / "twin").file
    objects = tmp_path / "twin" / "objects"
    tall = (objects / "box.sdf").read_text(encoding="utf-8").replace("0.04 0.04 0.04", TALL)
    (objects / "tall.sdf").write_text(tall, encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8") + BETWEEN, encoding="utf-8")
    events = {event["name"]: event["time"] for event in run(file, out=tmp_path / "run").events}
    assert events["grip_closed"] == pytest.approx(1.5, abs=0.15)
    assert events["picked_up"] == pytest.approx(2.5, abs=0.3)


@pytest.mark.parametrize("kind", ["opens upwards", "is open at 0"])
def test_a_single_jaw_runs(kind: str, tmp_path: Path) -> None:
    text, opened, closed = JAWS[kind]
    move = steps((0.2, opened), (0.6, closed))
    draft = drafted(recorded(tmp_path, {"jaw": move}, 1.0), robot(tmp_path, text))
    summary = run(write_scenario(draft, tmp_path / "twin").file, out=tmp_path / "run")
    (grip,) = [row for row in summary.coverage if row["claim"] == "grip"]
    assert grip["checked"]


# ---------------------------------------------------------------------- motors, and what follows

CRANK = link("gripper_prop", box(0.01, 0.04, 0.004))
MOTORS: dict[str, str] = {
    "without end": CRANK
    + joint(
        "gripper", "continuous", "clamp_base", "gripper_prop", ".035 0 .02", axis="1 0 0"
    ),
    "two of them": CRANK
    + joint("gripper", "continuous", "clamp_base", "gripper_prop", ".035 0 .02", axis="1 0 0")
    + link("gear", box(0.01, 0.01, 0.01))
    + joint("cog", "continuous", "clamp_base", "gear", ".035 0 -.02", axis="1 0 0"),
    "with limits, in place": CRANK
    + joint(
        "gripper", "revolute", "clamp_base", "gripper_prop", ".035 0 .02", axis="1 0 0",
        limits=(-3.0, 3.0),
    ),
    "on a bracket": CRANK
    + link("bracket", box(0.01, 0.01, 0.01))
    + joint("bolts", "fixed", "clamp_base", "bracket", "0 0 .02")
    + joint("gripper", "continuous", "bracket", "gripper_prop", ".035 0 0", axis="1 0 0"),
}  # fmt: skip


@pytest.mark.parametrize("motor", MOTORS)
def test_a_motor_that_one_sees_is_no_reason_against_a_hand(motor: str, tmp_path: Path) -> None:
    moves = {**both(FIRST), "gripper": lambda t: 30.0 * FIRST(t)}
    bag = recorded(tmp_path, moves, 4.0)
    with_motor = only_hand(drafted(bag, robot(tmp_path, clamp(), MOTORS[motor])))
    plain = recorded(tmp_path, both(FIRST), 4.0, name="plain")
    assert with_motor == only_hand(drafted(plain, robot(tmp_path, clamp())))


CONTROL = '<ros2_control name="io" type="system"><joint name="slide_b">{}</joint></ros2_control>'
FOLLOWS: dict[str, tuple[str, str]] = {
    "by URDF": (clamp('<mimic joint="slide_a"/>'), ""),
    "by ros2_control": (
        clamp(),
        CONTROL.format('<param name="mimic">slide_a</param><param name="multiplier">1</param>'),
    ),
    "by equal motion": (clamp(), ""),
}


@pytest.mark.parametrize("how", FOLLOWS)
def test_a_finger_follows_the_other(how: str, tmp_path: Path) -> None:
    hand, control = FOLLOWS[how]
    moves = both(FIRST) if how == "by equal motion" else {"slide_a": FIRST}
    draft = drafted(recorded(tmp_path, moves, 4.0), robot(tmp_path, hand, control))
    found = only_hand(draft)
    assert found.joints == ("slide_a", "slide_b")
    assert (found.opened, found.closed) == ((STROKE, STROKE), (0.0, 0.0))
    assert draft.grasp is not None
    assert draft.grasp.width == pytest.approx(0.034, abs=1e-4)
    assert draft.warnings == ()


def test_a_finger_of_which_nothing_is_known_is_left_out_with_a_warning(tmp_path: Path) -> None:
    draft = drafted(recorded(tmp_path, {"slide_a": FIRST}, 4.0), robot(tmp_path, clamp()))
    assert only_hand(draft).joints == ("slide_a",)
    (warning,) = draft.warnings
    assert "slide_b are neither recorded nor coupled to" in warning


# ---------------------------------------------------------------------- other hands


@pytest.mark.parametrize("count", [3, 5])
def test_a_hand_with_several_fingers_is_named(count: int, tmp_path: Path) -> None:
    bends = [f"bend_{part}_{n}" for n in range(count) for part in ("near", "far")]
    curl = steps((1.0, 0.0), (2.0, -0.7))
    bag = recorded(tmp_path, dict.fromkeys(bends, curl), 3.0)
    hand = only_hand(drafted(bag, robot(tmp_path, fingers(count))))
    assert hand.kind == f"a hand with {count} fingers"
    assert set(hand.opened) == {0.2}
    assert set(hand.closed) == {-1.5}
    assert ("not which of them hold" in hand.unsure) is (count > 3)


def test_an_underactuated_hand_says_that_its_drives_do_not_show_its_fingers(
    tmp_path: Path,
) -> None:
    drive = link("drum", box(0.01, 0.01, 0.01)) + joint(
        "tendon", "revolute", "palm", "drum", "0 0 0", limits=(0.0, 6.0)
    )
    bag = recorded(tmp_path, {"tendon": steps((1.0, 0.0), (2.0, 4.0))}, 3.0)
    draft = drafted(bag, robot(tmp_path, fingers(5), drive))
    hand = only_hand(draft)
    assert hand.kind == "an underactuated hand with 5 fingers"
    assert "depend on tendon" in hand.unsure
    assert draft.watched == ()
    assert any(hand.unsure in warning for warning in draft.warnings)


CUPS: dict[str, tuple[str, str]] = {
    "cup": ("vacuum_cup", "suction cup"),
    "suction": ("suction_gripper_link", "suction cup"),
    "changer": ("tool_changer_plate", "tool changer"),
    "quick changer": ("quick_changer", "tool changer"),
}


@pytest.mark.parametrize("kind", CUPS)
def test_what_holds_without_fingers_is_named_and_not_judged(kind: str, tmp_path: Path) -> None:
    name, words = CUPS[kind]
    tool = link(name, box(0.04, 0.04, 0.04)) + joint("mount", "fixed", "boom", name, "0.4 0 0")
    draft = drafted(recorded(tmp_path, {}, 1.0), robot(tmp_path, tool))
    hand = only_hand(draft)
    assert words in hand.kind
    assert hand.joints == ()
    summary = run(write_scenario(draft, tmp_path / "twin").file, out=tmp_path / "run")
    (grip,) = [row for row in summary.coverage if row["claim"] == "grip"]
    assert not grip["checked"]
    assert words in str(grip["why"])
    assert summary.verdict == "unchecked"


def test_fingers_on_a_tool_changer_are_the_hand(tmp_path: Path) -> None:
    text = clamp().replace("clamp_base", "tool_changer_tool")
    assert only_hand(drafted(recorded(tmp_path, both(FIRST), 4.0), robot(tmp_path, text))).joints


# ---------------------------------------------------------------------- none, and by hand

ENDLESS = link("stub", box(0.02, 0.02, 0.02, "0 .05 0")) + joint(
    "gripper_roll", "continuous", "boom", "stub", "0.4 0 0"
)


def test_a_gripper_of_which_no_hand_can_be_made_is_a_warning_that_says_what_to_do(
    tmp_path: Path,
) -> None:
    bag = recorded(tmp_path, {"gripper_roll": steps((0.0, 0.0), (1.0, 1.0))}, 2.0)
    file = robot(tmp_path, ENDLESS)
    draft = drafted(bag, file)
    assert draft.hands == ()
    (warning,) = draft.warnings
    assert "gripper_roll: without limits it has no closed end" in warning
    assert "--hand LINK=JOINT[:OPENED:CLOSED],..." in warning
    hand = only_hand(drafted(bag, file, "boom=gripper_roll:1.0:0.0"))
    assert (hand.link, hand.opened, hand.closed) == ("boom", (1.0,), (0.0,))


def test_a_named_hand_takes_the_place_of_the_one_that_was_found(tmp_path: Path) -> None:
    bag, file = recorded(tmp_path, both(FIRST), 4.0), robot(tmp_path, clamp())
    turned = only_hand(drafted(bag, file, "clamp_base=slide_a:0:0.045,slide_b:0:0.045"))
    assert (turned.opened, turned.closed) == ((0.0, 0.0), (STROKE, STROKE))
    fewer = only_hand(drafted(bag, file, "clamp_base=slide_a"))
    assert (fewer.joints, fewer.opened) == (("slide_a",), (STROKE,))
    assert only_hand(drafted(bag, file, "clamp_base=")).joints == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("clamp_base", "LINK=JOINT"),
        ("=slide_a", "LINK=JOINT"),
        ("clamp_bass=slide_a", "clamp_base"),
        ("clamp_base=slide_c", "slide_"),
        ("clamp_base=slide_a:open:0", "slide_a:open:0"),
    ],
)
def test_a_hand_that_the_robot_does_not_have_is_refused(
    text: str, says: str, tmp_path: Path
) -> None:
    bag, file = recorded(tmp_path, both(FIRST), 1.0), robot(tmp_path, clamp())
    with pytest.raises(BadInput, match=says) as refused:
        drafted(bag, file, text)
    assert refused.value.where == "--hand"


def test_a_hand_of_the_scenario_that_cannot_be_watched_names_its_key(tmp_path: Path) -> None:
    draft = drafted(recorded(tmp_path, {"jaw": steps((0.1, 1.6), (0.5, 0.8))}, 1.0),
                    robot(tmp_path, jaw((-0.1, 1.6))))  # fmt: skip
    scenario = write_scenario(draft, tmp_path / "twin").file
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("closed: [-0.1]", "closed: [1.6]"), encoding="utf-8")
    with pytest.raises(BadInput, match="travel") as refused:
        run(scenario, out=tmp_path / "run")
    assert "hands.claw.closed" in str(refused.value.where)


# ---------------------------------------------------------------------- text that is no xacro

NO_XACRO: dict[str, str] = {
    "in a parameter of ros2_control": (
        '<ros2_control name="io" type="system"><joint name="turn"><command_interface name="position">'
        '<param name="min">${-0.9*pi}</param></command_interface></joint></ros2_control>'
    ),
    "in a comment": '<!-- was: <origin xyz="0 ${side * 0.04} 0"/> -->',
    "in a comment of several lines": '<!-- was:\n<xacro:arm prefix="${left}"/>\n-->',
    "in an attribute of ros2_control": (
        '<ros2_control name="${name}" type="system"><hardware><plugin>a/B</plugin></hardware></ros2_control>'
    ),
    "in two ros2_controls": 2
    * '<ros2_control name="io" type="system"><hardware><param name="p">${p}</param></hardware></ros2_control>',
}


@pytest.mark.parametrize("place", NO_XACRO)
def test_a_dollar_that_is_not_read_is_no_xacro(place: str, tmp_path: Path) -> None:
    file = robot(tmp_path, clamp(), NO_XACRO[place])
    assert only_hand(drafted(recorded(tmp_path, both(FIRST), 4.0), file)).name == "clamp"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"0.4 0 0"', '"${reach} 0 0"', 1),
        lambda text: text.replace("</robot>", '<xacro:clamp name="c"/></robot>'),
    ],
)
def test_xacro_that_lacks_a_value_or_a_macro_is_refused(
    change: Callable[[str], str], tmp_path: Path
) -> None:
    file = robot(tmp_path, clamp())
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(BadInput, match="xacro"):
        drafted(recorded(tmp_path, both(FIRST), 1.0), file)
