"""Reports of a robot's program: tasks and beliefs."""
