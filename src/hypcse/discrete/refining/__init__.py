"""Trees made better: subtrees move to better places."""
