"""The frame of every page: one HTML file with its style, its figures and its script, which loads nothing."""

from __future__ import annotations

import json
from html import escape

from plotly.offline import get_plotlyjs

from hetwin_suite.view.report.figure import Figure
from hetwin_suite.view.report.script import SCRIPT
from hetwin_suite.view.report.style import CSS


class Document:
    """Collects the figures of a page and puts the page together."""

    def __init__(self) -> None:
        self._figures: list[Figure] = []

    def plot(self, figure: Figure) -> str:
        """The place of a figure in the page."""
        self._figures.append(figure)
        height = figure["layout"]["height"]
        number = len(self._figures) - 1
        return f'<div class="plot" data-figure="{number}" style="height:{height}px"></div>'

    def html(self, title: str, body: str, footer: str, player: str = "") -> str:
        """The whole page.

        Args:
            title: of the window; plain text.
            body: the content, as HTML.
            footer: a sentence at the end; plain text.
            player: HTML of what plays in the page; empty if nothing does.
        """
        # Inside a script element only "<" could end it too early; JSON can escape it.
        data = json.dumps(self._figures, separators=(",", ":"), allow_nan=False)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)} · hetwin</title><style>{CSS}</style></head>\n"
            f"<body><main>{body}<footer>{escape(footer)}</footer></main>\n"
            f'{player}\n<script id="figures" type="application/json">{_inert(data)}</script>\n'
            f'<script id="plotly" type="text/plain">{get_plotlyjs()}</script>\n'
            f"<script>{SCRIPT}</script></body></html>\n"
        )


def card(title: str, text: str, content: str, name: str = "") -> str:
    """A section with a heading and a sentence on how to read it; `content` is HTML.

    Args:
        title: the heading.
        text: the sentence; empty for none.
        content: HTML.
        name: to link to; empty for none.
    """
    note = f'<p class="note">{escape(text)}</p>' if text else ""
    anchor = f' id="{escape(name)}"' if name else ""
    return f'<section class="card"{anchor}><h2>{escape(title)}</h2>{note}{content}</section>'


def folded(title: str, content: str) -> str:
    """Content that opens when its title is clicked."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _inert(data: str) -> str:
    return data.replace("<", "\\u003c")
