"""Reports: Markdown and one HTML page, made of results alone."""
