"""Parameters of in-hand localization."""

from __future__ import annotations

from typing import TypeAlias

from hetwin_suite.model import Amount, EntityNames, Finite, Hand, Parameters, Strict, parameter

Offset: TypeAlias = tuple[Finite, Finite, Finite, Finite, Finite, Finite]
"""Along x, y, z of the hand [m], and a rotation vector in its axes [rad]."""


class Changeable(Strict):
    """Parameters that may change while the model runs."""

    offset: Offset | None = None


class Settings(Parameters):
    """The parameters: the hand, the objects, and the noise of estimates and measurements."""

    hand: Hand = parameter("the hand in which objects are")
    objects: EntityNames = parameter(
        "the objects that it may hold: a tag, or a list of names", "graspable"
    )
    prior_position: Amount = parameter(
        "standard deviation of the position of a taken pose, sideways", 0.003, "m"
    )
    prior_height: Amount = parameter(
        "standard deviation of the position of a taken pose, upwards", 0.0006, "m"
    )
    prior_rotation: Amount = parameter(
        "standard deviation of the rotation of a taken pose, about each axis", 0.45, "deg"
    )
    contact_effort: Amount = parameter(
        "a finger with a joint of at least this effort pushes", 0.1, "N or Nm"
    )
    hold_effort: Amount = parameter(
        "an object is lost when the mean effort of the fingers that hold it falls below this",
        0.01,
        "N or Nm",
    )
    support: Amount = parameter(
        "an object whose contacts push it upwards, on average steeper than this, lies in the fingers and needs no "
        "effort to stay",
        9.0,
        "deg",
    )
    effort_window: Amount = parameter("that effort is averaged over this time", 0.15, "s")
    stall_speed: Amount = parameter(
        "a finger without efforts pushes if it is slower than this between its ends",
        0.15,
        "of the travel per s",
    )
    stall_margin: Amount = parameter(
        "a finger this near to its opened or closed end is not blocked", 0.05, "of the travel"
    )
    contact_noise: Amount = parameter("noise of the distance of a finger that touches", 0.0001, "m")
    contact_offset: Amount = parameter(
        "standard deviation of the constant error of that distance, of each finger", 0.00015, "m"
    )
    common_offset: Amount = parameter(
        "standard deviation of the constant error of that distance that all fingers share, "
        "from the zeros of their joints or the object's size",
        0.003,
        "m",
    )
    offset_spread: Amount = parameter(
        "how much that error differs from finger to finger, as a share of it", 0.2
    )
    size_share: Amount = parameter(
        "how much of that error may be the object's size, by which it then stood higher or lower, as a share of it",
        0.8,
    )
    contact_depth: Amount = parameter(
        "how deep a finger that touches presses itself in", 0.00015, "m"
    )
    drift_position: Amount = parameter(
        "how far an object creeps in the hand, as a random walk", 0.0003, "m/sqrt(s)"
    )
    drift_rotation: Amount = parameter(
        "how far an object turns in the hand, as a random walk", 1.2, "deg/sqrt(s)"
    )
    slip: Amount = parameter("fraction of the fingers' motion that an object may not follow", 0.3)
    let_go_gap: Amount = parameter(
        "fingers that have opened by more than this since they pushed have left the object",
        0.0008,
        "m",
    )
    close_in: Amount = parameter(
        "fingers that no longer push and have closed by more than this on average have lost the object",
        0.002,
        "m",
    )
    offset: Offset = parameter(
        "how far what is held is from where the fingers say: along x, y, z of the hand [m], and about them [rad];"
        " drawn for predictions",
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    )
    velocity_window: Amount = parameter("velocities are fitted over this time", 0.08, "s")
