"""Kinematic chains: forward kinematics for given joint positions, and inverse kinematics for given poses."""
