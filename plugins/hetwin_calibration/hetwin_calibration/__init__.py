"""Calibration of arms, drives, efforts and travel times from recordings, and tools for robot descriptions."""
