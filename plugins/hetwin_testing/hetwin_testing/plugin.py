"""The plugin of pytest (entry point ``pytest11``): options, the fixture, files of recordings, and the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hetwin_testing.settings import Settings, settings_of
from hetwin_testing.twin import Twin

SUFFIX = ".hetwin.yaml"
MARKER = "twin"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("hetwin", "recordings that a twin judges")
    group.addoption(
        "--hetwin-require",
        action="store_true",
        help="a recording that cannot be judged (missing, no engine, not covered) fails its test",
    )
    group.addoption(
        "--hetwin-fresh", action="store_true", help="repeat replays instead of using cached ones"
    )
    group.addoption(
        "--hetwin-report",
        metavar="DIR",
        type=Path,
        help="write a page of all judged recordings, and one of each run that fails",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Document the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(scenario, source=None, variant=None): recording that `twin.run()` replays in this test",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the recordings that a file lists."""
    if not file_path.name.endswith(SUFFIX):
        return None
    from hetwin_testing.recordings import RecordingsFile

    return RecordingsFile.from_parent(parent, path=file_path)


@pytest.fixture
def twin(request: pytest.FixtureRequest) -> Twin:
    """The twin that replays recordings in a scenario, and asks questions about the runs."""
    marker = request.node.get_closest_marker(MARKER)
    return Twin(
        settings_of(request.config),
        request.path.parent,
        request.node.nodeid,
        {}
        if marker is None
        else dict(zip(("scenario", "source"), marker.args, strict=False)) | marker.kwargs,
        request.node.user_properties.append,
    )


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Write the page of all runs at the end of the session."""
    yield
    settings = session.config.stash.get(Settings.KEY, None)
    report = session.config.getoption("--hetwin-report")
    if report is not None and not hasattr(session.config, "workerinput"):
        from hetwin_testing.report import write_index

        write_index(report.absolute())
    if settings is not None and settings.cache is not None:
        from hetwin_testing.replay_cache import remove_unused

        remove_unused(settings.cache)
