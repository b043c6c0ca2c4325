"""How far many runs are, said on stderr while a command waits for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_suite._study.runs.run_result import RunResult
    from hetwin_suite._study.runs.study import Study


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
