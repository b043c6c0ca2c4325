"""Calibration of arms by markers that were measured on them."""
