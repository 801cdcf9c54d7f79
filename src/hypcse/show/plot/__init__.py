"""Pictures with matplotlib: each takes `ax` or makes a figure, and returns the axes. Public as `hypcse.plot`."""
