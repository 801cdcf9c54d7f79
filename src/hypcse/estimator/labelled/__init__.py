"""The classifier: the known labels, and what follows from them for all points."""
