"""What the scenario may say of in-hand localization."""

from __future__ import annotations

from hetwin_core.ensemble.parameters import Amount, EntityNames, Parameters, ResolvedHand, parameter


class Settings(Parameters):
    """The parameters: the hand, the objects, and the noise of what is known and measured."""

    hand: ResolvedHand = parameter("the hand in which objects are")
    objects: EntityNames = parameter(
        "the objects that it may hold: a tag, or a list of names", "graspable"
    )
    prior_position: Amount = parameter(
        "standard deviation of the position of a taken pose, sideways", 0.003, "m"
    )
    prior_height: Amount = parameter(
        "standard deviation of the position of a taken pose, upwards", 0.0005, "m"
    )
    prior_rotation: Amount = parameter(
        "standard deviation of the rotation of a taken pose, about each axis", 0.45, "deg"
    )
    contact_effort: Amount = parameter(
        "a finger with a joint of at least this effort pushes", 0.1, "N or Nm"
    )
    contact_noise: Amount = parameter("noise of the distance of a finger that touches", 0.0001, "m")
    contact_offset: Amount = parameter(
        "standard deviation of the constant error of that distance", 5e-05, "m"
    )
    contact_depth: Amount = parameter(
        "how deep a finger that touches presses itself in", 0.00015, "m"
    )
    drift_position: Amount = parameter(
        "how far an object creeps in the hand, as a random walk", 0.00042, "m/sqrt(s)"
    )
    drift_rotation: Amount = parameter(
        "how far an object turns in the hand, as a random walk", 1.2, "deg/sqrt(s)"
    )
    slip: Amount = parameter("fraction of the fingers' motion that an object may not follow", 0.3)
    let_go_gap: Amount = parameter("fingers farther than this have left the object", 0.0008, "m")
    velocity_window: Amount = parameter("velocities are fitted over this time", 0.08, "s")
