"""What `describe` says of clusters is true and says which is which."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from hypcse import EntropyClustering, Tree, read
from hypcse.partitions.cluster_table import describe
from hypcse.partitions.description import Description, Groups, names_of
from hypcse.partitions.words import Column, columns_of, written
from hypcse.points.tables.cells import quantity
from ordinary_tables import TABLES

KINDS = st.lists(st.sampled_from(["number", "count", "truth", "category", "date"]), min_size=1, max_size=5)


def table_of(kinds: list[str], labels: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Columns of all kinds, each shifted by the cluster or not, with gaps."""
    columns = {}
    for k, kind in enumerate(kinds):
        shift = rng.permutation(labels.max() + 1)[labels] * rng.integers(0, 2)
        noise = rng.normal(size=labels.size) + shift * 2
        match kind:
            case "number":
                values = np.where(rng.random(labels.size) < 0.1, np.nan, noise)
            case "count":
                values = np.round(noise * 3).astype(int)
            case "truth":
                values = noise > 1
            case "category":
                values = np.array([f"text {c}" for c in np.clip(noise.astype(int), 0, 6)], object)
            case _:
                values = pd.Timestamp("2020-01-01") + pd.to_timedelta(noise * 50, unit="D")
        columns[f"{kind} {k}"] = values
    return pd.DataFrame(columns)


@given(KINDS, st.integers(2, 5), st.booleans(), st.integers(0, 10_000))
def test_names_are_unique_and_what_they_say_is_true(kinds, n_clusters, outliers, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_clusters, size=80)
    labels[:n_clusters] = np.arange(n_clusters)
    X = table_of(kinds, labels, rng)
    labels[n_clusters : n_clusters + 3] = -1 if outliers else 0
    frame = describe(labels, X, n_columns=10)
    assert frame["name"].is_unique and frame["size"].sum() == 80
    assert frame.index.tolist() == [*range(n_clusters), *([-1] if outliers else [])]
    columns = columns_of(X)
    groups = Groups.of_labels(labels, np.arange(n_clusters))
    described = Description(columns, groups)
    for k in range(n_clusters):
        inside = labels == k
        for one in (described.contrast(k, column) for column in described.naming(k)):
            here, there = (one.column.numbers[rows & ~np.isnan(one.column.numbers)] for rows in (inside, ~inside))
            if one.column.kind in ("number", "date"):
                assert one.typical in (np.median(here), np.sort(here)[(here.size - 1) // 2])
                both = 2 * mannwhitneyu(here, there).statistic / (here.size * there.size) - 1
                assert abs(both) == pytest.approx(one.telling)
            else:
                place = 1 if one.column.kind == "truth" else one.typical
                assert (one.share, one.other_share) == (np.mean(here == place), np.mean(there == place))
                assert one.telling == pytest.approx(abs(one.share - one.other_share))


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_names_of_ordinary_tables_are_unique_and_true_of_the_cells(make):
    """At every level. A number that is said lies on the side of its cluster, by the cells as they were written."""
    rng = np.random.default_rng(1)
    frame, groups = make(rng)
    points = read(frame)
    noisy = np.where(rng.random(groups.size) < 0.1, rng.integers(groups.max() + 1, size=groups.size), groups)
    for labels in (groups, noisy):
        clusters = np.unique(labels)
        described = Description(columns_of(points), Groups.of_labels(labels, clusters))
        assert len(set(names_of(described, clusters))) == clusters.size
        for k in clusters.tolist():
            for one in (described.contrast(k, place) for place in described.naming(k)):
                if one.column.kind != "number":
                    continue
                cells = np.array([_value(cell) for cell in points.frame[one.column.name]], float)
                here, there = np.nanmedian(cells[labels == k]), np.nanmedian(cells[labels != k])
                assert np.sign(one.typical - one.others) == np.sign(here - there)
                difference = one.typical - one.others
                shown, rest = (written(one.column, value, difference) for value in (one.typical, one.others))
                assert shown != rest and np.sign(_value(shown) - _value(rest)) == np.sign(difference)


def _value(cell: object) -> float:
    found = quantity(str(cell))
    return np.nan if found is None else found[0]


def test_a_cluster_is_called_what_it_is():
    labels = np.repeat([0, 1, 2], 20)
    X = pd.DataFrame(
        {
            "cylinders": np.repeat([4, 8, 8], 20),
            "Weight_lb": np.repeat([2100.0, 4100.0, 3000.0], 20) + np.arange(60) % 7,
            "sex": np.repeat(["male", "female", "male"], 20),
            "fragile": np.repeat([False, False, True], 20),
            "noise": np.random.default_rng(0).normal(size=60),
        }
    )
    assert describe(labels, X)["name"].tolist() == ["4 cylinders", "Weight 4,100 lb", "fragile"]
    assert describe(labels, X[["sex", "noise"]]).name.tolist()[1] == "female"
    assert describe(labels, X.to_numpy()[:, :2].astype(float)).name.tolist() == [
        "cluster 0 (20)",
        "cluster 1 (20)",
        "cluster 2 (20)",
    ]


def test_points_and_frame_say_the_same():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], 30)
    X = pd.DataFrame(
        {
            "size": labels + rng.normal(size=60) / 9,
            "color": np.where(labels == 0, "red", "blue"),
            "day": pd.Timestamp("2021-03-01") + pd.to_timedelta(labels * 300 + np.arange(60), unit="D"),
            "kind": np.where(labels == 0, "a", "b"),
        }
    )
    points = read(X, categorical=["color"], dates="number", label_column="kind")
    frame = describe(labels, points)
    assert frame["class"].tolist() == ["a", "b"] and frame["class share"].tolist() == [1, 1]
    shared = [column for column in frame if "class" not in column]
    pd.testing.assert_frame_equal(frame[shared], describe(labels, X[["size", "color", "day"]])[shared])


def test_levels_and_nodes_of_a_model():
    X = pd.DataFrame(
        np.random.default_rng(0).normal(size=(90, 2)) + 9 * (np.arange(90) // 30)[:, None], columns=["a", "b"]
    )
    model = EntropyClustering().fit(X)
    frame = describe(model, X)
    assert frame["size"].tolist() == [30, 30, 30] and (frame["stability"] > 0.9).all()
    assert len(describe(model, X, level=len(model.levels_) - 1)) == model.levels_[-1].max() + 1
    top = model.tree_.parent[:-1] == model.tree_.root
    assert describe(model, X, node=int(np.flatnonzero(top)[0])).index.tolist() == np.flatnonzero(top).tolist()
    assert describe(model, X, node=model.tree_.root)["share"].tolist() == [1.0]
    with pytest.raises(ValueError, match="X has 89 rows for 90 labels"):
        describe(model, X[:-1])
    with pytest.raises(ValueError, match="level and node need a fitted model"):
        describe(model.labels_, X, level=0)


def test_siblings_have_different_names():
    tree = Tree.from_newick("((0,1),((2,3),(4,5)));")
    column = Column("size", "number", np.array([1.0, 1.1, 5.0, 5.1, 9.0, 9.2]))
    nodes = np.arange(tree.n_leaves, tree.root)
    names = dict(zip(nodes.tolist(), Description([column], Groups.of_nodes(tree, nodes)).names(), strict=True))
    for node in nodes.tolist():
        beside = [names[k] for k in nodes.tolist() if tree.parent[k] == tree.parent[node] and k != node]
        assert names[node] not in beside
