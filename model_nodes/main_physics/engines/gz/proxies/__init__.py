"""Proxies: the bodies in Gazebo that stand for one object, of which one is active at a time."""
