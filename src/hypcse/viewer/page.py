"""`hypcse.view`: one file of HTML with the tree, its looks and its program inside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypcse._choices import Heights, Scale
from hypcse._colours import DARK, LIGHT
from hypcse.viewer.payload import to_json
from hypcse.viewer.source import Look, Shown, gather, known_points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hypcse.chance import Structure

# The parts of the program in the order in which they are joined; each uses only those before it when it loads.
SCRIPTS = (
    "tree/payload.js",
    "tree/tree.js",
    "tree/cut.js",
    "tree/facts.js",
    "tree/newick.js",
    "draw/moebius.js",
    "draw/palette.js",
    "draw/colours.js",
    "draw/scene.js",
    "draw/disk_names.js",
    "draw/disk.js",
    "draw/axis.js",
    "draw/dendrogram.js",
    "draw/names.js",
    "draw/webgl.js",
    "draw/canvas.js",
    "draw/svg.js",
    "page/elements.js",
    "page/app.js",
    "page/stage.js",
    "page/panel.js",
    "page/legend.js",
    "page/levels.js",
    "page/search.js",
    "page/exports.js",
    "page/pointer.js",
    "page/keyboard.js",
    "page/controls.js",
    "page/main.js",
)
GENERATOR = "hypcse page"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def view(
    source: Any,
    path: str | os.PathLike[str],
    points: Any = None,
    *,
    graph: Any = None,
    labels: ArrayLike | None = None,
    features: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    scale: Scale = "minmax",
    heights: Heights = "auto",
    names: Sequence[str] | None = None,
    n_clusters: int | None = None,
    automatic: ArrayLike | None = None,
    levels: Sequence[ArrayLike] | None = None,
    stability: Sequence[float] | None = None,
    structure: Structure | None = None,
    title: str | None = None,
) -> Path:
    """Write a page to look at a tree, in one HTML file that works without a network. Returns its path.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_` (its `graph_`, `labels_`, `levels_`, `stability_`, `structure_` and a
        two-dimensional `embedding_` are used where it has them).
    path
        The file to write.
    points
        What is known of the leaves in one value: `Points`, or whatever `Points.of` understands. Each of graph, labels,
        features, feature_names and names, where it is given, counts instead.
    graph
        Tells the share of each node in the structural entropy, the automatic cut, and the levels with their stability.
    labels
        A class for each leaf, to colour by and to show the mix under a node.
    features
        (n, d) tells which columns set a node apart, and how far apart the parts are that a node joins; without, a
        fitted model tells the latter by the features it keeps.
    feature_names
        Of the columns of `features`.
    scale
        How to scale the given features for distances, as for `similarity_graph`.
    heights
        What the dendrogram draws at first along its axis of heights; the page can switch. "distance": the root mean
        squared distance between the parts that a node joins, or that of a node below it where that is larger. "tree":
        the tree's own heights, by which the slider cuts. "auto": "distance" where there are features, "tree" otherwise.
    names
        Names of the leaves, instead of the tree's own.
    n_clusters
        Clusters shown at first; by default those of the automatic cut.
    automatic
        Flat labels to show as the automatic cut, instead of one found here: the model's `labels_`, the `main_level` of
        a graph, or the widest gap in height.
    levels
        Nested labels to choose from, coarse to fine, instead of the model's or those that `hypcse.levels` finds in a
        graph; none with `levels=[]`.
    stability
        A number from 0 to 1 for each level. By default the model's, or measured by `hypcse.stability` where the levels
        are found here: some seconds, and up to 20,000 leaves only. Levels that are given have none of their own.
    structure
        What `hypcse.beyond_chance` says of the data, to show in words. Where it says that there is nothing beyond
        chance, a graph's automatic cut is one cluster.
    title
        Of the page.

    Returns
    -------
    Path
        The file.

    Notes
    -----
    The file is written whole or not at all; one that is there is replaced.

    Examples
    --------
    >>> import tempfile
    >>> from hypcse import Tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view(Tree.from_newick("((a,b),(c,d));"), f"{folder}/tree.html").name
    'tree.html'
    """
    given = {"graph": graph, "labels": labels, "features": features, "feature_names": feature_names, "names": names}
    look = Look(scale, heights, n_clusters, automatic, levels, stability, structure, title)
    shown = gather(source, known_points(source, points, given), look)
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; the page is one file. Name it, for example {target}/tree.html.")
    write_whole(target, render(shown))
    return target


def render(shown: Shown) -> str:
    """The text of the page. Its policy lets nothing run but this style and this script, by their hashes."""
    style = _asset("style.css")
    colours = json.dumps({"light": LIGHT, "dark": DARK})
    head = f'(() => {{\n"use strict";\nconst CLASS_COLOURS = {colours};\n'
    script = head + "".join(map(_asset, SCRIPTS)) + "})();\n"
    parts = {
        "policy": _policy(style, script),
        "generator": GENERATOR,
        "title": html.escape(shown.title),
        "style": style,
        "script": script,
        "data": to_json(shown),
    }
    # One pass: what is put in is not looked at again, whatever it holds.
    return _PLACE.sub(lambda place: parts[place[1]], _asset("page.html"))


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its place and then put it there."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}, where {path.name} is to be written, is no folder. Make it first.")
    handle, made = tempfile.mkstemp(dir=folder, prefix=f".{path.name}-")
    try:
        # Half of a surrogate pair is legal in a name but not in UTF-8: it becomes a question mark.
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        # A temporary file is for its owner alone; this one gets what an ordinary new file has.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(made, 0o666 & ~mask)
        os.replace(made, path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


def _asset(name: str) -> str:
    return files("hypcse.viewer").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Content security policy: nothing from anywhere, and inside only these two texts."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
