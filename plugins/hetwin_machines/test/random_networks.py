"""Networks at random: few signals that many machines set and read, so that every kind of fault comes about."""

from __future__ import annotations

import random
from typing import Any

NUMBERS, TRUTHS = ("n", "m", "k"), ("p", "q")
NEVER = "ghost"


def number(rng: random.Random, depth: int = 2) -> str:
    if depth == 0 or rng.random() < 0.5:
        names = [*NUMBERS, "level", *(str(i) for i in range(4))]
        return rng.choice([*names * 6, NEVER])
    # Whole numbers alone: the library refuses to mix them with real ones, and has no min, max and abs.
    return f"({number(rng, depth - 1)} {rng.choice('++--*/%')} {number(rng, depth - 1)})"


def truth(rng: random.Random, depth: int = 2) -> str:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice([*[*TRUTHS, "go", "tick", "true", "false"] * 5, NEVER])
    kind = rng.random()
    if kind < 0.4:
        sign = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"({number(rng, 1)} {sign} {rng.randint(0, 3)})"
    if kind < 0.6:
        return f"(!{truth(rng, depth - 1)})"
    return f"({truth(rng, depth - 1)} {rng.choice(['&&', '||'])} {truth(rng, depth - 1)})"


def guards(rng: random.Random) -> list[str]:
    """Mostly such of which just one holds."""
    if rng.random() < 0.85:
        one = truth(rng)
        if rng.random() < 0.3:
            two = truth(rng)
            return [f"{one} && {two}", f"{one} && !({two})", f"!({one})"]
        return [one, f"!({one})"]
    return [truth(rng) for _ in range(rng.randint(1, 3))]


def random_network(seed: int) -> dict[str, Any]:
    """A network of two to six machines."""
    rng = random.Random(seed)
    machines = {f"m{i}": random_machine(rng, i) for i in range(rng.randint(2, 6))}
    return {
        "inputs": ["level"],
        "events": ["go", "tick"],
        "outputs": ["n"],
        "advance": rng.choice(["settled", "once"]),
        "max_cycles": rng.choice([4, 12]),
        "machines": machines,
    }


def random_machine(rng: random.Random, index: int) -> dict[str, Any]:
    states = [f"S{i}" for i in range(rng.randint(2, 5))]
    own = [*NUMBERS, *TRUTHS] if rng.random() < 0.3 else [rng.choice(NUMBERS), rng.choice(TRUTHS)]
    rows: dict[str, Any] = {}
    for state in states:
        if rng.random() < 0.08:
            rows[state] = []
            continue
        rows[state] = [random_arc(rng, guard, states, own) for guard in guards(rng)]
    beginnings = {"n": 0, "m": 1, "k": 2, "p": False, "q": True}
    init = {name: beginnings[name] for name in own if rng.random() < 0.9}
    entry = {"initial": states[0], "init": init, "states": rows}
    if rng.random() < 0.4:
        entry["on_inactive"] = rng.choice(["stay", "end", "stop", "reset", "reset"])
    return entry


def random_arc(rng: random.Random, guard: str, states: list[str], own: list[str]) -> dict[str, Any]:
    do = {
        name: number(rng) if name in NUMBERS else truth(rng) for name in own if rng.random() < 0.35
    }
    arc: dict[str, Any] = {"if": guard, "do": do, "to": rng.choice(states)}
    if rng.random() < 0.25:
        arc["push"] = [rng.choice(states) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.15:
        arc["pop"] = rng.choice([1, 1, 2, "all"])
    if rng.random() < 0.2:
        arc["to"] = "TOP"
    return arc


def random_rows(seed: int, count: int) -> list[dict[str, Any]]:
    """What comes from outside in each step."""
    rng = random.Random(seed)
    return [
        {"level": rng.choice([0, 1, 2, 3]), "go": rng.random() < 0.4, "tick": rng.random() < 0.5}
        for _ in range(count)
    ]
