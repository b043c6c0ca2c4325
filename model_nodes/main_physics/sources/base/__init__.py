"""Motion of a robot's base, from odometry or transforms, corrected by a localization."""
