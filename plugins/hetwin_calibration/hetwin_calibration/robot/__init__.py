"""The digital robot: what a URDF or a world holds, its kinematics and trajectories as files and commands."""
