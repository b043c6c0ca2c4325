"""Chains of the robots with which the inverse kinematics is measured; skipped where they are not installed."""

from __future__ import annotations

from functools import cache

from arms import ARMS, ByMujoco, postures

from hetwin_core.kinematics.chains.chain import Chain
from support.robot_files import example

__all__ = ["ARMS", "ByMujoco", "by_mujoco", "chain_of", "postures"]


@cache
def chain_of(name: str) -> Chain:
    """The chain of an arm."""
    example(ARMS[name].file)
    return ARMS[name].chain()


@cache
def by_mujoco(name: str) -> ByMujoco:
    """Somebody else's forward kinematics of an arm."""
    arm = ARMS[name]
    return ByMujoco(example(arm.file), arm.base, arm.tip)
