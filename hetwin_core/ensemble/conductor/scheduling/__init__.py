"""Which models step when, and how far the twin of a live robot lags behind."""
