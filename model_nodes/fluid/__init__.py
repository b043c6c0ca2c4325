"""A fluid in a cup, as many small balls that are simulated in the cup's own frame (paper 0, section 4.1)."""

from model_nodes.fluid.model import FluidInCup as FluidInCup
