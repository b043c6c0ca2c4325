"""Robots on two wheels: dead reckoning, and their parameters from recordings of wheels and true poses."""
