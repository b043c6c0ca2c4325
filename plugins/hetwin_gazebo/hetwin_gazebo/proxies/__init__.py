"""Proxies: the models in Gazebo that represent one object, of which one is active at a time."""
