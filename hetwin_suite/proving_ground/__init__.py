"""Ground truth: simulated stand-ins for real robots record episodes, with a record of what really happened."""
