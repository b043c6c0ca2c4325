"""Looking back: finished runs in the browser, one or two side by side."""
