"""Manages the fidelity of packets and plungers without an ensemble, for measurements.

It uses the same rules and functions of the engine as `fidelity_near_robot`, `fidelity_during_action` and the main
model.
"""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_suite.proving_ground.truck.robot import plunger_links, plunger_names
from hetwin_suite.proving_ground.truck.site import Site
from model_nodes.fidelity.near_robot import MODES
from model_nodes.fidelity.rules import MARGIN, NearRobotRules, Thresholds

UPDATE_EVERY = 4
"""Steps between updates of the packets' fidelity."""


class Manager:
    """One of the modes of Tallavajhula et al. (2019) on a site.

    Args:
        site: with the load.
        mode: one of the paper's.
        margin: see `Thresholds`.

    Attributes:
        plungers_on: whether the plungers, with sensors and scripts, are simulated in high fidelity.
    """

    def __init__(self, site: Site, mode: str, margin: float = MARGIN) -> None:
        inflation = MODES[mode]
        self._site = site
        self._is_on = inflation is not None
        thresholds = Thresholds(inflation=inflation or 0.0, margin=margin)
        self._rules = NearRobotRules(site.boxes, thresholds)
        self._rules.raise_all(site.time)
        self._now = np.full(len(site.packets), float(Fidelity.HIGH))
        self._names = np.array([p.name for p in site.packets])
        self._links = [link for name in plunger_names() for link in plunger_links(name)]
        self._count = -1
        self.plungers_on = True
        self.need_plungers(False)

    def need_plungers(self, needed: bool) -> None:
        """Set whether the arm touches something or is about to."""
        needed |= not self._is_on
        if needed is not self.plungers_on:
            level = Fidelity.HIGH if needed else Fidelity.LOW
            self._site.engine.set_fidelity(self._links, level)
            self.plungers_on = needed

    def step(self) -> None:
        """Switch the packets whose level has changed."""
        self._count += 1
        if not self._is_on or self._count % UPDATE_EVERY:
            return
        site, rules = self._site, self._rules
        robot = site.robot.around_all(site.values, rules.since(site.time))
        levels = rules.update(site.time, site.poses(), robot)
        changed = np.flatnonzero(levels != self._now)
        for level in Fidelity:
            chosen = changed[levels[changed] == level]
            if len(chosen):
                site.engine.set_fidelity(self._names[chosen].tolist(), level)
        self._now[changed] = levels[changed]

    def end(self) -> None:
        """Set everything to high fidelity."""
        self._site.engine.set_fidelity([*self._names.tolist(), *self._links], Fidelity.HIGH)
