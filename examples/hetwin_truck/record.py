"""Records the episode `truck_unloading`: a pick and a sweep from a small load.

``python -m hetwin_truck.record --out DIR``. The joint states are the commanded ones; the annotations mark when the
plungers are needed, and when their cups have suction.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_suite.episode import write_bag
from hetwin_suite.model import Floats
from hetwin_suite.robot import Announcement, Reading
from hetwin_truck.actions import ACTIONS, PlungerAction, Unloader
from hetwin_truck.packets import Packet
from hetwin_truck.robot import ACTIVE_JOINTS
from hetwin_truck.site import PERIOD, Site
from hetwin_truck.world import scenario_packets

START_NS = 1_789_374_612_480_000_000
"""Stamp of the first reading: 14 September 2026, 08:30:12.48 UTC."""
READ_EVERY = 2
"""Number of steps between readings of the joints."""
_SETTLE_S = 0.3


class RecordingSite(Site):
    """A site that records the commanded joint positions after each step."""

    tape: list[Floats]

    def step(self, joints: Floats) -> None:
        """Advance by one period, and record."""
        super().step(joints)
        self.tape.append(joints.copy())


def record(out: Path, packets: Sequence[Packet], mode: str = "HiFi") -> dict[str, int]:
    """Unload with a pick and a sweep, and write the bag `out` (must not exist).

    Args:
        out: path of the bag.
        packets: the load.
        mode: fidelity mode.

    Returns:
        The number of packets that each action unloaded.
    """
    site = RecordingSite(packets)
    site.tape = [site.joints.copy()]
    unloader = Unloader(site)
    site.settle(round(_SETTLE_S / PERIOD))
    announcements: list[Announcement] = []
    counts: dict[str, int] = {}
    for action in ACTIONS:
        begin = site.time
        outcome = unloader.perform(action, mode)
        counts[action] = len(outcome.unloaded)
        announcements += [
            *_announcements(outcome.plunger_actions),
            *_span("unload", begin, site.time),
        ]
    announcements.sort(key=lambda announcement: announcement.time)
    random = np.random.default_rng(1)
    write_bag(out, START_NS, _readings(site.tape), announcements, random)
    return counts


def _announcements(plunger_actions: Sequence[PlungerAction]) -> list[Announcement]:
    """Return `pick` from extend to release, and `suck` from hold to release."""
    by_action = {action.do: action for action in plunger_actions}
    if not by_action:
        return []
    end = by_action["release"].time
    return [
        *_span("pick", by_action["extend"].time, end),
        *_span("suck", by_action["hold"].time, end),
    ]


def _span(operation: str, begin: float, end: float) -> list[Announcement]:
    phases = ((begin, "begin"), (end, "end"))
    return [Announcement(time, operation, phase, {}) for time, phase in phases]


def _readings(tape: Sequence[Floats]) -> list[Reading]:
    positions = np.array(tape)
    velocities = np.gradient(positions, PERIOD, axis=0)
    no_efforts = np.zeros(len(ACTIVE_JOINTS))
    return [
        Reading(i * PERIOD, ACTIVE_JOINTS, positions[i], velocities[i], no_efforts)
        for i in range(0, len(tape), READ_EVERY)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record the episode truck_unloading.")
    parser.add_argument("--out", type=Path, required=True, help="the bag; must not exist")
    counts = record(parser.parse_args(arguments).out, scenario_packets("small"))
    print(", ".join(f"{action}: {count} packets" for action, count in counts.items()))


if __name__ == "__main__":
    main()
