"""The classifier: what labels are known, and what follows from them for all points."""
