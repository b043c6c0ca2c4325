"""Dimensions of the robot that unloads the truck, for its program: an arm with 45 plungers, a nose with conveyors.

It is described in `urdf/truck_unloader.urdf`. Tallavajhula et al. (2019), section 4.2, show it in figure 3 and count
its joints: 10 active ones, and 4 passive ones in each plunger.
"""

from __future__ import annotations

ACTIVE_JOINTS = (
    *("base_drive", "nose_lift", "nose_reach", "nose_pitch"),
    *("arm_lift", "arm_swing", "arm_reach", "wrist_yaw", "wrist_pitch", "plungers_extend"),
)
BELTS = ("body_belt", "nose_belt")
COLUMNS, ROWS = 9, 5
SPACING = 0.1
"""Distance between plungers [m]."""
SPRINGS = {
    "plunger_*_slide": 600.0,
    "plunger_*_tilt": 6.0,
    "plunger_*_turn": 6.0,
    "plunger_*_twist": 2.0,
}
"""Stiffness of the plungers' passive joints [N/m and Nm/rad]."""
BELT_HEIGHT = 0.45
BELT_WIDTH = 2.2
ROLLER_RADIUS = 0.035
"""Radius of the roller at the nose's front, which lifts packets onto the belt [m]."""
CUP_RADIUS = 0.03
SENSOR_REACH = 0.2
"""Range of the proximity sensor in each cup, from its centre [m]."""


def plunger_names() -> list[str]:
    """Return the names of all plungers, such as ``plunger_00``."""
    return [f"plunger_{i:02d}" for i in range(COLUMNS * ROWS)]


def plunger_links(plunger: str) -> list[str]:
    """Return the links of one plunger; the last one is the cup."""
    return [f"{plunger}_{part}" for part in ("rod", "knuckle", "mount", "cup")]
