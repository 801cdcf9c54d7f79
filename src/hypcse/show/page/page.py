"""`hypcse.view` and the page that it makes, which shows itself in a notebook, is saved, or is opened in a browser."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypcse._choices import Heights, Scale
from hypcse.show.page.bundle import render
from hypcse.show.page.contents import known_points, page_contents, umap_of
from hypcse.show.page.levels import Partitions
from hypcse.show.source import tree_of
from hypcse.storage.files import write_file

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hypcse.partitions.evidence import Structure

FRAME_HEIGHT = 640
"""Height of a page in a notebook, in pixels."""
MAX_INLINE = 20_000_000
"""Characters of the largest page that a notebook is given: it keeps all of them in its file."""


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """A page to look at a tree, with all that it needs inside; `hypcse.view` makes one.

    As the last line of a notebook's cell it shows itself, in a frame that can neither reach the notebook nor the
    network.

    Attributes
    ----------
    html
        The text of the page.
    n_leaves
        Leaves of its tree.
    """

    html: str
    n_leaves: int

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all; one that is there is replaced.

        Parameters
        ----------
        path
            The file, in a folder that exists.

        Returns
        -------
        Path
            The file.
        """
        target = Path(path)
        if target.is_dir():
            raise IsADirectoryError(
                f"{target} is a folder; the page is one file. Name it, for example {target}/tree.html."
            )
        write_file(target, self.html)
        return target

    def open(self) -> Path:
        """Write the page to a temporary file and open it in the browser.

        Returns
        -------
        Path
            The file, which stays until the system clears its temporary files.
        """
        path = self.save(Path(tempfile.mkdtemp(prefix="hypcse-")) / "tree.html")
        if not webbrowser.open(path.as_uri()):
            raise RuntimeError(f"no browser could be started here. The page is {path}: open it in one, or copy it.")
        return path

    def __repr__(self) -> str:
        return f"Page({self.n_leaves:,} leaves, {len(self.html.encode()) / 1000:,.0f} kB)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own for a notebook, or a line that says why it is not there."""
        if len(self.html) > MAX_INLINE:
            return (
                f"<p>{html.escape(repr(self))} is too large for a notebook: the limit is {MAX_INLINE // 1000:,} kB. "
                'Call <code>.save("tree.html")</code> or <code>.open()</code>.</p>'
            )
        return (
            f'<iframe title="Tree of {self.n_leaves:,} leaves" width="100%" height="{FRAME_HEIGHT}" '
            f'style="border: 1px solid #d5d9df; border-radius: 4px" sandbox="allow-scripts allow-downloads" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


def view(
    source: Any,
    path: str | os.PathLike[str] | None = None,
    points: Any = None,
    *,
    graph: Any = None,
    labels: ArrayLike | None = None,
    features: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    scale: Scale = "minmax",
    heights: Heights = "auto",
    n_clusters: int | None = None,
    automatic: ArrayLike | None = None,
    levels: Sequence[ArrayLike] | None = None,
    stability: Sequence[float] | None = None,
    structure: Structure | None = None,
    node_names: Mapping[int, str] | None = None,
    compare: ArrayLike | Mapping[str, ArrayLike] | None = None,
    embedding: ArrayLike | None = None,
    title: str | None = None,
) -> Page:
    """Make a page to look at a tree: one HTML file that works without a network.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_`: its graph, labels, levels, stability, structure and a two-dimensional
        embedding are used where it has them.
    path
        File to write as well, as `Page.save` does; None writes nothing.
    points
        What is known of the leaves: `Points`, or whatever `Points.of` understands.
    graph, labels, features, feature_names, names
        What is known of the leaves one by one, instead of that in `points`: a graph over them, a class for each,
        (n, d) features and the names of their columns, and names.
    scale, heights
        How to scale the features for distances, as for `similarity_graph`, and what the dendrogram shows first:
        "distance" between joined parts, "tree" heights, or "auto", distances where there are features.
    n_clusters, automatic
        Clusters shown first, and the labels of the automatic cut. By default these are the model's labels (its main
        level, if the labels are one cluster for want of structure), the `main_level` of a graph, or the widest gap in
        height.
    levels, stability
        Nested labels, coarse to fine, and a number from 0 to 1 for each. By default those of the model or of the graph,
        which take some seconds; stability is measured up to 20,000 leaves. `levels=[]` shows none.
    structure
        What `hypcse.beyond_chance` says. Where it finds nothing, the page says so, one cluster comes before the levels
        of a graph, and the level to look at first is shown.
    node_names
        Names of inner nodes, by node number. Without one, clusters are named as by `describe` and other nodes by the
        columns that set them apart, where `feature_names` are known; else by one of their leaves. Names can be changed
        on the page.
    compare
        Other labels of the leaves to set beside the tree, such as those of another method: one per leaf, or a mapping
        of names to labels, {"HDBSCAN": labels, "Leiden": others}. None and NaN are unknown.
    embedding
        (n, 2) places of the leaves for the scatter beside the tree. By default the UMAP of an AnnData, a table of two
        columns as it is, or two principal components of the scaled features. Up to 200,000 leaves.
    title
        Heading of the page.

    Returns
    -------
    Page
        It shows itself in a notebook, and has `save` and `open`.

    Examples
    --------
    >>> from hypcse import Tree
    >>> view(Tree.from_newick("((a,b),(c,d));")).n_leaves
    4
    """
    table: dict[str, Any] = {"features": features, "feature_names": feature_names}
    said: dict[str, Any] = {"n_clusters": n_clusters, "title": title, "node_names": node_names, "compare": compare}
    given = Partitions(automatic, levels, stability, structure)
    places = umap_of(points, tree_of(source)) if embedding is None else embedding
    known = known_points(source, points, graph=graph, labels=labels, names=names, **table)
    contents = page_contents(source, known, given, scale=scale, heights=heights, embedding=places, **said)
    page = Page(render(contents), tree_of(source).n_leaves)
    if path is not None:
        page.save(path)
    return page
