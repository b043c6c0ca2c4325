"""Parameters of in-hand localization."""

from __future__ import annotations

from typing import TypeAlias

from hetwin_suite.model import Amount, EntityNames, Finite, Hand, Parameters, Strict, parameter

Offset: TypeAlias = tuple[Finite, Finite, Finite, Finite, Finite, Finite]
"""Translation x, y, z [m] and rotation vector [rad], both along the hand's axes."""


class Changeable(Strict):
    """Parameters that may change during a run."""

    offset: Offset | None = None


class Settings(Parameters):
    """Parameters of the model: the hand, the objects, and the noise of estimates and measurements."""

    hand: Hand = parameter("the hand that holds the objects")
    objects: EntityNames = parameter(
        "the objects that the hand may hold: a tag, or a list of names", "graspable"
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
        "an object lies on the fingers, and needs no effort to stay there, if the mean contact normal points upwards "
        "by more than this",
        9.0,
        "deg",
    )
    effort_window: Amount = parameter("time constant of the average of that effort", 0.15, "s")
    stall_speed: Amount = parameter(
        "a finger without efforts pushes if it is slower than this between its opened and closed end",
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
        "variation of that error from finger to finger, as a share of it", 0.2
    )
    size_share: Amount = parameter(
        "share of that error that may be due to the object's size, which also changes the height at which it stood",
        0.8,
    )
    contact_depth: Amount = parameter(
        "penetration of a touching finger into the object", 0.00015, "m"
    )
    drift_position: Amount = parameter(
        "random walk of an object's position in the hand", 0.0003, "m/sqrt(s)"
    )
    drift_rotation: Amount = parameter(
        "random walk of an object's rotation in the hand", 1.2, "deg/sqrt(s)"
    )
    slip: Amount = parameter("fraction of the fingers' motion that an object may not follow", 0.3)
    let_go_gap: Amount = parameter(
        "fingers that have opened by more than this since they pushed have left the object",
        0.0008,
        "m",
    )
    close_in: Amount = parameter(
        "fingers that have stopped pushing and have closed by more than this on average have lost the object",
        0.002,
        "m",
    )
    offset: Offset = parameter(
        "offset that is added to the estimated pose of the held object: along x, y, z of the hand [m], and about them"
        " [rad]; drawn for predictions",
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    )
    velocity_window: Amount = parameter("velocities are fitted over this time", 0.08, "s")
