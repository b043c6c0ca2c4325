"""Links the rooms of the repository into hetwin_suite/, the name under which Python reaches them.

The links are made, not kept: archives and some ways to copy a repository lose symbolic links.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "hetwin_suite"


def link_rooms() -> list[str]:
    """Link each package at the root of the repository into the suite; what was there by mistake is replaced.

    Returns:
        The rooms' names.
    """
    rooms = sorted(p.parent.name for p in ROOT.glob("*/__init__.py") if p.parent != SUITE)
    for room in rooms:
        link, target = SUITE / room, os.path.join("..", room)  # noqa: PTH118 (a link's text)
        if link.is_symlink() and os.readlink(link) == target:  # noqa: PTH115
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(target, target_is_directory=True)
    return rooms


if __name__ == "__main__":
    link_rooms()
