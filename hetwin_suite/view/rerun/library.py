"""Rerun's SDK, imported only where a recording is to be written."""

from __future__ import annotations

from typing import Any

from hetwin_core.ensemble.errors import BadInput

EXTRA = 'pip install "hetwin-suite[rerun]"'


def rerun() -> Any:
    """Import the SDK, with its layouts.

    Raises:
        BadInput: if it is not installed.
    """
    try:
        import rerun
        import rerun.blueprint
    except ImportError as error:
        raise BadInput(
            f"Rerun's SDK cannot be imported: {error}", where="--rerun", expected=EXTRA
        ) from error
    return rerun
