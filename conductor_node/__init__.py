"""The conductor as a ROS 2 node, and the way over ROS 2 to models that are nodes of their own."""
