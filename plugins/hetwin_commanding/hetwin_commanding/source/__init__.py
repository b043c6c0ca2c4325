"""The source `commands`: the twin moves as it is commanded, as the robot does."""
