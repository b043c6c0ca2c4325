"""Ways of a robot between obstacles: plans, and the command of each leg."""

from model_nodes.way_guide.model import WayGuide as WayGuide
