"""What goes wrong for a robot's program."""

from __future__ import annotations


class Failed(Exception):
    """A task cannot be done; it ends as failed, with this text as the reason, and so do those that it is a part of.

    A program raises it, and catches it where it has another way.

    Attributes:
        told: whether a task has failed by it.
    """

    told = False


class CannotReach(Failed):
    """No positions of an arm's joints bring its hand where it is to be."""


class NotOfRobots(AttributeError):
    """A program asked for something that a robot does not have."""
