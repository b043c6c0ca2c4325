"""What both pages have: their style, their films and the script that plays them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from hetwin_core.ensemble.words import seconds
from hetwin_suite.view.film.embed import film_data, player_script
from hetwin_suite.view.film.film import Film
from hetwin_suite.view.report.style import CSS

_CSS = """
.look { border-top: 4px solid var(--tone); }
button.go {
  font: inherit; color: var(--link); background: none; border: 0; padding: 0; cursor: pointer; text-align: left;
  font-variant-numeric: tabular-nums;
}
button.go:hover { text-decoration: underline; }
ul.happened { list-style: none; margin: 0; padding: 0; }
ul.happened li { padding: 2px 0; overflow-wrap: anywhere; }
.settings { font-weight: 600; color: var(--warned); }
.first-differences { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 4px 0 8px; font-size: 0.9rem; }
"""

COMPARISON = "hetwin-comparison"
"""Id of the element with what the script is told of a comparison."""


def names_of(films: Sequence[Film]) -> list[str]:
    """Return the ids of the elements that hold films."""
    return [f"film-{number}" for number in range(len(films))]


def player(films: Sequence[Film]) -> str:
    """Return HTML of the place where films play, with time lines below it."""
    ids = escape(" ".join(names_of(films)))
    return f'<div class="hetwin-player" data-hetwin-films="{ids}" data-hetwin-course></div>'


def go_to(time_ns: int, words: str = "") -> str:
    """Return a button that shows a time; it says the time unless it has words."""
    shown = escape(words or seconds(time_ns))
    return f'<button type="button" class="go" data-time="{time_ns / 1e9:.9g}">{shown}</button>'


def whole(
    title: str, body: str, films: Sequence[Film], comparison: dict[str, object] | None = None
) -> str:
    """Return the page: one file that loads nothing.

    Args:
        title: of the window; plain text.
        body: HTML with the player in it.
        films: what it plays.
        comparison: what the script is told of two runs; None if there is one.

    Raises:
        BadInput: if the script has not been made.
    """
    data = "".join(film_data(film, name) for film, name in zip(films, names_of(films), strict=True))
    if comparison is not None:
        told = json.dumps(comparison, allow_nan=False).replace("<", "\\u003c")
        data += f'<script type="application/json" id="{COMPARISON}">{told}</script>'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · hetwin</title><style>{CSS}{_CSS}</style></head>\n"
        f"<body><main>{body}</main>\n{data}\n{player_script()}</body></html>\n"
    )
