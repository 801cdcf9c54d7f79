"""`hypcse demo`."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from hypcse import Tree, methods, score, similarity_graph
from hypcse.cli.inputs import load_dataset
from hypcse.cli.score import show_scores


def run_demo(data: str, out: Path) -> None:
    """Run every method on a data set, print the scores, and write the tree of least entropy."""
    console = Console()
    X, y = load_dataset(data)
    graph = similarity_graph(X)
    console.print(f"[bold]{data}[/]: {len(X)} points, {X.shape[1]} features, {y.max() + 1} classes -> {graph}")
    rows: list[dict[str, Any]] = []
    trees: list[Tree] = []
    for name in track(methods.available(), description="clustering", console=console, transient=True):
        begin = time.perf_counter()
        trees.append(methods.run(name, X, graph=graph))
        seconds = time.perf_counter() - begin
        rows.append({"method": name, **score(trees[-1], graph=graph, labels=y), "seconds": seconds})
    show_scores(rows)
    best = min(range(len(rows)), key=lambda k: rows[k]["structural_entropy"])
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{data}.nwk"
    target.write_text(trees[best].to_newick(), encoding="utf-8")
    # The path is the user's: it may hold brackets, which are no markup, and blanks, which a shell splits at.
    place = shlex.quote(str(target))
    console.print(f"Lowest entropy: {rows[best]['method']}. Its tree is in {target}. Score it again:", markup=False)
    console.print(f"  hypcse score {place} --data {data}", highlight=False, markup=False, soft_wrap=True)
