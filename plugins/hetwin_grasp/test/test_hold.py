"""What a hand of a user's own MuJoCo world has grasped stays in it until the fingers open."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import mujoco as mj
import numpy as np
import pytest
from gripper_worlds import HANDS, Gantry

import hetwin_grasp
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Floats
from hetwin_grasp import Hold
from model_nodes.containment import Containment

LIKE_A_MODEL = 0.001
"""What is held moves in the hand by less than this [m]."""


def nothing() -> None:
    """What plain MuJoCo does after a step."""


def hold(world: Gantry, told: Callable[[Event], None] = lambda _event: None) -> Hold:
    return Hold(world.model, world.data, hand="gripper", listener=told)


def moved(world: Gantry, after: Callable[[], None], ways: int = 1) -> float:
    """By how much the thing moves in the hand while that carries it [m]."""
    world.close_on_it(after)
    before = world.in_hand()
    world.carry(after, ways)
    return float(np.abs(world.in_hand() - before).max())


@pytest.mark.parametrize("shape", ["ball", "box", "can"])
@pytest.mark.parametrize("friction", [0.1, 0.4, 1.0])
def test_it_stays_in_the_hand(shape: str, friction: float) -> None:
    world = Gantry(shape, friction)
    assert moved(world, hold(world)) < LIKE_A_MODEL


def test_plain_mujoco_loses_it() -> None:
    """So that the tests above show something."""
    assert moved(Gantry("box", 0.1), nothing) > 0.1
    assert moved(Gantry("ball", 0.4), nothing) > 10 * LIKE_A_MODEL


@pytest.mark.parametrize("hand", sorted(HANDS.keys() - {"two fingers", "suction"}))
def test_in_hands_of_other_kinds(hand: str) -> None:
    world = Gantry("can", 0.2, **HANDS[hand])
    held = hold(world)
    assert moved(world, held) < LIKE_A_MODEL
    assert held.held == "thing"


def test_it_is_let_go_when_the_fingers_open() -> None:
    events: list[tuple[str, float]] = []
    world = Gantry("can", 0.4)
    held = hold(world, lambda event: events.append((event.name, world.data.time)))
    world.close_on_it(held)
    world.run(0.3, held, {"z": -0.1})
    world.run(0.1, held, {"x": 0.05, "roll": 0.2})
    jumps: list[Floats] = []
    free_since: list[float] = []

    def follow() -> None:
        before, was = world.data.qvel[world.model.body_dofadr[world.thing] :][:3].copy(), held.held
        held()
        if not free_since and not world.touched():
            free_since.append(world.data.time)
        if was and not held.held:
            jumps.append(world.data.qvel[world.model.body_dofadr[world.thing] :][:3] - before)

    world.tell(world.opened)
    world.run(0.2, follow, {"x": 0.15})
    assert [name for name, _ in events] == ["grip_closed", "grip_lost"]
    assert events[-1][1] - free_since[0] < 0.05
    fallen = 9.81 * world.step
    assert np.abs(jumps[0]).max() < 0.05 + fallen


@pytest.mark.parametrize("hand", [hand for hand in HANDS if hand != "suction"])
@pytest.mark.parametrize("aside", [(0.3, 0.0), (0.0, 0.08)])
def test_empty_fingers_hold_nothing(hand: str, aside: tuple[float, float]) -> None:
    world = Gantry("box", 0.5, **HANDS[hand])
    world.data.joint(world.model.body_jntadr[world.thing]).qpos[:2] = aside
    held = hold(world)
    world.close_on_it(held)
    world.run(0.3, held, {"z": -0.1})
    assert held.held == ""


@pytest.mark.parametrize("mass", [0.02, 3.0])
def test_it_keeps_its_weight(mass: float) -> None:
    """The arm carries it, of whatever mass: the hand here has 0.8 kg."""
    world = Gantry("box", 1.0, mass)
    held = hold(world)
    alone = -world.model.body_subtreemass[world.model.body("z").id] * world.model.opt.gravity[2]
    world.close_on_it(held)
    world.run(0.4, held, {"z": -0.1})
    world.run(0.3, held)
    assert world.data.actuator("z").force[0] - alone == pytest.approx(9.81 * mass, abs=0.05)


def test_it_pushes_other_things() -> None:
    world = Gantry("can", 0.4)
    world.data.joint(world.model.body_jntadr[world.model.body("other").id]).qpos[:2] = (0.0, 0.15)
    held = hold(world)
    world.close_on_it(held)
    world.run(0.2, held, {"z": -0.235})
    world.run(0.6, held, {"y": 0.15})
    assert held.held == "thing"
    assert world.data.body("other").xpos[1] > 0.19


def test_what_it_changes_it_changes_back() -> None:
    world = Gantry("can", 0.4)
    armature, inertia = world.model.dof_armature.copy(), world.model.dof_M0.copy()
    own = np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.01])
    world.data.xfrc_applied[world.hand] = own
    held = hold(world)
    world.close_on_it(held)
    world.run(0.3, held, {"z": -0.1})
    assert not np.array_equal(world.model.dof_armature, armature)
    assert np.abs(world.data.xfrc_applied[world.hand] - own).max() > 0.01
    held.enable(False)
    assert held.held == ""
    np.testing.assert_allclose(world.model.dof_armature, armature, atol=1e-12)
    np.testing.assert_allclose(world.model.dof_M0, inertia, atol=1e-12)
    np.testing.assert_allclose(world.data.xfrc_applied[world.hand], own, atol=1e-12)
    world.run(0.3, held)
    assert held.held == ""
    held.enable(True)
    world.run(0.3, held)
    assert held.held == "thing"


def test_a_reset_lets_go() -> None:
    world = Gantry("can", 0.4)
    armature = world.model.dof_armature.copy()
    held = hold(world)
    world.close_on_it(held)
    assert held.held == "thing"
    mj.mj_resetData(world.model, world.data)
    held()
    assert held.held == ""
    np.testing.assert_allclose(world.model.dof_armature, armature, atol=1e-12)
    assert not world.data.xfrc_applied.any()


def test_a_suction_cup_holds_while_it_sucks() -> None:
    world = Gantry("box", 0.4, **HANDS["suction"])
    held = hold(world)
    world.run(0.4, held, {"z": -0.3})
    assert held.held == ""
    held.suck(True)
    assert moved(world, held) < LIKE_A_MODEL
    held.suck(False)
    world.run(0.02, held)
    assert held.held == ""


ACROSS = """<body name="{name}" pos="0 0 0.5" euler="0 0 {turn}">
  <geom type="box" size="0.05 0.01 0.005" pos="0 0 {above}" mass="0.5"/>
  <body name="{name}_left"><joint name="{name}_left" type="slide" axis="1 0 0" range="-0.04 0"/>
    <geom type="box" size="0.005 0.01 0.04" pos="-0.005 0 0" mass="0.1"/></body>
  <body name="{name}_right"><joint name="{name}_right" type="slide" axis="1 0 0" range="0 0.04"/>
    <geom type="box" size="0.005 0.01 0.04" pos="0.005 0 0" mass="0.1"/></body></body>"""


def test_one_hand_gives_to_another() -> None:
    hands = ("one", 0, 0.06), ("two", 90, 0.08)
    bodies = "".join(ACROSS.format(name=name, turn=turn, above=z) for name, turn, z in hands)
    joints = [f"{name}_{side}" for name, _, _ in hands for side in ("left", "right")]
    drives = "".join(f'<position name="{j}" joint="{j}" kp="300" kv="15"/>' for j in joints)
    ball = '<body name="ball" pos="0 0 0.5"><freejoint/><geom size="0.02" mass="0.1" friction="0.1"/></body>'
    model = mj.MjModel.from_xml_string(
        f"<mujoco><worldbody>{bodies}{ball}</worldbody><actuator>{drives}</actuator></mujoco>"
    )
    data = mj.MjData(model)
    opened = {"left": -0.04, "right": 0.04}
    for side, position in opened.items():
        data.joint(f"two_{side}").qpos[0] = data.actuator(f"two_{side}").ctrl[0] = position
    for side in opened:
        data.joint(f"one_{side}").qpos[0] = opened[side] / 2
    holds = {name: Hold(model, data, hand=name) for name, _, _ in hands}

    def run(seconds: float, drives: dict[str, float]) -> None:
        for name, position in drives.items():
            data.actuator(name).ctrl[0] = position
        for _ in range(round(seconds / model.opt.timestep)):
            mj.mj_step(model, data)
            for hold in holds.values():
                hold()

    run(0.3, {})
    assert [hold.held for hold in holds.values()] == ["ball", ""]
    run(1.5, {"two_left": 0.0, "two_right": 0.0})
    assert [hold.held for hold in holds.values()] == ["ball", "ball"]
    assert np.abs(data.xfrc_applied).max() < 3.0
    at = data.body("ball").xpos.copy()
    run(0.5, {f"one_{side}": position for side, position in opened.items()})
    assert [hold.held for hold in holds.values()] == ["", "ball"]
    np.testing.assert_allclose(data.body("ball").xpos, at, atol=0.003)


def test_only_chosen_objects_are_held() -> None:
    world = Gantry("can", 0.4)
    held = Hold(world.model, world.data, hand="gripper", objects=["oth*"])
    world.close_on_it(held)
    assert held.held == ""


def test_ends_that_are_given_are_taken() -> None:
    """Also of joints that actuators drive only in part."""
    world = Gantry("can", 0.4)
    held = Hold(world.model, world.data, hand="gripper", fingers={"left": (-0.05, 0.0)})
    world.close_on_it(held)
    assert held.held == "thing"


def test_what_is_wrong_is_said() -> None:
    world = Gantry()
    model, data = world.model, world.data
    with pytest.raises(BadInput, match=r"griper.*gripper"):
        Hold(model, data, hand="griper")
    with pytest.raises(BadInput, match=r"lefty.*left"):
        Hold(model, data, hand="gripper", fingers={"lefty": (0.0, 1.0)})
    with pytest.raises(BadInput, match="no body matches that can be held"):
        Hold(model, data, hand="gripper", objects=["table"])
    with pytest.raises(BadInput, match="batches of worlds are not supported"):
        Hold(model, [data, data], hand="gripper")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="cannot carry objects"):
        Hold(model, data, hand="gripper", carried_by=Containment())
    model.jnt_range[model.joint("left").id] = model.jnt_range[model.joint("right").id] = 0.0
    with pytest.raises(BadInput, match="at which end the hand is open"):
        Hold(model, data, hand="gripper")


def test_the_example_of_the_package_holds_a_ball(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.findall(r"::\n\n((?:(?:    .*)?\n)+)", inspect.getdoc(hetwin_grasp) or "")[0]
    exec(compile(inspect.cleandoc(example), "hetwin_grasp", "exec"), {})
    assert capsys.readouterr().out == "ball\n"
