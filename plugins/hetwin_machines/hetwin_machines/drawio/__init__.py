"""Networks as students draw them in draw.io: read with their layout, understood, and written back."""
