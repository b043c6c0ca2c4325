"""Feed and controls of a run over ROS 2, by its topics and services."""
