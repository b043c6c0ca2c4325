"""A plan that puts the box on the tray."""

DOWN = (0, 1, 0, 0)  # the gripper points downwards
TRAY = (0.42, -0.26, 0.885)  # position of the box's centre when it is on the tray


def fetch(robot):
    robot.believe_at("box", (0.45, 0.2, 0.8))
    with robot.task("deliver", goal='on("box", "tray")', object="box"):
        pick(robot)
        place(robot)


def pick(robot):
    x, y, z = robot.believed_pose("box")[:3]
    with robot.task("pick_up", goal='held("box", "gripper")', object="box") as task:
        robot.move_hand("gripper", "open")
        robot.reach("gripper", (x, y, z + 0.12, *DOWN), object="box")
        robot.reach("gripper", (x, y, z, *DOWN), straight=True, speed=0.15, object="box")
        if not robot.move_hand("gripper", "closed", object="box"):
            task.fail("there is nothing in the hand")
        robot.believe_held("box", "gripper")
        above = (x, y, z + 0.12, *DOWN)
        robot.reach("gripper", above, straight=True, speed=0.15, operation="lift", object="box")


def place(robot):
    x, y, z = TRAY
    above = (x, y, z + 0.1, *DOWN)
    with robot.task("put_down", goal='on("box", "tray")', object="box", target="tray"):
        robot.reach("gripper", above, speed=0.25, operation="move", object="box")
        robot.reach("gripper", TRAY, straight=True, speed=0.1, operation="lower", object="box")
        robot.move_hand("gripper", "open", operation="release", object="box")
        robot.believe_put_down("box", on="tray")
        robot.reach("gripper", above, straight=True, speed=0.15, operation="retreat")
