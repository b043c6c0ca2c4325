"""Calibration of arms by measured markers."""
