"""What the robot is going to do as the main model's input: recordings, trajectories and operations after each other."""
