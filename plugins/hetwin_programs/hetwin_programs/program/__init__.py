"""Programs of robots that are interpreted in lockstep with the ensemble; they get a `robot.Robot`."""
