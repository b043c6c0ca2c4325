"""The headline of a run: its verdict, or how it ended."""

from __future__ import annotations

from typing import NamedTuple

from hetwin_core.ensemble.words import failure_row_words, seconds
from hetwin_core.projection.episode import Episode
from hetwin_suite.view.report.story.concerns import stored_concerns

GOOD, WARNED, BAD = "good", "warned", "bad"


class Headline(NamedTuple):
    """What to read first.

    Attributes:
        tone: ``good``, ``warned`` or ``bad``.
        mark: a word for it, e.g. ``doubtful``; empty if the run was not watched.
        text: a sentence.
        more: how the run ended, if `text` does not say so.
    """

    tone: str
    mark: str
    text: str
    more: str = ""


def headline(episode: Episode) -> Headline:
    """The worst thing to know of a run: that it failed, what makes it doubtful, or that nothing does."""
    tone, ended = ending(episode)
    if tone == BAD:
        mark = "failed" if episode.summary else "broke off"
        return Headline(BAD, mark, ended)
    serious = [concern for concern in stored_concerns(episode) if concern.serious]
    match episode.summary.get("verdict"):
        case "fine":
            return Headline(tone, "fine", "Nothing speaks against this run.", ended)
        case "doubtful" | "absurd" as verdict:
            worst = serious[0].text if serious else "no reason is known"
            others = len(serious) - 1
            more = f", and {others} more {'concern' if others == 1 else 'concerns'}"
            text = f"{worst}{more if others > 0 else ''}."
            return Headline(WARNED if verdict == "doubtful" else BAD, verdict, text, ended)
        case _:
            return Headline(tone, "", ended)


def ending(episode: Episode) -> tuple[str, str]:
    """How the run ended: ``good``, ``warned`` or ``bad``, and a sentence."""
    summary = episode.summary
    end = seconds(episode.end_ns)
    if not summary:
        return BAD, f"The run broke off: there is no summary. The log ends at {end}."
    error = summary.get("error")
    if error:
        return BAD, f"The run failed: {failure_row_words(error)}"
    match summary.get("ended"):
        case "recording":
            return GOOD, f"The run reached the end of its recording after {end}."
        case "live":
            return GOOD, f"The twin followed the live robot to its end, {end}."
        case "stopped":
            return WARNED, f"The run was stopped after {end}."
        case "failed":
            return BAD, f"The run failed after {end}; no reason is known."
        case other:
            return WARNED, f"The run ended after {end} ({other})."
