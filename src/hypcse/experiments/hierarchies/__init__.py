"""Made data with a known hierarchy, and how far a tree finds it."""
