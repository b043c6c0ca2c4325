"""A fluid in a cup, as particles: the model, and what places particles in a cup by hand."""

from hetwin_fluid.balls import Kind as Kind
from hetwin_fluid.balls import Substance as Substance
from hetwin_fluid.cup import Cup as Cup
from hetwin_fluid.filling import settled_in as settled_in
from hetwin_fluid.model import FluidInCup as FluidInCup
