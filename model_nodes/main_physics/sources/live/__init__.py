"""A robot that runs now: its joints and annotations from ROS 2 topics."""
