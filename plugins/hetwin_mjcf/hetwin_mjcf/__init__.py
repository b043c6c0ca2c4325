"""Robots and worlds in MJCF, or in OpenUSD, as MuJoCo compiles them."""
