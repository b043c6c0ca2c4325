"""The conductor as a ROS 2 node, and its ROS 2 connection to models that run as separate nodes."""
