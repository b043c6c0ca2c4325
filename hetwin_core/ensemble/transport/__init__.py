"""How the conductor reaches its models: directly in one process here, over ROS 2 in `conductor_node`."""
