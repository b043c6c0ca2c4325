"""What all programs here take and print."""

from __future__ import annotations

import argparse
import json

SHARE = 0.1
"""How much of the way to the source's level a follower takes in one step."""


def read(*ways: str) -> argparse.Namespace:
    """The command line: how many models, how many steps, and by which of the system's ways."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--way", choices=ways, default=ways[0] if ways else None)
    return parser.parse_args()


def tell(seconds: float, levels: list[float]) -> None:
    """Print how long the steps took and where the levels are at the end."""
    print(json.dumps({"seconds": seconds, "levels": levels}), flush=True)
