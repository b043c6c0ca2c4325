"""Processor time per simulated second of two trees of hetwin, in pairs."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from in_turn import Absent, in_turn
from tree_command import run_command

HERE = Path(__file__).resolve().parent
LIMIT_S = 600.0
SHORT_S = 1.0
"""With ROS the cost of starting and ending the nodes is that of a run of this length, without what it simulates."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one run.

    Attributes:
        per_second: processor time of all processes per simulated second [s/s].
        shares: of the parts, in one process only.
        digest: of the run.
    """

    per_second: float
    shares: Mapping[str, float]
    digest: str


@dataclass(frozen=True, slots=True)
class PairRow:
    """The cost of a scenario before and after, and the ratios of the pairs.

    Attributes:
        before, after: median processor time per simulated second [s/s].
        ratios: after / before of each pair.
        shares_before, shares_after: part -> median share; empty with ROS.
        same_digest: whether all digests are equal.
    """

    scenario: str
    transport: str
    before: float
    after: float
    ratios: tuple[float, ...]
    same_digest: bool
    shares_before: dict[str, float] = field(default_factory=dict)
    shares_after: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """The median ratio."""
        return statistics.median(self.ratios)


def measure_pairs(
    before: Path,
    cases: Sequence[tuple[str, str]],
    options: Mapping[str, Sequence[str]],
    pairs: int,
    limit_s: float,
) -> tuple[list[PairRow], dict[str, str]]:
    """Measure each case with both trees, one after the other; returns rows, and reasons for cases without.

    Args:
        before: the other tree, with hetwin installed in its ``.venv``.
        cases: (scenario, transport).
        options: scenario -> options of its run.
        pairs: number of pairs of each case.
        limit_s: no pair is begun after this time.

    Raises:
        Absent: if the other tree has no interpreter.
        RuntimeError: if a run fails.
    """
    python = before / ".venv" / "bin" / "python"
    if not python.exists():
        raise Absent(f"{python} is missing: install hetwin there with `make install`")
    trees = ((python, before), (Path(sys.executable), HERE.parent))

    def pair(case: tuple[str, str]) -> tuple[Cost, Cost]:
        given = options.get(case[0], ())
        first, second = (_cost(tree, case, given) for tree in trees)
        return first, second

    def words(case: tuple[str, str], found: tuple[Cost, Cost]) -> str:
        return f"{', '.join(case)}: {found[0].per_second:.4f} -> {found[1].per_second:.4f} s/s"

    found, absent = in_turn(cases, pairs, limit_s, pair, words)
    return [_row(case, costs) for case, costs in found.items()], {
        ", ".join(case): why for case, why in absent.items()
    }


def _row(case: tuple[str, str], costs: Sequence[tuple[Cost, Cost]]) -> PairRow:
    before, after = ([pair[side] for pair in costs] for side in (0, 1))
    return PairRow(
        *case,
        statistics.median(c.per_second for c in before),
        statistics.median(c.per_second for c in after),
        tuple(b.per_second / a.per_second for a, b in costs),
        len({c.digest for pair in costs for c in pair}) == 1,
        _shares(before),
        _shares(after),
    )


def _shares(costs: Sequence[Cost]) -> dict[str, float]:
    parts = {part for cost in costs for part in cost.shares}
    shares = {p: statistics.median(c.shares.get(p, 0.0) for c in costs) for p in parts}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _cost(tree: tuple[Path, Path], case: tuple[str, str], options: Sequence[str]) -> Cost:
    scenario, transport = case
    python, root = tree
    if transport == "local":
        found, _ = _run([str(python), str(HERE / "shares.py"), scenario, *options], root)
        return Cost(found["cpu_s"] / found["simulated_s"], found["shares"], found["digest"])
    command = [str(python), "-m", "hetwin_suite.cli.command", "run", scenario, "--transport", "ros"]
    command += ["--json", "--no-page", *options]
    (short, start), (whole, all_of_it) = (
        _run([*command, *more], root) for more in (["--duration", str(SHORT_S)], [])
    )
    seconds = whole["simulated_time"] - short["simulated_time"]
    return Cost((all_of_it - start) / seconds, {}, whole["digest"])


def _run(command: Sequence[str], root: Path) -> tuple[dict[str, Any], float]:
    """Run a command of a tree; returns the JSON it printed, and the processor time of its processes [s]."""
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
        if "--json" in command:
            command = [*command, "--out", f"{folder}/run"]
        return run_command(command, root, " ".join(command[1:4]), LIMIT_S)
