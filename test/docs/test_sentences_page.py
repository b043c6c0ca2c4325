"""The page of the sentences is the catalogue, and other pages quote it."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hetwin_core.ensemble.sentences.catalogue import GROUPS, group

DOCS = Path(__file__).resolve().parents[2] / "docs"
GENERIC = {
    "event.any",
    "event.task",
    "event.begins",
    "event.ends",
    "event.announced",
    "state.alike",
}
GENERIC |= {
    "state.other",
    "state.not_other",
    "state.other_nothing",
    "verdict.flawed",
    "ending.failed",
}
FIELD = re.compile(r"\{\w+(?::([\w ]+))?\}")


def test_the_page_is_the_catalogue() -> None:
    spec = importlib.util.spec_from_file_location("page", DOCS / "make_sentences_page.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    known = "run docs/make_sentences_page.py"
    assert (DOCS / "reference" / "sentences.md").read_text("utf-8") == made.page(), known


def pattern(says: str) -> re.Pattern[str]:
    """What a sentence may look like."""

    def filled(text: str) -> str:
        parts = FIELD.split(text)
        return "".join(re.escape(part) if i % 2 == 0 else "(.+)" for i, part in enumerate(parts))

    parts = re.split(r"\[([^\]]*)\]", says)
    found = ""
    for i, part in enumerate(parts):
        found += f"(?:{'|'.join(map(filled, part.split('|')))})?" if i % 2 else filled(part)
    return re.compile(found)


PATTERNS = [
    pattern(entry.says)
    for name in GROUPS
    for key, entry in group(name).items()
    if f"{name}.{key}" not in GENERIC
]


def quoted(page: str) -> Iterator[str]:
    """What a page says that the product prints: quotes in the text, in JSON, and lines of verdicts."""
    text = (DOCS / page).read_text("utf-8")
    yield from re.findall(r'"text": "([^"]+)"', text)
    yield from re.findall(r'(?:says?|words|printed?|prints) "([^"`]+)"', text)
    for block in re.findall(r"```text\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            verdict = re.match(r"\s*(?:fine|unchecked|doubtful|absurd): (.+)", line)
            sentence = re.match(r"(succeeds .+|whether .+|\d+ of \d+ futures .+)", line)
            if verdict or sentence:
                yield (verdict or sentence)[1]  # type: ignore[index]


@pytest.mark.parametrize("page", ["robot_health.md", "prediction.md"])
def test_pages_quote_what_is_printed(page: str) -> None:
    found = list(quoted(page))
    assert found
    assert [text for text in found if not any(p.fullmatch(text) for p in PATTERNS)] == []


def test_what_is_no_longer_printed_is_quoted_nowhere() -> None:
    gone = ('"grip opened"', '"grip lost"', "followed its recording exactly", "succeeds with ")
    for page in DOCS.glob("*.md"):
        text = page.read_text("utf-8")
        assert [words for words in gone if words in text] == [], page
