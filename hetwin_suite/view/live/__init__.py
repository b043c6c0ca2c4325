"""The page of a run in progress: its input (`feed`), its controls (`hands`), and its server."""
