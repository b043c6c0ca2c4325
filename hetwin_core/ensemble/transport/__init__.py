"""Connections of the conductor to its models: in one process here, over ROS 2 in `conductor_node`."""
