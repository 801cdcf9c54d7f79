"""Newick text, both ways: other readers and writers recurse, and fail on deep trees."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import get_args

import numpy as np

from hypcse._choices import HeightUnit
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.branches import branch_heights, branch_lengths, join_branches, parents_of_depths
from hypcse.kernels.trees.sweep import layout
from hypcse.tree.numbering import renumber

_PLAIN = re.compile(r"(?:[^\W_]|[-+.])+")

# The parts of a node: opening parentheses, a label, a branch length. Each may be missing. Blanks after a part are
# consumed and nothing is ever given back (the `+` after a quantifier), so that reading stays linear.
_PARTS = r"""
    \s*+ ((?:\(\s*+)*+)
    (?: ' ((?:[^']++|'')*+) ' \s*+ | ([^\s()\[\]',:;]++) \s*+ )?+
    (?: : \s*+ ([-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+) (?![^\s()\[\]',:;]) \s*+ )?+
"""
_NODE_BEGIN = re.compile(_PARTS, re.VERBOSE)
# A node with the character that ends it; or one character of a node that does not end.
_NODE = re.compile(rf"(?:{_PARTS} ([,);]) \s*+ | .)", re.VERBOSE | re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[^\s()\[\]',:;]++|.")
_QUOTED_OR_COMMENT = re.compile(r"('[^']*+'?+)|\[[^\]]*+\]?+")
# Other programs skip it as a comment, or read it as notes in the New Hampshire X format.
_UNITS = "|".join(get_args(HeightUnit))
_NOTE = re.compile(rf"\[&&NHX(?::unit=({_UNITS}))?(?::joined_from=({_NUMBER.pattern}))?\]\s*;\s*$")


def write_newick(
    parent: Ids,
    height: Reals,
    names: Sequence[str],
    unit: HeightUnit | None = None,
    joined_from: float = math.inf,
) -> str:
    """Newick text of a tree without one-child nodes, children in the order of their ids. O(n log n)."""
    n_leaves = len(names)
    size, start = layout(parent, n_leaves)
    # Nodes in the order in which their text ends: by last leaf, innermost nodes first.
    order = np.lexsort((size, start + size))
    opened = np.bincount(start[n_leaves:], minlength=n_leaves)[start[:n_leaves]].tolist()
    words = [f",{'(' * count}{_quote(name)}" for count, name in zip(opened, names, strict=True)]
    words += [")"] * (parent.size - n_leaves)
    lengths = map(repr, branch_lengths(parent, height)[order[:-1]].tolist())
    branches = [f"{words[node]}:{length}" for node, length in zip(order[:-1].tolist(), lengths, strict=True)]
    notes = [f":unit={unit}"] if unit else []
    notes += [f":joined_from={joined_from!r}"] if joined_from < math.inf else []
    # Each leaf brings the comma before it; the first needs none.
    return "".join([*branches, words[-1], f"[&&NHX{''.join(notes)}]" if notes else "", ";"])[1:]


def read_newick(text: str) -> tuple[Ids, Reals, tuple[str, ...] | None]:
    """Parents, heights and names (or None) of Newick text. O(n).

    One-child nodes are merged with their child. Leaves labeled 0 .. n - 1 keep these ids; others are numbered in order
    of appearance.
    """
    depth, length, labels, _ = _scan(_blank_comments(text))
    length[-1] = np.nan  # The branch above the root says nothing about the tree.
    length = np.where(np.isnan(length), 1.0 if np.isnan(length).all() else 0.0, length)
    parent = parents_of_depths(depth)
    single = np.bincount(parent[:-1], minlength=parent.size) == 1
    if single.any():
        above, total = join_branches(parent, length, single)
        number, above, length = np.cumsum(~single) - 1, above[~single], total[~single]
        parent = np.where(above >= 0, number[above], -1)
    numbered = set(labels) == set(map(str, range(len(labels))))
    leaf = np.array(labels, dtype=np.int64) if numbered else np.arange(len(labels))
    names = None if numbered or set(labels) == {None} else tuple(label or "" for label in labels)
    nodes = np.argsort(np.bincount(parent[:-1], minlength=parent.size) > 0, kind="stable")
    nodes[leaf] = nodes[: leaf.size].copy()
    parent, length = renumber(parent, length, nodes)
    height = branch_heights(parent, length)
    if not np.isfinite(height[-1]):
        raise ValueError(
            f"the branch lengths of the Newick text add up to more than {np.finfo(np.float64).max:.4g}, the "
            "largest float. Write them in a larger unit."
        )
    return parent, height, names


def read_note(text: str) -> tuple[HeightUnit | None, float]:
    """What the comment that `write_newick` puts at the root says about heights."""
    note = _NOTE.search(text)
    if note is None:
        return None, math.inf
    return note[1], float(note[2] or math.inf)  # type: ignore[return-value]


def read_node_names(text: str) -> dict[int, str]:
    """Names of inner nodes in Newick text, by the numbers that `read_newick` gives to them. O(n).

    Labels that are numbers are left out: programs write support values there.
    >>> read_node_names("((a,b)'small ones',(c,d)0.98)all;")
    {4: 'small ones', 6: 'all'}
    """
    depth, _, labels, inner = _scan(_blank_comments(text))
    parent = parents_of_depths(depth)
    n_children = np.bincount(parent[:-1], minlength=parent.size)
    number = len(labels) + np.cumsum(n_children > 1) - 1
    nodes = np.flatnonzero(n_children > 0).tolist()
    return {
        int(number[node]): label
        for node, label in zip(nodes, inner, strict=True)
        if label and n_children[node] > 1 and not _NUMBER.fullmatch(label)
    }


def _quote(name: str) -> str:
    """The name as a label, without quotes if that is safe. A bare underscore would mean a blank."""
    if _PLAIN.fullmatch(name):
        return name
    return "'" + name.replace("'", "''") + "'"


def _scan(text: str) -> tuple[Ids, Reals, list[str | None], list[str | None]]:
    """Depths and branch lengths (NaN where missing) of the nodes as they end, labels of leaves, labels of inner nodes.

    A node ends at the character after it. A node that follows a ')' is the one it closed; others are leaves.
    """
    depths: list[int] = []
    lengths: list[float] = []
    labels: list[str | None] = []
    inner: list[str | None] = []
    level, last = 0, ""
    for node in _NODE.finditer(text):
        opened, quoted, word, number, end = node.groups()
        if end is None:
            begun = _NODE_BEGIN.match(text, node.start())
            raise _error(text, begun.end() if begun else node.start())
        if opened and last == ")":
            raise _error(text, node.start())
        level += opened.count("(")
        if last != ")":
            labels.append(_label(quoted, word))
            # A leaf may be empty, as in `(,);`, but not alone in its parentheses nor as the whole tree.
            if labels[-1] is None and number is None and (level == 0 or (opened and end == ")")):
                raise _error(text, node.start(5))
        else:
            inner.append(_label(quoted, word))
        depths.append(level)
        lengths.append(math.nan if number is None else float(number))
        if number is not None and not 0 <= lengths[-1] < math.inf:
            raise _error(text, node.start(4), "a branch length that is finite and not negative")
        if (level == 0) != (end == ";"):
            raise _error(text, node.start(5))
        if end == ";":
            if node.end() < len(text):
                raise _error(text, node.end(), "nothing after the ';', because one text holds one tree")
            return np.array(depths, dtype=np.int64), np.array(lengths), labels, inner
        last = end
        level -= end == ")"
    raise _error(text, len(text))


def _label(quoted: str | None, word: str | None) -> str | None:
    """The text of a label, quoted or bare, or None if there is none."""
    if quoted is not None:
        return quoted.replace("''", "'")
    return None if word is None else word.replace("_", " ")


def _blank_comments(text: str) -> str:
    """The text with comments replaced by blanks, so that positions and lines stay the same."""
    return _QUOTED_OR_COMMENT.sub(lambda part: part[1] or re.sub(r"[^\n]", " ", part[0]), text)


def _error(text: str, position: int, expected: str = "a label, a length or one of (,);") -> ValueError:
    """The error for the word or character at `position`, or after the blanks there."""
    position = len(text) - len(text[position:].lstrip())
    word = _WORD.match(text, position)
    there = "the end of the text" if word is None else repr(word[0][:30])
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return ValueError(f"line {line}, column {column} of the Newick text: found {there}, expected {expected}.")
