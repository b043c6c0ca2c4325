"""The digital robot: content of a URDF or a world, kinematics and trajectories as files and commands."""
