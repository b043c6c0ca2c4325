"""Kinematics of robots: trajectories of joints, chains of a URDF, planned motions. No ROS, nothing of hetwin's."""
