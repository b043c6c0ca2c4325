"""The ROS-free core: ensembles, responsibilities, and the order of one step."""
