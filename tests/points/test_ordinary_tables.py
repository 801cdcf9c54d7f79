"""Tables as people have them are read without an option: safe uses of columns are chosen, and told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import hypcse
from hypcse._checks import number_repeated
from ordinary_tables import TABLES, cars


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_every_column_is_a_feature_or_told(tmp_path, make, seed):
    """No option is needed, no number is missing, and the notes name each column."""
    frame, groups = make(np.random.default_rng(seed))
    frame.to_csv(tmp_path / "table.csv", index=False)
    points = hypcse.read(tmp_path / "table.csv")
    assert points.n_points == len(frame) and np.isfinite(points.features).all()
    used = {name.partition("=")[0] for name in points.feature_names}
    for k, name in enumerate(frame.columns, 1):
        told = f"left out: column {k} (" if name.startswith("Unnamed") else f"left out: column {name!r} ("
        assert (name in used) != any(note.startswith(told) for note in points.notes), name
    model = hypcse.EntropyClustering().fit(points)
    assert max(adjusted_rand_score(groups, level) for level in model.levels_) > 0.6


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_a_data_frame_and_its_file_are_read_alike(tmp_path, make):
    frame, _ = make(np.random.default_rng(3))
    frame.to_csv(tmp_path / "table.csv", index=False)
    of_frame, of_file = hypcse.read(frame), hypcse.read(tmp_path / "table.csv")
    assert of_frame.feature_names == of_file.feature_names
    np.testing.assert_allclose(of_frame.features, of_file.features)


@given(st.lists(st.sampled_from(["a", "b", "a (2)", "a (3)", ""])))
def test_names_that_repeat_get_a_number(names):
    """All names differ but empty ones; each is the one given, or begins with it, and the first of a name keeps it."""
    unique = number_repeated(names)
    known = [name for name in unique if name]
    assert len(set(known)) == len(known)
    for k, (name, new) in enumerate(zip(names, unique, strict=True)):
        assert new == name if name not in names[:k] else new.startswith(name)


COLUMN = st.sampled_from(
    ["number", "gaps", "mostly empty", "empty", "constant", "few", "many", "unique", "date", "odd"]
)


def column_of(sort, rng, n):
    """A column of n cells, and whether it is used."""
    numbers, texts = rng.normal(size=n).round(3), np.array([f"t{k}" for k in range(n)], object)
    share = {"gaps": 0.2, "mostly empty": 0.8}.get(sort, 0.0)
    cells = {
        "empty": np.full(n, "", object),
        "constant": np.full(n, 7),
        "few": texts[np.arange(n) % 4],
        "many": texts[np.arange(n) % (n // 2 + 1)],
        "unique": texts,
        "date": np.array([f"2024-{1 + k % 12:02}-{1 + k % 27:02}" for k in range(n)], object),
        "odd": np.where(np.arange(n) == n // 2, "about 3", numbers.astype(object)),
    }.get(sort, numbers)
    gaps = np.arange(n) < share * n
    return np.where(gaps, "", cells.astype(object)), sort in ("number", "gaps", "few", "date", "odd")


@given(st.lists(COLUMN, min_size=1, max_size=6), st.integers(20, 60), st.integers(0, 99))
def test_what_is_used_and_what_is_not(sorts, n, seed):
    """Columns of each sort, in any order: those that can be compared are features, and so are those asked for."""
    rng = np.random.default_rng(seed)
    columns = [column_of(sort, rng, n) for sort in sorts]
    frame = pd.DataFrame({"x": rng.normal(size=n)} | {f"c{k}": cells for k, (cells, _) in enumerate(columns)})
    expected = {"x"} | {f"c{k}" for k, (_, is_used) in enumerate(columns) if is_used}
    points = hypcse.read(frame)
    assert {name.partition("=")[0] for name in points.feature_names} == expected
    kept = [f"c{k}" for k, sort in enumerate(sorts) if sort in ("mostly empty", "constant")]
    assert {name.partition("=")[0] for name in hypcse.read(frame, keep=kept).feature_names} == expected | set(kept)
    named = [k for k, sort in enumerate(sorts) if sort in ("unique", "many")]
    if named:
        best = max(named, key=lambda k: len(set(columns[k][0])))
        assert points.names == number_repeated(columns[best][0])


def read_text(folder, text, **options):
    (folder / "table.csv").write_text(text)
    return hypcse.read(folder / "table.csv", **options)


EDGES = "from,to,weight\nann,bob,1\nbob,cat,2\nann,cat,1\n"


def test_edges_are_not_guessed(tmp_path):
    """Rows that may be edges are refused in one line; answers to two questions, and texts asked for, are no edges."""
    with pytest.raises(ValueError, match=r"may be edges. Pass edges=True for a graph, or categorical=\[\"from\"\]"):
        read_text(tmp_path, EDGES)
    assert read_text(tmp_path, EDGES, edges=True).graph.n_edges == 3
    assert read_text(tmp_path, EDGES, categorical=["from"]).features.shape == (3, 3)
    answers = "smokes,drinks,age\n" + "".join(f"{'ab'[k % 2]},{'ab'[k % 3 % 2]},{k % 7}\n" for k in range(30))
    assert read_text(tmp_path, answers).features.shape == (30, 5)


def test_what_was_asked_for_is_not_decided_otherwise(tmp_path):
    text = "when,kind,x\n2024-01-03,a,1\n2024-01-04,b,2\n2024-01-09,a,5\n2024-01-07,b,4\n"
    with pytest.raises(
        ValueError, match=r"'when', data row 1 holds '2024-01-03', which is a date. Pass dates=\"number"
    ):
        read_text(tmp_path, text, dates="refuse")
    assert read_text(tmp_path, text, use=["x", "kind"]).feature_names == ("x", "kind=a", "kind=b")
    assert read_text(tmp_path, text, label_column="kind").feature_names == ("when", "x")
    texts = "a,b\n" + "".join(f"text {k % 110},{k % 7}\n" for k in range(120))
    with pytest.raises(ValueError, match="110 different texts, too many for categories"):
        read_text(tmp_path, texts, use=["a", "b"])


def test_names_may_repeat_or_be_missing(tmp_path):
    points = read_text(tmp_path, "who,who,x\nann,1,3\nann,2,4\n,3,9\n", id_column="who")
    assert points.names == ("ann", "ann (2)", "row 3") and points.feature_names == ("who (2)", "x")
    assert "names of rows that repeat have a number: ann (2)" in points.notes
    frame = pd.concat([pd.DataFrame({"x": [1.0, 2.0]})] * 2)
    assert hypcse.read(frame).names == ("0", "1", "0 (2)", "1 (2)")
    with pytest.raises(ValueError, match="two rows of the data frame are called '0'"):
        hypcse.read(frame, strict=True)


def test_one_row_and_row_one(tmp_path):
    """One row is read, for a model to place it; a first row that may be a header is told."""
    assert read_text(tmp_path, "a,b\n1,2\n").features.tolist() == [[1, 2]]
    notes = read_text(tmp_path, "name,2023,2024\nx,1,2\ny,2,3\nz,4,5\n").notes
    assert "row 1 is data; header=True if it names the columns" in notes


UNITS = st.sampled_from(["#", "$#", "# €", "# min", "#%", "# kWh/m²", "#k", "$#M"])


@given(UNITS, st.sampled_from([".", ","]), st.lists(st.integers(0, 9_999_999), min_size=3, max_size=9, unique=True))
def test_numbers_are_read_with_their_unit(unit, mark, cents):
    """As they are written with thousands and decimals, in a table whose other column has the other mark."""
    other = {".": ",", ",": "."}[mark]
    texts = [unit.replace("#", f"{n / 100:,.2f}".translate(str.maketrans({",": other, ".": mark}))) for n in cents]
    frame = pd.DataFrame({"x": texts, "y": [f"1{other}5", f"2{other}25", *["0"] * (len(cents) - 2)]})
    points = hypcse.read(frame)
    times = {"#%": 1e-4, "#k": 10, "$#M": 1e4}.get(unit, 0.01)
    assert points.feature_names == ("x", "y")
    np.testing.assert_allclose(points.features[:, 0], np.multiply(cents, times), rtol=1e-9)
    assert points.units.get("x", "#") == unit.rstrip("kM")
    with_word = pd.DataFrame({"x": [*texts, "about 3"], "y": range(len(texts) + 1)})
    assert hypcse.read(with_word, decimal=mark).gaps[:, 0].tolist() == [False] * len(texts) + [True]


def test_blanks_and_a_tab_are_one_delimiter(tmp_path):
    (tmp_path / "cars.txt").write_text('18.0   8   307.0\t"ford pinto"\n24.0   4   113.0\t"amc gremlin"\n')
    assert hypcse.read(tmp_path / "cars.txt").names == ("ford pinto", "amc gremlin")


def test_new_rows_are_read_as_the_first_were():
    """However few they are: a spelling, a text or a number that is missing, other columns, another order."""
    rng = np.random.default_rng(0)
    frame, _ = cars(rng)
    frame["sold"] = rng.choice(["y", "n"], len(frame))
    model = hypcse.EntropyClustering().fit(hypcse.read(frame))
    known = frame[~frame.isin(["?", "NA"]).any(axis=1)]
    for new in (
        known[:1],
        known[:40][known.columns[::-1]],
        known[:9].assign(origin=known["origin"].str.upper(), more=1),
    ):
        assert model.predict(new).tolist() == model.labels_[new.index].tolist()
    gaps = known[:3].assign(horsepower=None, origin="")
    assert model.predict(gaps).tolist() == [model.predict(gaps[k : k + 1])[0] for k in range(3)]
    with pytest.raises(ValueError, match="has no column 'mpg'"):
        model.predict(known.drop(columns="mpg"))
