"""Foxglove's SDK, imported only where something is to be shown with it."""

from __future__ import annotations

from typing import Any

from hetwin_core.ensemble.errors import BadInput

EXTRA = 'pip install "hetwin-suite[foxglove]"'


def foxglove() -> Any:
    """Import the SDK, with its channels, messages and server.

    Raises:
        BadInput: if it is not installed.
    """
    try:
        import foxglove
        import foxglove.channels
        import foxglove.messages
        import foxglove.websocket
    except ImportError as error:
        raise BadInput(
            f"Foxglove's SDK cannot be imported: {error}", where="--foxglove", expected=EXTRA
        ) from error
    return foxglove
