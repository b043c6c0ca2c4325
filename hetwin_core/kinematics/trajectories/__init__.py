"""Motions of joints through given points, and what a controller does with them."""
