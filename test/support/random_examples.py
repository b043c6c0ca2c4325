"""Random examples: how many a test draws, and how those that failed are kept."""

from __future__ import annotations

import re

from hypothesis import settings

FALSIFIED = re.compile(
    r"(?:Falsifying example|Failing test case): [\w.]+\((.*?)^[E|\s]*\)$", re.DOTALL | re.MULTILINE
)
"""What Hypothesis says of a failure: the test's name and, line by line, its arguments."""
MARGIN = re.compile(r"^(?:E|\s*\|)?\s+")
"""What pytest puts before these lines."""

_USUAL = 100
"""Drawn by a test that does not say how many; Hypothesis's default."""


def examples(count: int, random: int = 0) -> settings:
    """So many examples in `make test`; in `make test-random` `random`, or as many times more as for all tests."""
    times = settings().max_examples // _USUAL
    return settings(max_examples=random if random and times > 1 else count * times)


def failed_examples(text: str) -> list[str]:
    """The decorators that keep the examples of a failure's report."""
    found = []
    for arguments in FALSIFIED.findall(text):
        lines = (MARGIN.sub("", line) for line in arguments.splitlines())
        bare = (line.partition("  # or any other")[0] for line in lines)
        found.append(f"@example({' '.join(filter(None, bare)).removesuffix(',')})")
    return found
