"""Parameters of the grasp monitor."""

from hetwin_core.ensemble.parameters import Amount, Hand, Parameters, parameter


class Settings(Parameters):
    """The parameters of the model."""

    hand: Hand = parameter("the hand to watch")
    contact_distance: Amount = parameter("maximum distance of a touching finger", 0.002, "m")
    leave_distance: Amount = parameter(
        "distance of a finger from a held object, beyond its gap in the grip, at which it has left the object",
        0.006,
        "m",
    )
    opposition: Amount = parameter(
        "minimum angle between the normals of fingers that hold an object", 110.0, "deg"
    )
    still_range: Amount = parameter(
        "fingers that stay within this fraction of their travel are still", 0.03, "of the travel"
    )
    settle_time: Amount = parameter("time for which fingers must have been still", 0.1, "s")
    overlap: Amount = parameter(
        "fingers that overlap an object on opposing sides by this much need not be still; 0: always required",
        0.0,
        "m",
    )
    dwell: Amount = parameter("time for which a contact must have lasted, or been lost", 0.05, "s")
    min_closing: Amount = parameter(
        "fraction of their travel by which fingers must have closed before they hold an object",
        0.05,
        "of the travel",
    )
    closed_margin: Amount = parameter(
        "fingers within this fraction of their closed end hold nothing", 0.03, "of the travel"
    )
    release_opening: Amount = parameter(
        "fingers that open by this fraction of their travel have let go", 0.1, "of the travel"
    )
    press_effort: Amount = parameter(
        "minimum mean effort of still fingers that press on something", 0.5, "N or Nm"
    )
    min_effort: Amount = parameter(
        "minimum mean effort of the finger joints in a grip; 0: any", 0.0, "N or Nm"
    )
    sure: float = parameter(
        "probability, judged from evidence, that the hand holds nothing, above which a grip ends",
        0.8,
        gt=0,
        le=1,
    )
