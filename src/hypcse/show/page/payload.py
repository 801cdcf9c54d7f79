"""The data of a page: arrays as base64, names as JSON, in text that no HTML parser takes for markup."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.partitions.evidence import Structure
from hypcse.show.layout import DISTANCE_TITLE, Distances
from hypcse.show.page.contents import Shown
from hypcse.show.page.levels import Partitions
from hypcse.show.page.table import WORDS, ColumnMeans, Table, naming_words
from hypcse.show.source import LeafClasses

VERSION = 4
# Characters that could end or begin something in HTML or in JavaScript, and their JSON escapes.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def to_json(shown: Shown) -> str:
    """JSON text of all that the page holds, safe inside a script element."""
    text = json.dumps(document(shown), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def document(shown: Shown) -> dict[str, Any]:
    """What the page reads. Leaves have height 0, so only the heights of internal nodes are held, to the last bit."""
    tree, most, main = shown.tree, float(shown.layout.radius.max()), shown.partitions.main
    return {
        "version": VERSION,
        "title": shown.title,
        "parent": pack(tree.parent.astype(np.int32)),
        "height": pack(tree.height[tree.n_leaves :]),
        "heightTitle": shown.height_title,
        "distance": None if shown.distances is None else _distance(shown.distances, tree.n_leaves),
        "byDistance": shown.by_distance,
        "angle": pack(shown.layout.angle.astype(np.float32)),
        "radius": pack(np.round(shown.layout.radius / (most or 1.0) * 65535).astype(np.uint16)),
        "radiusMax": most,
        "names": None if shown.names is None else list(shown.names),
        "clusters": shown.n_clusters,
        # Labels that are also a level are held once.
        "automatic": pack(smallest_unsigned(shown.partitions.automatic)) if main is None else None,
        "outliers": shown.partitions.outliers,
        "automaticRule": shown.partitions.rule if main is None else "main level",
        "levels": _levels(shown.partitions),
        "structure": None if shown.structure is None else _structure(shown.structure),
        "classes": None if shown.classes is None else _classes(shown.classes),
        "entropy": None if shown.entropy is None else pack(shown.entropy.astype(np.float32)),
        "degrees": None if shown.degrees is None else pack(shown.degrees.astype(np.float32)),
        "table": None if shown.table is None else _table(shown.table),
        "nodeNames": [[node, name] for node, name in shown.node_names.items()],
        "compared": [{"title": title, **_classes(labels)} for title, labels in shown.compared.items()],
    }


def _distance(distances: Distances, n_leaves: int) -> dict[str, Any]:
    """The distances at internal nodes; those at leaves are 0. Only features near float32's limit need float64."""
    inner = distances.values[n_leaves:]
    small = inner.max(initial=0) <= np.finfo(np.float32).max
    return {
        "inner": pack(inner.astype(np.float32) if small else inner),
        "title": DISTANCE_TITLE,
        "note": distances.note,
    }


def _levels(partitions: Partitions) -> dict[str, Any] | None:
    """Nested labels, the stability of each level where it is known, and which of them is the automatic cut.

    Of the finest level the labels of the leaves are held, of each other one only the labels of the clusters of the next
    finer level, in the order of their own.
    """
    if not partitions.levels:
        return None
    finer = [(coarse, np.unique(fine, return_index=True)[1]) for coarse, fine in pairwise(partitions.levels)]
    return {
        "finest": pack(smallest_unsigned(partitions.levels[-1])),
        "coarser": [pack(smallest_unsigned(labels[first])) for labels, first in finer],
        "stability": None if partitions.stability is None else [round(value, 4) for value in partitions.stability],
        "main": partitions.main,
    }


def _structure(structure: Structure) -> dict[str, Any]:
    return {"text": str(structure), "found": structure.found}


def _classes(classes: LeafClasses) -> dict[str, Any]:
    """Codes and names of the classes; a code beyond the names is an unknown class."""
    codes = np.where(classes.codes < 0, len(classes.names), classes.codes)
    return {"codes": pack(smallest_unsigned(codes)), "names": list(classes.names)}


def _table(table: Table) -> dict[str, Any]:
    told, siblings = table.told, table.siblings
    return {
        "names": list(table.names),
        "mean": pack(table.mean.astype(np.float32)),
        "deviation": pack(table.deviation.astype(np.float32)),
        "told": told.column.shape[1],
        "nodes": pack(told.nodes.astype(np.int32)),
        "column": pack(told.column.astype(np.uint32).ravel()),
        "shift": pack(told.shift.astype(np.float32).ravel()),
        "nodeMean": pack(told.mean.astype(np.float32).ravel()),
        "siblings": None
        if siblings is None
        else {
            "told": siblings.column.shape[1],
            "column": pack(smallest_unsigned(siblings.column.ravel())),
            "shift": pack(siblings.shift.astype(np.float32).ravel()),
            "words": list(WORDS),
            "word": pack(naming_words(siblings, table.marks).ravel()),
        },
        "heat": _heat(table.heat),
    }


def _heat(heat: ColumnMeans) -> dict[str, Any]:
    """Means of columns at the first of the nodes that the table tells of, in steps of `most` / 32767 around 32767."""
    most = float(np.abs(heat.values).max(initial=0)) or 1.0
    return {
        "columns": pack(heat.columns.astype(np.uint32)),
        "rows": int(heat.nodes.size),
        "most": most,
        "values": pack((np.round(heat.values / most * 32767) + 32767).astype(np.uint16).ravel()),
    }


def smallest_unsigned(codes: NDArray[np.int64]) -> NDArray[Any]:
    """The codes in one, two or four bytes, whichever holds them all."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def pack(values: NDArray[Any]) -> dict[str, str]:
    """An array as its kind ("f4", "i4", "u2", ...) and its bytes, little end first, in base64.

    >>> pack(np.array([1, 2], np.uint8))
    {'kind': 'u1', 'data': 'AQI='}
    """
    plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return {
        "kind": f"{values.dtype.kind}{values.dtype.itemsize}",
        "data": base64.b64encode(plain.tobytes()).decode("ascii"),
    }
