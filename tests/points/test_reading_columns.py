"""Which columns mean what: classes, names, categories, ids, and what is asked for twice."""

from __future__ import annotations

import numpy as np
import pytest

import hypcse

FLOWERS = "Id,length,width,kind\n" + "".join(f"{k},{k % 7}.5,{k % 3},{'abc'[k % 3]}\n" for k in range(1, 13))


@pytest.mark.parametrize(
    ("text", "options", "features"),
    [
        ("1,2\n3,4\n", {"header": True}, [[3, 4]]),
        (",a,b\nr,1,2\n", {"id_column": "1"}, [[1, 2]]),
        (",a,b\nr,1,2\n", {"drop": [1]}, [[1, 2]]),
        ("r,1,2\ns,3,4\n", {"id_column": 1}, [[1, 2], [3, 4]]),
        ("2,1,c\n7,8,9\n", {"id_column": "1", "header": True}, [[7, 9]]),
        ("a,b,c\n7,8,9\n", {"label_column": "3", "id_column": "a"}, [[8]]),
        ("a,b,c\n1,x,3\n4,y,6\n", {"use": ["c", "1"]}, [[3, 1], [6, 4]]),
        ("a,b,c\n1,x,3\n4,y,6\n", {"drop": "b"}, [[1, 3], [4, 6]]),
        (",b\n0,2\n1,4\n", {"keep": 1}, [[0, 2], [1, 4]]),
    ],
)
def test_columns_by_name_or_position(read, text, options, features):
    assert read(text, **options).features.tolist() == features


def test_categories(read):
    text = "size,color\n1,red\n2, blue\n3,?\n4,red \n"
    points = read(text, categorical=["color"])
    assert points.feature_names == ("size", "color=blue", "color=red")
    assert points.kinds == (None, "color", "color")
    assert points.features.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 0], [4, 0, 1]]
    assert points.notes == (
        "4 rows; 1 column of numbers: size; 1 column of categories: color (2)",
        "missing texts: color (1); they count as none of its texts",
    )
    assert read("1,red\n2,blue\n", categorical=[2]).feature_names == ("column 1", "column 2=blue", "column 2=red")


def test_missing_texts_are_noted(read):
    rows = "1,red,net\n2,,line\n3,,\n4,red,net\n"
    notes = read(f"size,color,gear\n{rows}", categorical=["color", "gear"]).notes
    assert notes[1:] == ("missing texts: color (2), gear (1); they count as none of their texts",)
    assert len(read("size,color\n1,red\n2,blue\n", categorical=["color"]).notes) == 1


def test_a_list_of_edges_is_told_of_its_option(read):
    with pytest.raises(ValueError, match=r"If rows are edges, pass edges=True\.$"):
        read("from,to,weight\nann,bob,1\nbob,cat,2\nann,cat,1\n")
    with pytest.raises(ValueError, match=r"pass edges=True; add header=True if row 1 names the columns\.$"):
        read("from,to\nann,bob\nbob,cat\n")
    assert read("from,to\nann,bob\nbob,cat\n", edges=True, header=True).graph.n_vertices == 3
    for other in ("name,kind,size\nann,x,1\nbob,x,2\n", "a,b,c,d\nx,y,1,1\ny,x,2,2\n"):
        with pytest.raises(ValueError, match="is not a number") as caught:
            read(other)
        assert "edges=" not in str(caught.value)


def test_numbers_as_categories(read):
    points = read("size,zip\n1,01\n2,1\n3,01\n", categorical=["zip"])
    assert points.feature_names == ("size", "zip=01", "zip=1")


def test_a_category_that_is_not_in_use_is_used(read):
    text = "size,color,weight\n1,red,5\n2,blue,6\n"
    points = read(text, use=["size"], categorical=["color"])
    assert points.feature_names == ("size", "color=blue", "color=red")
    assert read(text, use=["color", "size"], categorical=["color"]).feature_names == (
        "color=blue",
        "color=red",
        "size",
    )


def test_too_many_categories(read):
    with pytest.raises(ValueError, match="101 different texts; a category has at most 100. Is it an id column"):
        read("a,b\n" + "".join(f"{k % 7},text {k}\n" for k in range(101)), categorical=["b"])


def test_a_column_that_looks_like_an_id_is_left_out(read):
    points = read(FLOWERS, label_column="kind")
    assert points.feature_names == ("length", "width")
    assert any("left out: column 'Id' (looks like an id" in note and 'keep=["Id"]' in note for note in points.notes)
    kept = ("Id", "length", "width")
    assert read(FLOWERS, label_column="kind", keep=["Id"]).feature_names == kept
    assert read(FLOWERS, label_column="kind", use=["Id", "length", "width"]).feature_names == kept
    assert read(FLOWERS, label_column="kind", use=["width"], keep=["Id"]).feature_names == ("width", "Id")


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 9],
        [1, 2, 3, 4, 5, 6, 7, 8, 10, 9],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 9.5],
    ],
)
def test_what_does_not_look_like_an_id(read, cells):
    assert read("a,b\n" + "".join(f"{cell},1\n" for cell in cells)).features.shape == (len(cells), 2)


def test_nothing_but_ids_is_used(read):
    assert read("a\n" + "".join(f"{k}\n" for k in range(20))).features.shape == (20, 1)
    assert read("a,b\n" + "".join(f"{k},{2 * k}\n" for k in range(20))).features.shape == (20, 2)


def test_the_index_of_pandas_is_left_out(read):
    points = read(",a,b\n0,1,2\n1,3,4\n")
    assert "left out: column 1 (no name and counts the rows)" in points.notes
    assert read(",a,b\n0,1,2\n1,3,4\n", id_column=1).names == ("0", "1")


