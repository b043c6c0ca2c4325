"""Ways of a hand on which the robot touches nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.robot_program.messages import CannotReach
from model_nodes.skills.scene import SkillScene

LINE_SPEED = 0.1
"""On straight ways close to things [m/s]."""
_RISE = 0.15
"""Over obstacles the hand goes this much higher [m]."""

Choice = TypeVar("Choice")
Found = TypeVar("Found")


def first_possible(
    problem: str, attempt: Callable[[Choice], Found], choices: Iterable[Choice]
) -> Found:
    """Return the result of an attempt with the first choice for which it does not raise `CannotReach`.

    Raises:
        CannotReach: if it does for each, with the problem and the reason that came most often.
    """
    reasons: Counter[str] = Counter()
    for choice in choices:
        try:
            return attempt(choice)
        except CannotReach as error:
            reasons[str(error)] += 1
    most = reasons.most_common(1)[0][0] if reasons else "there is no pose for it"
    raise CannotReach(f"{problem} in any of {reasons.total()} poses; most often: {most}")


def free_way(
    scene: SkillScene,
    hand: str,
    pose: Sequence[float],
    speed: float,
    *,
    then: Sequence[float],
    touches: Collection[str] = (),
) -> list[JointTrajectory]:
    """Return the way of a hand to a pose from which it can go straight on.

    It goes there at once, or from above, or up first and then there from above.

    Args:
        scene: with the robot.
        hand: its name.
        pose: (7) in the world.
        speed: share of the joints' largest velocities.
        then: (7) the pose to which it is to go straight from there.
        touches: entities that may be touched on the straight way, but not entered.

    Raises:
        CannotReach: if there is no such way.
    """
    here = scene.hand_pose(hand)
    above, up = _higher(pose), _higher(here)
    with scene.ahead():
        scene.hand_to(hand, pose, speed=speed)
        straight = scene.hand_to(hand, then, straight=True, speed=LINE_SPEED)
        refuse(scene.in_the_way([straight], touches=touches), f"the straight way of {hand}")
    vias: list[list[Sequence[float]]] = [[], [above], [up, above]]
    return first_possible(
        f"{hand} finds no way",
        lambda before: _through(scene, hand, [*before, pose], speed),
        vias,
    )


def _through(
    scene: SkillScene, hand: str, poses: Sequence[Sequence[float]], speed: float
) -> list[JointTrajectory]:
    with scene.attempt():
        motions = [scene.hand_to(hand, pose, speed=speed) for pose in poses]
        refuse(scene.in_the_way(motions), f"the way of {hand}")
    return motions


def refuse(touched: Sequence[str], what: str) -> None:
    """Raise `CannotReach` if something is touched on a way."""
    if touched:
        raise CannotReach(f"{' and '.join(touched)} would touch on {what}")


def _higher(pose: Sequence[float]) -> tuple[float, ...]:
    return (pose[0], pose[1], pose[2] + _RISE, *pose[3:])
