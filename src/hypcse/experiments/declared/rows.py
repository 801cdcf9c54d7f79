"""Rows that several experiments share."""

from __future__ import annotations

from typing import Any

from hypcse.experiments.declared.model import Row

PURITY_AND_ENTROPY = ("dendrogram_purity", "structural_entropy")
SMALL = ("zoo", "iris", "wine", "breast-cancer", "optical-digits")
"""Data sets of the paper on which a training takes minutes at most."""
ALL_BUT_PEN_DIGITS = (*SMALL, "spambase")


def hypcse_row(label: str, printed: str | None = None, paper: bool = False, **options: Any) -> Row:
    """HypCSE with these options; in paper mode, with the authors' settings below them."""
    given = {"preset": "paper", **options} if paper else options
    return Row(label, "hypcse", given, printed, paper_settings=paper, trains=True, random=True)


PAPER_ROW = hypcse_row("HypCSE, paper mode", "hypcse", paper=True)
DEFAULT_ROW = hypcse_row("HypCSE, default")
REFINED_ROW = Row("graph-average, refined", "graph-average", refined=True, graph_alone=True)
