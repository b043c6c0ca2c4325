"""Kinematics of robots: joint trajectories, chains of a URDF, planned motions. Independent of ROS and of hetwin."""
