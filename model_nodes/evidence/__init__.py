"""Evidence: sensations of grasps and connections, and the probability of claims."""
