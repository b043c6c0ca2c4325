"""The exception for networks that cannot be used."""

from __future__ import annotations


class NetworkError(ValueError):
    """A network that cannot be used.

    Args:
        problem: description of what is wrong.
        where: machine, state, arc and key, joined by dots, such as ``machines.turner.states.LISTEN.0.if``.
        found: the value found there; None if there is none.
        expected: description of what is allowed there.
    """

    def __init__(self, problem: str, where: str, found: object = None, expected: str = "") -> None:
        self.problem = problem
        self.where = where
        self.found = found
        self.expected = expected
        text = f"{where}: {problem}" if where else problem
        if found is not None:
            text += f"; found {found!r}"
        if expected:
            text += f"; expected {expected}"
        super().__init__(text)
