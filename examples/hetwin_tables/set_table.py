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
_APPROACH_HEIGHT = 0.15
"""Height above an object at which the hand approaches and leaves [m]."""
_RELEASE_HEIGHT = 0.065
"""Height of the fingers above an object that they have put down [m]."""
_SIDE_MOTIONS = {"up": 0.0, "outward": 0.3, "inward": -0.34}
"""Sideways motion of a hand that leaves [m]."""
_RELEASE_GAP = 0.002
"""Height above its support at which an object is released [m]."""
_CARRY_POSITION = (0.45, 0.32, 1.12)
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
    TableSetter(robot, Habits(**habits)).set_table()  # type: ignore[arg-type]  # the scenario gives them


class TableSetter:
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
            self._drive_to("cupboard", AT_CUPBOARD)
            robot.look(PLATE.name, *CUPS, seconds=0.6)
            reason = "two hands save a way"
            for dish in (PLATE, CUP):
                self._pick_up(dish, reason)
            self._drive_to("table", AT_TABLE, carrying=(PLATE, CUP))
            self._put_down()

    def _drive_to(
        self, name: str, base_pose: tuple[float, float, float], carrying: Sequence[Dish] = ()
    ) -> None:
        robot = self._robot
        place = f"[{base_pose[0]:g}, {base_pose[1]:g}]"
        goal = f'loc("{robot.name}", {{"near": {place}, "within": 0.1}})'
        objects: list[Json] = [dish.name for dish in carrying]
        with robot.task("navigate", goal=goal, target=name, carried=objects):
            if not carrying or self._habits.grip == "firm":
                robot.drive(*base_pose, operation="drive", target=name)
            else:
                robot.drive(*base_pose, operation="drive", target=name, wait=False)
                robot.wait(2.5)
                robot.move_hand(RIGHT, CUP.opened, operation="")
                robot.wait()

    def _pick_up(self, dish: Dish, reason: str) -> None:
        robot, hand = self._robot, dish.hand
        arguments = {"object": dish.name, "hand": hand}
        goal = f'held("{dish.name}", "{hand}")'
        with robot.task("pick_up", goal=goal, grasp="from above", because=reason, **arguments):
            believed = robot.believed_pose(dish.name)
            if believed is None:
                raise Failed(f"{dish.name} was not detected")
            position = (believed[0], believed[1], believed[2] + dish.grasp)
            self._move_above(hand, position, "reach", dish)
            down = self._pointing_down(position)
            robot.reach(hand, down, straight=True, speed=0.25, object=dish.name)
            if not robot.move_hand(hand, "closed", object=dish.name):
                raise Failed("there is nothing between the fingers")
            if self._habits.tracks:
                robot.believe_held(dish.name, hand)
            self._lift(dish)
            self._carry(dish)

    def _lift(self, dish: Dish) -> None:
        x, y, z = self._robot.hand_pose(dish.hand)[:3]
        self._robot.reach(
            dish.hand,
            self._pointing_down((x, y, z + _APPROACH_HEIGHT)),
            straight=True,
            speed=0.25,
            operation="lift",
            object=dish.name,
        )

    def _put_down(self) -> None:
        robot = self._robot
        first = self._plan_place(CUP)
        second = self._plan_place(PLATE, after=[first])
        steps = [(first, CUP), (second, PLATE)]
        for task, dish in reversed(steps) if self._habits.hasty else steps:
            with task:
                self._place(dish)
            with robot.task("retreat", hand=dish.hand):
                self._retreat(dish)

    def _plan_place(self, dish: Dish, after: Sequence[Task] = ()) -> Task:
        goal = f'on("{dish.name}", "{TRAY}")'
        arguments = {"object": dish.name, "hand": dish.hand, "target": TRAY}
        return self._robot.task("place", goal=goal, after=after, **arguments)

    def _place(self, dish: Dish) -> None:
        robot, hand = self._robot, dish.hand
        x, y, z = dish.middle
        position = (x, y, z + dish.grasp + _RELEASE_GAP)
        self._move_above(hand, position, "carry", dish)
        down = self._pointing_down(position)
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
        offset = _SIDE_MOTIONS[(self._habits.retreat or {}).get(hand, "up")]
        if offset:
            self._move_straight(hand, (x, y, z + _RELEASE_HEIGHT))
            x += offset if hand == RIGHT else -offset
            self._move_straight(hand, (x, y, z + _RELEASE_HEIGHT))
        else:
            self._move_straight(hand, (x, y, z + _APPROACH_HEIGHT))
        self._move_to_carry_pose(hand)

    def _move_straight(self, hand: str, position: Sequence[float]) -> None:
        self._robot.reach(
            hand, self._pointing_down(position), straight=True, speed=0.3, operation=""
        )

    def _move_above(self, hand: str, position: Sequence[float], operation: str, dish: Dish) -> None:
        above = (position[0], position[1], position[2] + _APPROACH_HEIGHT)
        self._robot.reach(hand, self._pointing_down(above), operation=operation, object=dish.name)

    def _move_to_carry_pose(self, hand: str) -> None:
        self._robot.reach(hand, _carry_pose(hand, DOWN), frame="base_link", operation="")

    def _carry(self, dish: Dish) -> None:
        rotation = DOWN if self._habits.level or dish is not CUP else TILTED
        pose = _carry_pose(dish.hand, rotation)
        self._robot.reach(dish.hand, pose, frame="base_link", operation="carry", object=dish.name)

    def _pointing_down(self, position: Sequence[float]) -> tuple[float, ...]:
        """Return a pose of a hand that points down, with its fingers to the left and right of the robot."""
        half = self._robot.place.yaw / 2  # about z, after a rotation by pi about y
        return (*position, 0.0, -sin(half), cos(half), 0.0)


def _carry_pose(hand: str, rotation: Sequence[float]) -> tuple[float, ...]:
    """Return the pose in base_link at which a hand carries an object."""
    x, y, z = _CARRY_POSITION
    return (x, y if hand == LEFT else -y, z, *rotation)
