"""A stand-in for a real lab robot: it has the twin's reactive layer, and a body that the twin does not know exactly."""
