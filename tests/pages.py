"""What tests of the page ask of it: the data that it holds, and what it shows in a browser."""

from __future__ import annotations

import base64

import numpy as np

import hypcse
from hypcse.show.page.contents import known_points, page_contents
from hypcse.show.page.levels import Partitions

KNOWN = ("graph", "labels", "features", "feature_names", "names")


def gathered(source, points=None, **options):
    """What a page holds of what `view` is given."""
    known = {name: options.pop(name, None) for name in KNOWN}
    given = Partitions(**{name: options.pop(name, None) for name in Partitions._fields})
    return page_contents(source, known_points(source, points, **known), given, **options)


def saved(source, path, *args, **options):
    """The path of a page that `view` wrote."""
    hypcse.view(source, path, *args, **options)
    return path


def cut_through(tree, levels, n_clusters):
    """The partition that the slider shows: nodes are split level by level, and in each the highest first.

    Levels are passed on the way, so that a number of clusters means one partition.
    """
    rank = np.full(tree.n_nodes, len(levels))
    for k in reversed(range(len(levels))):
        for node in range(tree.n_leaves, tree.n_nodes):
            if np.unique(levels[k][tree.leaves(node)]).size > 1:
                rank[node] = k
    order = sorted(range(tree.n_leaves, tree.n_nodes), key=lambda node: (rank[node], -tree.height[node], -node))
    tops = {tree.root}
    for node in order:
        children = np.flatnonzero(tree.parent == node).tolist()
        if len(tops) - 1 + len(children) > n_clusters:
            break
        tops = (tops - {node}) | set(children)
    top_of = {int(leaf): top for top in tops for leaf in (tree.leaves(top) if top >= tree.n_leaves else [top])}
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(top_of[leaf], len(numbers)) for leaf in range(tree.n_leaves)])


def unpack(packed):
    """The array that a page holds as base64."""
    return np.frombuffer(base64.b64decode(packed["data"]), dtype="<" + packed["kind"])


def told(page, what):
    return page.evaluate(f"window.hypcse.{what}")


def settle(page):
    """Wait until the motion has ended and all is drawn."""
    page.evaluate(
        """() => new Promise((done) => {
          const look = () => (window.hypcse.frames.moving ? setTimeout(look, 20) : requestAnimationFrame(
            () => requestAnimationFrame(done)));
          requestAnimationFrame(look);
        })"""
    )


def export(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value.path().read_bytes()
