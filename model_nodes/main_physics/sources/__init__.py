"""Where the main model gets the robot's joints and the action annotations from."""
