"""Measures the time of a step over the number of objects, and the time for switching them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_truck.packets import Load, draw_load
from hetwin_truck.site import Site

COUNTS = (10, 30, 100, 300, 1000, 3000)
ACTIVE = 50
"""Objects that stay high."""
_SETTLE_STEPS = 100


@dataclass(frozen=True, slots=True)
class Point:
    """Milliseconds per step with a number of objects at rest, and for switching 100 of them (or all)."""

    objects: int
    sleep: bool
    high: float
    medium: float
    low: float
    switch: float


def point(count: int, sleep: bool, steps: int) -> Point:
    """Measure with a number of packets, of which at most `ACTIVE` (or half) stay high."""
    site = Site(draw_load(Load(count, 2.2), np.random.default_rng(count)), sleep=sleep)
    engine, names = site.engine, [p.name for p in site.packets]
    back = names[min(ACTIVE, count // 2) :]
    site.settle(_SETTLE_STEPS)
    high = _milliseconds(site, steps)
    engine.set_fidelity(back, Fidelity.MEDIUM)
    medium = _milliseconds(site, steps)
    engine.set_fidelity(back, Fidelity.LOW)
    low = _milliseconds(site, steps)
    engine.set_fidelity(names, Fidelity.HIGH)
    return Point(count, sleep, high, medium, low, _switching(site, names[:100]))


def _milliseconds(site: Site, steps: int) -> float:
    site.step(site.joints)
    begun = time.process_time()
    for _ in range(steps):
        site.step(site.joints)
    return 1e3 * (time.process_time() - begun) / steps


def _switching(site: Site, names: Sequence[str]) -> float:
    """Return the median processor time to switch these packets to another level [ms]."""
    taken = []
    site.step(site.joints)
    for level in (Fidelity.MEDIUM, Fidelity.LOW, Fidelity.HIGH) * 7:
        begun = time.process_time()
        site.engine.set_fidelity(names, level)
        taken.append(time.process_time() - begun)
    return 1e3 * statistics.median(taken)
