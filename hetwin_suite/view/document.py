"""Pages: self-contained HTML files with their style, data and script."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import cache_folder
from hetwin_core.ensemble.words import seconds
from hetwin_suite.view.content import Content, Paragraph, Player, Section, Time
from hetwin_suite.view.figures import Chart, Figures, Rows
from hetwin_suite.view.film.encode import encode_text
from hetwin_suite.view.film.film import Film

_HERE = Path(__file__).resolve().parent
_STYLE = _HERE / "page" / "style"
_SCRIPT = _HERE / "page" / "built" / "page.js"


class Document:
    """A page of sections.

    Args:
        title: title of the window.
        sections: content of the page.
        heading: heading of the page; by default the title.
        footer: a sentence at the end.
        films: id of a `Player`'s film -> film.
        comparison: data for the script that compares two films; None for a single film.
    """

    def __init__(
        self,
        title: str,
        sections: Sequence[Content],
        *,
        heading: str = "",
        footer: str = "",
        films: Mapping[str, Film] | None = None,
        comparison: Mapping[str, object] | None = None,
    ) -> None:
        self._sections = sections
        self._values = {
            "title": title,
            "heading": heading or title,
            "footer": footer,
            "films": {name: encode_text(film) for name, film in (films or {}).items()},
            "comparison": comparison,
        }

    def html(self) -> str:
        """Return the page; if the script has not been built, drawings are replaced by the reason."""
        figures = Figures()
        body = _Writer(figures).show(self._sections)
        try:
            script, why = page_script(), ""
        except BadInput as error:
            script, why = Markup(), str(error)
        values = {**self._values, "figures": figures.as_json() if figures.figures else None}
        page = _environment().get_template("page.html")
        return page.render(body=body, script=script, why=why, style=_style("page"), **values)


def live_page() -> str:
    """Return the page of a live run; it receives its content over a WebSocket.

    Raises:
        BadInput: if the script has not been built.
    """
    page = _environment().get_template("live.html")
    return page.render(script=page_script(), style=_style("live"))


def html_of(content: Content) -> str:
    """Return content as an HTML fragment."""
    return str(_Writer(Figures()).show(content))


def page_script() -> Markup:
    """Return the script that all pages share, escaped for its element.

    Raises:
        BadInput: if the script has not been built.
    """
    try:
        script = _SCRIPT.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(
            "the script of the pages has not been made: run python cmake/bundle_page.py, or install anew",
            file=_SCRIPT,
        ) from error
    return Markup(script.replace("</script", "<\\/script"))


class _Writer:
    """Renders content as HTML with the macros of ``parts.html``, one for each kind of content."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._parts = _environment().get_template("parts.html").make_module({"show": self.show})

    def show(self, content: Content) -> Markup:
        """Render content: text is escaped, the items of a sequence are concatenated."""
        if isinstance(content, str):
            return escape(content)
        if isinstance(content, Chart | Rows):
            return Markup(self._parts.plot(self._figures.add(content), content.height))  # type: ignore[attr-defined]
        if isinstance(content, Sequence) and not hasattr(content, "_fields"):
            return Markup().join(self.show(item) for item in content)
        return Markup(getattr(self._parts, type(content).__name__.lower())(content))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        bytecode_cache=_compiled_templates(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.filters["seconds"] = seconds
    return environment


def _compiled_templates() -> FileSystemBytecodeCache | None:
    """Compiled templates of earlier runs; None if there is no folder for them."""
    folder = cache_folder("templates")
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return FileSystemBytecodeCache(str(folder)) if os.access(folder, os.W_OK) else None


def _style(name: str) -> Markup:
    """Return the style that all pages share, followed by that of one kind of page."""
    files = (_STYLE / "player.css", _STYLE / f"{name}.css")
    return Markup("\n".join(file.read_text(encoding="utf-8") for file in files))


__all__ = ["Document", "html_of", "live_page", "page_script"]


class MarkedTime(NamedTuple):
    """A simulated time that both time lines mark [ns], and its caption."""

    time_ns: int
    words: str


def side_by_side(
    *,
    title: str,
    heading: str,
    tone: str,
    said: Sequence[Content],
    films: Sequence[Film],
    names: Sequence[str],
    moments: Sequence[MarkedTime],
    introduced: str = "First differences: ",
    ghost: bool = False,
    more: Sequence[Section] = (),
) -> str:
    """Return a page that shows two films side by side, as self-contained HTML.

    Args:
        title: title of the window.
        heading: heading of the page.
        tone: tone of the first section: ``good``, ``warned`` or ``bad``.
        said: content above the films.
        films: the two films.
        names: names of the runs.
        moments: marked times.
        introduced: text before the marked times.
        ghost: whether the second film is initially drawn as a ghost in the first one.
        more: further sections.

    Raises:
        BadInput: if the script of the pages has not been built.
    """
    page_script()
    ids = [f"film-{number}" for number in range(len(films))]
    links = [
        Time(at.time_ns, words=f"{seconds(at.time_ns)}: {at.words}", is_button=True)
        for at in moments
    ]
    marks = [Paragraph((introduced, *links), "first-differences")] if moments else []
    overview = Section(
        "", content=[*said, *marks, Player(ids, has_course=True)], kind=f"look {tone}"
    )
    data = {
        "names": names,
        "first": [{"time": at.time_ns / 1e9, "text": at.words} for at in moments],
        "ghost": ghost,
    }
    film_of_id = dict(zip(ids, films, strict=True))
    return Document(
        title, [overview, *more], heading=heading, films=film_of_id, comparison=data
    ).html()
