"""What a run shows while it goes on: each concern once, equal lines as one with a count."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.events import Event, Json
from hetwin_suite.running.progress import Progress, ProgressListener, Repeats


def touches(at: float, severity: str, **more: Json) -> Event:
    arguments = {"severity": severity, "link": "arm", "partner": "table", "depth": 0.005, **more}
    return Event("link_touches", round(at * 1e9), source="robot_health", arguments=arguments)


def shown(capsys: pytest.CaptureFixture[str], *events: Event, quiet: bool = False) -> list[str]:
    with Progress("a run", quiet=quiet) as progress:
        listener = ProgressListener(progress)
        for event in events:
            listener.event(event)
    return capsys.readouterr().err.splitlines()


def test_a_concern_has_one_line_with_its_severity(capsys: pytest.CaptureFixture[str]) -> None:
    events = [touches(1.0, "note"), touches(1.5, "note", **{"from": 1.0, "to": 1.5})]
    assert shown(capsys, *events, touches(3.0, "note")) == [
        "   1.000 s  note: arm touches table and is 5 mm inside"
    ]


def test_a_concern_that_becomes_worse_has_another_one(capsys: pytest.CaptureFixture[str]) -> None:
    events = [touches(1.0, "note"), touches(1.5, "absurd", **{"from": 1.0})]
    assert [line.split()[2] for line in shown(capsys, *events)] == ["note:", "absurd:"]


def test_forty_equal_lines_are_one_with_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    bumps = [
        Event("bumped", n * 100_000_000, source="m", arguments={"object": "box"}) for n in range(40)
    ]
    lines = shown(capsys, *bumps, Event("stopped", 4_100_000_000, source="m"))
    assert lines == [
        "   0.000 s  box bumped",
        "   3.900 s  (39 more of the same)",
        "   4.100 s  stopped",
    ]


def test_what_was_held_back_is_shown_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    bump = Event("bumped", 0, source="m")
    assert shown(capsys, bump, bump)[-1] == "   0.000 s  (1 more of the same)"


def test_a_quiet_display_shows_what_is_doubtful_and_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    routine = Event("bumped", 0, source="m", arguments={"object": "box"})
    lines = shown(capsys, routine, touches(1.0, "note"), touches(1.5, "absurd"), quiet=True)
    assert [line.split()[2] for line in lines] == ["absurd:"]


def test_a_quiet_display_shows_warnings_and_no_times(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hetwin_suite.running.progress.LINE_PERIOD_S", 0.0)
    monkeypatch.setattr("hetwin_suite.running.patience.PERIOD_S", 0.0)
    with Progress("a run", quiet=True) as progress:
        progress.wait("loading the world")
        progress.begin(1.0)
        progress.show(0.5)
        listener = ProgressListener(progress)
        listener.note(500_000_000, "info", "m", "ready")
        listener.note(500_000_000, "warning", "m", "a step was late")
    assert capsys.readouterr().err == "   0.500 s  warning: m: a step was late\n"


def test_lines_without_a_time_have_none() -> None:
    repeats = Repeats()
    assert repeats.lines("ready") == ["ready"]
    assert repeats.lines("ready") == []
    assert repeats.lines("steady", 2.0) == ["(1 more of the same)", "   2.000 s  steady"]
    assert repeats.flush() == []


def test_lines_come_in_the_order_of_time(capsys: pytest.CaptureFixture[str]) -> None:
    def bump(at: float) -> Event:
        return Event(f"bump_{at:g}", round(at * 1e9), source="m")

    with Progress("a run") as progress:
        listener = ProgressListener(progress)
        listener.event(bump(2.0))
        listener.event(touches(1.0, "note"))  # noticed late, such as the effort of a second
        listener.event(bump(2.2))
        progress.show(3.6)
        told = capsys.readouterr().err.splitlines()
        listener.event(bump(3.5))
    told += capsys.readouterr().err.splitlines()
    times = [float(line.split()[0]) for line in told]
    assert times == [1.0, 2.0, 2.2, 3.5, 3.6]


def test_a_concern_that_ends_is_not_printed_again(capsys: pytest.CaptureFixture[str]) -> None:
    noisy = [
        touches(n / 10, "note", **({"from": n / 10 - 0.1, "to": n / 10} if n % 2 else {}))
        for n in range(40)
    ]
    assert len(shown(capsys, *noisy)) == 1
