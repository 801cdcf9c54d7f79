"""The words that parameters choose from: one alias each, read by signatures, by checks and by the command."""

from __future__ import annotations

from typing import Literal, NamedTuple

# Features and graphs.
Scale = Literal["minmax", "standard", "rank", "none"]
Metric = Literal["euclidean", "cosine", "precomputed"]
"""How points are compared; "precomputed" says that distances are given."""
NeighborSearch = Literal["auto", "kd-tree", "brute", "lists"]
WidthRule = Literal["auto", "median"]
Bandwidth = float | WidthRule
"""Width of similarities: a number, or a rule that takes it from the data."""
Spanning = Literal["exact", "neighbors"]

# Reading.
Impute = Literal["median"]
Decimal = Literal[".", ","]
Dates = Literal["refuse", "number"]

# The search.
Linkage = Literal["average", "paris", "entropy", "single", "multilevel"]
ClusterLinkage = Literal["average", "paris"]
"""Linkage on a graph in files: those whose merges do not depend on their order."""
Effort = Literal["fast", "thorough"]
Refine = Effort | bool | None
"""An effort, True for "fast", False or None for no refinement."""
Objective = Literal["entropy", "dasgupta"]
SelfLoops = Literal["paper", "exact", "drop"]
ExactLoops = Literal["exact", "drop"]
"""The choices of `SelfLoops` for which entropy is a sum over nodes."""
Evidence = Literal["clear", "weak", "none", "untested"]

# The networks.
Aggregation = Literal["mean", "attention"]
Learner = Literal["gcn", "mlp"]
LearnerSimilarity = Literal["cosine", "gaussian"]
EncodeOn = Literal["raw", "normalised", "anchor"]
SelectOn = Literal["sparse", "complete"]
"""Graph used to compute the entropy that picks the best epoch."""
Decoder = Literal["graph", "single", "neighbors"]
Epochs = int | Literal["auto"]
"""A number of epochs, or one that depends on the number of points."""
Preset = Literal["default", "paper"]
Features = Literal["table", "similarities"]

# Other methods.
RankBy = Literal["entropy", "purity", "ari", "nmi", "cost", "seconds"]
CellMethod = Literal["search", "hypcse"]
LikelihoodStart = Literal["weighted", "unit"]
"""How the probabilistic methods link what they start from."""
BlockOrder = Literal["random", "average"]

# Drawing.
HeightUnit = Literal["volume", "distance"]
"""What the heights of a tree measure: log2 of volumes in its graph, or distances between what nodes join."""
Heights = Literal["auto", "distance", "tree"]
Orientation = Literal["top", "bottom", "left", "right"]


class Format(NamedTuple):
    """How files of one suffix are read.

    reader : module, in `hypcse.points.formats`, and function: a path and `Columns` in, `Points` out.
    packed : whether the file may be compressed, with .gz behind its suffix.
    kind   : what such a file is called in error messages.
    """

    reader: tuple[str, str]
    packed: bool = False
    kind: str = "a table of text"


FORMATS: dict[str, Format] = {
    ".csv": Format(("text", "read_text"), packed=True),
    ".tsv": Format(("text", "read_text"), packed=True),
    ".txt": Format(("text", "read_text"), packed=True),
    ".xlsx": Format(("frames", "read_workbook"), kind="an Excel workbook"),
    ".parquet": Format(("frames", "read_parquet"), kind="a Parquet file"),
    ".npy": Format(("arrays", "read_numpy"), kind="a plain NumPy file"),
    ".npz": Format(("arrays", "read_numpy"), kind="a plain NumPy file"),
    ".mtx": Format(("arrays", "read_matrix_market"), kind="a Matrix Market file"),
    ".h5ad": Format(("arrays", "read_cells"), kind="an .h5ad file"),
    ".edges": Format(("text", "read_edges"), packed=True, kind="a list of edges"),
    ".edgelist": Format(("text", "read_edges"), packed=True, kind="a list of edges"),
}
"""The format of each suffix. A new one needs a reader and a line here."""


def list_suffixes() -> str:
    """The suffixes, for help and messages."""
    return ", ".join(FORMATS)
