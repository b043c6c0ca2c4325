"""The arguments and the output of all programs here."""

from __future__ import annotations

import argparse
import json

SHARE = 0.1
"""Fraction of the way to the source's level that a follower moves in one step."""


def read(*ways: str) -> argparse.Namespace:
    """Read the command line: the numbers of models and steps, and the variant of the system."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--way", choices=ways, default=ways[0] if ways else None)
    return parser.parse_args()


def tell(seconds: float, levels: list[float]) -> None:
    """Print the wall time of all steps and the final levels."""
    print(json.dumps({"seconds": seconds, "levels": levels}), flush=True)
