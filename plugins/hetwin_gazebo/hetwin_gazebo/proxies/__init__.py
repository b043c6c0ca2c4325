"""Proxies: the models in Gazebo that represent one object; one of them is active at a time."""
