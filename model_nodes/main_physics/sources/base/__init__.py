"""How the base of a robot moves, from odometry or transforms, and where it is, from a localization."""
