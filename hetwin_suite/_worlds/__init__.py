"""World files of simple shapes, written, and read apart from the twin's own reader."""
