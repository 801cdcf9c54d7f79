"""Graph structure learning: a learned view of the graph, and an anchor that takes it in edge by edge."""
