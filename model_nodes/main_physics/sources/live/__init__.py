"""A live robot: its joint states and annotations from ROS 2 topics."""
