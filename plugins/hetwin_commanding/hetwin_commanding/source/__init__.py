"""The source `commands`: the twin obeys the same commands as the robot."""
