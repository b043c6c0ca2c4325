"""Settings of a pytest session with the twin."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest


class NotJudged(Exception):
    """A recording cannot be judged here; the text has the reason."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a pytest session.

    Attributes:
        require: whether a recording that cannot be judged fails its test.
        fresh: whether cached replays are repeated.
        report: folder for pages; None: no pages.
        cache: folder that caches replays; None: they are cached in the process.
        root: root folder of the tests; paths of recordings may be relative to it.
        replay_folders: folders of the replays made in this session.
    """

    require: bool
    fresh: bool
    report: Path | None
    cache: Path | None
    root: Path
    replay_folders: set[Path] = field(default_factory=set)

    KEY: ClassVar[pytest.StashKey[Settings]] = pytest.StashKey()


def settings_of(config: pytest.Config) -> Settings:
    """Return the session's settings."""
    if Settings.KEY not in config.stash:
        report: Path | None = config.getoption("--hetwin-report")
        config.stash[Settings.KEY] = Settings(
            require=config.getoption("--hetwin-require"),
            fresh=config.getoption("--hetwin-fresh"),
            report=None if report is None else report.absolute(),
            cache=_cache(config),
            root=config.rootpath,
        )
    return config.stash[Settings.KEY]


def _cache(config: pytest.Config) -> Path | None:
    cache = getattr(config, "cache", None)  # missing with -p no:cacheprovider
    return None if cache is None else Path(cache.mkdir("hetwin"))
