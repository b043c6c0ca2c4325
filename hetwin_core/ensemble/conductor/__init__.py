"""The conductor: registers, initializes and steps the models, and moves responsibilities (paper 0, section 3.4)."""
