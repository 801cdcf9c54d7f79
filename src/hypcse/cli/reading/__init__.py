"""Reading trees, points and labels, from files or by name."""
