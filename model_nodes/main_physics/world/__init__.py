"""The world that the main model simulates, read from SDFormat and URDF, independent of the engine."""
