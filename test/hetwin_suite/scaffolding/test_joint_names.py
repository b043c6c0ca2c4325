"""Joints whose names differ by a prefix or another pattern, and those that must not be guessed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hetwin_suite.scaffolding.joint_names import match_joints, rule_of, words_of

ARM = tuple(f"lwr_arm_{i}_joint" for i in range(7))
TWO_ARMS = tuple(f"arm_{side}_{i}_joint" for side in ("left", "right") for i in range(1, 8))
BAXTER_SIDES = tuple(f"{s}_{j}" for s in ("right", "left") for j in ("s0", "s1", "e0", "e1", "w0"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("left/arm_1_joint", ("left", "arm", "1")),
        ("Left.Arm-1", ("left", "arm", "1")),
        ("leftArm1Joint", ("left", "arm", "1")),
        ("LEFT_ARM_1", ("left", "arm", "1")),
        ("joint", ("joint",)),
    ],
)
def test_names_are_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


PATTERNS: dict[str, Callable[[str], str]] = {
    "the same": lambda name: name,
    "namespace": lambda name: f"left/{name}",
    "numbered robot": lambda name: f"robot1_{name}",
    "dots": lambda name: f"robot1.{name}",
    "leading slash": lambda name: f"/{name}",
    "suffix": lambda name: f"{name}_position",
    "both": lambda name: f"ns/{name}_measured",
    "shorter": lambda name: name.removeprefix("lwr_"),
    "without joint": lambda name: name.removesuffix("_joint"),
    "capitals": str.upper,
    "other separators": lambda name: name.replace("_", "-"),
    "other order": lambda name: f"arm_lwr_{name[8]}_joint",
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_found(pattern: str) -> None:
    recorded = {PATTERNS[pattern](name): name for name in ARM}
    found = match_joints([*recorded, "wheel"], [*ARM, "head_pan"])
    assert found.joints == recorded
    assert bool(found.how) == (pattern != "the same")


def test_what_is_not_the_robots_is_left_out() -> None:
    found = match_joints(["torso_t0", "head_nod"], ["torso_lift", "head_pan"])
    assert found.joints == {}


def test_one_of_two_arms_is_not_guessed() -> None:
    found = match_joints([f"arm_{i}_joint" for i in range(1, 8)], TWO_ARMS)
    assert found.joints == {}
    assert found.ambiguous["arm_3_joint"] == ("arm_left_3_joint", "arm_right_3_joint")


def test_joints_of_one_side_that_do_not_say_which_are_not_guessed() -> None:
    found = match_joints(["s0", "s1", "e0", "e1", "w0"], BAXTER_SIDES)
    assert found.joints == {}
    assert set(found.ambiguous) == {"s0", "s1", "e0", "e1", "w0"}


def test_the_words_may_be_in_another_order() -> None:
    found = match_joints([f"left_arm_{i}_joint" for i in range(1, 8)], TWO_ARMS)
    assert found.joints == {f"left_arm_{i}_joint": f"arm_left_{i}_joint" for i in range(1, 8)}
    assert found.how == ("left_arm_1_joint is arm_left_1_joint and 6 more in the same way",)


def test_a_pattern_of_many_joints_is_preferred_over_single_likenesses() -> None:
    # `left_arm_1` alone is like `arm_1` too, but six joints say that the prefix is `robot`
    robot = ["left_arm_1", *(f"arm_{i}" for i in range(1, 7))]
    recorded = [f"robot_arm_{i}" for i in range(1, 7)]
    found = match_joints(recorded, robot)
    assert found.joints == {f"robot_arm_{i}": f"arm_{i}" for i in range(1, 7)}


@pytest.mark.parametrize("known", [False, True])
def test_a_series_of_another_arm_is_not_shifted_by_one(known: bool) -> None:
    recorded = ["torso_lift_joint", *(f"arm_{i}_joint" for i in range(1, 8))]
    assert match_joints(recorded, ARM, known=known).joints == {}
    assert match_joints(ARM, recorded, known=known).joints == {}


@pytest.mark.parametrize("pattern", ["left/joint{}", "robot1_joint{}", "/joint{}", "joint{}_state"])
def test_wordless_names_with_a_prefix_are_matched_if_the_robot_is_known(pattern: str) -> None:
    robot = [f"joint{i}" for i in range(1, 8)]
    recorded = [pattern.format(i) for i in range(1, 8)]
    assert match_joints(recorded, robot).joints == {}
    assert match_joints(recorded, robot, known=True).joints == dict(
        zip(recorded, robot, strict=True)
    )
    assert match_joints(robot, recorded, known=True).joints == dict(
        zip(robot, recorded, strict=True)
    )


@pytest.mark.parametrize("other", ["panda_joint{}", "joint{}"])
def test_numbered_joints_of_two_makers_are_not_the_same(other: str) -> None:
    robot = [other.format(i) for i in range(1, 8)]
    assert match_joints(ARM, robot, known=True).joints == {}


def test_a_number_alone_says_nothing_unless_the_robot_is_known() -> None:
    recorded = [f"joint_a{i}" for i in range(1, 8)]
    assert match_joints(recorded, ARM).joints == {}
    found = match_joints(recorded, ARM, known=True)
    assert found.joints == dict(zip(recorded, ARM, strict=True))
    assert "by their numbers" in found.how[0]


def test_of_two_series_of_the_same_length_none_is_guessed() -> None:
    recorded = [f"joint_a{i}" for i in range(1, 8)]
    assert match_joints(recorded, TWO_ARMS, known=True).joints == {}


def test_no_joint_of_the_robot_is_taken_twice() -> None:
    found = match_joints(["a/arm_1", "b/arm_1", "a/arm_2", "b/arm_2"], ["arm_1", "arm_2"])
    assert len(set(found.joints.values())) == len(found.joints)
    assert found.joints == {}


PANDA = (*(f"panda_joint{i}" for i in range(1, 8)), "panda_finger_joint1", "panda_finger_joint2")


@pytest.mark.parametrize(
    "name", ["fer_{}", "left_fr3v2_{}", "lbr_{}_state", "{}_measured", "robot1/arm/{}"]
)
def test_joints_with_another_prefix_or_suffix_are_matched_if_the_robot_is_known(name: str) -> None:
    short = [own.removeprefix("panda_") for own in PANDA]
    recorded = dict(zip(map(name.format, short), PANDA, strict=True))
    assert match_joints(list(recorded), PANDA).joints == {}
    assert match_joints(list(recorded), PANDA, known=True).joints == recorded


def test_a_robot_with_fewer_numbered_joints_is_not_the_same() -> None:
    assert match_joints([f"ur_joint_{i}" for i in range(1, 7)], PANDA, known=True).joints == {}


def test_one_arm_is_not_the_other() -> None:
    left, right = ([f"{side}_arm_{i}" for i in range(1, 8)] for side in ("left", "right"))
    assert match_joints(left, right, known=True).joints == {}


def test_what_the_user_says_comes_first() -> None:
    said = {"fer_joint1": "panda_joint7", "other": "nothing"}
    found = match_joints(["fer_joint1"], PANDA, known=True, by_hand=said)
    assert found.joints == {"fer_joint1": "panda_joint7"}


@pytest.mark.parametrize(
    ("recorded", "rules"),
    [
        ([f"ur_joint_{i}" for i in range(1, 7)], [r"ur_joint_(\d+)=panda_joint\1"]),
        (ARM, [f"lwr_arm_{i}_joint=panda_joint{i + 1}" for i in range(7)]),
        (["base", "elbow"], ["base=panda_joint1", "elbow=panda_joint2"]),
    ],
)
def test_the_rule_to_use_is_guessed(recorded: list[str], rules: list[str]) -> None:
    assert rule_of(recorded, PANDA) == rules
