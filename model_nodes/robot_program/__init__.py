"""Programs of robots that are interpreted in lockstep with the ensemble; `robot.Robot` is what they are handed."""
