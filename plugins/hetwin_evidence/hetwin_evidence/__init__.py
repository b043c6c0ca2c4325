"""More signals of hands as evidence, and what one hand needs to be known by them."""
