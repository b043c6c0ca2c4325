"""Motions of joints through given points, and their execution by a controller."""
