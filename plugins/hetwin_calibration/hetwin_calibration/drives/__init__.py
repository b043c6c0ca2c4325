"""Differential drives: dead reckoning, and calibration by recordings of wheels and true poses."""
