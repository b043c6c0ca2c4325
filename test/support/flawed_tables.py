"""Tables of episodes in which one thing goes wrong; the scene is that of `made_tables`."""

from __future__ import annotations

from support.made_tables import MadeTables

HAND = {"hand": "right_hand"}
BOX = {"object": "box", **HAND}


def fetched(end: float = 12.0) -> MadeTables:
    """A box is taken from the table and put on the tray, as it should be."""
    made = MadeTables(end=end)
    made.recorded = made.recorded | {"visible"}
    made.held("loc", "box", "", (0.0, 2.5), (6.1, None))
    made.held("loc", "cup1", "", (0.0, None))
    made.held("loc", "cup2", "", (0.0, None))
    made.held("on", "box", "table", (0.0, 2.5))
    made.held("contact", "box", "table", (0.0, 2.5))
    made.held("contact", "box", "fingertip", (2.0, 5.9))
    made.held("held", "box", "right_hand", (2.2, 6.0))
    made.held("contact", "box", "tray", (5.8, None))
    made.held("on", "box", "tray", (5.8, None))
    made.happened("collision", 2.0, a="box", b="fingertip")
    made.happened("collision", 5.8, a="box", b="tray")
    tell_tasks(made)
    return made


def tell_tasks(made: MadeTables, *, done: float = 6.5) -> None:
    """Tell the tasks of fetching the box."""
    made.did("pick_up.1", 1.0, 2.6, goal='held("box", "right_hand")', **BOX)
    made.did("carry.1", 2.6, 5.0, after=("pick_up.1",), **BOX)
    made.did("place.1", 5.0, done, after=("pick_up.1",), goal='on("box", "tray")', **BOX)
    made.did("retreat.1", 6.5, 9.0, **HAND)


def dropped(*, landing: str = "table", touched: str = "") -> MadeTables:
    """The same, but the box falls when the hand lets go of it.

    Args:
        landing: where it ends.
        touched: what it stands on for a moment.
    """
    made = MadeTables(end=12.0)
    made.held("loc", "box", "", (0.0, 2.5), (7.0, None))
    made.held("on", "box", "table", (0.0, 2.5))
    made.held("held", "box", "right_hand", (2.2, 6.0))
    if touched:
        made.held("contact", "box", touched, (5.9, 6.4))
    made.held("contact", "box", landing, (6.5, None))
    made.held("on", "box", landing, (6.8, None))
    made.happened("fell", 6.1, "robot_health", object="box", height=0.1)
    tell_tasks(made)
    return made


def knocked(by: str = "fingertip", *, toppled: bool = True, at: float = 7.0) -> MadeTables:
    """The box is fetched; then a link, or what is carried, strikes the second cup."""
    made = fetched()
    made.occasions = [row for row in made.occasions if (row.fluent, row.a) != ("loc", "cup2")]
    made.held("loc", "cup2", "", (0.0, at + 0.1), (at + 1.0, None))
    made.held("on", "cup2", "table", (0.0, at + 0.1), (at + 1.0, None))
    made.held("contact", "cup2", by, (at, at + 0.2))
    made.happened("collision", at, a="cup2", b=by)
    if toppled:
        made.happened("toppled", at + 0.3, "robot_health", object="cup2", angle=1.2)
    return made
