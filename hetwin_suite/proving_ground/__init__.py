"""Ground truth: stand-ins for real robots record episodes, and witnesses what really happened."""
