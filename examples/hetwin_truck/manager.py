"""Manages the fidelity of packets and plungers without an ensemble, for measurements.

It uses the same rules and functions of the engine as `fidelity_near_robot`, `fidelity_during_action` and the main
model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_fidelity import MARGIN, MODES, NearRobotRules, Thresholds
from hetwin_suite.model import Fidelity
from hetwin_truck.robot import plunger_links, plunger_names
from hetwin_truck.site import Site

UPDATE_EVERY = 4
"""Number of steps between updates of the packets' fidelity."""


def thresholds_of(mode: str, margin: float = MARGIN) -> Thresholds | None:
    """Return the thresholds of one of the paper's modes; None: fidelity is never lowered."""
    inflation = MODES[mode]
    return None if inflation is None else Thresholds(inflation=inflation, margin=margin)


class Manager:
    """Manages the fidelity of a site during one action.

    Args:
        site: site with the load.
        thresholds: conditions under which packets are lowered; None: never.

    Attributes:
        plungers_on: whether the plungers, with sensors and scripts, have high fidelity.
    """

    def __init__(self, site: Site, thresholds: Thresholds | None) -> None:
        self._site = site
        self._is_on = thresholds is not None
        self._rules = NearRobotRules(site.boxes, thresholds or Thresholds())
        self.raise_all()
        self._levels = np.full(len(site.packets), float(Fidelity.HIGH))
        self._names = np.array([p.name for p in site.packets])
        self._links = [link for name in plunger_names() for link in plunger_links(name)]
        self._steps = -1
        self.plungers_on = True
        self.need_plungers(False)

    def raise_all(self) -> None:
        """Set all packets to high until they are at rest again, so that none floats when the robot decides."""
        self._rules.raise_all(self._site.time)

    def need_plungers(self, needed: bool) -> None:
        """Set whether the arm is in contact or about to be."""
        needed |= not self._is_on
        if needed is not self.plungers_on:
            level = Fidelity.HIGH if needed else Fidelity.LOW
            self._site.engine.set_fidelity(self._links, level)
            self.plungers_on = needed

    def step(self) -> None:
        """Update the fidelity, and switch the packets whose level has changed."""
        self._steps += 1
        if not self._is_on or self._steps % UPDATE_EVERY:
            return
        site, rules = self._site, self._rules
        robot = site.robot.around_all(site.values, rules.since(site.time))
        levels = rules.update(site.time, site.poses(), robot)
        changed = np.intersect1d(np.flatnonzero(levels != self._levels), self._indices_in_truck())
        for level in Fidelity:
            indices = changed[levels[changed] == level]
            if len(indices):
                site.engine.set_fidelity(self._names[indices].tolist(), level)
        self._levels[changed] = levels[changed]

    def end(self) -> None:
        """Set all remaining packets and the plungers to high fidelity."""
        names = self._names[self._indices_in_truck()].tolist()
        self._site.engine.set_fidelity([*names, *self._links], Fidelity.HIGH)

    def _indices_in_truck(self) -> NDArray[np.intp]:
        return np.array(self._site.in_truck(), np.intp)
