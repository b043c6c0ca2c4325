"""Print the progress of commands that compute runs or record episodes to stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hetwin_suite._commands.result import Result
from hetwin_suite.running.patience import ProgressReminder, to_stderr

if TYPE_CHECKING:
    from hetwin_suite._study.run_result import RunResult
    from hetwin_suite._study.study import Study


def follow_study(
    study: Study,
    progress_text: Callable[[Sequence[RunResult]], str],
    *,
    warn_of_failures: bool = False,
) -> list[RunResult]:
    """Report a study's progress on stderr, at intervals, while it runs.

    Args:
        study: the study, not yet started.
        progress_text: returns the progress text for the finished runs.
        warn_of_failures: whether to print a warning for each failed run.

    Returns:
        The finished runs: a list that grows while the study runs.
    """
    from hetwin_suite.running.patience import ProgressReminder, to_stderr

    patience = ProgressReminder(to_stderr)
    finished: list[RunResult] = []

    def on_finished(run: RunResult) -> None:
        finished.append(run)
        if warn_of_failures and run.error is not None:
            to_stderr(f"warning: future {run.index}: {run.error}")

    study.progress = on_finished
    study.look = lambda: patience.remind(progress_text(finished))
    study.note = lambda text: to_stderr(f"warning: {text}")
    return finished


class Recording(Protocol):
    """Records episodes; see `hetwin_suite.episode.record_episodes`."""

    def __call__(
        self, *, on_episode: Callable[[str, Mapping[str, Any]], None], look: Callable[[], None]
    ) -> dict[str, Any]:
        """Return the content of `distribution.json`."""


def record_with_progress(
    record: Recording,
    out: Path,
    of: int,
    why: Callable[[Mapping[str, Any]], Iterable[str]] = lambda _: (),
    more: Callable[[Mapping[str, Any]], Iterable[str]] = lambda _: (),
) -> Result:
    """Record episodes, with progress on stderr.

    Args:
        record: function that records the episodes.
        out: the folder.
        of: number of episodes.
        why: given an episode's summary, returns words to print after the episode's label and cause.
        more: given the content of `distribution.json`, returns lines to print at the end.
    """
    patience, finished = ProgressReminder(to_stderr), 0

    def show(name: str, summary: Mapping[str, Any]) -> None:
        nonlocal finished
        finished += 1
        cause = [str(summary["cause"]).replace("_", " ")] if summary["cause"] else []
        to_stderr(
            f"{finished} of {of}: {name}: {', '.join([summary['label'], *cause, *why(summary)])}"
        )
        patience.restart()

    found = record(on_episode=show, look=lambda: patience.remind(f"{finished} of {of} recorded"))
    return Result({**found, "out": str(out.resolve())}, [*_lines(found, out), *more(found)])


def _lines(found: Mapping[str, Any], out: Path) -> Iterator[str]:
    yield f"{found['episodes']} episodes in {out}"
    for key in ("labels", "causes", "containers"):
        if found.get(key):
            counted = ", ".join(f"{n.replace('_', ' ')} {c}" for n, c in found[key].items())
            yield f"  {key}: {counted}"
