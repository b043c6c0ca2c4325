"""What holds for all tests: where random examples come from, and the ROS domains that tests take."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from support.random_examples import failed_examples
from support.ros_domains import own_domain
from support.started_processes import none_in_the_default_domain

from hetwin_core.ensemble.supervision.starting import COLLECTION_THRESHOLD, set_variables

pytest_plugins = ["pytester", "support.browser", "support.recorded_runs"]

# How long an example takes says how busy the machine is, not whether it is right.
_OF_TIME = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
_COMMON = settings(deadline=None, suppress_health_check=_OF_TIME)
settings.register_profile("fixed", _COMMON, derandomize=True, database=None)
settings.register_profile("random", _COMMON, max_examples=1000)
settings.load_profile("fixed")  # unless --hypothesis-profile says otherwise

# As the command does: else each import looks for cycles many times, and threads of the workers spin.
gc.set_threshold(COLLECTION_THRESHOLD)
set_variables()


@pytest.fixture(scope="module", autouse=True)
def domains() -> Iterator[None]:
    """The fixtures of a module have a ROS domain of their own."""
    with own_domain():
        yield


@pytest.fixture(autouse=True)
def domain_of_the_test(domains: None) -> Iterator[None]:
    """Each test has a ROS domain of its own, and starts no process in the default one."""
    with own_domain(), none_in_the_default_domain():
        yield


def pytest_collection_finish() -> None:
    """What was imported and collected lasts as long as the process: no more looking for cycles in it."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how to keep the examples that failed."""
    kept = {
        (report.nodeid, example)
        for report in terminalreporter.stats.get("failed", ())
        for example in failed_examples(report.longreprtext)
    }
    if not kept:
        return
    terminalreporter.section("random examples that failed")
    for nodeid, example in sorted(kept):
        terminalreporter.line(f"{nodeid}: keep it, above its @given:\n    {example}")
