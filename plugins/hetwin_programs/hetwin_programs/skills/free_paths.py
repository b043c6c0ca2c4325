"""Plans paths of a hand on which the robot touches nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from hetwin_programs.program.messages import CannotReach
from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.robot import JointTrajectory

LINE_SPEED = 0.1
"""Mean velocity on straight paths close to objects [m/s]."""
_RISE = 0.15
"""Height by which the hand rises to pass over obstacles [m]."""

Choice = TypeVar("Choice")
Found = TypeVar("Found")


def first_possible(
    problem: str, attempt: Callable[[Choice], Found], choices: Iterable[Choice]
) -> Found:
    """Return the result of the first attempt that does not raise `CannotReach`.

    Raises:
        CannotReach: if all attempts do, with the problem and the most frequent reason.
    """
    reasons: Counter[str] = Counter()
    for choice in choices:
        try:
            return attempt(choice)
        except CannotReach as error:
            reasons[str(error)] += 1
    most = reasons.most_common(1)[0][0] if reasons else "there is no pose for it"
    raise CannotReach(f"{problem} in any of {reasons.total()} poses; most often: {most}")


def free_path(
    scene: SkillScene,
    hand: str,
    pose: Sequence[float],
    speed: float,
    *,
    then: Sequence[float],
    touches: Collection[str] = (),
) -> list[JointTrajectory]:
    """Return a path of a hand to a pose from which it can move straight on.

    The hand moves there directly, or from above, or up first and then there from above.

    Args:
        scene: contains the robot.
        hand: its name.
        pose: (7) in the world.
        speed: fraction of the joints' largest velocities.
        then: (7) target of the straight motion from there.
        touches: entities that may be touched on the straight motion, but not penetrated.

    Raises:
        CannotReach: if there is no such path.
    """
    here = scene.hand_pose(hand)
    above, up = _higher(pose), _higher(here)
    with scene.look_ahead():
        scene.hand_to(hand, pose, speed=speed)
        straight = scene.hand_to(hand, then, straight=True, speed=LINE_SPEED)
        forbid(scene.in_the_way([straight], touches=touches), f"the straight path of {hand}")
    vias: list[list[Sequence[float]]] = [[], [above], [up, above]]
    return first_possible(
        f"{hand} finds no free path",
        lambda before: _through(scene, hand, [*before, pose], speed),
        vias,
    )


def _through(
    scene: SkillScene, hand: str, poses: Sequence[Sequence[float]], speed: float
) -> list[JointTrajectory]:
    with scene.attempt():
        motions = [scene.hand_to(hand, pose, speed=speed) for pose in poses]
        forbid(scene.in_the_way(motions), f"the path of {hand}")
    return motions


def forbid(touched: Sequence[str], what: str) -> None:
    """Raise `CannotReach` if two entities touch during a motion."""
    if touched:
        raise CannotReach(f"{' and '.join(touched)} would touch on {what}")


def _higher(pose: Sequence[float]) -> tuple[float, ...]:
    return (pose[0], pose[1], pose[2] + _RISE, *pose[3:])
