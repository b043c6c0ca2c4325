"""What is wrong with a network."""

from __future__ import annotations


class NetworkError(ValueError):
    """A network that cannot be used.

    Args:
        problem: what is wrong, in words.
        where: machine, state, arc and key, with dots, as ``machines.turner.states.LISTEN.0.if``.
        found: what stands there; None if nothing does.
        expected: what may stand there.
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
