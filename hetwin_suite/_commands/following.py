"""Print the progress of commands that compute runs or record episodes to stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hetwin_suite._commands.result import Result
from hetwin_suite.running.patience import Patience, to_stderr

if TYPE_CHECKING:
    from hetwin_suite._study.run_result import RunResult
    from hetwin_suite._study.study import Study


def followed(
    study: Study, words: Callable[[Sequence[RunResult]], str], *, warns: bool = False
) -> list[RunResult]:
    """Report a study's progress on stderr, at intervals, while it runs.

    Args:
        study: the study, not yet started.
        words: returns the progress text for the finished runs.
        warns: whether to print a warning for each failed run.

    Returns:
        The finished runs: a list that grows while the study runs.
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


class Recording(Protocol):
    """Records episodes; see `hetwin_suite.episode.record_episodes`."""

    def __call__(
        self, *, on_episode: Callable[[str, Mapping[str, Any]], None], look: Callable[[], None]
    ) -> dict[str, Any]:
        """Return the content of `distribution.json`."""


def recorded(
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
    patience, done = Patience(to_stderr), 0

    def show(name: str, summary: Mapping[str, Any]) -> None:
        nonlocal done
        done += 1
        cause = [str(summary["cause"]).replace("_", " ")] if summary["cause"] else []
        to_stderr(f"{done} of {of}: {name}: {', '.join([summary['label'], *cause, *why(summary)])}")
        patience.heard()

    found = record(on_episode=show, look=lambda: patience.look(f"{done} of {of} recorded"))
    return Result({**found, "out": str(out.resolve())}, [*_lines(found, out), *more(found)])


def _lines(found: Mapping[str, Any], out: Path) -> Iterator[str]:
    yield f"{found['episodes']} episodes in {out}"
    for key in ("labels", "causes", "containers"):
        if found.get(key):
            counted = ", ".join(f"{n.replace('_', ' ')} {c}" for n, c in found[key].items())
            yield f"  {key}: {counted}"
