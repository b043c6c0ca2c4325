"""The fixture `twin`: replays recordings, each once, and checks expectations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from hetwin_testing.settings import NotJudged, Settings

if TYPE_CHECKING:
    from hetwin_suite.episode import Episode
    from hetwin_suite.study import JudgedClaim, ReplayResult


class DoesNotHold(AssertionError):
    """An expectation of a replay does not hold, or the replay failed; the text is the report."""


class Twin:
    """Replays recordings for one test.

    Args:
        settings: settings of the session.
        folder: folder of the test; paths of recordings are relative to it.
        test: id of the test.
        marked: arguments of `run` from the test's marker.
        record_property: called with (name, value) pairs for the test's properties in JUnit files.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        test: str,
        marked: Mapping[str, Any] | None = None,
        record_property: Callable[[tuple[str, object]], None] = lambda _: None,
    ) -> None:
        self._settings, self._folder, self._test = settings, folder, test
        self._marked, self._record_property = dict(marked or {}), record_property

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
        """Replay a recording, or return the cached replay.

        Args:
            scenario: path of a file, or name of one of hetwin's; None: the marker's.
            source: path of the recording; None: the marker's, or the scenario's own.
            variant: variant of the scenario.
            engine: physics engine of the main model; None: the scenario's.
            seed: seed of all random numbers; None: the scenario's.
            within: wall time in s after which the run is terminated and the test fails; None: ten minutes.

        Raises:
            DoesNotHold: if the run fails or hangs.
            BadInput: if there is no such scenario, or it cannot be used.
        """
        from hetwin_testing.replay_cache import ReplayRequest, cached_replay

        given = {"scenario": scenario, "source": source, "variant": variant}
        arguments: dict[str, Any] = {k: value for k, value in given.items() if value is not None}
        arguments = {**self._marked, **arguments}
        if not arguments.get("scenario"):
            raise TypeError("twin.run: no scenario is named, and the test has no marker `twin`")
        name = str(arguments["scenario"])
        local_path = self._folder / name
        request = ReplayRequest(
            str(local_path) if local_path.is_file() else name,
            self._source(arguments.get("source")),
            arguments.get("variant"),
            engine,
            seed,
            within,
        )
        try:
            found = cached_replay(request, self._settings)
        except NotJudged as reason:
            self.skip_test(str(reason))
        run = TwinRun(self, request.description, found, self._settings)
        self._record_property(("hetwin.verdict", found.verdict))
        self._record_property(("hetwin.digest", found.digest))
        if found.error:
            run.fail([found.error])
        return run

    def _source(self, source: str | Path | None) -> str:
        """Return the path of the recording; empty for the scenario's own one."""
        if source is None:
            return ""
        if str(source).startswith("data://"):
            return str(source)
        candidates = [base / source for base in (self._folder, self._settings.root)]
        found = next((path for path in candidates if path.exists()), None)
        if found is None:
            self.skip_test(f"there is no recording {candidates[0]}")
        return str(found)

    def skip_test(self, why: str) -> NoReturn:
        """Skip the test as not executed; with ``--hetwin-require``, fail it."""
        from hetwin_testing.report import append_row

        text = f"not executed: {why}"
        required = self._settings.require
        append_row(
            self._settings.report, self._test, "failed" if required else "not executed", text
        )
        if required:
            raise DoesNotHold(f"{text} (--hetwin-require)")
        pytest.skip(text)

    def report_pass(self, run: TwinRun) -> None:
        """Report that the expectations of a run hold."""
        from hetwin_testing.report import append_row

        text = f"{run.description}: {run.replayed.verdict}"
        append_row(self._settings.report, self._test, "passed", text)

    def fail_test(self, run: TwinRun, lines: Iterable[str]) -> NoReturn:
        """Fail the test, and write the page of the run."""
        from hetwin_testing.report import append_row, write_run_page

        page = write_run_page(run.replayed, self._settings.report, self._test)
        report_lines = [run.description, *(f"  {line}" for line in lines)]
        report_lines += [] if page is None else [f"  page: {page}"]
        append_row(self._settings.report, self._test, "failed", "\n".join(report_lines), page)
        raise DoesNotHold("\n".join(report_lines))


class TwinRun:
    """A replayed recording.

    Attributes:
        description: scenario and recording, as text.
        replayed: result of the replay.
    """

    def __init__(
        self, twin: Twin, description: str, replayed: ReplayResult, settings: Settings
    ) -> None:
        self._twin, self.description, self.replayed = twin, description, replayed
        self._settings = settings

    @property
    def verdict(self) -> str:
        """The verdict of the run."""
        return self.replayed.verdict

    @cached_property
    def episode(self) -> Episode:
        """The run's episode, for questions."""
        from hetwin_suite.episode import open_episode

        assert self.replayed.folder is not None  # replays of tests are stored
        return open_episode(self.replayed.folder)

    def expect(
        self,
        *claims: str,
        verdict: str | Sequence[str] | None = None,
        require: Sequence[str] = (),
    ) -> TwinRun:
        """Fail the test if an expectation does not hold, or skip it if one is unknown.

        Args:
            claims: questions to the episode, such as ``holds(on("box", "tray"), at(end))``.
            verdict: required verdict of the run, or several allowed ones.
            require: kinds of claims, such as ``grips``, that must have been checked and hold.

        Returns:
            The run.

        Raises:
            DoesNotHold: if an expectation does not hold, or a question is wrong; the text has time and page.
            BadInput: if there is no such kind of claim.
        """
        from hetwin_suite.runs import parse_claims, unmet_claims
        from hetwin_suite.study import judged_claims

        judged = judged_claims(self.episode, {text: text for text in claims}) if claims else ()
        failures = [_line(claim) for claim in judged if claim.wrong or claim.holds is False]
        unknown = [_line(claim) for claim in judged if not claim.wrong and claim.holds is None]
        for unmet in unmet_claims(self.replayed.coverage, parse_claims(require, "require")):
            (unknown if unmet.unchecked else failures).append(f"required {unmet.text}")
        request = (verdict,) if isinstance(verdict, str) else tuple(verdict or ())
        if request and self.verdict not in request:
            text = f"the verdict is {self.verdict}, not {' or '.join(request)}"
            (unknown if self.verdict == "unchecked" else failures).append(text)
        if failures:
            self.fail(failures)
        if unknown:
            self._twin.skip_test(f"{self.description}: {'; '.join(unknown)}")
        self._twin.report_pass(self)
        return self

    def fail(self, lines: Iterable[str]) -> NoReturn:
        """Fail the test with these lines, the evidence against the run, and its page."""
        troubles = [
            f"{trouble.severity} from {trouble.at_s:.2f} s: {trouble.text}"
            for trouble in self.replayed.troubles
        ]
        self._twin.fail_test(self, [*lines, *troubles])


def _line(claim: JudgedClaim) -> str:
    """Return a claim and its result as one line."""
    if claim.wrong:
        return f"{claim.question}: {claim.why}"
    if claim.holds is None:
        return f"{claim.question}: not known: {claim.why}"
    return f"{claim.question}: false, from {claim.at_s or 0.0:.2f} s"
