"""Gazebo Sim as a physics engine, through its Python bindings."""
