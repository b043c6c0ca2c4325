"""Films in pages: the place where they play, their data, and the script that plays them.

A page that plays holds all three in this order; it loads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.view.film.encode import encode_text
from hetwin_suite.view.film.film import Film

_SCRIPT = Path(__file__).resolve().parent.parent / "page" / "built" / "page.js"


def player_place(names: Sequence[str] = ("film-0",)) -> str:
    """HTML of the place where films play, with one clock and one camera if there are several.

    Args:
        names: of the films, see `film_data`.
    """
    return f'<div class="hetwin-player" data-hetwin-films="{escape(" ".join(names))}"></div>'


def film_data(film: Film, name: str = "film-0") -> str:
    """HTML that holds a film.

    Args:
        film: the film.
        name: the element's id.
    """
    return (
        f'<script type="application/x-hetwin-film" id="{escape(name)}">{encode_text(film)}</script>'
    )


def player_script() -> str:
    """HTML with the script that all pages share, which belongs behind all else.

    Raises:
        BadInput: if it has not been made.
    """
    try:
        script = _SCRIPT.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(
            "the script of the pages has not been made: run python cmake/bundle_page.py, or install anew",
            file=_SCRIPT,
        ) from error
    inert = script.replace("</script", "<\\/script")
    return f"<script>{inert}</script>"
