"""Sources of joint states and action annotations for the main model."""
