"""The rules that there are: hetwin's own, and those of installed packages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group
from hetwin_core.episodes.flaws.rule import Rule, read_rules

RULES = Group(
    "hetwin.flaws", "rules", "MODULE:PATH of the package, a file of rules or a folder of them"
)
OWN = Path(__file__).parent / "rules"


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return all rules, hetwin's own first.

    Raises:
        BadInput: if those of a package cannot be read.
    """
    files = [*_files(OWN)]
    for point, path in RULES.each():
        files += _of_package(point.name, path)
    return tuple(rule for file in files for rule in read_rules(file))


def _of_package(name: str, path: object) -> list[Path]:
    found = Path(path) if isinstance(path, str | Path) else None
    if found is not None and found.is_file():
        return [found]
    files = [] if found is None or not found.is_dir() else _files(found)
    if not files:
        raise BadInput(
            f"the rules {name!r} are not there",
            found=str(path),
            expected="the path of a YAML file with rules, or of a folder with such files",
        )
    return files


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))
