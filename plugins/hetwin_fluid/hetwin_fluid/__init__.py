"""A fluid in a cup, as many small balls that are simulated in the cup's own frame (Bauer et al., 2022, section 4.1)."""

from hetwin_fluid.model import FluidInCup as FluidInCup
