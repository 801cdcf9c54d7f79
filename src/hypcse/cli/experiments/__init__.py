"""`hypcse compare` and `hypcse reproduce`: tasks under a bar, and their reports."""
