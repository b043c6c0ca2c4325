"""Writes docs/reference/sentences.md, all sentences about the world, a run and its verdict, from the catalogue.

Usage: make_sentences_page.py; a test holds the page and the catalogue equal.
"""

from __future__ import annotations

from pathlib import Path

from hetwin_core.ensemble.sentences.catalogue import GROUPS, group, say
from hetwin_core.episodes.flaws.rule import RULES_FOLDER, read_rules

PAGE = Path(__file__).resolve().parent / "reference" / "sentences.md"
INTRODUCTION = """\
# Sentences

Every sentence that a run, its page or a command prints about what happened in the world, about the run itself and about
its verdict, each with an example, what it means, and what it does not mean although one may think so. This page is
written by `docs/make_sentences_page.py` from the catalogue in `hetwin_core/ensemble/sentences`, where the sentences are
taken from. Lengths below 1 cm are in mm and those below 1 m in cm; a joint that turns has rad, rad/s and N m, one that
slides m, m/s and N. "rad or m" stands where the kind of the joint is not known.
"""
TITLES = {
    "verdict": "Verdicts",
    "claim": "Claims",
    "coverage": "Why something was not checked",
    "concern": "Concerns and touches",
    "event": "Events",
    "state": "What holds",
    "ending": "How a run ended",
    "robot": "What a robot did",
    "thing": "What happened to things",
    "outcome": "What came of it",
    "future": "Predictions",
    "explanation": "Explanations",
    "question": "Why a question has no answer",
}
FLAWS = """\
## Flaws

The sentences of `hetwin ask --flaws`, from the [rules](../flaws.md#flaws); what stands in braces is filled in.
"""
HEAD = "| sentence | means | does not mean |\n| --- | --- | --- |\n"


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *(_group(name) for name in GROUPS), FLAWS + "\n" + _flaws()])


def _group(name: str) -> str:
    rows = [
        _row(say(f"{name}.{key}", **entry.example).strip(), entry.means, entry.never)
        for key, entry in group(name).items()
    ]
    return f"## {TITLES[name]}\n\n{HEAD}{''.join(rows)}"


def _flaws() -> str:
    rules = [
        rule.entry for file in sorted(RULES_FOLDER.glob("*.yaml")) for rule in read_rules(file)
    ]
    rows = (_row(f"`{rule.text}`", rule.about) for rule in rules)
    return f"| sentence | means |\n| --- | --- |\n{''.join(rows)}"


def _row(*cells: str) -> str:
    return (
        f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
