"""The commands `hetwin calibrate` and `hetwin urdf`."""
