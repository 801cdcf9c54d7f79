"""Step 4: from an embedding to a tree."""

from hypcse.decode.graph_aware import chord_scaled, decode_graph
from hypcse.decode.single import decode_single
from hypcse.decode.spanning import SpanningTree, spanning_tree

__all__ = ["SpanningTree", "chord_scaled", "decode_graph", "decode_single", "spanning_tree"]
