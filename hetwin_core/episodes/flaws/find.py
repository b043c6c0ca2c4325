"""Finds the flaws of a run's episode."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.flaws.engine import find_flaws
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_core.episodes.flaws.installed_rules import all_rules
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.tables import Tables


def flaws_in(tables: Tables) -> list[Flaw]:
    """Return the flaws of an episode by begin.

    Raises:
        BadInput: if a rule cannot be used.
    """
    return find_flaws(AskedTables(tables), all_rules())


def flaws_of(run: Path) -> list[Flaw]:
    """Return the flaws of the episode in the folder of a run, by begin.

    Raises:
        BadInput: if there is no episode, or a rule cannot be used.
    """
    return flaws_in(open_tables(run))
