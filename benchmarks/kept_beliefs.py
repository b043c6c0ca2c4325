"""Beliefs of the truck that are stored with their processor time, and simulated where they are missing."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from hetwin_truck.planning.belief import Beliefs, Node, Strategy
from hetwin_truck.planning.library import draw_cut_out
from hetwin_truck.world import scenario_packets

CUT_OUT = "cut_out"
"""Stands for a scenario: the loads of the library."""
_APART = 100
"""Above all numbers of particles: `(load, 1)` and `(load, 1, 0)` would be one seed."""


@dataclass(frozen=True, slots=True)
class Case:
    """Of what beliefs are.

    Attributes:
        load: the seed of the load and its particles.
        apart: with particles that no other case of this load has, such as those that judge a choice.
    """

    scenario: str
    mode: str
    sleep: bool
    load: int
    particles: int
    apart: bool = False

    @property
    def name(self) -> str:
        """The name of its file."""
        sleep = "sleep" if self.sleep else "awake"
        apart = "_apart" if self.apart else ""
        return f"{self.scenario}_{self.mode}_{sleep}_{self.load}_{self.particles}{apart}"

    @property
    def seed(self) -> tuple[int, ...]:
        """The seed of its particles."""
        return (self.load, _APART) if self.apart else (self.load,)


class KeptBeliefs:
    """The beliefs of one case; its sites are made when something is missing."""

    def __init__(self, case: Case, folder: Path) -> None:
        self._case = case
        self._beliefs: Beliefs | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / f"{case.name}.jsonl"
        self._nodes = dict(map(_read, self._lines()))

    def _lines(self) -> list[str]:
        if not self._file.exists():
            return []
        # A line that an interrupted run has not finished does not count.
        whole = self._file.read_text(encoding="utf-8").rpartition("\n")[0]
        os.truncate(self._file, len(whole.encode()) + bool(whole))
        return whole.splitlines()

    def after(self, strategy: Strategy) -> Node:
        """Return the belief after a strategy."""
        if strategy not in self._nodes:
            node = self._simulate(strategy)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(node)) + "\n")
            self._nodes[strategy] = node
            print(f"{self._case.name}: {' '.join(strategy)}", file=sys.stderr, flush=True)
        return self._nodes[strategy]

    def _simulate(self, strategy: Strategy) -> Node:
        return self.beliefs().after(strategy)

    def beliefs(self) -> Beliefs:
        """Return the beliefs themselves."""
        if self._beliefs is None:
            case = self._case
            cut_out = case.scenario == CUT_OUT
            drawn = (
                draw_cut_out(case.load) if cut_out else scenario_packets(case.scenario, case.load)
            )
            self._beliefs = Beliefs(drawn, case.particles, case.mode, case.seed, sleep=case.sleep)
        return self._beliefs


def _read(line: str) -> tuple[Strategy, Node]:
    found = json.loads(line)
    strategy = tuple(found.pop("strategy"))
    return strategy, Node(strategy, **found)
