"""Kinds and options of episodes, in a module of their own, since the recorders are slow to import."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """Kind of recorded episodes."""

    DROP = "drop"
    INSERTION = "insertion"


class GraspChoice(StrEnum):
    """Grasp of the ball in all drops of a recording."""

    CAGE = "cage"
    """From below: the fingers support the ball without friction."""
    PINCH = "pinch"
    """At the equator: friction holds the ball."""
    MIXED = "mixed"
    """One or the other, drawn for each episode."""


class FlawChoice(StrEnum):
    """Flaw in all drops of a recording; errors of aim are drawn separately."""

    ANY = "any"
    """Drawn for each episode."""
    NONE = "none"
    FADING = "fading"
    """The grip force fades."""
    ELSEWHERE = "elsewhere"
    """The ball is elsewhere than believed."""
    HIGH = "high"
    """The fingers close too high."""


class RealityChoice(StrEnum):
    """Simulator that stands in for the real world."""

    MUJOCO = "mujoco"
    """The stand-in, which is finer than the twin but uses the same engine."""
    DRAKE = "drake"
    """An engine that shares no code with the twin's; an extra."""
