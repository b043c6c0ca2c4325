"""Reads robots and worlds from MJCF or OpenUSD, as MuJoCo compiles them."""
