"""Pages: one HTML file each with its style, its data and its script, which loads nothing."""

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
        title: of the window, and above all sections.
        sections: its content.
        heading: above all sections; by default the title.
        footer: a sentence at the end.
        films: that play in it, by the ids of `Player`.
        comparison: for the script of two films; None if there is one.
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
        self._told = {
            "title": title,
            "heading": heading or title,
            "footer": footer,
            "films": {name: encode_text(film) for name, film in (films or {}).items()},
            "comparison": comparison,
        }

    def html(self) -> str:
        """The page; its drawings are left out, with the reason, where the script has not been made."""
        figures = Figures()
        body = _Writer(figures).show(self._sections)
        try:
            script, why = page_script(), ""
        except BadInput as error:
            script, why = Markup(), str(error)
        told = {**self._told, "figures": figures.as_json() if figures.figures else None}
        page = _environment().get_template("page.html")
        return page.render(body=body, script=script, why=why, style=_style("page"), **told)


def live_page() -> str:
    """The page of a run that goes on; its content comes over its own connection.

    Raises:
        BadInput: if its script was not made.
    """
    page = _environment().get_template("live.html")
    return page.render(script=page_script(), style=_style("live"))


def html_of(content: Content) -> str:
    """Content as HTML, as it stands in a page."""
    return str(_Writer(Figures()).show(content))


def page_script() -> Markup:
    """The script that all pages share, as it stands in its element.

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
    return Markup(script.replace("</script", "<\\/script"))


class _Writer:
    """Writes content as HTML by the macros of ``parts.html``, one for each kind of content."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._parts = _environment().get_template("parts.html").make_module({"show": self.show})

    def show(self, content: Content) -> Markup:
        """Text is escaped, and a sequence is one after the other."""
        if isinstance(content, str):
            return escape(content)
        if isinstance(content, Chart | Rows):
            return Markup(self._parts.plot(self._figures.add(content), content.height))  # type: ignore[attr-defined]
        if isinstance(content, Sequence) and not hasattr(content, "_fields"):
            return Markup().join(self.show(one) for one in content)
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
    """The style that all pages share, and that of one kind of page."""
    files = (_STYLE / "player.css", _STYLE / f"{name}.css")
    return Markup("\n".join(file.read_text(encoding="utf-8") for file in files))


__all__ = ["Document", "html_of", "live_page", "page_script"]


class Marked(NamedTuple):
    """A time that both time lines mark, and its caption."""

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
    moments: Sequence[Marked],
    introduced: str = "First differences: ",
    ghost: bool = False,
    more: Sequence[Section] = (),
) -> str:
    """Return the page: one file that loads nothing.

    Args:
        title: of the window.
        heading: above all.
        tone: of the first section.
        said: above the films.
        films: the two.
        names: of the runs.
        moments: that are marked.
        introduced: text before them.
        ghost: whether the second film is drawn as a ghost in the first one at first.
        more: further sections.

    Raises:
        BadInput: if the script of the pages has not been made.
    """
    page_script()
    ids = [f"film-{number}" for number in range(len(films))]
    first = [
        Time(at.time_ns, words=f"{seconds(at.time_ns)}: {at.words}", is_button=True)
        for at in moments
    ]
    marks = [Paragraph((introduced, *first), "first-differences")] if moments else []
    look = Section("", content=[*said, *marks, Player(ids, has_course=True)], kind=f"look {tone}")
    told = {
        "names": names,
        "first": [{"time": at.time_ns / 1e9, "text": at.words} for at in moments],
        "ghost": ghost,
    }
    played = dict(zip(ids, films, strict=True))
    return Document(title, [look, *more], heading=heading, films=played, comparison=told).html()
