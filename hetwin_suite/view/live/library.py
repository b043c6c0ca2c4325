"""The library that serves pages, which the extra ``view`` brings."""

from __future__ import annotations

from importlib.util import find_spec

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import installs


def need_websockets(where: str) -> None:
    """Check that the server of pages is installed.

    Args:
        where: the option or command that serves one.

    Raises:
        BadInput: if it is not.
    """
    if find_spec("websockets") is None:
        raise BadInput(
            "what serves pages is not installed",
            where=where,
            expected=f"the extra view: {installs('view')}",
        )
