"""The page of a run that goes on: what it is shown (`feed`), what it may do (`hands`), and what serves it."""
