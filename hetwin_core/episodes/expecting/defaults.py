"""What operations may cause where the scenario does not say: by the names that robots' programs commonly use."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.annotations import LETTING_GO

OTHER = "*"
"""Stands for every operation that is not named."""

_GRASPING = (
    "collision(hand, object)",
    "collision_end",
    "loc_change(object)",
    "pick_up(object, hand)",
    "grasped(object, hand)",
    "picked_up(object, hand)",
    "collision(object, support)",
)
_CARRYING = (
    "collision(hand, object)",
    "collision_end",
    "loc_change(object)",
    "pick_up(object, hand)",
    "picked_up(object, hand)",
)
_PLACING = (
    "collision(hand, object)",
    "collision(object, target)",
    "collision(object, support)",
    "collision_end",
    "loc_change(object)",
    "set_down(object, target)",
    "put_down(object, hand, target)",
    "released(object, hand)",
)
_LETTING_GO = (
    "collision(hand, object)",
    "collision(object, any)",
    "collision_end",
    "loc_change(object)",
    "set_down(object, any)",
    "put_down(object)",
    "released(object)",
)
_DROPPING = (*_LETTING_GO, "dropped(object)")
_GENTLY = frozenset({"release", "let_go", "hand_over", "give"})
"""Operations that let go of something where it is to be, and do not let it fall."""
_WHOLE = (*_GRASPING, *_PLACING)
_LEAVING = ("collision_end",)
_DRIVING = ("loc_change(robot)", "collision_end")
_LOOKING = ("perceived", "collision_end")
_POURING = (*_CARRYING, "spilled", "caught", "empty")
_PUSHING = ("collision(robot, object)", "collision_end", "loc_change(object)")

_NAMES: Mapping[tuple[str, ...], str] = {
    _GRASPING: "reach approach preshape grasp close close_hand close_gripper",
    _CARRYING: "lift carry move move_arm transport transfer hold raise",
    (*_GRASPING, *_CARRYING): "pick pick_up take get fetch bind",
    _PLACING: "place put put_down set_down lower stack insert connect",
    (*_GRASPING, *_DROPPING): "move_hand move_gripper grip",
    _LETTING_GO: " ".join(sorted(_GENTLY)),
    _DROPPING: " ".join(sorted(LETTING_GO - _GENTLY)),
    _WHOLE: "pick_and_place bring deliver relocate rearrange clear tidy",
    _LEAVING: "retreat retract withdraw go_home home park wait stand pause idle",
    _DRIVING: "navigate drive go go_to goto move_base approach_place dock turn",
    _LOOKING: "look look_at look_for perceive detect observe search find scan inspect",
    _POURING: "pour fill empty_out",
    _PUSHING: "push pull slide sweep shove",
}

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    name: patterns for patterns, names in _NAMES.items() for name in names.split()
}
"""Operation -> patterns of the events that it may cause."""

ANYTHING_NAMED: tuple[str, ...] = (
    "collision(any, object)",
    "collision_end",
    "loc_change(object)",
    "pick_up(object, any)",
    "picked_up(object)",
    "grasped(object)",
    "set_down(object, any)",
    "put_down(object)",
    "released(object)",
    "perceived",
    "spilled",
    "caught",
    "empty",
)
"""What an operation of another name may do: everything but upset things, with what it names."""
