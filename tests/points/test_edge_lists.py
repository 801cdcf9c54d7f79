"""Lists of edges, as people and programs write them: the graph that was written, or an error."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypcse

PLAIN = st.text("abcxyzäß012#%,.;|-' ", min_size=1, max_size=6).map(str.strip).filter(bool)
"""Names of vertices: texts, numbers, and some with marks that mean something elsewhere in a list."""
IDS = st.integers(0, 30).map(str)
WEIGHTS = st.floats(0.001, 1e6) | st.integers(1, 10**6).map(float) | st.floats(1e-8, 1e-3)
DELIMITERS = {",": ".csv", ";": ".csv", "\t": ".tsv", "|": ".txt", " ": ".edges", "   ": ".edgelist"}


@st.composite
def edges(draw):
    """Rows (source, target, weight or None), each pair once."""
    name = draw(st.sampled_from([PLAIN, IDS]))
    pairs = draw(st.lists(st.tuples(name, name), min_size=2, max_size=12, unique_by=frozenset))
    weighted = draw(st.booleans())
    return [(a, b, draw(WEIGHTS) if weighted else None) for a, b in pairs]


@st.composite
def lists(draw, rows):
    """A list of edges as text, the suffix of its file, the options that it needs, and what to expect."""
    delimiter = draw(st.sampled_from(list(DELIMITERS)))
    comma = delimiter != "," and draw(st.booleans())
    lines = []
    header = draw(st.sampled_from([[], ["source", "target", "weight"], ["From ", "TO", "n_times"]]))
    for row in [header, *rows] if header else rows:
        cells = [cell if isinstance(cell, str) else _written(cell, comma) for cell in row if cell is not None]
        lines.append(_line(cells[: 2 if rows[0][2] is None else 3], delimiter))
    comments = draw(st.lists(st.sampled_from(["# Nodes: 3 Edges: 4", "% sym", "#", "%% x, y; z", "  # a b 1"])))
    for comment in comments:
        lines.insert(draw(st.integers(0, len(lines))), comment)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    # Between tabs or bars 1,234 may have a separator of thousands.
    options = {"decimal": ","} if comma and delimiter in "\t|" else {}
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return text, DELIMITERS[delimiter], options, bool(header), len(comments)


def _written(weight, comma):
    text = repr(int(weight)) if weight.is_integer() else repr(weight)
    return text.replace(".", ",") if comma else text


def _line(cells, delimiter):
    """A row with texts in quotation marks where they hold a delimiter or begin like a comment."""
    marks = {",", ";", "|", '"', delimiter[0]}
    quoted = [cell if marks.isdisjoint(cell) and cell[0] not in "#%" else _quoted(cell) for cell in cells[:2]]
    return delimiter.join([*quoted, *cells[2:]])


def _quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def graph_of(rows):
    """The names of the vertices, and the weights of the pairs."""
    names = list(dict.fromkeys(end for row in rows for end in row[:2]))
    return names, {frozenset((a, b)): 1.0 if w is None else w for a, b, w in rows}


def check(points, rows):
    names, weights = graph_of(rows)
    assert points.names == tuple(names)
    i, j, w = points.graph.edges()
    loops = [(k, k, x) for k, x in enumerate(points.graph.self_weights.tolist()) if x]
    assert {frozenset((names[a], names[b])): x for a, b, x in (*zip(i, j, w, strict=True), *loops)} == weights


@settings(max_examples=300)
@given(edges(), st.data())
def test_what_is_written_is_read(tmp_path_factory, rows, data):
    """In every delimiter, with or without header, comments and weights, decimal commas and points."""
    text, suffix, options, header, n_comments = data.draw(lists(rows))
    path = tmp_path_factory.getbasetemp() / f"graph{suffix}"
    path.write_bytes(text.encode())
    points = hypcse.read(path, edges=True, **options)
    check(points, rows)
    assert any("row 1 names the columns" in note for note in points.notes) == header
    assert any("of comments" in note for note in points.notes) == bool(n_comments)


@pytest.mark.parametrize("weight", ["inf", "-inf", "Infinity", "nan", "heavy", "{}", "NA", ""])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("kind", ["csv", "edges", "xlsx", "frame"])
def test_a_weight_that_is_not_a_number_is_refused_wherever_it_is(tmp_path, weight, place, kind):
    """Also in the first edge, which is not a header: its ends are vertices of others."""
    rows = [["a", "b", 1], ["b", "c", 2], ["c", "a", 3]]
    rows[place][2] = weight
    frame, path = pd.DataFrame(rows), tmp_path / f"graph.{kind}"
    if kind == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, header=False, index=False)
    elif kind == "frame":
        path = frame
    else:
        frame.to_csv(path, header=False, index=False)
    with pytest.raises(ValueError, match=rf"the weight of edge {place + 1} is .*, which is not a number"):
        hypcse.read(path, edges=True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("FromNodeId\tToNodeId\n10\t11\n11\t12\n", ["10", "11", "12"]),
        ("Source,Target\nann,bob\nbob,cem\n", ["ann", "bob", "cem"]),
        ("from,to\nto,via\nvia,from\n", ["from", "to", "via"]),
        ("ann,bob\ncem,dee\n", ["ann", "bob", "cem", "dee"]),
        ("ann,bob\n", ["ann", "bob"]),
        ("1,2\nann,bob\n", ["1", "2", "ann", "bob"]),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_the_header_of_a_list_without_weights(tmp_path, text, names, suffix):
    path = tmp_path / f"graph.{suffix}"
    if suffix == "xlsx":
        pytest.importorskip("openpyxl")
        mark = "\t" if "\t" in text else ","
        pd.DataFrame([line.split(mark) for line in text.splitlines()]).to_excel(path, header=False, index=False)
    else:
        path.write_text(text)
    assert list(hypcse.read(path, edges=True).names) == names


def test_nothing_but_comments(read):
    with pytest.raises(ValueError, match=r"is empty but for 2 lines of comments \(# or %\)"):
        read("# a b\n% c\n\n", "graph.edges")
