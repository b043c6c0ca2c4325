"""What the commands that make many runs have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetwin_suite.futures.runs.run_result import RunResult
    from hetwin_suite.futures.runs.study import Study
    from hetwin_suite.futures.workers.cluster import Cluster


def followed(
    study: Study, words: Callable[[Sequence[RunResult]], str], *, warns: bool = False
) -> list[RunResult]:
    """Say on stderr how far a study is whenever nothing was said for a while; returns the runs that are over.

    Args:
        study: of which nothing has been run yet.
        words: how far it is, from the runs that are over.
        warns: of each run that fails.
    """
    from hetwin_suite.running.patience import Patience, to_stderr

    patience = Patience(to_stderr)
    done: list[RunResult] = []

    def over(run: RunResult) -> None:
        done.append(run)
        if warns and run.error is not None:
            to_stderr(f"warning: future {run.index}: {run.error}")

    study.progress = over
    study.look = lambda: patience.look(words(done))
    study.note = lambda text: to_stderr(f"warning: {text}")
    return done


def cluster_at(address: str | None) -> Cluster | None:
    """The workers of `--cluster`; None: those of this machine."""
    from hetwin_suite.futures.workers.cluster import Cluster

    return None if address is None else Cluster(address)


def warn_of_lacking(operations: Sequence[str], prior: Path | None) -> None:
    """Warn of operations about which the file of `--prior` says nothing with their arguments."""
    from hetwin_suite.running.patience import to_stderr

    for operation in operations:
        to_stderr(f"warning: {prior} says nothing about {operation} with these arguments")


def title_of(scenario: str, variant: str | None) -> str:
    """The name of a scenario, with the variant."""
    return Path(scenario).stem + (f", {variant}" if variant else "")


def kept_json(found: Any, file: Path) -> None:
    """Write what `--json` prints."""
    from hetwin_core.ensemble.writing import write_atomically

    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(found.to_json(), indent=2) + "\n")
