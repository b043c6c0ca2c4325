"""The digital robot: contents of a URDF or a world, kinematics and trajectories, for files and commands."""
