"""Step 4: from an embedding to a tree."""

from hypcse.decode.graph_aware import chord_scaled, decode_graph
from hypcse.decode.single import decode_single

__all__ = ["chord_scaled", "decode_graph", "decode_single"]
