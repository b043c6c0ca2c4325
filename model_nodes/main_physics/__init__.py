"""The main model: the physics of everything, driven by what the robot's joints did."""