def test_classes(read):
    """Classes are texts; an empty cell is a class that is not known, and not a class of its own."""
    points = read("a,kind\n1,1\n2, 2 \n3,1\n", label_column="kind")
    assert points.labels.tolist() == ["1", "2", "1"] and points.labels.dtype.kind == "U"
    points = read("a,kind\n1,x\n2,\n3,NA\n4,-\n5,none\n", label_column="kind")
    assert points.labels.tolist() == ["x", None, None, "-", "none"]
    assert "no class is known for 2 rows" in points.notes
    with pytest.raises(ValueError, match="column 'kind' has no class in it"):
        read("a,kind\n1,\n2,\n", label_column="kind")


def test_names_are_texts_as_written(read):
    assert read("id,a\n007,1\nNA,2\n,3\n", id_column="id").names == ("007", "NA", "")
    with pytest.raises(ValueError, match="two points are called 'x'"):
        read("id,a\nx,1\nx,2\n", id_column="id")


def test_all_bad_columns_in_one_message(read):
    head = "size,color,name,when,price,nothing,gap,my text\n"
    rows = [
        f"{k % 4},{'red' if k % 2 else 'blue'},n{k},2024-01-{k + 1:02},{'about 3' if k == 5 else k / 2},,"
        f"{'' if k == 2 else k % 5},{'uv'[k % 2]}\n"
        for k in range(12)
    ]
    with pytest.raises(ValueError, match="not all columns can be used as numbers") as caught:
        read(head + "".join(rows))
    lines = str(caught.value).splitlines()
    assert "table.csv: not all columns can be used as numbers." in lines[0]
    expected = (
        ("'color', data row 1 holds 'blue'", "2 different texts", 'categorical=["color"]'),
        ("'name', data row 1 holds 'n0'", "every text in it occurs once", 'id_column="name"'),
        ("'when', data row 1 holds '2024-01-01'", 'dates="number"', 'drop=["when"]'),
        ("'price', data row 6 holds 'about 3'", 'drop=["price"]'),
        ("'nothing' is empty", 'drop=["nothing"]'),
        ("'my text'", 'categorical=["my text"]'),
        ("missing numbers: column 'gap' 1 (first in data row 3)", 'impute="median"'),
    )
    assert len(lines) == 1 + len(expected)
    for line, words in zip(lines[1:], expected, strict=True):
        assert all(word in line for word in words), line
    points = read(
        head + "".join(rows),
        categorical=["color"],
        id_column="name",
        dates="number",
        drop=["price", "nothing", "my text"],
        impute="median",
    )
    assert points.feature_names == ("size", "color=blue", "color=red", "when", "gap")


def test_many_bad_columns_are_counted(read):
    text = ",".join(f"c{k}" for k in range(50)) + "\n" + ",".join("x" * 50) + "\n" + ",".join("x" * 50) + "\n"
    with pytest.raises(ValueError, match="40 more columns"):
        read(text)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"id_column": "c"}, "no column 'c'; its columns are a, b. .* between 1 and 2"),
        ({"id_column": "3"}, "no column '3'"),
        ({"label_column": 0}, "no column '0'"),
        ({"label_column": "a", "id_column": 1}, "label_column and id_column both name column 'a'"),
        ({"use": "a", "drop": "a"}, "use and drop both name column 'a'"),
        ({"categorical": "a", "drop": "1"}, "drop and categorical both name column 'a'"),
        ({"label_column": "b", "use": ["a", "b"]}, "label_column and use both name column 'b'"),
        ({"label_column": "a", "drop": "b"}, "drop|no feature columns left"),
        ({"label_column": "a", "id_column": "b"}, "no feature columns left"),
        ({"dates": "yes"}, "dates='yes' is not known"),
    ],
)
def test_options_that_cannot_be(read, options, told):
    with pytest.raises(ValueError, match=told):
        read("a,b\n1,2\n", **options)


def test_a_name_that_no_header_has(read):
    with pytest.raises(ValueError, match="it has no header"):
        read("1,2\n", label_column="a")


@pytest.fixture(scope="module")
def customers():
    """200 customers of five segments: six numbers tell these apart, three texts have nothing to do with them."""
    rng = np.random.default_rng(0)
    segment = np.repeat(np.arange(5), 40)
    centers = rng.permuted(np.tile(np.arange(5.0), (6, 1)), axis=1).T
    numbers = centers[segment] + rng.normal(scale=0.15, size=(200, 6))
    texts = [rng.choice(words, 200) for words in (["web", "shop"], ["north", "east", "south", "west"], list("pqrstu"))]
    rows = [
        ",".join([*(f"{x:.3f}" for x in row), *cells, f"segment {k}"])
        for row, *cells, k in zip(numbers, *texts, segment, strict=True)
    ]
    return "\n".join(["age,spend,visits,basket,returns,calls,channel,region,plan,segment", *rows]) + "\n"


def purity(points: hypcse.Points) -> float:
    graph = points.similarity()
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    tree = hypcse.join_components(tree, graph, points.scaled()[1], scale="none")
    return hypcse.dendrogram_purity(tree, points.labels)


def test_unrelated_texts_do_not_hide_what_numbers_show(read, customers):
    texts = ["channel", "region", "plan"]
    weighed = read(customers, label_column="segment", categorical=texts)
    plain = hypcse.Points(weighed.features, labels=weighed.labels)
    alone = read(customers, label_column="segment", drop=texts)
    assert purity(alone) > 0.95
    assert purity(weighed) > 0.9
    assert purity(plain) < 0.5
