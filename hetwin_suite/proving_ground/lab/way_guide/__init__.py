"""Ways of a robot between obstacles: plans, and the command of each leg."""

from hetwin_suite.proving_ground.lab.way_guide.model import WayGuide as WayGuide
