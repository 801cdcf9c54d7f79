"""`hypcse demo`: a few methods on one data set, and the page of the best tree."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from hypcse import Tree, beyond_chance, methods, score, similarity_graph, view
from hypcse.cli.inputs import load_dataset
from hypcse.cli.output import tell_left_out
from hypcse.cli.score import show_scores
from hypcse.kernels.compile import working_seconds
from hypcse.kernels.warm import warm_up
from hypcse.metrics.scores import format_score
from hypcse.partitions.nested_levels import compared_features, levels_and_main
from hypcse.storage.files import check_folder
from hypcse.storage.whole import write_file

SHOWN = (
    *("single-linkage", "ward", "average-linkage", "hdbscan", "hcse"),
    *("graph-paris", "graph-average", "hypcse", "entropy"),
)
"""Methods of the demo. `hypcse compare` runs all methods, which takes longer."""


def run_demo(data: str, out: Path) -> None:
    """Run several methods on a data set, print the scores, and write the tree of least entropy and its page."""
    console = Console()
    check_folder(out)
    X, y = load_dataset(data)
    warm_up()
    graph = similarity_graph(X)
    line = f"[bold]{data}[/]: {len(X)} points, {X.shape[1]} features, {y.max() + 1} classes -> {graph}"
    console.print(line, soft_wrap=True)
    rows: list[dict[str, Any]] = []
    trees: list[Tree] = []
    shown = [name for name in SHOWN if methods.describe(name).can_run]
    for name in track(shown, description="clustering", console=console, transient=True):
        begin = working_seconds()
        trees.append(methods.run(name, X, graph=graph))
        seconds = working_seconds() - begin
        rows.append({"method": name, **score(trees[-1], graph=graph, labels=y), "seconds": seconds})
    show_scores(rows)
    tell_left_out([name for name in SHOWN if name not in shown])
    best = least_entropy(rows)
    structure = beyond_chance(X)
    compared = compared_features(X, trees[best], "minmax", "euclidean")
    levels = levels_and_main(trees[best], graph, compared, structure=structure)
    counts = levels.n_clusters
    console.print(
        f"Lowest entropy: {rows[best]['method']}. Its levels have {', '.join(map(str, counts))} clusters; "
        f"the one to look at first has {counts[levels.main]}. There is {structure}."
    )
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{data}.nwk"
    write_file(target, trees[best].to_newick())
    # The user's path may hold brackets, which are not markup here, and blanks, which a shell splits at.
    place = shlex.quote(str(target))
    console.print(f"Its tree is in {target}. Score it again:", markup=False)
    console.print(f"  hypcse score {place} --data {data}", highlight=False, markup=False, soft_wrap=True)
    page = out / f"{data}.html"
    view(trees[best], page, graph=graph, labels=y, features=X, structure=structure, title=data)
    console.print(f"Look at it: open {page} in a browser.", highlight=False, markup=False, soft_wrap=True)


def least_entropy(rows: list[dict[str, Any]]) -> int:
    """The place of the row of least entropy; of those that print the same number, the quickest.

    >>> least_entropy([{"structural_entropy": e, "seconds": s} for e, s in ((2.3, 1), (2.10001, 9), (2.10002, 1))])
    2
    """
    printed = [float(format_score("structural_entropy", row["structural_entropy"])) for row in rows]
    return min(range(len(rows)), key=lambda place: (printed[place], rows[place]["seconds"]))
