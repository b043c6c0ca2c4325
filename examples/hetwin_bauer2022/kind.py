"""Kinds of episodes, apart from what records them, which takes its time to import."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What is recorded."""

    DROP = "drop"
    INSERTION = "insertion"


class GraspChoice(StrEnum):
    """How the hand takes the ball in all drops of a recording."""

    CAGE = "cage"
    """From below: the fingers bear the ball without friction."""
    PINCH = "pinch"
    """At the equator: friction holds the ball."""
    MIXED = "mixed"
    """One or the other, drawn for each episode."""


class FlawChoice(StrEnum):
    """What goes wrong in all drops of a recording, apart from their aim."""

    ANY = "any"
    """Drawn for each episode."""
    NONE = "none"
    FADING = "fading"
    ELSEWHERE = "elsewhere"
    HIGH = "high"


class RealityChoice(StrEnum):
    """What simulates the real world."""

    MUJOCO = "mujoco"
    """The stand-in, which is finer than the twin but uses the same engine."""
    DRAKE = "drake"
    """An engine that shares no code with the twin's; an extra."""
