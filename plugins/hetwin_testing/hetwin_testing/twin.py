"""The twin of a test: replays recordings, each once, and reports the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from hetwin_testing.settings import NotJudged, Settings

if TYPE_CHECKING:
    from hetwin_suite.episode import Episode
    from hetwin_suite.study import Judged, Replayed


class DoesNotHold(AssertionError):
    """An expectation of a replay does not hold, or the replay failed; its text is the report."""


class Twin:
    """Replays recordings for one test.

    Args:
        settings: settings of the session.
        folder: folder of the test, to which recordings are relative.
        test: the test's id.
        marked: arguments of `run` that the test's marker gives.
        note: is called with (name, value) pairs for the test's properties, which JUnit files hold.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        test: str,
        marked: Mapping[str, Any] | None = None,
        note: Callable[[tuple[str, object]], None] = lambda _: None,
    ) -> None:
        self._settings, self._folder, self._test = settings, folder, test
        self._marked, self._note = dict(marked or {}), note

    def run(
        self,
        scenario: str | Path | None = None,
        source: str | Path | None = None,
        *,
        variant: str | None = None,
        engine: str | None = None,
        seed: int | None = None,
        within: float | None = None,
    ) -> TwinRun:
        """Replay a recording, unless the same was replayed before.

        Args:
            scenario: file, or name of one of hetwin's; None: the marker's.
            source: the recording; None: the marker's, or the scenario's own.
            variant: variant of the scenario.
            engine: physics engine of the main model; None: the scenario's.
            seed: seed of all random numbers; None: the scenario's.
            within: wall seconds after which the run is ended and the test fails; None: ten minutes.

        Raises:
            DoesNotHold: if the run fails or hangs.
            BadInput: if there is no such scenario, or it cannot be used.
        """
        from hetwin_testing.kept import Wanted, replayed

        given = {"scenario": scenario, "source": source, "variant": variant}
        asked: dict[str, Any] = {k: value for k, value in given.items() if value is not None}
        asked = {**self._marked, **asked}
        if not asked.get("scenario"):
            raise TypeError("twin.run: no scenario is named, and the test has no marker `twin`")
        name = str(asked["scenario"])
        near = self._folder / name
        wanted = Wanted(
            str(near) if near.is_file() else name,
            self._source(asked.get("source")),
            asked.get("variant"),
            engine,
            seed,
            within,
        )
        try:
            found = replayed(wanted, self._settings)
        except NotJudged as reason:
            self.not_executed(str(reason))
        run = TwinRun(self, wanted.words, found, self._settings)
        self._note(("hetwin.verdict", found.verdict))
        self._note(("hetwin.digest", found.digest))
        if found.error:
            run.fail([found.error])
        return run

    def _source(self, source: str | Path | None) -> str:
        """Return the recording's path; empty for the scenario's own."""
        if source is None:
            return ""
        if str(source).startswith("data://"):
            return str(source)
        places = [base / source for base in (self._folder, self._settings.root)]
        found = next((place for place in places if place.exists()), None)
        if found is None:
            self.not_executed(f"there is no recording {places[0]}")
        return str(found)

    def not_executed(self, why: str) -> NoReturn:
        """End the test as not executed: it is skipped, or fails with ``--hetwin-require``."""
        from hetwin_testing.report import note_row

        text = f"not executed: {why}"
        required = self._settings.require
        note_row(self._settings.report, self._test, "failed" if required else "not executed", text)
        if required:
            raise DoesNotHold(f"{text} (--hetwin-require)")
        pytest.skip(text)

    def passed(self, run: TwinRun) -> None:
        """Note that the expectations of a run hold."""
        from hetwin_testing.report import note_row

        text = f"{run.words}: {run.replayed.verdict}"
        note_row(self._settings.report, self._test, "passed", text)

    def failed(self, run: TwinRun, lines: Iterable[str]) -> NoReturn:
        """Fail the test, with the page of the run."""
        from hetwin_testing.report import note_row, page_of

        page = page_of(run.replayed, self._settings.report, self._test)
        told = [run.words, *(f"  {line}" for line in lines)]
        told += [] if page is None else [f"  page: {page}"]
        note_row(self._settings.report, self._test, "failed", "\n".join(told), page)
        raise DoesNotHold("\n".join(told))


class TwinRun:
    """A recording that was replayed.

    Attributes:
        words: about the replay.
        replayed: its result.
    """

    def __init__(self, twin: Twin, words: str, replayed: Replayed, settings: Settings) -> None:
        self._twin, self.words, self.replayed = twin, words, replayed
        self._settings = settings

    @property
    def verdict(self) -> str:
        """The verdict of the run."""
        return self.replayed.verdict

    @cached_property
    def episode(self) -> Episode:
        """The run, to be asked further."""
        from hetwin_suite.episode import open_episode

        assert self.replayed.folder is not None  # replays of tests are kept
        return open_episode(self.replayed.folder)

    def expect(
        self,
        *claims: str,
        verdict: str | Sequence[str] | None = None,
        require: Sequence[str] = (),
    ) -> TwinRun:
        """Fail the test unless all expectations hold; an unknown one makes it not executed, unless another fails.

        Args:
            claims: questions to the episode, such as ``holds(on("box", "tray"), at(end))``.
            verdict: that the run must have, or one of which.
            require: kinds of claims, such as ``grips``, which must have been checked and hold.

        Returns:
            The run.

        Raises:
            DoesNotHold: if something does not hold, or a question is wrong; the text has the moment and the page.
            BadInput: if there is no such kind of claim.
        """
        from hetwin_suite.runs import claims_named, unmet
        from hetwin_suite.study import judged_claims

        judged = judged_claims(self.episode, {text: text for text in claims}) if claims else ()
        bad = [_line(one) for one in judged if one.wrong or one.holds is False]
        unknown = [_line(one) for one in judged if not one.wrong and one.holds is None]
        for lack in unmet(self.replayed.coverage, claims_named(require, "require")):
            (unknown if lack.unchecked else bad).append(f"required {lack.text}")
        wanted = (verdict,) if isinstance(verdict, str) else tuple(verdict or ())
        if wanted and self.verdict not in wanted:
            text = f"the verdict is {self.verdict}, not {' or '.join(wanted)}"
            (unknown if self.verdict == "unchecked" else bad).append(text)
        if bad:
            self.fail(bad)
        if unknown:
            self._twin.not_executed(f"{self.words}: {'; '.join(unknown)}")
        self._twin.passed(self)
        return self

    def fail(self, lines: Iterable[str]) -> NoReturn:
        """Fail the test with some lines, the evidence against the run, and its page."""
        troubles = [
            f"{one.severity} from {one.at_s:.2f} s: {one.text}" for one in self.replayed.troubles
        ]
        self._twin.failed(self, [*lines, *troubles])


def _line(one: Judged) -> str:
    """Return a claim and its result, in a line."""
    if one.wrong:
        return f"{one.question}: {one.why}"
    if one.holds is None:
        return f"{one.question}: not known: {one.why}"
    return f"{one.question}: false, from {one.at_s or 0.0:.2f} s"
