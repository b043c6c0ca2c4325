"""Measures the accuracy of a learnt choice between picking and sweeping, in full and in task-informed fidelity.

After table 1 of Tallavajhula et al. (2019): a logistic regression learns from states of a
truck which of the two actions unloads more. The labels of the training states come from simulations in AdFi-1
or in HiFi within a budget of processor time; those of the test states always from HiFi. Simulated episodes are
stored in a folder, so that a later run continues from them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path

import numpy as np
from machine import machine

from hetwin_truck.choice import Example, episode

EXAMPLES = """examples:
  python benchmarks/pick_or_sweep.py --quick
  python benchmarks/pick_or_sweep.py --budget 400 --keep truck_examples
  python benchmarks/pick_or_sweep.py --stored --seeds 2         # only with what has been simulated already
"""
TEST = 1000
"""Seeds of test loads; those of training loads are smaller."""
STATES = 6
"""Maximum number of states of one load; they are similar, so that more loads are more informative."""


@dataclass(frozen=True, slots=True)
class Row:
    """Accuracies, averaged over the seeds, and their spread.

    Attributes:
        training_time: budget of processor time for the training states [s].
        examples: mean number of training states.
        tests: number of test states.
        most_frequent: share of the test states with the more frequent label.
    """

    fidelity: str
    training_time: float
    examples: float
    training_accuracy: float
    test_accuracy: float
    test_accuracy_deviation: float
    seeds: int
    tests: int
    most_frequent: float


class TooFew(Exception):
    """There are no states to learn from or to test on."""


class Store:
    """Episodes on disk; missing ones are simulated, unless only stored ones are requested."""

    def __init__(self, folder: Path, states: int, stored: bool = False) -> None:
        self._folder, self._states, self._stored = folder, states, stored
        folder.mkdir(parents=True, exist_ok=True)

    def episode(self, mode: str, seed: int, number: int) -> list[Example] | None:
        """Return one episode; None if it is not stored and must not be simulated."""
        file = self._folder / f"{mode}_{seed}_{number}_{self._states}.json"
        if not file.exists():
            if self._stored:
                return None
            found = episode(mode, (seed, number), self._states)
            part = file.with_suffix(".part")
            part.write_text(json.dumps([asdict(e) for e in found]), encoding="utf-8")
            part.rename(file)
            print(
                f"{mode}, seed {seed}, load {number}: {len(found)} states",
                file=sys.stderr,
                flush=True,
            )
        read = json.loads(file.read_text(encoding="utf-8"))
        return [Example(tuple(e["features"]), e["pick"], e["sweep"], e["cpu"]) for e in read]

    def within(self, mode: str, seed: int, budget: float) -> list[Example]:
        """Return as many training states as fit into a budget of processor time [s]."""
        found: list[Example] = []
        for example in self._all(mode, seed):
            budget -= example.cpu
            if budget < 0:
                return found
            found.append(example)
        return found

    def _all(self, mode: str, seed: int) -> Iterator[Example]:
        for number in count():
            found = self.episode(mode, seed, number)
            if found is None:
                return
            yield from found

    def tests(self, most: int) -> list[Example]:
        """The test states."""
        return list(islice(self._all("HiFi", TEST), most))


def accuracies(
    training: Sequence[Example], test: Sequence[Example], seed: int
) -> tuple[float, float]:
    """Return the accuracies of a logistic regression on the training and on the test states."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known, labels = _matrix(training)
    asked, truth = _matrix(test)
    if len(set(labels.tolist())) < 2:
        # All labels are equal.
        only = labels[0] if len(labels) else False
        return 1.0, float((truth == only).mean())
    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000, random_state=seed))
    learner.fit(known, labels)
    return float(learner.score(known, labels)), float(learner.score(asked, truth))


def _matrix(examples: Sequence[Example]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([e.features for e in examples]), np.array([e.picks for e in examples])


def rows_of(store: Store, budget: float, seeds: Sequence[int], most: int) -> list[Row]:
    """Return the table: AdFi-1 and HiFi at equal time, and HiFi with twice the time.

    Raises:
        TooFew: if there are no states for a part of it.
    """
    cases = (("AdFi-1", budget), ("HiFi", budget), ("HiFi", 2 * budget))
    with ProcessPoolExecutor(max_workers=2) as pool:
        test = pool.submit(store.tests, most)
        jobs = [
            (c, seed, pool.submit(store.within, *_of(c, seed)))
            for seed in seeds
            for c in cases[::2]
        ]
        longest = {(case[0], seed): job.result() for case, seed, job in jobs}
        asked = test.result()
    if not asked or not all(longest.values()):
        raise TooFew("there are too few states; run it without --stored, or with more --budget")
    rows = []
    for mode, time in cases:
        found = []
        for seed in seeds:
            spent = np.cumsum([e.cpu for e in longest[mode, seed]])
            training = longest[mode, seed][: int((spent <= time).sum())]
            found.append((len(training), *accuracies(training, asked, seed)))
        counts, learnt, right = zip(*found, strict=True)
        spread = statistics.stdev(right) if len(right) > 1 else 0.0
        means = (statistics.mean(counts), statistics.mean(learnt), statistics.mean(right))
        picks = sum(e.picks for e in asked) / len(asked)
        rows.append(Row(mode, time, *means, spread, len(seeds), len(asked), max(picks, 1 - picks)))
    return rows


def _of(case: tuple[str, float], seed: int) -> tuple[str, int, float]:
    return case[0], seed, case[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, simulate what is missing, learn, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--budget", type=float, default=200.0, help="processor time for AdFi-1 in s (default: 200)"
    )
    parser.add_argument("--seeds", type=int, default=5, help="independent trainings (default: 5)")
    parser.add_argument("--tests", type=int, default=200, help="test states (default: 200)")
    parser.add_argument(
        "--keep", type=Path, default=Path("truck_examples"), help="folder of what was simulated"
    )
    parser.add_argument(
        "--quick", action="store_true", help="one seed, 4 test states, 20 s: a look, no result"
    )
    parser.add_argument(
        "--stored", action="store_true", help="simulate nothing: use what is in the folder"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.seeds < 1 or given.tests < 1 or given.budget <= 0:
        parser.error("--seeds, --tests and --budget must be above 0")
    try:
        import sklearn  # noqa: F401
    except ImportError:
        print(
            "error: scikit-learn is missing; install the extra: pip install 'hetwin-suite[benchmarks]'",
            file=sys.stderr,
        )
        return 2
    on = machine()
    store = Store(given.keep, 2 if given.quick else STATES, given.stored)
    budget, seeds, most = (20.0, 1, 4) if given.quick else (given.budget, given.seeds, given.tests)
    try:
        rows = rows_of(store, budget, range(seeds), most)
    except TooFew as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        print(
            json.dumps(
                {"machine": on, "quick": given.quick, "rows": [asdict(r) for r in rows]}, indent=2
            )
        )
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f}, {on['date']}")
    print(
        f"{rows[0].tests} test states, {rows[0].seeds} seeds; always giving the more frequent answer"
        f" is right in {rows[0].most_frequent:.2f} of them\n"
    )
    print("| fidelity | training time [s] | states | training accuracy | test accuracy |")
    print("|---|---|---|---|---|")
    for r in rows:
        right = f"{r.test_accuracy:.2f} +- {r.test_accuracy_deviation:.2f}"
        print(
            f"| {r.fidelity} | {r.training_time:g} | {r.examples:.0f} | {r.training_accuracy:.2f} | {right} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
