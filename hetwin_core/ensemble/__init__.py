"""The ROS-free core: what an ensemble is, who is responsible for what, and how one step happens."""
