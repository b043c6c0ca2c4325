"""Better models of arms, drives, efforts and travel from what robots did; and what a robot's description holds."""
