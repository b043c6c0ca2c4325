"""Which states of the world beliefs came from."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.answer import Answer
from hetwin_core.episodes.asking.domain import Domain
from hetwin_core.episodes.asking.evidence import in_order, of_belief
from hetwin_core.episodes.asking.intervals import Intervals
from hetwin_core.episodes.asking.sources import Beliefs
from hetwin_core.episodes.asking.terms import Atom, Term
from hetwin_core.episodes.asking.times import at

LOC = "loc"


class BeliefCauses:
    """Relates beliefs to the world, as the paper's Causes from world to belief.

    Args:
        world: what held.
        wrong: when beliefs were wrong.
        beliefs: what was believed.
    """

    def __init__(self, world: Domain, wrong: Domain, beliefs: Beliefs) -> None:
        self._world = world
        self._wrong = wrong
        self._beliefs = beliefs

    def caused(self, state: Term, belief: Atom, time_ns: int) -> Answer:
        """Return whether a belief at a moment came from a state of the world: that held when the belief was formed.

        A believed pose comes from where its entity is only if it was right when it was formed.

        Raises:
            BadInput: if the belief is no single fluent.
        """
        if not isinstance(belief, Atom):
            raise BadInput("a belief is about one fluent", found=str(belief), expected="loc(x)")
        row = self._beliefs.last(belief, time_ns)
        if row is None:
            told = all(
                self._beliefs.told(belief.name, a if isinstance(a, str) else None)
                for a in belief.arguments[:1]
            )
            return Answer(False if told else None)
        formed = at(row.span.from_ns / 1e9)
        held = self._world.holds(state, formed)
        same = isinstance(state, Atom) and state.name == belief.name == LOC
        wrong = self._wrong.holds(belief, formed).truth if same else False
        truth = held.truth if held.truth is None or wrong is None else held.truth and not wrong
        rows = in_order((*held.evidence, of_belief(row)))
        return Answer(truth, Intervals([row.span]), held.bindings, rows)
