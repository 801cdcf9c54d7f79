"""Refinement of trees over graphs in files: disjoint subtrees side by side, then what is above them."""
