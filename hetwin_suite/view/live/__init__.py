"""The page of a run that goes on: its input (`feed`), its controls (`hands`), and its server."""
