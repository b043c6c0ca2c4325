"""What commands that record episodes have in common: they say what is done, and present what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from hetwin_suite._commands.result import Result
from hetwin_suite.running.patience import Patience, to_stderr


class Recording(Protocol):
    """Records episodes; see `hetwin_suite.episode.record_episodes`."""

    def __call__(
        self, *, on_episode: Callable[[str, Mapping[str, Any]], None], look: Callable[[], None]
    ) -> dict[str, Any]:
        """Return what `distribution.json` says."""


def recorded(
    record: Recording,
    out: Path,
    of: int,
    why: Callable[[Mapping[str, Any]], Iterable[str]] = lambda _: (),
    more: Callable[[Mapping[str, Any]], Iterable[str]] = lambda _: (),
) -> Result:
    """Record, and say on stderr what is done.

    Args:
        record: records.
        out: the folder.
        of: how many episodes are recorded.
        why: what is said of an episode's summary beside label and cause.
        more: lines that are said of all in the end.
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
