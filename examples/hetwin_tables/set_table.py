"""The program of the scenario `set_table`: a robot brings a plate and a cup from a cupboard to a tray.

It knows the poses of cupboard and tray and where to stand at them; the poses of the dishes it perceives. Its habits are
arguments, good ones by default; variants of the scenario set bad ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from hetwin_programs import Failed, Robot, Task
from hetwin_suite.model import Json

LEFT, RIGHT = "left_hand", "right_hand"
AT_CUPBOARD, AT_TABLE = (0.6, 0.0, 0.0), (0.0, 1.12, pi / 2)
"""Poses of the base at the cupboard and at the table: x, y [m], yaw [rad]."""
TRAY, TRAY_TOP = "tray", 0.78
_CLEAR = 0.15
"""Height above an object at which the hand approaches and leaves [m]."""
_OFF = 0.065
"""Height of the fingers above an object that they have put down [m]."""
_ASIDE = {"up": 0.0, "outward": 0.3, "inward": -0.34}
"""Sideways motion of a hand that leaves [m]."""
_PLAY = 0.002
"""Height above its support at which an object is released [m]."""
_CARRIED = (0.45, 0.32, 1.12)
"""Position of the left hand while it carries, in base_link [m]; the right hand mirrors it."""


@dataclass(frozen=True, slots=True)
class Dish:
    """An object to bring.

    Attributes:
        name: name of the object.
        hand: hand that takes it.
        half_height: half of its height [m].
        grasp: height of the grasp above its centre [m].
        opened: finger positions before and after the grasp [m].
        slot: x, y on the tray, in the world [m].
    """

    name: str
    hand: str
    half_height: float
    grasp: float
    opened: float
    slot: tuple[float, float]

    @property
    def middle(self) -> tuple[float, float, float]:
        """Position of its centre on the tray [m]."""
        return (*self.slot, TRAY_TOP + self.half_height)


PLATE = Dish("plate2", LEFT, 0.015, 0.012, 0.073, (-0.14, 1.68))
CUPS = ("cup1", "cup2", "cup3")
"""Objects to look for."""
DOWN = (0.0, 0.0, 1.0, 0.0)
TILTED = (cos(7 * pi / 36), 0.0, sin(7 * pi / 36), 0.0)
"""A hand that points down, and one that points forward and up: qw qx qy qz in base_link."""
CUP = Dish("cup1", RIGHT, 0.05, 0.015, 0.055, (0.14, 1.68))


@dataclass(frozen=True, slots=True)
class Habits:
    """The robot's habits.

    Attributes:
        hasty: whether it puts down the plate before the cup, although it should come second.
        grip: ``firm``, or ``weak``: the fingers of the right hand yield during transport.
        tracks: whether the robot believes that a held object moves with its hand.
        level: whether the cup is carried upright.
        retreat: hand -> its motion after it has put down an object: ``up``, ``outward`` or ``inward``.
    """

    hasty: bool = False
    grip: str = "firm"
    tracks: bool = True
    level: bool = True
    retreat: Mapping[str, str] | None = None


def set_table(robot: Robot, **habits: object) -> None:
    """Set the table for one.

    Args:
        robot: robot with two hands, a mobile base and a camera.
        habits: see `Habits`.
    """
    Waiter(robot, Habits(**habits)).set_table()  # type: ignore[arg-type]  # the scenario gives them


class Waiter:
    """The robot that sets the table.

    Args:
        robot: the robot.
        habits: its habits.
    """

    def __init__(self, robot: Robot, habits: Habits) -> None:
        self._robot, self._habits = robot, habits

    def set_table(self) -> None:
        """Bring both dishes, and return."""
        robot = self._robot
        goal = f'on("{PLATE.name}", "{TRAY}") && on("{CUP.name}", "{TRAY}")'
        with robot.task("set_table", goal=goal):
            self._go("cupboard", AT_CUPBOARD)
            robot.look(PLATE.name, *CUPS, seconds=0.6)
            why = "two hands save a way"
            for dish in (PLATE, CUP):
                self._pick_up(dish, why)
            self._go("table", AT_TABLE, carrying=(PLATE, CUP))
            self._put_down()

    def _go(
        self, name: str, stand: tuple[float, float, float], carrying: Sequence[Dish] = ()
    ) -> None:
        robot = self._robot
        place = f"[{stand[0]:g}, {stand[1]:g}]"
        goal = f'loc("{robot.name}", {{"near": {place}, "within": 0.1}})'
        objects: list[Json] = [dish.name for dish in carrying]
        with robot.task("navigate", goal=goal, target=name, carried=objects):
            if not carrying or self._habits.grip == "firm":
                robot.drive(*stand, operation="drive", target=name)
            else:
                robot.drive(*stand, operation="drive", target=name, wait=False)
                robot.wait(2.5)
                robot.move_hand(RIGHT, CUP.opened, operation="")
                robot.wait()

    def _pick_up(self, dish: Dish, why: str) -> None:
        robot, hand = self._robot, dish.hand
        about = {"object": dish.name, "hand": hand}
        goal = f'held("{dish.name}", "{hand}")'
        with robot.task("pick_up", goal=goal, grasp="from above", because=why, **about):
            seen = robot.believed_pose(dish.name)
            if seen is None:
                raise Failed(f"{dish.name} is not to be seen")
            at = (seen[0], seen[1], seen[2] + dish.grasp)
            self._over(hand, at, "reach", dish)
            down = self._down(at)
            robot.reach(hand, down, straight=True, speed=0.25, object=dish.name)
            if not robot.move_hand(hand, "closed", object=dish.name):
                raise Failed("there is nothing between the fingers")
            if self._habits.tracks:
                robot.believe_held(dish.name, hand)
            self._lift(dish)
            self._take_along(dish)

    def _lift(self, dish: Dish) -> None:
        x, y, z = self._robot.hand_pose(dish.hand)[:3]
        self._robot.reach(
            dish.hand,
            self._down((x, y, z + _CLEAR)),
            straight=True,
            speed=0.25,
            operation="lift",
            object=dish.name,
        )

    def _put_down(self) -> None:
        robot = self._robot
        first = self._planned(CUP)
        then = self._planned(PLATE, after=[first])
        steps = [(first, CUP), (then, PLATE)]
        for task, dish in reversed(steps) if self._habits.hasty else steps:
            with task:
                self._place(dish)
            with robot.task("retreat", hand=dish.hand):
                self._retreat(dish)

    def _planned(self, dish: Dish, after: Sequence[Task] = ()) -> Task:
        goal = f'on("{dish.name}", "{TRAY}")'
        about = {"object": dish.name, "hand": dish.hand, "target": TRAY}
        return self._robot.task("place", goal=goal, after=after, **about)

    def _place(self, dish: Dish) -> None:
        robot, hand = self._robot, dish.hand
        x, y, z = dish.middle
        at = (x, y, z + dish.grasp + _PLAY)
        self._over(hand, at, "carry", dish)
        down = self._down(at)
        robot.reach(
            hand,
            down,
            straight=True,
            speed=0.2,
            operation="lower",
            object=dish.name,
            target=TRAY,
        )
        robot.move_hand(hand, dish.opened, operation="release", object=dish.name)
        if self._habits.tracks:
            robot.believe_put_down(dish.name, on=TRAY)

    def _retreat(self, dish: Dish) -> None:
        robot, hand = self._robot, dish.hand
        x, y, z = robot.hand_pose(hand)[:3]
        aside = _ASIDE[(self._habits.retreat or {}).get(hand, "up")]
        if aside:
            self._straight(hand, (x, y, z + _OFF))
            x += aside if hand == RIGHT else -aside
            self._straight(hand, (x, y, z + _OFF))
        else:
            self._straight(hand, (x, y, z + _CLEAR))
        self._home(hand)

    def _straight(self, hand: str, at: Sequence[float]) -> None:
        self._robot.reach(hand, self._down(at), straight=True, speed=0.3, operation="")

    def _over(self, hand: str, at: Sequence[float], operation: str, dish: Dish) -> None:
        above = (at[0], at[1], at[2] + _CLEAR)
        self._robot.reach(hand, self._down(above), operation=operation, object=dish.name)

    def _home(self, hand: str) -> None:
        self._robot.reach(hand, _carried(hand, DOWN), frame="base_link", operation="")

    def _take_along(self, dish: Dish) -> None:
        turn = DOWN if self._habits.level or dish is not CUP else TILTED
        pose = _carried(dish.hand, turn)
        self._robot.reach(dish.hand, pose, frame="base_link", operation="carry", object=dish.name)

    def _down(self, at: Sequence[float]) -> tuple[float, ...]:
        """Return a pose of a hand that points down, with its fingers to the left and right of the robot."""
        half = self._robot.place.yaw / 2  # about z, after a rotation by pi about y
        return (*at, 0.0, -sin(half), cos(half), 0.0)


def _carried(hand: str, turn: Sequence[float]) -> tuple[float, ...]:
    """Return the pose in base_link at which a hand carries an object."""
    x, y, z = _CARRIED
    return (x, y if hand == LEFT else -y, z, *turn)
