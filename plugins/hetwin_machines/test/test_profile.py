"""How often and how long machines were in their states is counted cycle by cycle."""

from __future__ import annotations

from hetwin_machines.observation.profile import Profile
from hetwin_machines.observation.watch import Watch
from hetwin_machines.reading import read_network

NETWORK = {
    "events": ["go", "bad"],
    "advance": "once",
    "machines": {
        "m": {
            "initial": "A",
            "on_inactive": "reset",
            "states": {
                "A": [{"if": "go", "to": "B"}, {"if": "!go", "to": "A"}],
                "B": [{"if": "!bad", "to": "A"}],
            },
        }
    },
}


def test_visits_cycles_and_arcs() -> None:
    network = read_network(NETWORK)
    watch, profile = Watch(network), Profile(network)
    for events in ({}, {}, {"go": True}, {}, {}, {"go": True}, {"bad": True}, {}):
        for seen in watch.step(events):
            profile.add(seen)
    stays = profile.to_json()["machines"]["m"]
    assert profile.cycles == 8
    assert stays["A"] == {"visits": 3, "cycles": 5, "longest": 2, "arcs": [2, 4]}
    assert stays["B"] == {"visits": 2, "cycles": 2, "longest": 1, "arcs": [1]}
    assert stays["__INCOMPLETE__"] == {"visits": 1, "cycles": 1, "longest": 1, "arcs": []}
