"""Custom commands: their options, their progress, and their results.

A command is a function whose arguments are its options, as in typer. If it returns a `Result`, the command has the
option `--json`, the result is printed as text or JSON, and its `Page` is written. A command that returns a
`PagedResult` also has `--page/--no-page`. An entry point of the group `hetwin.commands` names the function::

    from hetwin_suite.command import Result, Seed, counted


    def brew(cups: int = 1, seed: Seed = 0) -> Result:
        \"\"\"Brew coffee.\"\"\"
        return Result({"cups": cups}, [f"{counted(cups, 'cup')} brewed"])


    print(*brew(2).lines)
"""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.events import plain
from hetwin_core.ensemble.installed import Group, import_library
from hetwin_core.ensemble.limits import parse_json
from hetwin_core.ensemble.nearest import counted, one_of, perhaps
from hetwin_core.ensemble.resources import find as find_file
from hetwin_core.ensemble.resources import names_of as resource_names
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scenario.strict_yaml import Document as YamlDocument
from hetwin_core.ensemble.scenario.strict_yaml import load as load_yaml
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_core.ensemble.writing import unwritable, write_text, writing
from hetwin_suite._commands.following import follow_study, record_with_progress
from hetwin_suite._commands.options import (
    AsJson,
    ClusterAddress,
    Engine,
    EpisodeNumber,
    Episodes,
    Jobs,
    Namespace,
    Pace,
    Packages,
    Run,
    Scenario,
    SceneGiven,
    Seed,
    Source,
    Trust,
    Variant,
    check_none,
    checked_pace,
    completions,
    json_object,
    numbers,
    option,
    package_folders,
    start_options,
)
from hetwin_suite._commands.result import (
    NOT_KNOWN,
    Page,
    PagedResult,
    Result,
    RunFigures,
    json_text,
    line_printer,
    lines_of,
    make_parent_folder,
    present,
    table,
)
from hetwin_suite._study.keep import Keep
from hetwin_suite.running.patience import ProgressReminder, never_silent, to_stderr

__all__ = [
    "NOT_KNOWN",
    "AsJson",
    "BadInput",
    "ClusterAddress",
    "Engine",
    "EpisodeNumber",
    "Episodes",
    "Group",
    "HetwinError",
    "Interrupts",
    "Jobs",
    "Keep",
    "Namespace",
    "Pace",
    "Packages",
    "Page",
    "PagedResult",
    "ProgressReminder",
    "Result",
    "Run",
    "RunFigures",
    "Scenario",
    "SceneGiven",
    "Seed",
    "Source",
    "Trust",
    "Variant",
    "YamlDocument",
    "check_none",
    "checked_pace",
    "completions",
    "counted",
    "find_file",
    "follow_study",
    "import_library",
    "json_object",
    "json_text",
    "line_printer",
    "lines_of",
    "load_with_base",
    "load_yaml",
    "make_parent_folder",
    "never_silent",
    "numbers",
    "one_of",
    "option",
    "package_folders",
    "parse_json",
    "perhaps",
    "plain",
    "present",
    "record_with_progress",
    "resource",
    "resource_names",
    "start_options",
    "table",
    "to_stderr",
    "unwritable",
    "write_text",
    "writing",
]
