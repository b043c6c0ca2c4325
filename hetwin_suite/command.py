"""What a command of a package needs: a result that is presented as text or JSON, and options as hetwin has them.

A package names its commands by the entry points `hetwin.commands` and `hetwin.episode_kinds`. One that returns a
`Result` has `--json`, and its exit code::

    from hetwin_suite.command import Result, Seed

    def brew(cups: int = 1, seed: Seed = 0) -> Result:
        return Result({"cups": cups}, [f"{cups} brewed"])

Names are imported with this module, not with `hetwin_suite`.
"""

from __future__ import annotations

from hetwin_suite.cli.options import AsJson as AsJson
from hetwin_suite.cli.options import EpisodeNumber as EpisodeNumber
from hetwin_suite.cli.options import Jobs as Jobs
from hetwin_suite.cli.options import Scenario as Scenario
from hetwin_suite.cli.options import Seed as Seed
from hetwin_suite.cli.options import option as option
from hetwin_suite.cli.result import NOT_KNOWN as NOT_KNOWN
from hetwin_suite.cli.result import Result as Result
from hetwin_suite.cli.tables import table as table
