"""The page of a run that goes on, as HTML."""

from __future__ import annotations

from hetwin_suite.view.film.embed import player_script
from hetwin_suite.view.live.style import STYLE


def live_page() -> str:
    """The page; what it shows comes over its own connection.

    Raises:
        BadInput: if its script was not made.
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hetwin</title>
<link rel="icon" href="data:,">
<style>{STYLE}</style>
</head>
<body>
<main id="hetwin" data-state="waiting" data-time="0" data-factor="0" data-lag="" data-handovers="0"
  data-owners="{{}}"></main>
{player_script()}
</body>
</html>
"""
