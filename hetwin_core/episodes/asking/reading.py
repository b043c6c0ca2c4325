"""Readers of atoms, in the world or as the robot believes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeAlias

from hetwin_core.episodes.asking.evidence import Evidence
from hetwin_core.episodes.asking.terms import Argument, Atom, State, Variable
from hetwin_core.episodes.asking.truths import Truths
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.unseen import Blind

Binding: TypeAlias = Mapping[str, str]
"""Variable -> entity."""


class Reading(NamedTuple):
    """What was read.

    Attributes:
        truths: when it is true and when it is false; it may say nothing outside of the interval that was asked for.
        evidence: rows that say so.
        blind: where it was not seen, and why.
    """

    truths: Truths
    evidence: tuple[Evidence, ...]
    blind: tuple[Blind, ...] = ()


class Reader(Protocol):
    """Reads atoms and states."""

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an atom is true; variables without a binding stand for any entity."""

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the entities for the variables of an atom with which it is true at some time."""

    def state(self, state: State, span: Interval) -> Reading:
        """Return when a condition on the state is true."""


def entity_of(argument: Argument, binding: Binding) -> str | None:
    """Return the entity that an argument stands for; None for any."""
    if isinstance(argument, Variable):
        return binding.get(argument.name)
    return argument
