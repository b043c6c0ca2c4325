"""Evidence: what a robot feels of grasps and connections, and how sure that makes a claim."""
